import type { KruiseConfig } from '../../schemas/generated/types/config.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { hasErrors } from '../diagnostics/diagnostic.ts';
import { filedByTarget } from '../diagnostics/shared.ts';
import { type Elsewhere, withAll } from '../load/elsewhere.ts';
import type { GitPods, GitWorkload } from '../load/git-pods.ts';
import type { Locator } from '../load/locate.ts';
import type { Manifest } from '../load/manifest.ts';
import type { Loaded } from '../load/manifests.ts';
import { retainedByPartition } from '../../semantics/kinds/git-partition.ts';
import {
  areSelected,
  updatesNone,
  rolloutSize,
  type SelectedUnits,
} from '../../semantics/kinds/git-units.ts';
import { SHARED_KINDS } from '../../semantics/kinds/openkruise.ts';
import { areSelectedOtherwise, boundSelectorOf } from '../plan/bound.ts';
import type { Change } from '../plan/change.ts';
import type { Target } from '../plan/target.ts';
import { clashRules } from '../reach/clash-rules.ts';
import { reachRules } from '../reach/reach-rules.ts';
import { podSelection, type Reach, reachOf, withoutReach } from '../reach/reach.ts';
import type { LabelSelector } from '../../semantics/values/selector.ts';

/**
 * Problems of the pods that targets select among those of other owners, by target ID. None if there are errors, because not
 * all workloads are known then.
 *
 * @param manifests the valid ones
 */
export function reachProblems(
  { diagnostics }: Pick<Loaded, 'diagnostics'>,
  manifests: Iterable<Manifest>,
  readPods: () => GitPods | undefined,
  elsewhere: Elsewhere,
  locator: Locator,
): Map<string, Diagnostic[]> {
  const found = new Map<string, Diagnostic[]>();
  if (hasErrors(diagnostics)) return found;
  const all = [...manifests];
  const selecting = all.filter((each) => podSelection(each) !== undefined);
  if (selecting.length === 0) return found;
  const pods = readPods();
  const others = elsewhere.pods();
  const everywhere = withAll([pods, others]);
  const add = (id: string, problems: readonly Diagnostic[]): void =>
    void (problems.length > 0 && found.set(id, [...(found.get(id) ?? []), ...problems]));
  for (const each of selecting) add(each.id, reachRules(each, pods, everywhere, locator));
  if (pods === undefined) return found;
  const planned = new Map(all.map((each) => [each.id, each]));
  const clashes = clashRules(selecting, planned, pods, others, locator);
  for (const [id, problems] of filedByTarget(clashes, (each) => planned.has(each)).byTarget)
    add(id, problems);
  return found;
}

/**
 * Writes into each change of a target that selects pods of other owners which ones those are, and how many pods its forecast is
 * for: as kruise.yaml says, or as the manifests show. The warnings about its plan count as many; the plan itself hangs on no number.
 *
 * @param readPods the pods at head; undefined: they are not known
 * @param readBasePods those at base
 */
export function addReach(
  changes: readonly Change[],
  assume: KruiseConfig['assume'],
  readPods: () => GitPods | undefined,
  readBasePods: () => GitPods | undefined,
): void {
  for (const change of changes) {
    const selection = change.head && podSelection(change.head.manifest);
    if (selection === undefined) continue;
    const git = readPods();
    if (git !== undefined) change.reach = reachOf(selection, git);
    if (change.reach !== undefined && changesRunning(change)) {
      markAlsoChanged(change, change.reach, changes);
      change.alsoMadeAnew = git && alsoMadeAnew(change.reach, git, readBasePods());
    }
    const before = change.base && podSelection(change.base.manifest);
    if (git !== undefined && before !== undefined && areSelectedOtherwise(change.base, change.head))
      change.reachChange = {
        joining: withoutReach(reachOf(selection, git), reachOf(before, git)),
        leaving: withoutReach(reachOf(before, git), reachOf(selection, git)),
      };
    const found = change.reach?.pods === 0 ? undefined : change.reach?.pods;
    const count = assume?.pods ?? found;
    assumeUnits(change, count);
    if (git !== undefined && found !== undefined && count !== undefined)
      countSelected(change, (within) => (reachOf(selection, git, within).pods / found) * count);
  }
}

/**
 * Marks the selected workloads whose running pods change by the same commit, in the change of each of both. Each has its own plan and
 * its own forecast, and a reviewer may read one alone.
 */
function markAlsoChanged(change: Change, { workloads }: Reach, changes: readonly Change[]): void {
  const others = changes.filter((each) => each !== change && changesRunning(each));
  const { kind, namespace, name } = change;
  change.alsoChanged = workloads.filter((workload) => {
    const found = others.filter(
      (other) =>
        other.kind === workload.kind &&
        other.namespace === workload.namespace &&
        other.name === workload.name,
    );
    for (const other of found)
      other.alsoChangedBy = [...(other.alsoChangedBy ?? []), { kind, namespace, name }];
    return found.length > 0;
  });
}

/** Kinds of Kubernetes whose controllers replace the pods of a changed template. */
const REPLACING: ReadonlySet<string> = new Set(['Deployment', ...SHARED_KINDS]);

/** The selected workloads of Kubernetes whose template the same commit changes. */
function alsoMadeAnew({ workloads }: Reach, git: GitPods, base: GitPods | undefined): Reach['workloads'] {
  const before = new Map(base?.workloads.map((each) => [each.id, contentOf(each)]));
  const changed = git.workloads.filter((each) => {
    const earlier = before.get(each.id);
    const isReplacing = each.group === 'apps' && REPLACING.has(each.kind);
    return isReplacing && earlier !== undefined && earlier !== contentOf(each);
  });
  return workloads.filter((workload) =>
    changed.some(
      ({ kind, namespace, name }) =>
        kind === workload.kind && namespace === workload.namespace && name === workload.name,
    ),
  );
}

function contentOf({ templates }: GitWorkload): string {
  return templates.map(({ path, content }) => `${path.join('.')} ${content}`).join(' ');
}

function changesRunning({ action, classification }: Change): boolean {
  const mode = classification?.mode;
  return action === 'Update' && (mode === 'InPlace' || mode === 'Recreate');
}

/**
 * Counts the pods that the selectors of bounds select, as a share of all. A continuation takes back none that the selector at
 * base has selected.
 */
function countSelected(change: Change, unitsWithin: (within: readonly LabelSelector[]) => number): void {
  const [before, after] = [change.base, change.head].map((state) => state && boundSelectorOf(state.normal));
  const stays = change.action === 'Bound' ? selectedBefore(change.base) : [];
  const withCount = (target: Target, within: readonly LabelSelector[]): Target =>
    withSelected(target, { shownWithin: Math.ceil(unitsWithin(within)) });
  if (change.base !== undefined && before !== undefined) change.base = withCount(change.base, [before]);
  if (change.head !== undefined && after !== undefined)
    change.head = withCount(change.head, [after, ...stays]);
}

/** The selector of what a state has updated; none where it has updated no unit, or where its partition hides which. */
function selectedBefore(base: Target | undefined): LabelSelector[] {
  if (base === undefined || updatesNone(base.normal.units)) return [];
  const { units } = base.normal;
  const selector = boundSelectorOf(base.normal);
  if (selector !== undefined) return [selector];
  return retainedByPartition(units, rolloutSize(units) ?? 0) === 0 ? [{}] : [];
}

/** A target with what other manifests show of the units that it selects. */
function withSelected(target: Target, shown: Partial<Pick<SelectedUnits, 'shown' | 'shownWithin'>>): Target {
  const { units } = target.normal;
  if (!areSelected(units)) return target;
  return { ...target, normal: { ...target.normal, units: { ...units, ...shown } } };
}

/** Lets a forecast be for this number of pods of other owners; undefined: for an example. */
function assumeUnits(change: Change, count: number | undefined): void {
  if (count === undefined) return;
  change.assumedUnits = count;
  change.base = change.base && withSelected(change.base, { shown: count });
  change.head = change.head && withSelected(change.head, { shown: count });
}
