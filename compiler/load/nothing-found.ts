import { diagnostic, hasErrors } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { CompilerHost } from '../host.ts';
import { shownPath } from './files.ts';
import { allStanding, type Loaded, type State } from './manifests.ts';

/** Reports a run that compares nothing. */
export function nothingFound(
  host: CompilerHost,
  { paths, given = [] }: State,
  head: Loaded,
  base: Loaded,
): Diagnostic[] {
  const states = [head, base];
  const isAny = states.some((state) => {
    const { manifests, checkedOnly, ignored, diagnostics } = state;
    const objects = manifests.size + checkedOnly.length + allStanding(state).length + ignored.size;
    return objects > 0 || hasErrors(diagnostics);
  });
  if (isAny) return [];
  const names = paths.map((path) => (path === host.cwd ? '.' : shownPath(host, path)));
  const shown = [...names, ...given.map(({ file }) => file)].join(', ');
  // A run in the folder of plans would pass every check, too.
  const isPlansAlone = head.found > 0 && head.unexpectedPlans.length === head.found;
  if (isPlansAlone || states.every(({ found }) => found === 0))
    return [diagnostic('KR1031', { paths: shown, isPlansAlone })];
  return [diagnostic('KR1032', { paths: shown, files: head.found })];
}
