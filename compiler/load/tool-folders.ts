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

/** The folder above a file or folder whose tool has it as input: a kustomization of that file, or a chart of either. */
export interface EnclosingTool extends ToolFolder {
  folder: string;
}

/**
 * Looks for the folder of a tool around a path that somebody named. Every folder of a chart belongs to the chart. A
 * kustomization has the files beside it; a folder below it may be one of manifests.
 *
 * @param top the last folder that is looked into
 * @param ignores whether a file is left out
 */
export function enclosingTool(
  host: CompilerHost,
  { path, kind }: { path: string; kind: Entry['kind'] },
  top: string,
  ignores: (path: string) => boolean,
): EnclosingTool | undefined {
  let folder = path;
  while (folder !== top && folder !== '/') {
    folder = folder.slice(0, folder.lastIndexOf('/')) || '/';
    const isBeside = kind === 'file' && folder === (path.slice(0, path.lastIndexOf('/')) || '/');
    const names = isBeside ? [...KUSTOMIZATIONS, CHART] : [CHART];
    const entries = names.flatMap((name) => {
      const at = `${folder === '/' ? '' : folder}/${name}`;
      const found = ignores(at) ? undefined : host.inspect(at);
      return found === undefined ? [] : [{ name, kind: found.kind }];
    });
    const tool = toolFolder(host, entries);
    if (tool !== undefined) return { folder, ...tool };
  }
  return undefined;
}
