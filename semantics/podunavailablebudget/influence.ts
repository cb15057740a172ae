import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { CreatedPod, DisruptedPod, Influence } from '../influence/influence.ts';
import type { DisruptionLimit } from '../limits/disruption.ts';
import type { Disruption, Slots } from '../limits/slots.ts';
import { HELD_CONDITION, UNCOUNTED_REASONS } from '../plan/held-condition.ts';
import { trueCondition } from '../status/conditions.ts';
import { numberOf, objectOf } from '../values/read.ts';
import { remembered } from '../values/remembered.ts';
import { coveredLabels, covering, exempting } from './coverage.ts';
import {
  enteredPods,
  type EntryMap,
  entryTime,
  hasSlot,
  isEntered,
  MAPS,
  MOST_A_WRITE,
  entriesLeft,
  slotsOf,
} from './entries.ts';
import { withGranted } from './guard-counts.ts';
import { budgetInGit, OPERATION_OF } from './git-limit.ts';
import { linkedBudget, linkTo } from './links.ts';
import { normalizeBudget } from './normalize.ts';
import { claim, raise } from './raised.ts';
import { READ_ANNOTATIONS } from './resource.ts';
import { isSound } from './sound.ts';

/** What a budget does to what others decide about its pods: they take slots before they make one unavailable. */
export const budgetInfluence: Influence = {
  protects: true,
  covers: (object, pod) => coveredBy(object)(pod),
  labels: (object) => coveredLabels(normalizeBudget(object).coverage),
  onDisrupt,
  onCreate: linked,
  record: (object, { disrupted }, now) => ({ status: takenSlots(object, disrupted, now) }),
  raise,
  claim: (object, guard, pod, pods, now) =>
    uncounted(object) === undefined ? claim(object, guard, { pod, pods }, now) : undefined,
  deletionCost: () => () => undefined,
  git: budgetInGit,
};

/** The test for pods of a budget, made once: it is asked about every pod that others change. Observed objects are immutable. */
export const coveredBy = remembered((object: KubeObject): ((pod: KubeObject) => boolean) =>
  covering(normalizeBudget(object).coverage),
);

/**
 * The slots of a budget; undefined: it protects no pod now, as its workload has none or may lose all. Until its present spec is
 * counted, nothing is known to be left: the next reconcile counts.
 */
function onDisrupt(object: KubeObject, now: number, guard?: KubeObject): Slots | undefined {
  const { namespace = '', name } = object.metadata;
  const slots = slotsOf(object);
  const why = uncounted(object);
  if (why === undefined && slots.desired === 0) return undefined;
  const budget = normalizeBudget(object);
  const isExempt = exempting(budget);
  const title = `${object.kind} ${namespace}/${name}`;
  const counted = (): DisruptionLimit => {
    const limit = countedLimit(slots, title);
    return guard === undefined ? limit : withGranted(limit, object, guard, now);
  };
  return {
    limit: why === undefined ? counted() : { name: `${title}, ${why},`, most: 0, unavailable: [], left: 0 },
    takesSlot: (pod, how) =>
      budget.operations.has(OPERATION_OF[how]) &&
      !isExempt(pod) &&
      isSound(pod, now) &&
      !hasSlot(slots, pod, now),
  };
}

/** What is left of the slots, as far as one write may take them. */
export function countedLimit(slots: ReturnType<typeof slotsOf>, title: string): DisruptionLimit {
  const { allowed, current, desired, total } = slots;
  const most = Math.min(MOST_A_WRITE, entriesLeft(slots));
  return {
    name: allowed > most ? `${title}, which gives at most ${MOST_A_WRITE} slots at a time,` : title,
    most: Math.max(total - desired, 0),
    unavailable: enteredPods(slots),
    present: `${current} of ${total} ${current === 1 ? 'is' : 'are'} available`,
    left: Math.min(allowed, most),
  };
}

/**
 * Held for one of these reasons, its counts are up to date: a link was refused, or a write of its PodDisruptionBudget, which is reported
 * beside them.
 */
export const COUNTED_REASONS: readonly string[] = [
  'FailedUpdate',
  'FailedCreate',
  'FailedDelete',
  'NoCapacity',
];

/**
 * Whether a budget has no numbers at all, and stops nothing: nothing has observed it, or it is held as invalid since it was made. One that
 * was counted without pods, and made invalid later, has a later generation, or has annotations that are read: a change of those begins no generation.
 */
export function wasNeverCounted(object: KubeObject): boolean {
  const observed = numberOf(objectOf(object['status'])['observedGeneration']);
  const { reason = '' } = trueCondition(object, HELD_CONDITION) ?? {};
  if (observed === undefined) return true;
  const isAnnotated = READ_ANNOTATIONS.some((key) => object.metadata.annotations?.[key] !== undefined);
  return observed === 1 && slotsOf(object).total === 0 && UNCOUNTED_REASONS.has(reason) && !isAnnotated;
}

/** Why the status does not say what is left, as a clause; undefined: it does. */
export function uncounted(object: KubeObject): string | undefined {
  const { reason } = trueCondition(object, HELD_CONDITION) ?? {};
  // The counts are those from before, and pods may have failed since.
  if (reason !== undefined && !COUNTED_REASONS.includes(reason)) return `which is held as ${reason}`;
  const { metadata, status } = object;
  const isCounted = numberOf(objectOf(status)['observedGeneration']) === metadata.generation;
  return isCounted ? undefined : 'whose pods are not counted yet';
}

/**
 * The slots that these pods take. A change and a resize are over sooner than a deletion. A pod that has a slot already is not
 * counted twice.
 */
export function takenSlots(object: KubeObject, disrupted: readonly DisruptedPod[], now: number): JsonObject {
  const slots = slotsOf(object);
  const before = disrupted.filter(({ pod }) => !isEntered(slots, pod));
  const fresh = new Set(before.map(({ pod }) => pod.metadata.name));
  const taken = (map: EntryMap): [EntryMap, JsonObject][] => {
    const own = disrupted.filter(({ how }) => MAP_OF[how] === map);
    const times = own.map(({ pod }) => [pod.metadata.name, entryTime(pod, now)] as const);
    return own.length === 0 ? [] : [[map, Object.fromEntries(times)]];
  };
  return {
    unavailableAllowed: slots.allowed - fresh.size,
    // As the next count finds it, which then writes nothing.
    currentAvailable: Math.max(slots.current - fresh.size, 0),
    ...Object.fromEntries(MAPS.flatMap(taken)),
  };
}

const MAP_OF: Readonly<Record<Disruption, EntryMap>> = {
  Delete: 'disruptedPods',
  Update: 'unavailablePods',
  Resize: 'unavailablePods',
};

/** Links new pods to their budget, unless they name one. */
function linked(object: KubeObject, _owner: KubeObject, pods: readonly KubeObject[]): readonly CreatedPod[] {
  const isCovered = coveredBy(object);
  return pods.map((pod) => ({
    pod: isCovered(pod) && linkedBudget(pod) === undefined ? withLink(pod, object.metadata.name) : pod,
    isRecorded: false,
  }));
}

function withLink(pod: KubeObject, budget: string): KubeObject {
  const annotations = { ...pod.metadata.annotations, ...linkTo(budget) };
  return { ...pod, metadata: { ...pod.metadata, annotations } };
}
