import type { Json, JsonObject } from '../../schemas/wire/json.ts';
import { canonicalJson } from '../values/canonical-json.ts';
import { isObject } from '../values/json-shape.ts';

/** An object without the members that are defaults; an object of nothing but defaults is one, too. */
export function withoutDefaults(value: JsonObject, defaults: JsonObject): JsonObject {
  const left: JsonObject = {};
  for (const [key, member] of Object.entries(value)) {
    const usual = Object.hasOwn(defaults, key) ? defaults[key] : undefined;
    if (member === undefined || member === null || isEqual(member, usual)) continue;
    if (!isObject(usual) || !isObject(member)) left[key] = member;
    else if (isFilled(withoutDefaults(member, usual))) left[key] = withoutDefaults(member, usual);
  }
  return left;
}

function isEqual(value: Json, usual: Json | undefined): boolean {
  return usual !== undefined && canonicalJson(value) === canonicalJson(usual);
}

/** Whether a value is an object with members. */
export function isFilled(value: unknown): boolean {
  return isObject(value) && Object.keys(value).length > 0;
}
