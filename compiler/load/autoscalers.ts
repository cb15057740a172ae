import type { JsonObject } from '../../schemas/wire/json.ts';
import { tupleId } from '../../semantics/owner.ts';
import type { CompilerHost } from '../host.ts';
import type { Budget } from './budget.ts';
import { groupOf, isObject } from './identity.ts';
import { readOtherObjects } from './other-objects.ts';
import type { GivenText } from './read.ts';

/** A HorizontalPodAutoscaler in git. Nothing of it was validated. */
export interface Autoscaler {
  name: string;
  /** Kubernetes defaults it to 1. */
  minReplicas: number;
}

const NAMED = /\bkind["']?\s*:\s*["']?HorizontalPodAutoscaler\b/;

/** Whether a text may hold an autoscaler. A search is cheap enough for every file. */
export function mayHoldAutoscaler(text: string): boolean {
  return NAMED.test(text);
}

/**
 * The autoscalers in these files, by group, kind, namespace and name of what they scale; the version does not identify it.
 */
export function readAutoscalers(
  host: CompilerHost,
  files: readonly (string | GivenText)[],
  budget: Budget,
): ReadonlyMap<string, Autoscaler> {
  const found = new Map<string, Autoscaler>();
  for (const { object, namespace, name } of readOtherObjects(host, files, budget, isAutoscaler)) {
    const scaled = scaledBy(object);
    if (scaled === undefined) continue;
    const least = isObject(object['spec']) ? object['spec']['minReplicas'] : undefined;
    found.set(tupleId(scaled, namespace, scaled.name), {
      name,
      minReplicas: typeof least === 'number' && Number.isInteger(least) && least >= 0 ? least : 1,
    });
  }
  return found;
}

/** What an autoscaler of any project scales in its namespace; undefined for every other object. */
export function scaledBy({ spec }: JsonObject): { group: string; kind: string; name: string } | undefined {
  const scaled = isObject(spec) ? spec['scaleTargetRef'] : undefined;
  if (!isObject(scaled)) return undefined;
  const { kind, name } = scaled;
  return typeof kind === 'string' && typeof name === 'string'
    ? { group: groupOf(scaled), kind, name }
    : undefined;
}

function isAutoscaler(object: JsonObject): boolean {
  return object['kind'] === 'HorizontalPodAutoscaler' && groupOf(object) === 'autoscaling';
}
