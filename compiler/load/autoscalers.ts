import type { Json, JsonObject } from '../../schemas/wire/json.ts';
import { tupleId } from '../../semantics/owner.ts';
import type { CompilerHost } from '../host.ts';
import type { Budget } from './budget.ts';
import { groupOf, isObject } from './identity.ts';
import { type GivenText, readGiven, readSource, readYaml } from './read.ts';

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
 * Unreadable files and documents are left out: loading the state has reported them.
 */
export function readAutoscalers(
  host: CompilerHost,
  files: readonly (string | GivenText)[],
  budget: Budget,
): ReadonlyMap<string, Autoscaler> {
  const found = new Map<string, Autoscaler>();
  for (const file of files) {
    const { source } = typeof file === 'string' ? readSource(host, file, budget) : readGiven(file, budget);
    if (source === undefined) continue;
    for (const { value } of readYaml(source, budget, (each) => objectsIn(each).length > 0).documents)
      for (const object of objectsIn(value)) {
        const { namespace, name } = isObject(object['metadata']) ? object['metadata'] : {};
        const spec = isObject(object['spec']) ? object['spec'] : {};
        const scaled = isObject(spec['scaleTargetRef']) ? spec['scaleTargetRef'] : {};
        if (typeof name !== 'string' || typeof scaled['kind'] !== 'string') continue;
        if (typeof scaled['name'] !== 'string') continue;
        const id = { group: groupOf(scaled), kind: scaled['kind'] };
        const least = spec['minReplicas'];
        found.set(tupleId(id, typeof namespace === 'string' ? namespace : undefined, scaled['name']), {
          name,
          minReplicas: typeof least === 'number' && Number.isInteger(least) && least >= 0 ? least : 1,
        });
      }
  }
  return found;
}

/** The autoscalers of a document, or of a list in it. */
function objectsIn(value: Json): JsonObject[] {
  if (!isObject(value)) return [];
  if (Array.isArray(value['items'])) return value['items'].flatMap(objectsIn);
  return value['kind'] === 'HorizontalPodAutoscaler' && groupOf(value) === 'autoscaling' ? [value] : [];
}
