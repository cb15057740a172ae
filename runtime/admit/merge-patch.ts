import type { Json, JsonObject } from '../../schemas/wire/json.ts';
import { isObject } from '../../semantics/values/json-shape.ts';

/** What a merge patch makes of a value. */
export function merged(value: unknown, patch: JsonObject): JsonObject {
  const result: JsonObject = isObject(value) ? { ...(value as JsonObject) } : {};
  for (const [key, change] of Object.entries(patch)) {
    if (change === null) delete result[key];
    else result[key] = isObject(change) ? merged(result[key], change) : change;
  }
  return result;
}

/** One merge patch that does what two do one after the other; undefined: none does, as one removes what the next one adds to. */
export function joinedPatches(first: JsonObject, next: JsonObject): JsonObject | undefined {
  const result = { ...first };
  for (const [key, change] of Object.entries(next)) {
    const before: Json | undefined = Object.hasOwn(first, key) ? first[key] : undefined;
    if (!isObject(change) || before === undefined) {
      result[key] = change;
      continue;
    }
    const both = isObject(before) ? joinedPatches(before, change) : undefined;
    if (both === undefined) return undefined;
    result[key] = both;
  }
  return result;
}
