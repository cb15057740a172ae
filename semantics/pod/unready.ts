import type { Condition } from '../../schemas/wire/object.ts';
import { condition } from './readiness.ts';
import { timestamp } from '../values/timestamp.ts';
import type { Pod } from './types.ts';

/**
 * The condition Ready of a pod whose gate is shut, where its containers alone would have it ready: written together with the
 * gate, so that endpoints follow without waiting for the kubelet (OpenKruise inplace-update, rule 6.3 step 2). None where
 * Ready says so for another reason.
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

/** One clause a gate that does not hold, in the kubelet's words, with `shut` already counted as False. */
function notReadyMessage(pod: Pod, shut: string): string {
  return (pod.spec.readinessGates ?? [])
    .map(({ conditionType }) => {
      const status = conditionType === shut ? 'False' : condition(pod, conditionType)?.status;
      if (status === undefined)
        return `corresponding condition of pod readiness gate "${conditionType}" does not exist.`;
      return status === 'True'
        ? ''
        : `the status of pod readiness gate "${conditionType}" is not "True", but ${status}`;
    })
    .filter((clause) => clause !== '')
    .join(', ');
}
