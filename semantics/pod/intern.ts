/** Returns one shared instance of equal values, so that ten thousand pods use less memory. */
export interface Intern {
  text(value: string): string;
  /** `key` determines the whole value. The value must never be modified. */
  value<Value extends object>(key: string, make: () => Value): Value;
}

/** The key of a shared value. As JSON, two different lists of parts never have the same key. */
export function keyOf(...parts: readonly unknown[]): string {
  return JSON.stringify(parts);
}
