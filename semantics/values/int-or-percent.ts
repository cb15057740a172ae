/** A count (`3`) or a share of a total (`"30%"`), as Kubernetes writes `IntOrString`. */
export type IntOrPercent = number | string;

const maxInteger = 9223372036854775807n;

/**
 * A count out of a count or a percentage of `total`, with the parser OpenKruise uses for maxUnavailable, maxSurge
 * and scaleStrategy.maxUnavailable: every string is a percentage whether or not it ends in `%`, and one that is no
 * integer (`"33.3%"`) counts 0. Nothing is clamped: `"200%"` of 3 is 6, and a negative count stays negative.
 * (OpenKruise workloads, rule 6.3: inputs S, U, M.)
 */
export function scaleIntOrPercent(value: IntOrPercent, total: number, round: 'up' | 'down'): number {
  if (typeof value === 'number') return value;
  const digits = value.replaceAll('%', '');
  if (!/^[+-]?[0-9]+$/.test(digits)) return 0;
  const percent = BigInt(digits.replace('+', ''));
  if (percent > maxInteger || percent < -maxInteger - 1n) return 0;
  const scaled = (Number(percent) * total) / 100;
  // `+ 0` turns a negative zero into zero.
  return (round === 'up' ? Math.ceil(scaled) : Math.floor(scaled)) + 0;
}

/**
 * How many pods a partition keeps on the old revision, in [0, replicas]. A percentage needs its `%`, may have
 * a fraction and rounds up, but anything other than the literal `"100%"` leaves at least one pod to update when
 * there is more than one. Absent and unreadable values keep none. (OpenKruise workloads, rule 6.3: input P.)
 */
export function partitionValue(value: IntOrPercent | undefined, replicas: number): number {
  const kept = typeof value === 'string' ? partitionPercent(value, replicas) : (value ?? 0);
  return Math.max(Math.min(kept, replicas), 0);
}

function partitionPercent(text: string, replicas: number): number {
  if (!/^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)%$/.test(text)) return 0;
  const kept = Math.ceil((Number(text.slice(0, -1)) * replicas) / 100);
  return text !== '100%' && replicas > 1 && kept === replicas ? replicas - 1 : kept;
}
