import { isFields } from './value.ts';

/** About what a field or an item costs besides its text. */
const ENTRY = 16;

/**
 * About how many bytes `value` holds that are not `shared`'s: what is the same part of both costs nothing. It goes only
 * where the two differ, so a small change of a large object is cheap to weigh.
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
