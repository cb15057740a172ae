import type { KubeObject } from '../../schemas/wire/object.ts';
import type { InvalidField } from '../fields/problems.ts';
import type { StandingGit } from '../kinds/standing-git.ts';
import { isSameWorkload } from '../pod/workload.ts';
import { canonicalJson } from '../values/canonical-json.ts';
import { listed } from '../values/listed.ts';
import { isObject } from '../values/json-shape.ts';
import { objectOf } from '../values/read.ts';
import { selectorsOverlap } from '../values/selector-overlap.ts';
import { isSameSelector, isStoredAlike, type LabelSelector } from '../values/selector.ts';
import { desiredAvailable } from './counts.ts';
import { type Limit, type NormalBudget, normalizeBudget, OPERATIONS } from './normalize.ts';

/** How the compiler compares budgets. */
export const budgetGit: StandingGit = {
  changedForever,
  effect,
  conflict,
  selects,
  copies: () => undefined,
  spreads: () => undefined,
  spreadsNative: [],
};

/** Which pods a budget is about cannot change (OpenKruise podunavailablebudget, section 2): delete it, and create another one. */
function changedForever(before: KubeObject, after: KubeObject): (readonly string[])[] {
  const [from, to] = [objectOf(before['spec']), objectOf(after['spec'])];
  const isSame = {
    selector: isStoredAlike(selectorIn(from['selector']), selectorIn(to['selector'])),
    targetRef: canonicalJson(from['targetRef'] ?? null) === canonicalJson(to['targetRef'] ?? null),
  };
  return (['selector', 'targetRef'] as const).flatMap((field) =>
    isSame[field] ? [] : [['spec', field] as const],
  );
}

function selects(manifest: KubeObject): readonly string[] | undefined {
  const { coverage } = normalizeBudget(manifest);
  if (coverage.by === 'nothing') return undefined;
  return ['spec', coverage.by === 'workload' ? 'targetRef' : 'selector'];
}

function selectorIn(value: unknown): LabelSelector | undefined {
  return isObject(value) ? value : undefined;
}

/** What a budget protects less than before. */
function effect(before: KubeObject, after: KubeObject): string | undefined {
  const [from, to] = [normalizeBudget(before), normalizeBudget(after)];
  const less = [
    ...weakerLimit(from, to),
    ...droppedOperations(from, to),
    ...(to.ignored === undefined || isSameSelector(from.ignored, to.ignored)
      ? []
      : ['other pods are left out by ignoredPodSelector']),
  ];
  return less.length === 0 ? undefined : `it protects less: ${less.join(', ')}`;
}

/** Numbers of pods at which limits are compared that hang on it. */
const SIZES = [1, 2, 3, 5, 10, 25, 50, 100, 1_000, 10_000];

/** Whether fewer pods must stay available than before, at any number of pods that git does not show. */
function weakerLimit(from: NormalBudget, to: NormalBudget): string[] {
  if (from.limit === undefined || to.limit === undefined) return [];
  const desired = ({ limit, total }: NormalBudget, size: number): number =>
    desiredAvailable(limit, total ?? size);
  if (!SIZES.some((size) => desired(to, size) < desired(from, size))) return [];
  return [`${limitText(to.limit, to.total)} in place of ${limitText(from.limit, from.total)}`];
}

function limitText({ field, value }: Limit, total: number | undefined): string {
  return total === undefined ? `${field} ${value}` : `${field} ${value} of ${total}`;
}

function droppedOperations(from: NormalBudget, to: NormalBudget): string[] {
  const dropped = OPERATIONS.filter((each) => from.operations.has(each) && !to.operations.has(each));
  return dropped.length === 0 ? [] : [`${listed(dropped, 'and')} no longer`];
}

/**
 * Two budgets of one workload, or of selectors with the same keys that some labels match (OpenKruise podunavailablebudget,
 * section 7): a pod would need a slot of both.
 */
function conflict(one: KubeObject, other: KubeObject): InvalidField | undefined {
  const [a, b] = [normalizeBudget(one).coverage, normalizeBudget(other).coverage];
  if (a.by === 'workload' && b.by === 'workload' && isSameWorkload(a.workload, b.workload))
    return { path: ['spec', 'targetRef'], rule: 'names the same workload' };
  if (a.by !== 'selector' || b.by !== 'selector') return undefined;
  const isLoose = keysOf(a.selector) === keysOf(b.selector) && selectorsOverlap(a.selector, b.selector);
  return isLoose ? { path: ['spec', 'selector'], rule: 'selects pods of both' } : undefined;
}

function keysOf({ matchLabels, matchExpressions }: LabelSelector): string {
  const keys = [...Object.keys(matchLabels ?? {}), ...(matchExpressions ?? []).map(({ key }) => key)];
  return [...new Set(keys)].sort().join('\n');
}
