import type { JsonObject } from '../../schemas/wire/json.ts';
import type { IntOrPercent } from './int-or-percent.ts';
import { isObject } from './json-shape.ts';

/** Reads JSON of unknown type: a value of another type counts as absent. */

/** The value as an object; an empty one if it is none. */
export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? (value as JsonObject) : {};
}

/** The members of a list, each as an object; empty if the value is no list. */
export function listOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.map(objectOf) : [];
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

export function intOrPercentOf(value: unknown): IntOrPercent | undefined {
  return typeof value === 'number' || typeof value === 'string' ? value : undefined;
}

/** The member of that name of the object itself: users give names that every object has from its prototype. */
export function memberOf<T>(
  record: Readonly<Record<string, T>> | null | undefined,
  name: string,
): T | undefined {
  return record !== undefined && record !== null && Object.hasOwn(record, name) ? record[name] : undefined;
}

/** The value as a text; an empty one if it is none. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
