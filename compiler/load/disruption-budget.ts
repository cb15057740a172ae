import type { Json, JsonObject } from '../../schemas/wire/json.ts';
import { POLICY_GROUP } from '../../semantics/kinds/openkruise.ts';
import { groupOf, isObject } from './identity.ts';
import type { Origin } from './locate.ts';

/** A PodDisruptionBudget or PodUnavailableBudget. It is not planned, and nothing of it is validated. */
export interface DisruptionBudget {
  kind: string;
  namespace: string | undefined;
  name: string;
  spec: JsonObject;
  origin: Origin;
}

const GROUPS: Readonly<Record<string, string>> = {
  PodDisruptionBudget: 'policy',
  PodUnavailableBudget: POLICY_GROUP,
};

const NAMED = /\bkind["']?\s*:\s*["']?PodDisruptionBudget\b/;

/** Whether a text that names no group of OpenKruise could hold such a budget. */
export function mayHoldBudget(text: string): boolean {
  return NAMED.test(text);
}

export function isDisruptionBudget(value: Json): boolean {
  if (!isObject(value)) return false;
  const { kind } = value;
  return typeof kind === 'string' && Object.hasOwn(GROUPS, kind) && GROUPS[kind] === groupOf(value);
}

/** The budget that a value is; undefined if it is none, or has no name or spec. */
export function disruptionBudget(value: JsonObject, origin: Origin): DisruptionBudget | undefined {
  const { kind, metadata, spec } = value;
  if (!isDisruptionBudget(value) || typeof kind !== 'string' || !isObject(metadata) || !isObject(spec))
    return undefined;
  const { name, namespace } = metadata;
  if (typeof name !== 'string') return undefined;
  return { kind, name, namespace: typeof namespace === 'string' ? namespace : undefined, spec, origin };
}
