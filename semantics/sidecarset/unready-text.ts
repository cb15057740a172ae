import { failureNote } from '../plan/problem.ts';
import { locationOf } from '../pod/location.ts';
import { condition } from '../pod/readiness.ts';
import type { Unit } from './unit.ts';

/** Why a pod is not ready, as a clause: its container, a change that has not ended, or what nobody has set. */
export function unreadyText({ pod, isConsistent, hot }: Unit): string {
  const note = failureNote(locationOf(pod));
  const container = pod.status?.containerStatuses?.find(({ ready }) => !ready)?.name;
  if (container !== undefined) return `container ${container} is not ready${note}`;
  if (!isConsistent || hot.isChanging || !hot.isSettled) return 'a change of its containers is not complete';
  const gate = pod.spec.readinessGates?.find(
    ({ conditionType }) => condition(pod, conditionType)?.status !== 'True',
  );
  return gate === undefined ? `it is not ready${note}` : `readiness gate ${gate.conditionType} is not True`;
}
