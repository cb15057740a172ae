/** Approximate overhead in V8, bytes: of an object or array, of each field, and of a string. */
const CONTAINER = 64;
const FIELD = 16;
const TEXT = 16;
/** Characters beyond Latin-1 take two bytes; every character is counted so, because checking each would be slower. */
const LETTER = 2;
/** Ten times the nesting of any Kubernetes object; deeper values fail when they are written as JSON. */
const DEEPEST = 100;

/**
 * The approximate memory of a JSON value, bytes; Infinity if it is more than `most`, or nested too deeply. The length of its
 * JSON is no measure: an empty array takes more memory than a string of fifty characters. It does not recurse.
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
