import type { Accepted, Progress } from './memory.ts';
import type { RolloutView } from './rollout-view.ts';

/**
 * Lowers the frozen number of replicas after a scale-in, so that scaling out again does not widen the step
 * (docs/explanation/rollout.md). A step that allowed pods always allows at least one. Scaling to 0 changes nothing: the step
 * is as wide as before when the target is scaled out again. A step that started at 0 replicas takes its number once there
 * are some.
 *
 * Example: a step `10%` that started at 20 replicas allows 2. At 8 replicas it would allow none, so it stays frozen at the least
 * number that allows one.
 *
 * @param allowed how many pods the step allows where its size is of so many
 * @returns undefined: the number stays
 */
export function followReplicas(
  { replicas }: Pick<RolloutView, 'replicas'>,
  { progress }: Pick<Accepted, 'progress'>,
  allowed: (frozenN: number) => number,
): Progress | undefined {
  const { frozenN: before } = progress;
  if (replicas === 0 || (before > 0 && replicas >= before)) return undefined;
  let frozenN = replicas;
  if (allowed(before) > 0) while (frozenN < before && allowed(frozenN) === 0) frozenN++;
  return frozenN === before ? undefined : { ...progress, frozenN };
}
