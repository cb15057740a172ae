import type { JsonObject } from '../../schemas/wire/json.ts';
import type { Condition } from '../../schemas/wire/object.ts';
import { compareCodePoints } from '../values/canonical-json.ts';
import { isListOf, isObject, parsedJson } from '../values/json-shape.ts';
import { withResourceVersion } from './in-place.ts';
import { unreadyBy } from './unready.ts';
import { condition } from './readiness.ts';
import { timestamp } from '../values/timestamp.ts';
import { KRUISE_POD_READY, type Pod } from './types.ts';

/**
 * A holder of the gate KruisePodReady, which keeps a pod out of traffic. The message of the condition lists the holders as
 * JSON (OpenKruise inplace-update, rule 6.8). Each holder removes only its own entry, and the gate opens when none is left.
 */
export interface NotReadyKey {
  userAgent: string;
  key: string;
}

/** The `userAgent` of OpenKruise's lifecycle hooks. */
const LIFECYCLE = 'Lifecycle';

/**
 * The status patch that adds a holder. It includes Ready, so that endpoints do not wait for the kubelet. Undefined: the pod
 * does not have the gate, has this holder already, or has a list of holders that is invalid and must not be overwritten.
 */
export function addNotReadyKey(pod: Pod, holder: NotReadyKey, now: number): JsonObject | undefined {
  if (!hasKruiseGate(pod)) return undefined;
  const current = condition(pod, KRUISE_POD_READY);
  // The message of an open gate is outdated.
  const holders = current === undefined || current.status === 'True' ? [] : holdersOf(current);
  if (holders === undefined || holders.some((each) => isSame(each, holder))) return undefined;
  const closed = withHolders([...holders, holder].sort(inOrder), now);
  return statusPatch(pod, [closed, ...unreadyBy(pod, KRUISE_POD_READY, now)]);
}

/** The status patch that removes one holder; undefined: the pod does not have it. The kubelet then sets Ready. */
export function removeNotReadyKey(pod: Pod, holder: NotReadyKey, now: number): JsonObject | undefined {
  const left = without(pod, (each) => isSame(each, holder), now);
  return left === undefined ? undefined : statusPatch(pod, [left]);
}

/**
 * The condition of OpenKruise's own readiness gate, where it must be written; undefined: it is correct, or the pod does not
 * have the gate. OpenKruise's manager opens the gate of new pods, and removes the holders of finished hooks. Without the
 * manager such a pod would stay out of traffic. Other holders are not removed.
 *
 * @param state the lifecycle state that the pod is in, or enters now
 */
export function kruiseReadyCondition(
  pod: Pod,
  state: string | undefined,
  now: number,
): Condition | undefined {
  if (!hasKruiseGate(pod)) return undefined;
  if (condition(pod, KRUISE_POD_READY) === undefined)
    return { type: KRUISE_POD_READY, status: 'True', lastTransitionTime: timestamp(now) };
  const isHeld = ['PreparingDelete', 'PreparingUpdate', 'Updating'].includes(state ?? '');
  return isHeld ? undefined : without(pod, ({ userAgent }) => userAgent === LIFECYCLE, now);
}

function hasKruiseGate({ spec }: Pod): boolean {
  return spec.readinessGates?.some((gate) => gate.conditionType === KRUISE_POD_READY) === true;
}

function without(
  pod: Pod,
  isRemoved: (holder: Partial<NotReadyKey>) => boolean,
  now: number,
): Condition | undefined {
  const current = condition(pod, KRUISE_POD_READY);
  if (current === undefined || current.status === 'True') return undefined;
  const holders = holdersOf(current);
  const remaining = holders?.filter((each) => !isRemoved(each));
  if (holders === undefined || remaining === undefined || remaining.length === holders.length)
    return undefined;
  return withHolders(remaining, now);
}

function withHolders(holders: readonly Partial<NotReadyKey>[], now: number): Condition {
  return {
    type: KRUISE_POD_READY,
    status: holders.length === 0 ? 'True' : 'False',
    lastTransitionTime: timestamp(now),
    message: JSON.stringify(holders),
  };
}

/** The holders in the message. Other writers may have left out fields. Undefined: the message is invalid. */
function holdersOf({ message }: Condition): Partial<NotReadyKey>[] | undefined {
  const holders = parsedJson(message ?? '');
  return isListOf(isObject)(holders) ? (holders as Partial<NotReadyKey>[]) : undefined;
}

function isSame(a: Partial<NotReadyKey>, b: NotReadyKey): boolean {
  return a.userAgent === b.userAgent && a.key === b.key;
}

function inOrder(a: Partial<NotReadyKey>, b: Partial<NotReadyKey>): number {
  return (
    compareCodePoints(a.userAgent ?? '', b.userAgent ?? '') || compareCodePoints(a.key ?? '', b.key ?? '')
  );
}

/** Bound to the observed version, so that a holder added meanwhile is not lost. */
function statusPatch(pod: Pod, conditions: readonly Condition[]): JsonObject {
  return withResourceVersion(pod, {
    status: { conditions: conditions.map((each) => ({ reason: null, ...each })) },
  });
}
