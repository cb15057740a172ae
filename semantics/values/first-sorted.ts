/**
 * The first `count` items of an order, sorted: what sorting all of them and cutting would give, for less. The line is
 * halved around a pivot until the cut is found, and only what stands before it is sorted.
 *
 * @param items are reordered
 * @param compare a total order: no two items are equal in it
 */
export function firstSorted<Item>(
  items: Item[],
  count: number,
  compare: (a: Item, b: Item) => number,
): Item[] {
  let [from, to] = [0, items.length];
  // Halving that does not get on (a line made for it) ends in sorting what is left.
  for (let turns = 2 * Math.log2(items.length + 1); turns > 0 && from < count && count < to; turns--) {
    const cut = part(items, from, to, compare);
    if (cut <= count) from = cut;
    else to = cut;
  }
  const first = from < count && count < to ? items.slice(0, to) : items.slice(0, count);
  return first.sort(compare).slice(0, count);
}

/** Puts what comes before some item in front of it, and says where what comes after begins: inside the range. */
function part<Item>(items: Item[], from: number, to: number, compare: (a: Item, b: Item) => number): number {
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

/** The middle one of the first, the middle and the last item, so that a line in order is halved well. */
function middle<Item>(
  items: readonly Item[],
  from: number,
  to: number,
  compare: (a: Item, b: Item) => number,
): Item {
  const three = [items[from], items[(from + to) >> 1], items[to - 1]] as Item[];
  return three.sort(compare)[1] as Item;
}
