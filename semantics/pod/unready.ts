import type { Condition } from '../../schemas/wire/object.ts';
import { condition } from './readiness.ts';
import { timestamp } from '../values/timestamp.ts';
import type { Pod } from './types.ts';

/**
 * The condition Ready for a pod whose gate is being closed, to be written with the gate so that endpoints do not wait for the
 * kubelet (OpenKruise inplace-update, rule 6.3 step 2). None if the containers are not ready anyway.
 */
export function unreadyBy(pod: Pod, gate: string, now: number): Condition[] {
  const ready = condition(pod, 'Ready');
  if (ready === undefined || condition(pod, 'ContainersReady')?.status !== 'True') return [];
  const since = ready.status === 'False' ? ready.lastTransitionTime : undefined;
  return [
    {
      type: 'Ready',
      status: 'False',
      reason: 'ReadinessGatesNotReady',
      message: notReadyMessage(pod, gate),
      lastTransitionTime: since ?? timestamp(now),
    },
  ];
}

/** The kubelet's message: one clause for each gate that is not True. The gate that is being closed counts as False. */
function notReadyMessage(pod: Pod, closed: string): string {
  return (pod.spec.readinessGates ?? [])
    .map(({ conditionType }) => {
      const status = conditionType === closed ? 'False' : condition(pod, conditionType)?.status;
      if (status === undefined)
        return `corresponding condition of pod readiness gate "${conditionType}" does not exist.`;
      return status === 'True'
        ? ''
        : `the status of pod readiness gate "${conditionType}" is not "True", but ${status}`;
    })
    .filter((clause) => clause !== '')
    .join(', ');
}
