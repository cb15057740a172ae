import type { Intern } from '../../semantics/pod/project.ts';

/** What was not asked for while this many others were is forgotten: timestamps and versions never come back. */
const MOST = 20_000;

/** Remembers what is in use: as long as it is asked for now and then it stays, and everything else goes. */
export function createIntern(most = MOST): Intern {
  const texts = createMemory<string>(most);
  const values = createMemory<object>(most);
  return {
    text: (value) => texts.known(value) ?? texts.keep(value, value),
    value: <Value extends object>(key: string, make: () => Value): Value =>
      (values.known(key) ?? values.keep(key, make())) as Value,
  };
}

/** Two generations: what the young one cannot hold, and nobody asks for while it fills again, is let go. */
function createMemory<Value>(most: number) {
  let young = new Map<string, Value>();
  let old = new Map<string, Value>();

  function keep(key: string, value: Value): Value {
    if (young.size >= most) {
      old = young;
      young = new Map();
    }
    young.set(key, value);
    return value;
  }

  return {
    keep,
    known(key: string): Value | undefined {
      const found = young.get(key);
      if (found !== undefined) return found;
      const before = old.get(key);
      return before === undefined ? undefined : keep(key, before);
    },
  };
}
