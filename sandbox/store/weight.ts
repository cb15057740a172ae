import { isFields } from '../../schemas/pods/fields.ts';

/** The approximate overhead of a field or item in bytes. */
const ENTRY = 16;

/**
 * The approximate size in bytes of `value` without parts identical to `shared`. Traverses only differences, so
 * small changes of large objects are cheap.
 */
export function ownWeight(value: unknown, shared: unknown): number {
  if (value === shared) return 0;
  if (typeof value === 'string') return value.length;
  let weight = 0;
  if (Array.isArray(value)) {
    const others = Array.isArray(shared) ? (shared as unknown[]) : [];
    for (const [index, item] of value.entries()) weight += ENTRY + ownWeight(item, others[index]);
  } else if (isFields(value)) {
    const others = isFields(shared) ? shared : {};
    for (const key of Object.keys(value))
      weight += ENTRY + ownWeight(value[key], Object.hasOwn(others, key) ? others[key] : undefined);
  }
  return weight;
}
