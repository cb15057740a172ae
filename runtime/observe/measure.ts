/** What V8 needs, about, for an object or a list beside what is in it, for each field, and for a text beside its letters. */
const CONTAINER = 64;
const FIELD = 16;
const TEXT = 16;
/** Letters beyond Latin-1 take two bytes; to look at each would cost more than to reckon with it. */
const LETTER = 2;
/** No object of Kubernetes is nested by a tenth of this; what is, fails where it is written as JSON. */
const DEEPEST = 100;

/**
 * About how many bytes of memory a JSON value takes; Infinity as soon as it is more than `most`, or where it is nested too
 * deeply. The length of its JSON says little: an empty list of two letters takes more than a text of fifty. It does not
 * recurse, whatever the value.
 */
export function memoryOf(value: unknown, most: number): number {
  let bytes = 0;
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > DEEPEST) return Infinity;
    const next: unknown[] = [];
    for (const each of level) {
      if (typeof each === 'string') bytes += TEXT + LETTER * each.length;
      else if (typeof each === 'object' && each !== null) {
        bytes += CONTAINER;
        if (Array.isArray(each)) {
          bytes += FIELD * each.length;
          if (bytes <= most) for (const member of each) next.push(member);
        } else
          for (const key in each) {
            bytes += FIELD + LETTER * key.length;
            next.push((each as Record<string, unknown>)[key]);
          }
      } else bytes += FIELD;
      if (bytes > most) return Infinity;
    }
    level = next;
  }
  return bytes;
}
