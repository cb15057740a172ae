import { main } from '../../../cli/dispatch.ts';
import { memoryHost } from '../../cli/world/memory-host.ts';
import type { MemoryHost, MemoryOptions } from '../../cli/world/memory-host.ts';
// The command line loads these on demand; loading them first keeps that time out of the tests.
await Promise.all([import('../../../cli/plan/plan.ts'), import('../../../cli/validate/validate.ts')]);

/** Lines of a valid CloneSet; each part can be replaced. */
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
  args?: readonly string[];
}

/** Runs `kruise` with files in memory; without arguments, `plan` of /repo/head against /repo/base. */
export async function kruise(
  files: Record<string, string | Uint8Array>,
  { args, ...options }: RunOptions = {},
): Promise<{ host: MemoryHost; code: number }> {
  const host = memoryHost(files, options);
  const code = await main(host, args ?? ['plan', 'head', '--base-dir', 'base']);
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

/** The diagnostics of a run, as `CODE file:line:column`, in the reported order. */
export async function diagnosticsOf(
  files: Record<string, string | Uint8Array>,
  { args, ...options }: RunOptions = {},
): Promise<{ positions: string[]; all: DiagnosticJson[] }> {
  const requested = args ?? ['plan', 'head', '--base-dir', 'base'];
  const { host } = await kruise(files, { ...options, args: [...requested, '-o', 'json'] });
  const { diagnostics } = JSON.parse(host.out) as { diagnostics: DiagnosticJson[] };
  const positions = diagnostics.map(({ code, file, line, column }) =>
    file === undefined ? code : `${code} ${file}:${line}:${column}`,
  );
  return { positions, all: diagnostics };
}
