import { readFileSync } from 'node:fs';
import { evaluate } from '@marcbachmann/cel-js';
import { parse } from 'yaml';
import type { Json, JsonObject } from '../../../schemas/wire/json.ts';

export interface HealthCheck {
  apiVersion: string;
  kind: string;
  inProgress: string;
  failed: string;
  current: string;
}

/** The shipped patch of Kustomizations. */
export const { spec: fluxSpec } = parse(
  readFileSync(new URL('../../../deploy/flux/health.yaml', import.meta.url), 'utf8'),
) as { spec: { wait: boolean; healthCheckExprs: HealthCheck[] } };

export type FluxState = 'InProgress' | 'Failed' | 'Current';

const ORDER = [
  ['inProgress', 'InProgress'],
  ['failed', 'Failed'],
  ['current', 'Current'],
] as const;

/**
 * The state that Flux takes an object for: it compares the generations, and then takes the first expression that holds. An error of an
 * expression is waited for.
 */
export function stateOf(check: HealthCheck, object: JsonObject): FluxState {
  const { status = {}, metadata } = object as { status?: JsonObject; metadata: JsonObject };
  if ('observedGeneration' in status && status['observedGeneration'] !== metadata['generation'])
    return 'InProgress';
  const context = withIntegers(object) as Record<string, unknown>;
  for (const [name, state] of ORDER) {
    const holds = evaluated(check[name], context);
    if (holds === undefined) return 'InProgress';
    if (holds) return state;
  }
  return 'InProgress';
}

/** Undefined: an error. */
function evaluated(expression: string, context: Record<string, unknown>): boolean | undefined {
  try {
    return evaluate(expression, context) === true;
  } catch {
    return undefined;
  }
}

/** Whole numbers are integers in Go; to the library, numbers are doubles. */
function withIntegers(value: Json | undefined): unknown {
  if (Array.isArray(value)) return value.map(withIntegers);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withIntegers(each)]));
  return typeof value === 'number' ? BigInt(value) : value;
}

/**
 * The state of an object by the published rules of kstatus, for kinds that it does not know. Flux takes plans for that, and Argo CD
 * does not.
 */
export function kstatusOf(object: JsonObject): FluxState | 'Terminating' {
  const { status, metadata } = object as { status?: JsonObject; metadata: JsonObject };
  if (metadata['deletionTimestamp'] !== undefined) return 'Terminating';
  const { observedGeneration, conditions = [] } = (status ?? {}) as {
    observedGeneration?: number;
    conditions?: { type: string; status: string }[];
  };
  if (observedGeneration !== undefined && observedGeneration !== metadata['generation']) return 'InProgress';
  const is = (type: string, wanted: string): boolean =>
    conditions.some((each) => each.type === type && each.status === wanted);
  if (is('Reconciling', 'True')) return 'InProgress';
  if (is('Stalled', 'True')) return 'Failed';
  return is('Ready', 'False') || is('Ready', 'Unknown') ? 'InProgress' : 'Current';
}
