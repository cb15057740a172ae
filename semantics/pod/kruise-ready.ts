import type { JsonObject } from '../../schemas/wire/json.ts';
import type { Condition } from '../../schemas/wire/object.ts';
import { compareCodePoints } from '../values/canonical-json.ts';
import { isListOf, isObject, parsedJson } from '../values/json-shape.ts';
import { withResourceVersion } from './in-place.ts';
import { unreadyBy } from './unready.ts';
import { condition } from './readiness.ts';
import { timestamp } from '../values/timestamp.ts';
import { KRUISE_POD_READY, LIFECYCLE_LABEL, type Pod } from './types.ts';

/**
 * Who keeps a pod out of traffic by the gate KruisePodReady, and what for: the message of its condition lists them as JSON
 * (OpenKruise inplace-update, rule 6.8). Each takes away its own alone, and the gate opens when nobody is left.
 */
export interface NotReadyKey {
  userAgent: string;
  key: string;
}

/** The holders of OpenKruise's lifecycle hooks have this name. */
const LIFECYCLE = 'Lifecycle';

/**
 * Takes the pod out of traffic for one holder more: a patch of the status, Ready included, so that endpoints follow without
 * waiting for the kubelet. Undefined: the pod has no such gate, is held by this one already, or its holders cannot be read
 * and are nobody's to overwrite.
 */
export function addNotReadyKey(pod: Pod, holder: NotReadyKey, now: number): JsonObject | undefined {
  if (!hasKruiseGate(pod)) return undefined;
  const there = condition(pod, KRUISE_POD_READY);
  // What an open gate says of holders is past.
  const holders = there === undefined || there.status === 'True' ? [] : holdersOf(there);
  if (holders === undefined || holders.some((each) => isSame(each, holder))) return undefined;
  const shut = withHolders([...holders, holder].sort(inOrder), now);
  return statusPatch(pod, [shut, ...unreadyBy(pod, KRUISE_POD_READY, now)]);
}

/** Takes this holder away, and no other; undefined: it does not hold the pod. Ready is left to the kubelet. */
export function removeNotReadyKey(pod: Pod, holder: NotReadyKey, now: number): JsonObject | undefined {
  const left = without(pod, (each) => isSame(each, holder), now);
  return left === undefined ? undefined : statusPatch(pod, [left]);
}

/**
 * The condition of OpenKruise's own readiness gate where it has to be written whoever owns the pod; undefined: it is as it
 * should be, or the pod has no such gate. Its manager opened the gate of each new pod, and took its hooks' holders away when
 * they were done with; without it a pod would stay out of traffic for ever. What others hold stays shut.
 */
export function kruiseReadyCondition(pod: Pod, now: number): Condition | undefined {
  if (!hasKruiseGate(pod)) return undefined;
  if (condition(pod, KRUISE_POD_READY) === undefined)
    return { type: KRUISE_POD_READY, status: 'True', lastTransitionTime: timestamp(now) };
  const state = pod.metadata.labels?.[LIFECYCLE_LABEL];
  const isHooked = state === 'PreparingDelete' || state === 'PreparingUpdate';
  return isHooked ? undefined : without(pod, ({ userAgent }) => userAgent === LIFECYCLE, now);
}

function hasKruiseGate({ spec }: Pod): boolean {
  return spec.readinessGates?.some((gate) => gate.conditionType === KRUISE_POD_READY) === true;
}

function without(
  pod: Pod,
  goes: (holder: Partial<NotReadyKey>) => boolean,
  now: number,
): Condition | undefined {
  const there = condition(pod, KRUISE_POD_READY);
  if (there === undefined || there.status === 'True') return undefined;
  const holders = holdersOf(there);
  const others = holders?.filter((each) => !goes(each));
  if (holders === undefined || others === undefined || others.length === holders.length) return undefined;
  return withHolders(others, now);
}

function withHolders(holders: readonly Partial<NotReadyKey>[], now: number): Condition {
  return {
    type: KRUISE_POD_READY,
    status: holders.length === 0 ? 'True' : 'False',
    lastTransitionTime: timestamp(now),
    message: JSON.stringify(holders),
  };
}

/** Whoever writes there may have left something out. Undefined: it cannot be read. */
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

/** Bound to the version that was seen, or a holder that came meanwhile would be lost. */
function statusPatch(pod: Pod, conditions: readonly Condition[]): JsonObject {
  return withResourceVersion(pod, {
    status: { conditions: conditions.map((each) => ({ reason: null, ...each })) },
  });
}
