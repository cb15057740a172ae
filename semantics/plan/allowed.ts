import { type IntOrPercent, partitionValue } from '../values/int-or-percent.ts';

/** The size of an update step, as written in a plan. */
export interface UpdateSize {
  to: IntOrPercent;
  atLeast?: number;
}

/**
 * How many of `replicas` pods an update step allows on the new revision. A percentage is the complement of a partition, with
 * partition's own minimum of one pod on either side, so that a step and the equivalent partition give the same number:
 * `to: 5%` of 10 pods is 1, `to: 95%` of 10 is 9, `to: 50%` of 5 is 2 (partition rounds up). This is only arithmetic;
 * `allowedPodsAt` (revision-sizes.ts) applies it to a rollout.
 *
 * `atLeast` raises the result for small targets (5 % of one pod is none), never above `replicas`.
 */
export function allowedPods(update: UpdateSize, replicas: number): number {
  const wanted =
    typeof update.to === 'number' ? update.to : replicas - partitionValue(complement(update.to), replicas);
  return Math.min(replicas, Math.max(update.atLeast ?? 0, wanted, 0));
}

/** `"33.4%"` → `"66.6%"`, in exact decimal arithmetic: 100 − 33.4 as doubles is 66.59999999999999. */
function complement(percent: string): string {
  const [whole = '0', fraction = ''] = percent.slice(0, -1).split('.');
  const scale = 10n ** BigInt(fraction.length);
  const rest = 100n * scale - BigInt(whole + fraction);
  if (rest <= 0n) return '0%';
  const digits = rest.toString().padStart(fraction.length + 1, '0');
  if (fraction === '') return `${digits}%`;
  return `${digits.slice(0, -fraction.length)}.${digits.slice(-fraction.length)}%`;
}
