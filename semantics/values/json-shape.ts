/** Tests of parsed JSON that a user may have edited. */

type JsonMap = Record<string, unknown>;

/** An object that is neither null nor a list. */
export function isObject(value: unknown): value is JsonMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** The objects in a list; empty if the value is no list. */
export function objectsIn(value: unknown): JsonMap[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** A counter, or a number of milliseconds: no sign, no fraction, exact as a number. */
export function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

export function isListOf(test: (value: unknown) => boolean): (value: unknown) => boolean {
  return (value) => Array.isArray(value) && value.every(test);
}

export function isMapOf(test: (value: unknown) => boolean): (value: unknown) => boolean {
  return (value) => isObject(value) && Object.values(value).every(test);
}

export function isOptional(test: (value: unknown) => boolean): (value: unknown) => boolean {
  return (value) => value === undefined || test(value);
}

/** Whether each of these fields passes its test. Other fields are allowed. */
export function hasFields(
  value: unknown,
  fields: Readonly<Record<string, (value: unknown) => boolean>>,
): value is JsonMap {
  if (!isObject(value)) return false;
  for (const field in fields) if (fields[field]?.(value[field]) !== true) return false;
  return true;
}

/** Parses JSON; undefined: the text is not valid JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
