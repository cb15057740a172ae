import type { Condition, KubeObject } from '../../schemas/wire/object.ts';
import { heldCondition, timed } from '../conditions/times.ts';
import { listOf, objectOf, textOf } from '../values/read.ts';
import { timeOf, timestamp } from '../values/timestamp.ts';
import { GRACE_CONDITION, UNREADY_KEY } from './resource.ts';
import type { ContainerState, StatusSnapshot } from './states.ts';

/** The status of a request (OpenKruise container-recreate-request, section 3). */
export interface RequestStatus {
  phase?: string;
  completionTime?: string;
  message?: string;
  containerRecreateStates?: readonly ContainerState[];
  containerStatusSnapshot?: readonly StatusSnapshot[];
  conditions?: readonly Condition[];
}

/** What a status has, as far as the rules read it. */
export interface Recorded {
  states: readonly ContainerState[];
  snapshot: readonly StatusSnapshot[];
  conditions: readonly Condition[];
  /** Since when the pod has not been ready, milliseconds since 1970; undefined: it is not yet so. */
  drainedAt: number | undefined;
  completedAt: number;
}

/** A status of any writer. The annotation of OpenKruise's v1alpha1 says the same as the condition. */
export function recordedIn({ metadata, status }: KubeObject): Recorded {
  const own = objectOf(status);
  const conditions = listOf(own['conditions']) as unknown as Condition[];
  const drained = conditions.find(({ type, status: is }) => type === GRACE_CONDITION && is === 'True');
  const since = timeOf(drained?.lastTransitionTime) || timeOf(metadata.annotations?.[UNREADY_KEY]);
  return {
    states: listOf(own['containerRecreateStates']) as unknown as ContainerState[],
    snapshot: listOf(own['containerStatusSnapshot']) as unknown as StatusSnapshot[],
    conditions,
    drainedAt: since === 0 ? undefined : since,
    completedAt: timeOf(textOf(own['completionTime']) || undefined),
  };
}

/** What a decision reports. */
interface Reported {
  phase: 'Pending' | 'Recreating' | 'Completed';
  /** Why it ends, or what it waits for; default: its containers say so. */
  message?: string;
  states?: readonly ContainerState[];
  snapshot?: readonly StatusSnapshot[];
  /** The pod is out of traffic from now on. */
  isDrained?: boolean;
}

/** The whole status. What a decision does not report stays as it is. */
export function statusWith(
  target: KubeObject,
  { phase, message, states, snapshot, isDrained }: Reported,
  held: { reason: string; message: string } | undefined,
  now: number,
): RequestStatus {
  const before = recordedIn(target);
  const { drainedAt } = before;
  const isOut = isDrained === true || drainedAt !== undefined;
  // Its time never changes again: a drain that began anew each time would never end.
  const known = drainedAt === undefined ? [] : [{ ...DRAINED, lastTransitionTime: timestamp(drainedAt) }];
  const conditions = timed(
    [isOut ? DRAINED : undefined, heldCondition(held)],
    [...before.conditions, ...known],
    now,
  );
  const nextStates = states ?? before.states;
  const nextSnapshot = snapshot ?? before.snapshot;
  return {
    phase,
    ...(phase === 'Completed' && { completionTime: timestamp(now) }),
    ...(message !== undefined && { message }),
    ...(nextStates.length > 0 && { containerRecreateStates: nextStates }),
    ...(nextSnapshot.length > 0 && { containerStatusSnapshot: nextSnapshot }),
    ...(conditions.length > 0 && { conditions }),
  };
}

const DRAINED: Condition = {
  type: GRACE_CONDITION,
  status: 'True',
  reason: GRACE_CONDITION,
  message: '',
};
