import type { IntOrPercent } from '../values/int-or-percent.ts';

/** Ordinals from `from` to `to`, both included. */
export interface OrdinalRange {
  readonly from: number;
  readonly to: number;
}

/** The highest ordinal: an int32, as the number of replicas. */
const HIGHEST = 2147483647;

/** One entry of `reserveOrdinals`: a number, or a range such as `2-5`. Undefined: it is neither. */
export function rangeOf(entry: unknown): OrdinalRange | undefined {
  if (typeof entry === 'number') return isOrdinal(entry) ? { from: entry, to: entry } : undefined;
  const [, first, last] = /^([0-9]+)-([0-9]+)$/.exec(typeof entry === 'string' ? entry : '') ?? [];
  const range = { from: Number(first ?? NaN), to: Number(last ?? NaN) };
  return isOrdinal(range.from) && isOrdinal(range.to) && range.from <= range.to ? range : undefined;
}

function isOrdinal(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= HIGHEST;
}

/**
 * The entries of `reserveOrdinals` as ranges, sorted and without overlap. A range is never expanded into its numbers, however
 * large it is. Invalid entries are left out: their target is held.
 */
export function reservedRanges(entries: readonly IntOrPercent[]): OrdinalRange[] {
  const ranges = entries.flatMap((entry) => rangeOf(entry) ?? []).sort((a, b) => a.from - b.from);
  const merged: OrdinalRange[] = [];
  for (const range of ranges) {
    const last = merged.at(-1);
    if (last === undefined || range.from > last.to + 1) merged.push(range);
    else merged[merged.length - 1] = { from: last.from, to: Math.max(last.to, range.to) };
  }
  return merged;
}

/**
 * The ordinals that have a pod: the first `replicas` ordinals from `start` on that are not reserved (OpenKruise
 * advanced-statefulset, rule 6.4). Reserved ordinals never lower the number of pods.
 */
export function ordinalsIn({
  replicas,
  start,
  reserved,
}: {
  replicas: number;
  start: number;
  reserved: readonly OrdinalRange[];
}): number[] {
  const ordinals: number[] = [];
  let next = start;
  for (const { from, to } of reserved) {
    while (next < from && ordinals.length < replicas) ordinals.push(next++);
    if (ordinals.length === replicas) return ordinals;
    next = Math.max(next, to + 1);
  }
  while (ordinals.length < replicas) ordinals.push(next++);
  return ordinals;
}

/** A range as a manifest writes it: `3`, `2-5`. */
export function rangeText({ from, to }: OrdinalRange): string | number {
  return from === to ? from : `${from}-${to}`;
}

/**
 * The ordinal in the name of a pod, `<set>-<ordinal>`; undefined: it has none. Only the decimal form that controllers write
 * counts, so that no two pods have the same ordinal.
 */
export function ordinalOf(name: string, set: string): number | undefined {
  if (!name.startsWith(`${set}-`)) return undefined;
  const text = name.slice(set.length + 1);
  const ordinal = /^(0|[1-9][0-9]{0,9})$/.test(text) ? Number(text) : undefined;
  return ordinal !== undefined && ordinal <= HIGHEST ? ordinal : undefined;
}
