import type { KubeObject } from '../../schemas/wire/object.ts';
import type { PodRequest, PodReviewRules, Verdict } from '../kinds/admission.ts';
import { timestamp } from '../values/timestamp.ts';
import { spreadBy, subsetOf } from './members.ts';
import { normalizeSpread } from './normalize.ts';
import { idsOf } from './matched.ts';
import {
  MOST_LEAVING,
  NO_SLOTS,
  recordedSize,
  recordSize,
  slotsIn,
  slotsStatus,
  type SubsetSlots,
} from './slots.ts';
import { MATCHED_ANNOTATION } from './resource.ts';
import { versionOf } from './versions.ts';

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
  const id = idsOf(pod).find((each) => Object.hasOwn(before.creating, each));
  // Of one that is neither counted nor on record nobody knows the place.
  const isCounted = id !== undefined || before.replicas > Object.keys(before.deleting).length;
  if (Object.hasOwn(before.deleting, name) || !isCounted) return ALLOWED;
  if (recordedSize(object, 'deletingPods') + recordSize(name) > MOST_LEAVING) return ALLOWED;
  const all = spread.subsets.map((each) => {
    const own = places.get(each.name) ?? NO_SLOTS;
    if (each.name !== subset) return slotsStatus(each.name, own);
    return slotsStatus(each.name, {
      ...leftBy(own, id),
      missing: own.missing + 1,
      deleting: { ...own.deleting, [name]: timestamp(now) },
    });
  });
  return { is: 'recorded', status: { versionedSubsetStatuses: { [version]: all } } };
}

/** The places once a pod on record is counted instead: what is about to go is counted. */
function leftBy(places: SubsetSlots, id: string | undefined): SubsetSlots {
  if (id === undefined) return places;
  const { [id]: _, ...creating } = places.creating;
  return { ...places, replicas: places.replicas + 1, creating };
}
