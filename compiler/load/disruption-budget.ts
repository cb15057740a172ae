import type { Json, JsonObject } from '../../schemas/wire/json.ts';
import { groupOf, isObject } from './identity.ts';
import type { Origin } from './locate.ts';

/** A PodDisruptionBudget of Kubernetes. It is not planned, and nothing of it is validated. */
export interface DisruptionBudget {
  namespace: string | undefined;
  name: string;
  spec: JsonObject;
  origin: Origin;
}

const KIND = 'PodDisruptionBudget';
const NAMED = /\bkind["']?\s*:\s*["']?PodDisruptionBudget\b/;

/** Whether a text that names no group of OpenKruise could hold one. */
export function mayHoldBudget(text: string): boolean {
  return NAMED.test(text);
}

export function isDisruptionBudget(value: Json): boolean {
  return isObject(value) && value['kind'] === KIND && groupOf(value) === 'policy';
}

/** The budget that a value is; undefined if it is none, or has no name or spec. */
export function disruptionBudget(value: JsonObject, origin: Origin): DisruptionBudget | undefined {
  const { metadata, spec } = value;
  if (!isDisruptionBudget(value) || !isObject(metadata) || !isObject(spec)) return undefined;
  const { name, namespace } = metadata;
  if (typeof name !== 'string') return undefined;
  return { name, namespace: typeof namespace === 'string' ? namespace : undefined, spec, origin };
}
