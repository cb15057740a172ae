import type { CompilerHost, Entry } from '../host.ts';

/** A folder with the input of a tool that renders manifests: its files are not what is applied. */
export interface ToolFolder {
  what: 'a kustomization' | 'a Helm chart';
  /** The words before the folder, in the command that renders it. */
  command: string;
}

/** The names that kustomize accepts, and the one that Helm does. */
const KUSTOMIZATIONS: ReadonlySet<string> = new Set([
  'kustomization.yaml',
  'kustomization.yml',
  'Kustomization',
]);
const CHART = 'Chart.yaml';

/** What a folder with these entries is the input of; undefined for a folder of manifests. */
export function toolFolder(
  host: CompilerHost,
  entries: readonly Pick<Entry, 'name' | 'kind'>[],
): ToolFolder | undefined {
  const has = (isOne: (name: string) => boolean): boolean =>
    entries.some(({ name, kind }) => kind === 'file' && isOne(name));
  if (has((name) => KUSTOMIZATIONS.has(name))) {
    // Many have kustomize as a part of kubectl only.
    const isWithoutKubectl = host.hasProgram?.('kubectl') === false;
    return { what: 'a kustomization', command: isWithoutKubectl ? 'kustomize build' : 'kubectl kustomize' };
  }
  return has((name) => name === CHART) ? { what: 'a Helm chart', command: 'helm template' } : undefined;
}
