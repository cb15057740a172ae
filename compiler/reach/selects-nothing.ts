import { diagnostic, hasErrors } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Kind } from '../../semantics/kinds/kind.ts';
import { withAll } from '../load/elsewhere.ts';
import type { GitPods } from '../load/git-pods.ts';
import type { Locator } from '../load/locate.ts';
import type { ManifestOf, StandingManifest } from '../load/manifest.ts';
import type { Loaded } from '../load/manifests.ts';
import { onceOnly } from '../load/once-only.ts';
import { locateIn } from '../validate/validate.ts';
import { type PodSelection, podSelection, reachOf } from './reach.ts';

/**
 * A warning of a valid object that selects no pod in git.
 *
 * @param path where its selector stands
 * @param git with the pods of all other roots of the run
 */
export function selectsNothing(
  manifest: ManifestOf<Kind>,
  path: readonly string[],
  selection: PodSelection,
  git: GitPods,
  locator: Locator,
): Diagnostic[] {
  const workloads = git.workloads.length;
  if (workloads === 0 || selectsAny(selection, git)) return [];
  const { kind, name } = manifest;
  return [diagnostic('KR2193', { kind, name, workloads }, locateIn(manifest, locator)([...path], 'key'))];
}

/**
 * The same of objects that are reconciled at once: a budget with a wrong label protects nothing. None if there are errors, because
 * not all workloads are known then. Other roots are read only where the pods of the own one are not selected.
 *
 * @param standing the valid ones
 * @param readPods undefined: not all of them are known
 * @param readOthers the pods of all other roots of the run
 */
export function standingThatSelectNothing(
  { diagnostics }: Pick<Loaded, 'diagnostics'>,
  standing: Iterable<StandingManifest>,
  readPods: () => GitPods | undefined,
  readOthers: () => GitPods | undefined,
  locator: Locator,
): Diagnostic[] {
  if (hasErrors(diagnostics)) return [];
  const readEverywhere = onceOnly(() => withAll([readPods(), readOthers()]));
  return [...standing].flatMap((manifest) => {
    const path = manifest.type.git.selects(manifest.object);
    const selection = path && podSelection(manifest);
    if (path === undefined || selection === undefined) return [];
    const own = readPods();
    if (own === undefined || selectsAny(selection, own)) return [];
    const everywhere = readEverywhere();
    return everywhere === undefined ? [] : selectsNothing(manifest, path, selection, everywhere, locator);
  });
}

function selectsAny(selection: PodSelection, git: GitPods): boolean {
  const { workloads, possible } = reachOf(selection, git);
  return workloads.length + possible > 0;
}
