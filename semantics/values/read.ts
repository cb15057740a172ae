import type { JsonObject } from '../../schemas/wire/json.ts';
import type { IntOrPercent } from './int-or-percent.ts';
import { isObject } from './json-shape.ts';

/** Reads of JSON whose shape is not sure: what has another type counts as absent. */

/** The object that a value is; an empty one where it is none. */
export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? (value as JsonObject) : {};
}

/** The members of a list, each as an object; none where it is no list. */
export function listOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.map(objectOf) : [];
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

export function intOrPercentOf(value: unknown): IntOrPercent | undefined {
  return typeof value === 'number' || typeof value === 'string' ? value : undefined;
}
