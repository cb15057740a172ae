import { scaleIntOrPercent } from '../../semantics/values/int-or-percent.ts';

/** Splits a list into parts of this size: a number, or a part of all, rounded up. */
export function batchesOf<Item>(items: readonly Item[], size: string): Item[][] {
  const wanted = size.endsWith('%') ? scaleIntOrPercent(size, items.length, 'up') : Number(size);
  const most = Math.max(1, wanted);
  return Array.from({ length: Math.ceil(items.length / most) }, (_, index) =>
    items.slice(index * most, (index + 1) * most),
  );
}
