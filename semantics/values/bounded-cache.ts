/** Values that a text of a user determines, made once. Every cache by such texts is one of these. */
export interface BoundedCache<Value> {
  /** The value of a text. `make` depends on nothing but the text, or makes equal values each time. */
  of(text: string, make: () => Value): Value;
}

/** What one entry may take of the whole: longer texts are not kept, so that a few cannot push out all others. */
const LARGEST_SHARE = 64;

/**
 * A cache that is bounded by the memory of its entries, whatever their number. It has two generations: an entry that is not used
 * while the young one fills once more is dropped.
 *
 * @param bytes what all entries may take
 * @param weigh the approximate memory of one entry, bytes: of its text, its value, and the entry itself. Only the text may
 *   grow with what a user writes: it is asked with `undefined` before the value is made, and a text that is too heavy by itself
 *   is not kept
 */
export function boundedCache<Value>({
  bytes,
  weigh,
}: {
  bytes: number;
  weigh: (text: string, value?: Value) => number;
}): BoundedCache<Value> {
  let young = new Map<string, Value>();
  let old = new Map<string, Value>();
  let youngBytes = 0;

  function add(text: string, value: Value): Value {
    const weight = weigh(text, value);
    if (weight * LARGEST_SHARE > bytes) return value;
    if (youngBytes + weight > bytes / 2) {
      old = young;
      young = new Map();
      youngBytes = 0;
    }
    young.set(text, value);
    youngBytes += weight;
    return value;
  }

  return {
    of(text, make) {
      if (weigh(text) * LARGEST_SHARE > bytes) return make();
      const found = young.get(text);
      if (found !== undefined || young.has(text)) return found as Value;
      const before = old.get(text);
      return before !== undefined || old.has(text) ? add(text, before as Value) : add(text, make());
    },
  };
}

/** The memory of an entry and of its text, bytes; a character may take two. */
export function textWeight(text: string): number {
  return 128 + 2 * text.length;
}

/** The same with the value that is parsed from the text: `{},` is three characters, and an object of 64 bytes. */
export function parsedWeight(text: string): number {
  return textWeight(text) + 24 * text.length;
}
