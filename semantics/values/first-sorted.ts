/**
 * The first `count` items in sorted order, without sorting all of them: items are partitioned around pivots (quickselect),
 * and only the first part is sorted.
 *
 * @param items reordered in place
 * @param compare a total order: no two items are equal
 */
export function firstSorted<Item>(
  items: Item[],
  count: number,
  compare: (a: Item, b: Item) => number,
): Item[] {
  let [from, to] = [0, items.length];
  // If partitioning does not make progress (an adversarial order), the rest is sorted.
  for (let rounds = 2 * Math.log2(items.length + 1); rounds > 0 && from < count && count < to; rounds--) {
    const cut = partition(items, from, to, compare);
    if (cut <= count) from = cut;
    else to = cut;
  }
  const first = from < count && count < to ? items.slice(0, to) : items.slice(0, count);
  return first.sort(compare).slice(0, count);
}

/** Moves items that sort before a pivot to the front of a range; returns where the others start, inside the range. */
function partition<Item>(
  items: Item[],
  from: number,
  to: number,
  compare: (a: Item, b: Item) => number,
): number {
  const pivot = middle(items, from, to, compare);
  let [left, right] = [from, to - 1];
  for (;;) {
    while (compare(items[left] as Item, pivot) < 0) left++;
    while (compare(pivot, items[right] as Item) < 0) right--;
    if (left >= right) return Math.max(left, from + 1);
    [items[left], items[right]] = [items[right] as Item, items[left] as Item];
    left++;
    right--;
  }
}

/** The median of the first, the middle and the last item, so that a sorted range is partitioned evenly. */
function middle<Item>(
  items: readonly Item[],
  from: number,
  to: number,
  compare: (a: Item, b: Item) => number,
): Item {
  const three = [items[from], items[(from + to) >> 1], items[to - 1]] as Item[];
  return three.sort(compare)[1] as Item;
}
