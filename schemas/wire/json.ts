/** A serializable JSON value: no `undefined`, no dates, no class instances. */
export type Json = null | boolean | number | string | Json[] | JsonObject;

/** A JSON object with arbitrary keys: use `Object.hasOwn` for lookups that could be `__proto__`. */
export interface JsonObject {
  [key: string]: Json;
}
