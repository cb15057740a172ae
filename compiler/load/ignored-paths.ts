import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { KruiseConfig } from '../../schemas/generated/types/config.ts';
import type { Locate } from '../validate/schema-errors.ts';
import { isInside } from './files.ts';
import { ignoreList } from './ignore.ts';

/** The ignore list of a configuration. Paths are absolute ones of head. */
export interface IgnoredPaths {
  has(path: string): boolean;
  /** The warning for a path of the command line that is ignored as a whole; none otherwise. */
  covering(path: string, shown: string): Diagnostic[];
  /** Warnings for patterns that could match below the paths that were read, and matched nothing. */
  unused(paths: readonly string[]): Diagnostic[];
}

export const NO_PATHS_IGNORED: IgnoredPaths = { has: () => false, covering: () => [], unused: () => [] };

/** What of a configuration is needed here; without a readable file there is neither folder nor position. */
interface IgnoreSource {
  config: Pick<KruiseConfig, 'ignore'>;
  /** The absolute folder of kruise.yaml. */
  folder: string | undefined;
  locate: Locate | undefined;
}

export function ignoredPaths({ config, folder, locate }: IgnoreSource): IgnoredPaths {
  const { ignore = [] } = config;
  if (folder === undefined || locate === undefined || ignore.length === 0) return NO_PATHS_IGNORED;
  const list = ignoreList(ignore);
  // undefined: outside of the folder
  const relative = (path: string): string | undefined =>
    isInside(path, folder) ? path.slice(folder === '/' ? 1 : folder.length + 1) : undefined;
  const at = (index: number): ReturnType<typeof locate> => locate(['ignore', String(index)], 'value');
  return {
    has(path) {
      const below = relative(path);
      return below !== undefined && list.has(below);
    },
    covering(path, shown) {
      const pattern = list.covers(relative(path) ?? '');
      if (pattern === undefined) return [];
      return [diagnostic('KR4031', { path: shown, pattern }, at(ignore.indexOf(pattern)))];
    },
    unused: (paths) =>
      list
        .unused(paths.flatMap((path) => relative(path) ?? []))
        .map((index) => diagnostic('KR4030', { pattern: ignore[index] ?? '' }, at(index))),
  };
}
