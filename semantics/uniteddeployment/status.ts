import type { UnitedDeploymentStatus } from '../../schemas/generated/types/uniteddeployment.ts';
import type { Condition } from '../../schemas/wire/object.ts';
import type { EventDraft } from '../decision.ts';
import { heldCondition, timed } from '../conditions/times.ts';
import { revisionOf, stableRevision } from '../revision/revision.ts';
import { numberOf, objectOf } from '../values/read.ts';
import { formatSelector } from '../values/selector.ts';
import { RESERVED_LABEL } from './reserved-pods.ts';
import type { Member, UnitedView } from './view.ts';

export type UnitedStatus = UnitedDeploymentStatus;

/** The condition of OpenKruise that says that a subset has no child as it should be; OpenKruise itself never sets it. */
export const SUBSET_FAILURE = 'SubsetFailure';

/**
 * The whole desired status (OpenKruise uniteddeployment, section 3), of the children as observed before this decision. Both versions have
 * their fields in it: nothing converts them.
 */
export function unitedStatus(
  view: UnitedView,
  held: { reason: string; message: string } | undefined,
): UnitedStatus {
  const { target, members, liveHash, spec, now } = view;
  const before = objectOf(target['status']) as Partial<UnitedStatus>;
  const observedGeneration = target.metadata.generation ?? 0;
  const conditions = timed([failureOf(view), heldCondition(held)], before.conditions, now) as NonNullable<
    UnitedStatus['conditions']
  >;
  if (view.foreign !== undefined) {
    // The children of another controller are not counted: what it has counted stays.
    const uncounted = { replicas: 0, updatedReplicas: 0, currentRevision: '' };
    return { ...uncounted, ...before, observedGeneration, conditions };
  }
  const present = members.filter(({ isRemoved }) => !isRemoved);
  const updatedRevision = revisionOf(view, liveHash)?.name ?? '';
  const currentRevision = stableRevision(view)?.name ?? updatedRevision;
  const subsetStatuses = present.map((member) => ({
    name: member.subset.name,
    replicas: member.row.size + member.reserved,
    readyReplicas: countIn(member, 'readyReplicas'),
    partition: partitionOf(member),
    ...(spec.adaptive?.reserves === true && { reservedPods: reservedIn(member) }),
    ...(member.schedulable?.condition !== undefined && { conditions: [member.schedulable.condition] }),
  }));
  return {
    observedGeneration,
    replicas: sum(members.map((member) => Math.max(countIn(member, 'replicas') - reservedIn(member), 0))),
    ...(spec.adaptive?.reserves === true && { reservedPods: sum(members.map(reservedIn)) }),
    readyReplicas: sum(members.map((member) => countIn(member, 'readyReplicas'))),
    updatedReplicas: updatedIn(members, liveHash, 'count'),
    updatedReadyReplicas: updatedIn(members, liveHash, 'available'),
    currentRevision,
    updatedRevision,
    labelSelector: `${formatSelector(spec.selector)}${spec.adaptive?.reserves === true ? `,${RESERVED_LABEL}=false` : ''}`,
    subsetStatuses,
    subsetReplicas: Object.fromEntries(subsetStatuses.map(({ name, replicas }) => [name, replicas])),
    updateStatus: {
      updatedRevision,
      currentPartitions: Object.fromEntries(subsetStatuses.map(({ name, partition }) => [name, partition])),
    },
    conditions,
  };
}

/** What is wrong with the children, by the first of them; undefined: nothing is. */
function failureOf(view: UnitedView): Condition | undefined {
  return missing(view) ?? resized(view);
}

/** The first subset whose child cannot be made, as another object has its name. */
function missing({ target, kind: ofChildren, members, takenNames }: UnitedView): Condition | undefined {
  const found = members.find(({ name, object }) => object === undefined && takenNames.has(name));
  if (found === undefined) return undefined;
  const { name, subset } = found;
  const { kind } = ofChildren.resource;
  const message = `a ${kind} ${name} exists that ${target.metadata.name} does not control; delete it, or remove its other owner, so that subset ${subset.name} gets its own`;
  return { type: SUBSET_FAILURE, status: 'True', reason: 'NameTaken', message };
}

const SIZE_CHANGED = 'SizeChanged';

/** The first child whose size others change again and again. */
function resized({ target, kind: ofChildren, members }: UnitedView): Condition | undefined {
  const found = members.find(({ resizedUntil }) => resizedUntil !== undefined);
  if (found === undefined) return undefined;
  const { kind } = ofChildren.resource;
  const message = `the size of ${kind} ${found.name} was changed again after it was written back, and stays for a while. Remove what scales it, such as an autoscaler, and scale ${target.kind} ${target.metadata.name}`;
  return { type: SUBSET_FAILURE, status: 'True', reason: SIZE_CHANGED, message };
}

/** The Event about that, once: when the status does not say it yet. */
export function resizedEvent(view: UnitedView): EventDraft | undefined {
  const now = failureOf(view);
  const { conditions = [] } = objectOf(view.target['status']) as Partial<UnitedStatus>;
  const isKnown = conditions.some(({ type, reason }) => type === SUBSET_FAILURE && reason === SIZE_CHANGED);
  return now?.reason !== SIZE_CHANGED || isKnown
    ? undefined
    : { type: 'Warning', reason: SUBSET_FAILURE, message: now.message ?? '' };
}

/** The pods on the live revision: as many as there are, or as are available. */
function updatedIn(members: readonly Member[], liveHash: string, of: 'count' | 'available'): number {
  const pods = members.flatMap(({ row }) => row.pods).filter(({ hash }) => hash === liveHash);
  return sum(pods.map((each) => each[of]));
}

/** How many of its pods others stand in for. */
function reservedIn({ schedulable }: Member): number {
  return schedulable?.reserved.pods ?? 0;
}

/** How many of its pods stay on the revision before, as far as it has been told. */
function partitionOf({ object, row, reserved }: Member): number {
  const strategy = objectOf(objectOf(object?.['spec'])['updateStrategy']);
  return object === undefined
    ? row.size + reserved
    : (numberOf(objectOf(strategy['rollingUpdate'])['partition']) ?? 0);
}

function countIn({ object }: Member, field: string): number {
  return numberOf(objectOf(object?.['status'])[field]) ?? 0;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
