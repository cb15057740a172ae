import type { KubeObject } from '../../schemas/wire/object.ts';
import type { PodRequest, PodReviewRules, Verdict } from '../kinds/admission.ts';
import { timestamp } from '../values/timestamp.ts';
import { spreadBy, subsetOf } from './members.ts';
import { normalizeSpread } from './normalize.ts';
import { NO_SLOTS, slotsIn, slotsStatus } from './slots.ts';
import { MATCHED_ANNOTATION } from './resource.ts';
import { versionOf } from './versions.ts';

/** So many pods of a subset may be about to go. */
const MOST_LEAVING = 1_000;

const ALLOWED: Verdict = { is: 'allowed' };

/**
 * Notes which pods are about to go (OpenKruise workloadspread, rule 6.2): the workload may make another one before the runtime has seen
 * that they are gone, and that one is to have their place. Nothing is ever refused.
 */
export const spreadReview: PodReviewRules = {
  of: 'pods',
  operations: ['DELETE', 'EVICT'],
  conditions: [
    {
      name: 'placed',
      expression: `'${MATCHED_ANNOTATION}' in oldObject.metadata.?annotations.orValue({})`,
    },
  ],
  failurePolicy: 'Ignore',
  records: true,
  review,
};

function review(object: KubeObject, { pod }: PodRequest, now: number): Verdict {
  const spread = normalizeSpread(object);
  const subset = subsetOf(object, spread, pod);
  const cap = spread.subsets.find(({ name }) => name === subset)?.cap;
  if (subset === undefined || cap === undefined || spread.way === 'creates') return ALLOWED;
  if (spread.target.kind === 'StatefulSet' || !spreadBy(object)(pod)) return ALLOWED;
  const version = versionOf(spread, pod);
  const places = slotsIn(object, version);
  const { name } = pod.metadata;
  const before = places.get(subset) ?? NO_SLOTS;
  // One that is not counted yet has its place as long as that is on record.
  if (Object.hasOwn(before.deleting, name) || before.replicas <= Object.keys(before.deleting).length)
    return ALLOWED;
  if (Object.keys(before.deleting).length >= MOST_LEAVING) return ALLOWED;
  const all = spread.subsets.map((each) => {
    const own = places.get(each.name) ?? NO_SLOTS;
    if (each.name !== subset) return slotsStatus(each.name, own);
    const deleting = { ...own.deleting, [name]: timestamp(now) };
    return slotsStatus(each.name, { ...own, missing: own.missing + 1, deleting });
  });
  return { is: 'recorded', status: { versionedSubsetStatuses: { [version]: all } } };
}
