import type { Intern } from '../../semantics/pod/intern.ts';
import { boundedCache, textWeight } from '../../semantics/values/bounded-cache.ts';

/** Most memory of shared values, bytes. What is in use stays in memory with the pods that use it. */
const MOST = { texts: 8 * 2 ** 20, values: 24 * 2 ** 20 };
/** A value takes a few times the memory of its key, which is its JSON. */
const VALUE_PER_CHARACTER = 6;

/** Interns values: those in use stay shared, all others are dropped. A long text is not interned. */
export function createIntern(most = MOST): Intern {
  const texts = boundedCache<string>({ bytes: most.texts, weigh: textWeight });
  const values = boundedCache<object>({
    bytes: most.values,
    weigh: (key) => textWeight(key) + VALUE_PER_CHARACTER * key.length,
  });
  return {
    text: (value) => texts.of(value, () => value),
    value: <Value extends object>(key: string, make: () => Value): Value => values.of(key, make) as Value,
  };
}
