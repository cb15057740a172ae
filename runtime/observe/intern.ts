import type { Intern } from '../../semantics/pod/intern.ts';

/** A value that was not used while this many others were added is dropped: timestamps and versions never recur. */
const MOST = 20_000;

/** Interns values: those in use stay in memory, all others are dropped. */
export function createIntern(most = MOST): Intern {
  const texts = createMemory<string>(most);
  const values = createMemory<object>(most);
  return {
    text: (value) => texts.known(value) ?? texts.add(value, value),
    value: <Value extends object>(key: string, make: () => Value): Value =>
      (values.known(key) ?? values.add(key, make())) as Value,
  };
}

/** Two generations: a value that is not used while the young generation fills once more is dropped. */
function createMemory<Value>(most: number) {
  let young = new Map<string, Value>();
  let old = new Map<string, Value>();

  function add(key: string, value: Value): Value {
    if (young.size >= most) {
      old = young;
      young = new Map();
    }
    young.set(key, value);
    return value;
  }

  return {
    add,
    known(key: string): Value | undefined {
      const found = young.get(key);
      if (found !== undefined) return found;
      const before = old.get(key);
      return before === undefined ? undefined : add(key, before);
    },
  };
}
