import { main } from '../../../cli/dispatch.ts';
import { memoryHost } from '../../cli/world/memory-host.ts';
import type { MemoryHost, MemoryOptions } from '../../cli/world/memory-host.ts';
// The command line loads these when they are asked for; the time that takes is no test's.
await Promise.all([import('../../../cli/plan/plan.ts'), import('../../../cli/validate/validate.ts')]);

/** Lines of a CloneSet that has nothing to complain about; each part can be replaced. */
export interface CloneSetParts {
  apiVersion?: string;
  name?: string;
  namespace?: string;
  replicas?: number | string;
  image?: string;
  /** Lines below `spec:`, indented by two. */
  spec?: string;
  /** Lines below the pod's `spec:`, indented by six. */
  pod?: string;
  /** Lines below the container, indented by eight. */
  container?: string;
  selector?: string;
  type?: string;
}

export function cloneSet(parts: CloneSetParts = {}): string {
  const name = parts.name ?? 'web';
  const type = parts.type ?? 'InPlaceIfPossible';
  return [
    `apiVersion: ${parts.apiVersion ?? 'apps.kruise.io/v1alpha1'}`,
    'kind: CloneSet',
    'metadata:',
    `  name: ${name}`,
    ...(parts.namespace === '' ? [] : [`  namespace: ${parts.namespace ?? 'shop'}`]),
    'spec:',
    `  replicas: ${parts.replicas ?? 10}`,
    '  selector:',
    `    matchLabels: {app: ${parts.selector ?? name}}`,
    ...(type === '' ? [] : ['  updateStrategy:', `    type: ${type}`]),
    ...(parts.spec === undefined ? [] : [parts.spec]),
    '  template:',
    '    metadata:',
    `      labels: {app: ${name}}`,
    '    spec:',
    '      containers:',
    '      - name: nginx',
    `        image: ${parts.image ?? 'nginx:1.25'}`,
    ...(parts.container === undefined ? [] : [parts.container]),
    ...(parts.pod === undefined ? [] : [parts.pod]),
    '',
  ].join('\n');
}

export interface RunOptions extends MemoryOptions {
  words?: readonly string[];
}

/** Runs `kruise` over files in memory; without words, `plan` of /repo/head against /repo/base. */
export async function kruise(
  files: Record<string, string | Uint8Array>,
  { words, ...options }: RunOptions = {},
): Promise<{ host: MemoryHost; code: number }> {
  const host = memoryHost(files, options);
  const code = await main(host, words ?? ['plan', 'head', '--base-dir', 'base']);
  return { host, code };
}

interface DiagnosticJson {
  code: string;
  severity: string;
  message: string;
  help?: string;
  file?: string;
  line?: number;
  column?: number;
}

/** The diagnostics of a run, as `CODE file:line:column`, in the order given. */
export async function diagnosticsOf(
  files: Record<string, string | Uint8Array>,
  { words, ...options }: RunOptions = {},
): Promise<{ places: string[]; all: DiagnosticJson[] }> {
  const asked = words ?? ['plan', 'head', '--base-dir', 'base'];
  const { host } = await kruise(files, { ...options, words: [...asked, '-o', 'json'] });
  const { diagnostics } = JSON.parse(host.out) as { diagnostics: DiagnosticJson[] };
  const places = diagnostics.map(({ code, file, line, column }) =>
    file === undefined ? code : `${code} ${file}:${line}:${column}`,
  );
  return { places, all: diagnostics };
}
