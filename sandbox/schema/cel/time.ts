import { timeOf } from '../scalar.ts';

const units: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};
const wordUnits: readonly (readonly [RegExp, bigint])[] = [
  [/^(ns|nano)/i, 1n],
  [/^(us|\u00b5s|micro)/i, 1_000n],
  [/^(ms|milli)/i, 1_000_000n],
  [/^(s|sec)/i, 1_000_000_000n],
  [/^(m|min)/i, 60_000_000_000n],
  [/^(h|hr|hour)/i, 3_600_000_000_000n],
  [/^(d|day)/i, 86_400_000_000_000n],
  [/^(w|wk|week)/i, 604_800_000_000_000n],
];

/** Parses a Go duration (`1h30m`) to nanoseconds; undefined if it is invalid. */
export function durationNanos(text: string): bigint | undefined {
  const [, sign = '', rest = ''] = /^([+-]?)(.*)$/s.exec(text) ?? [];
  if (rest === '0') return 0n;
  const part = /(\d+(?:\.\d*)?|\.\d+)(ns|us|\u00b5s|\u03bcs|ms|s|m|h)/y;
  let total = 0n;
  let at = 0;
  while (at < rest.length) {
    part.lastIndex = at;
    const found = part.exec(rest);
    const unit = units[found?.[2] ?? ''];
    if (found === null || unit === undefined) return undefined;
    const [whole = '', fraction = ''] = (found[1] ?? '').split('.');
    total += BigInt(whole === '' ? '0' : whole) * unit;
    if (fraction !== '') total += (BigInt(fraction) * unit) / 10n ** BigInt(fraction.length);
    at += found[0].length;
  }
  if (rest === '' || total >= 2n ** 63n) return undefined;
  return sign === '-' ? -total : total;
}

/** The same for strings of format duration, which also accept words (`3 days`). */
export function formattedDurationNanos(text: string): bigint | undefined {
  const plain = durationNanos(text);
  if (plain !== undefined) return plain;
  let total: bigint | undefined;
  for (const [, count = '0', unit = ''] of text.matchAll(/(\d+)\s*([A-Za-z\u00b5]+)/g)) {
    const factor = wordUnits.find(([pattern]) => pattern.test(unit))?.[1];
    if (factor !== undefined) total = (total ?? 0n) + BigInt(count) * factor;
  }
  return total;
}

/** Parses an RFC 3339 time to nanoseconds since 1970; undefined if it is invalid. */
export function timeNanos(text: string): bigint | undefined {
  const at = timeOf(text);
  if (at === undefined) return undefined;
  const fraction = /\.(\d+)/.exec(text)?.[1] ?? '';
  const seconds = Math.floor(at / 1000);
  return BigInt(seconds) * 1_000_000_000n + BigInt(fraction.padEnd(9, '0').slice(0, 9));
}

function floorDiv(a: bigint, b: bigint): bigint {
  return a >= 0n ? a / b : -((-a + b - 1n) / b);
}

/** Milliseconds since 1970, rounded down. */
export const millisOf = (nanos: bigint): number => Number(floorDiv(nanos, 1_000_000n));

/** A time in UTC with the shortest fraction. */
export function timeText(nanos: bigint): string {
  const seconds = floorDiv(nanos, 1_000_000_000n);
  const fraction = nanos - seconds * 1_000_000_000n;
  const head = new Date(Number(seconds) * 1000).toISOString().slice(0, 19);
  const digits = fraction === 0n ? '' : `.${String(fraction).padStart(9, '0').replace(/0+$/, '')}`;
  return `${head}${digits}Z`;
}

/** A duration in seconds: `90s`, `1.5s`. */
export function durationText(nanos: bigint): string {
  const size = nanos < 0n ? -nanos : nanos;
  const fraction = size % 1_000_000_000n;
  const digits = fraction === 0n ? '' : `.${String(fraction).padStart(9, '0').replace(/0+$/, '')}`;
  return `${nanos < 0n ? '-' : ''}${String(size / 1_000_000_000n)}${digits}s`;
}

/** The time in a zone, as a Date whose UTC fields are those of the zone. Undefined for unknown zones. */
export function inZone(nanos: bigint, zone: string): Date | undefined {
  const at = millisOf(nanos);
  const offset = /^([+-]?)(\d{1,2}):(\d{2})$/.exec(zone);
  if (offset !== null) {
    const minutes = Number(offset[2]) * 60 + Number(offset[3]);
    return new Date(at + (offset[1] === '-' ? -minutes : minutes) * 60_000);
  }
  if (zone === '' || zone === 'UTC') return new Date(at);
  try {
    const parts = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    }).formatToParts(at);
    const part = (type: string) => Number(parts.find((each) => each.type === type)?.value);
    const millis = ((at % 1000) + 1000) % 1000;
    return new Date(
      Date.UTC(
        part('year'),
        part('month') - 1,
        part('day'),
        part('hour'),
        part('minute'),
        part('second'),
        millis,
      ),
    );
  } catch {
    return undefined;
  }
}
