import type { PlanPredecessor } from '../../schemas/generated/types/rolloutplan.ts';
import { namesText } from './change-text.ts';

/** When a plan may start: after which targets, and in which group of the queue. Empty: at once. */
export function queueSentences({
  after,
  group,
}: {
  after: readonly PlanPredecessor[];
  group: string | undefined;
}): string[] {
  return [
    ...(after.length === 0
      ? []
      : [`It starts only after ${namesText(after)} ${after.length === 1 ? 'is' : 'are'} settled.`]),
    ...(group === undefined ? [] : [`In the rollout queue it belongs to group ${group}.`]),
  ];
}

/** @param approvals IDs of the steps that wait for approval */
export function approvalSentence(approvals: readonly string[]): string {
  return approvals.length === 0
    ? 'No approval is needed.'
    : `It waits for approval ${approvals.length === 1 ? 'once' : `${approvals.length} times`} (${approvals.join(', ')}).`;
}
