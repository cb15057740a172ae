/** A count (`3`) or a percentage of a total (`"30%"`): `IntOrString` of Kubernetes. */
export type IntOrPercent = number | string;

const maxInteger = 9223372036854775807n;

/**
 * The count for a count or a percentage of `total`, as OpenKruise parses maxUnavailable, maxSurge and
 * scaleStrategy.maxUnavailable: every string is a percentage, with or without `%`, and one that is no integer (`"33.3%"`)
 * counts 0. Nothing is clamped: `"200%"` of 3 is 6, and a negative count stays negative.
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

/** Whether a limit is none, whatever it is of: `0` and `"0%"`. Rounded up, each other percentage of a hundred is at least one. */
export function isZeroLimit(limit: IntOrPercent): boolean {
  return scaleIntOrPercent(limit, 100, 'up') === 0;
}

/** A limit of a target, without percentages above 100%, which have the same effect. */
export function atMostAll(limit: IntOrPercent): IntOrPercent {
  return typeof limit === 'string' && scaleIntOrPercent(limit, 100, 'up') > 100 ? '100%' : limit;
}

/**
 * How many pods a partition retains on the old revision, in [0, replicas] (OpenKruise workloads, rule 6.3: input P). A
 * percentage needs its `%`, may have a fraction, and rounds up. If there is more than one pod, any value but the literal
 * `"100%"` allows at least one to be updated. Absent and invalid values retain none.
 */
export function partitionValue(value: IntOrPercent | undefined, replicas: number): number {
  const retained = typeof value === 'string' ? partitionPercent(value, replicas) : (value ?? 0);
  return Math.max(Math.min(retained, replicas), 0);
}

function partitionPercent(text: string, replicas: number): number {
  if (!/^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)%$/.test(text)) return 0;
  const retained = Math.ceil((Number(text.slice(0, -1)) * replicas) / 100);
  return text !== '100%' && replicas > 1 && retained === replicas ? replicas - 1 : retained;
}
