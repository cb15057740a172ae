import type { Json, JsonObject } from '../../schemas/wire/json.ts';
import { kinds } from '../../semantics/kinds/registry.ts';
import { type GroupKind, tupleId } from '../../semantics/owner.ts';
import type { CompilerHost } from '../host.ts';
import type { Budget } from './budget.ts';
import { groupOf, isObject } from './identity.ts';
import { type GivenText, readGiven, readSource, readYaml } from './read.ts';

const natives: readonly GroupKind[] = kinds.flatMap(({ git: { native } }) => native ?? []);

/** Whether a text may contain a workload of Kubernetes whose pods a planned kind can take over. */
export function mayHoldNative(text: string): boolean {
  return natives.some(({ group, kind }) => text.includes(`${group}/`) && text.includes(kind));
}

/**
 * The workloads of Kubernetes in these files, by group, kind, namespace and name. Unreadable files and documents are left out:
 * loading the state has reported them.
 */
export function readNatives(
  host: CompilerHost,
  files: readonly (string | GivenText)[],
  budget: Budget,
): Map<string, JsonObject> {
  const found = new Map<string, JsonObject>();
  for (const file of files) {
    const { source } = typeof file === 'string' ? readSource(host, file, budget) : readGiven(file, budget);
    if (source === undefined) continue;
    for (const { value } of readYaml(source, budget, isNative).documents)
      for (const object of objectsIn(value)) {
        const metadata = isObject(object['metadata']) ? object['metadata'] : {};
        const { namespace, name } = metadata;
        const { kind } = object;
        if (typeof name !== 'string' || typeof kind !== 'string') continue;
        const id = { group: groupOf(object), kind };
        found.set(tupleId(id, typeof namespace === 'string' ? namespace : undefined, name), object);
      }
  }
  return found;
}

function isNative(value: Json): boolean {
  return objectsIn(value).length > 0;
}

/** The workloads of Kubernetes in a document: itself, or the items of a list. */
function objectsIn(value: Json): JsonObject[] {
  if (!isObject(value)) return [];
  if (Array.isArray(value['items'])) return value['items'].flatMap(objectsIn);
  const { apiVersion, kind } = value;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') return [];
  const group = groupOf(value);
  return natives.some((each) => each.group === group && each.kind === kind) ? [value] : [];
}
