import { type IntOrPercent, partitionValue } from '../values/int-or-percent.ts';

/** The size of an update step as a plan writes it. */
export interface UpdateSize {
  to: IntOrPercent;
  atLeast?: number;
}

/**
 * How many of `replicas` pods an update step lets onto the new revision. A percent is the complement of a partition,
 * with partition's own floor of one pod on either side, so that a step and a partition of the same meaning never
 * disagree by one: `to: 5%` of 10 pods is 1, `to: 95%` of 10 is 9, `to: 50%` of 5 is 2 (partition rounds up).
 *
 * `atLeast` lifts the result for small targets (5 % of one pod is none), never above `replicas`.
 */
export function allowedPods(update: UpdateSize, replicas: number): number {
  const asked =
    typeof update.to === 'number' ? update.to : replicas - partitionValue(complement(update.to), replicas);
  return Math.min(replicas, Math.max(update.atLeast ?? 0, asked, 0));
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
