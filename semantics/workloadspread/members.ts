import type { KubeObject } from '../../schemas/wire/object.ts';
import { isWaiting } from '../pod/gated.ts';
import { isActive } from '../pod/readiness.ts';
import type { Pod } from '../pod/types.ts';
import { belongsTo } from '../pod/workload.ts';
import { remembered } from '../values/remembered.ts';
import { selectorPredicate } from '../values/selector.ts';
import { matchedOf } from './matched.ts';
import { type NormalSpread, normalizeSpread } from './normalize.ts';
import { GATE } from './resource.ts';

const GATES = [GATE];
/** The test for pods of a WorkloadSpread in its namespace, made once. */
export const spreadBy = remembered((object: KubeObject): ((pod: KubeObject) => boolean) => {
  const { target } = normalizeSpread(object);
  const isSelected = filteredBy(object);
  const test = (pod: KubeObject): boolean => belongsTo(pod, target) && isSelected(pod);
  return test;
});

/** Whether the filter of a WorkloadSpread leaves pods of its target to it. */
export function filteredBy(object: KubeObject): (pod: Pick<KubeObject, 'metadata'>) => boolean {
  const { selector } = normalizeSpread(object);
  if (selector === undefined) return () => true;
  const isSelected = selectorPredicate(selector);
  return ({ metadata }) => isSelected(metadata.labels);
}

/**
 * The subset that a pod is on record in; undefined: in none that there is. Nobody places a pod and leaves its gate: what the template of one
 * that waits says about that does not count. Only pods that are made in their subset may have a gate all the same.
 */
export function subsetOf(
  object: KubeObject,
  { subsets, way }: NormalSpread,
  pod: KubeObject,
): string | undefined {
  if (way !== 'creates' && isWaiting(pod, GATES)) return undefined;
  const matched = matchedOf(pod);
  if (matched?.name !== object.metadata.name) return undefined;
  return subsets.some(({ name }) => name === matched.subset) ? matched.subset : undefined;
}

/** The active pods of each subset, in the order of the spec, and of none. */
export interface Members {
  bySubset: ReadonlyMap<string, readonly Pod[]>;
  /** In no subset that there is. */
  unmatched: readonly Pod[];
}

/**
 * Groups pods by their subsets.
 *
 * @param assigned subsets of pods that are not on record yet, by uid. Default: there are none
 */
export function membersOf(
  object: KubeObject,
  pods: readonly Pod[],
  assigned: ReadonlyMap<string, string> = NONE,
): Members {
  const spread = normalizeSpread(object);
  const isOwn = spreadBy(object);
  const bySubset = new Map<string, Pod[]>(spread.subsets.map(({ name }) => [name, []]));
  const unmatched: Pod[] = [];
  for (const pod of pods) {
    if (!isActive(pod) || !isOwn(pod)) continue;
    const subset = assigned.get(pod.metadata.uid ?? '') ?? subsetOf(object, spread, pod);
    const own = subset === undefined ? undefined : bySubset.get(subset);
    (own ?? unmatched).push(pod);
  }
  return { bySubset, unmatched };
}

const NONE: ReadonlyMap<string, string> = new Map();
