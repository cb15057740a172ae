import type { Condition } from '../../schemas/wire/object.ts';
import { isListOf, isObject, parsedJson } from '../values/json-shape.ts';
import { condition, timestamp } from './readiness.ts';
import { KRUISE_POD_READY, LIFECYCLE_LABEL, type Pod } from './types.ts';

/** Whoever keeps the gate shut says so in the condition's message, as JSON. */
interface Blocker {
  userAgent?: string;
  key?: string;
}

/**
 * The condition of OpenKruise's own readiness gate where it has to be written; undefined: it is as it should be, or the pod
 * has no such gate. Its manager opened the gate of each new pod, and took its hooks' blockers away when they were done
 * with; without it a pod would stay out of traffic for ever (OpenKruise inplace-update, rule 6.8). What others keep shut
 * stays shut.
 */
export function kruiseReadyCondition(pod: Pod, now: number): Condition | undefined {
  if (pod.spec.readinessGates?.some((gate) => gate.conditionType === KRUISE_POD_READY) !== true)
    return undefined;
  const open: Condition = { type: KRUISE_POD_READY, status: 'True', lastTransitionTime: timestamp(now) };
  const there = condition(pod, KRUISE_POD_READY);
  if (there === undefined) return open;
  const state = pod.metadata.labels?.[LIFECYCLE_LABEL];
  const isHooked = state === 'PreparingDelete' || state === 'PreparingUpdate';
  const blockers = blockersOf(there);
  if (there.status === 'True' || isHooked || blockers === undefined) return undefined;
  const others = blockers.filter(({ userAgent }) => userAgent !== 'Lifecycle');
  if (others.length === blockers.length) return undefined;
  return { ...open, status: others.length === 0 ? 'True' : 'False', message: JSON.stringify(others) };
}

function blockersOf({ message }: Condition): Blocker[] | undefined {
  const blockers = parsedJson(message ?? '');
  return isListOf(isObject)(blockers) ? (blockers as Blocker[]) : undefined;
}
