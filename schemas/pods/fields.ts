/** A record with arbitrary keys. */
export type Fields = Record<string, unknown>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function ownField(value: unknown, key: string): unknown {
  return isFields(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** The value at a path of own properties, or undefined. */
export function fieldAt(value: unknown, path: readonly string[]): unknown {
  let at = value;
  for (const key of path) at = ownField(at, key);
  return at;
}

/** Structural equality of JSON values with an identity fast path; undefined fields count as absent. */
export function sameValue(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => sameValue(item, b[index]));
  if (!isFields(a) || !isFields(b)) return false;
  let extra = 0;
  for (const key of Object.keys(a)) {
    const value = a[key];
    if (value === undefined) continue;
    if (!Object.hasOwn(b, key) || !sameValue(value, b[key])) return false;
    extra -= 1;
  }
  for (const key of Object.keys(b)) if (b[key] !== undefined) extra += 1;
  return extra === 0;
}
