/** A JSON value as it crosses the wire: no `undefined`, no dates, no class instances. */
export type Json = null | boolean | number | string | Json[] | JsonObject;

/** A JSON object. Keys are data: never look one up that could be `__proto__` without `Object.hasOwn`. */
export interface JsonObject {
  [key: string]: Json;
}
