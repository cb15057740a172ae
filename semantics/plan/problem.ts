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

/** The first pod by name that waits at a hook, on whatever revision it is, in brackets; '' if none does. */
export function hookNote({ units }: Pick<RolloutView, 'units'>): string {
  const waits = ownPods(units)?.hookWaits() ?? [];
  const [first] = waits;
  if (first === undefined) return '';
  const others = waits.length === 1 ? '' : ` and ${waits.length - 1} more`;
  return ` (${first.pod}${others}: ${first.text})`;
}
