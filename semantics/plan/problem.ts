import { waitClauses } from '../lifecycle/wait.ts';
import type { PodRow } from './pod-row.ts';
import type { RolloutView } from './rollout-view.ts';
import { ownPods } from './units.ts';

/** Why a pod is not available, as a clause: it waits at a hook, or its containers have a problem. Undefined: unknown. */
export function problemOf({ hook, problem }: Pick<PodRow, 'hook' | 'problem'>): string | undefined {
  return hook ?? problem;
}

/** The same in brackets, to follow the name of the pod; '' if nothing is known. */
export function problemNote(pod: PodRow): string {
  const problem = problemOf(pod);
  return problem === undefined ? '' : ` (${problem})`;
}

/** The same for a verdict, which is read when the pod is gone: also how its containers have failed. */
export function failureNote(pod: Pick<PodRow, 'hook' | 'problem' | 'failure'>): string {
  const parts = [problemOf(pod) ?? [], pod.failure ?? []].flat();
  return parts.length === 0 ? '' : ` (${parts.join('; ')})`;
}

/** The pods that wait at a hook, on whatever revision they are, in brackets: the first by name of each hook; '' if none does. */
export function hookNote({ units }: Pick<RolloutView, 'units'>): string {
  const clauses = waitClauses(ownPods(units)?.hookWaits() ?? [], ({ pod, text }, more) => {
    const others = more === 0 ? '' : ` and ${more} more`;
    return `${pod}${others}: ${text}`;
  });
  return clauses.length === 0 ? '' : ` (${clauses.join('; ')})`;
}
