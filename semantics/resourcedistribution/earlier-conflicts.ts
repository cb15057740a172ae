import type { KubeObject } from '../../schemas/wire/object.ts';
import { normalizeDistribution } from './normalize.ts';

/** What the objects that copy one name have in git so far. */
interface Taken {
  /** By namespace, the first that includes it. */
  byName: Map<string, number>;
  /** Those that copy into all namespaces, with the ones that they exclude. */
  all: { index: number; excluded: ReadonlySet<string> }[];
}

/** Further ones of all namespaces are errors already, as each excludes the first. */
const MOST_OF_ALL = 20;

/**
 * For each object, an earlier one that copies the same name into a namespace that both name, or into all. It takes one step for each
 * namespace that is named, however many objects there are.
 */
export function earlierConflicts(manifests: readonly KubeObject[]): (number | undefined)[] {
  const groups = new Map<string, Taken>();
  return manifests.map((manifest, index) => {
    const { kind, name, targets } = normalizeDistribution(manifest);
    if (kind === undefined) return undefined;
    const id = `${kind} ${name}`;
    const taken = groups.get(id) ?? { byName: new Map<string, number>(), all: [] };
    groups.set(id, taken);
    if (targets.all) return ofAll(taken, index, targets.excluded);
    let found: number | undefined;
    for (const namespace of new Set(targets.included)) {
      if (targets.excluded.has(namespace)) continue;
      found ??=
        taken.byName.get(namespace) ?? taken.all.find(({ excluded }) => !excluded.has(namespace))?.index;
      if (!taken.byName.has(namespace)) taken.byName.set(namespace, index);
    }
    return found;
  });
}

function ofAll(taken: Taken, index: number, excluded: ReadonlySet<string>): number | undefined {
  const [first] = taken.all;
  if (taken.all.length < MOST_OF_ALL) taken.all.push({ index, excluded });
  if (first !== undefined) return first.index;
  for (const [namespace, before] of taken.byName) if (!excluded.has(namespace)) return before;
  return undefined;
}
