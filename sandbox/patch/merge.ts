import { isFields, type Fields } from '../../schemas/pods/fields.ts';
import { setOwn } from '../store/value.ts';

/** JSON merge patch (RFC 7386): null removes, objects merge, anything else replaces. Returns a new value. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isFields(patch)) return patch;
  const result: Fields = isFields(target) ? { ...target } : {};
  for (const key of Object.keys(patch)) {
    const value = patch[key];
    if (value === null) delete result[key];
    else if (value !== undefined)
      setOwn(result, key, mergePatch(Object.hasOwn(result, key) ? result[key] : undefined, value));
  }
  return result;
}
