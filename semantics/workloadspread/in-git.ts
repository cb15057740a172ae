import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { InvalidField } from '../fields/problems.ts';
import type { SpreadInGit } from '../kinds/standing-git.ts';
import { strategicMerge, UnfitPatch } from '../template/strategic-merge.ts';
import { objectOf } from '../values/read.ts';
import { filteredBy } from './members.ts';
import { normalizeSpread } from './normalize.ts';
import { GATE } from './resource.ts';
import { selectedBy } from './selected-by.ts';
import { capOf } from './size.ts';

/** Where a WorkloadSpread places the pods of its target, as git shows it. */
export function spreadInGit(object: KubeObject): SpreadInGit {
  const { target, way, subsets, replicasPaths } = normalizeSpread(object);
  return {
    target,
    gate: way === 'gate' ? GATE : undefined,
    targetPath: ['spec', 'targetRef', 'name'],
    lastPath: ['spec', 'subsets', String(subsets.length - 1), 'maxReplicas'],
    isSized: replicasPaths.length === 0,
    most: (size) => subsets.map((subset) => ({ name: subset.name, most: capOf(subset, size) })),
    followsSize: subsets.some(({ cap }) => typeof cap === 'string'),
    faults: (owner, template, errorsIn) =>
      subsets.flatMap(({ patch }, index) =>
        patch === undefined
          ? []
          : faultsOf(patch, { object, owner, template, errorsIn }, [
              'spec',
              'subsets',
              String(index),
              'patch',
            ]),
      ),
  };
}

/** A workload with what its patched template is judged by. */
interface Patched {
  object: KubeObject;
  owner: KubeObject;
  template: JsonObject;
  errorsIn(template: JsonObject): readonly string[];
}

/** Why a patch cannot be applied to the pods of a workload. What is wrong with the template itself is reported there. */
function faultsOf(
  patch: JsonObject,
  { object, owner, template, errorsIn }: Patched,
  path: readonly string[],
): InvalidField[] {
  let patched: JsonObject;
  try {
    patched = strategicMerge(template, patch, []);
  } catch (error) {
    if (error instanceof UnfitPatch)
      return [{ path: [...path, ...error.path], rule: error.message, at: 'key' }];
    throw error;
  }
  const pod = withLabels(patched);
  const isLost = (whose: string): InvalidField[] => [
    {
      path: [...path, 'metadata', 'labels'],
      rule: `must leave the labels by which ${whose} selects its pods`,
      at: 'key',
    },
  ];
  if (!selectedBy(owner)(pod.metadata.labels)) return isLost('the workload');
  const isFiltered = filteredBy(object);
  if (isFiltered(withLabels(template)) && !isFiltered(pod)) return isLost('targetFilter');
  const before = new Set(errorsIn(template));
  const fault = errorsIn(patched).find((each) => !before.has(each));
  if (fault === undefined) return [];
  return [{ path: [...path], rule: `leads to a pod that is refused: ${fault}`, at: 'key' }];
}

function withLabels({ metadata }: JsonObject) {
  const labels = objectOf(objectOf(metadata)['labels']) as Record<string, string>;
  return { metadata: { name: '', labels } };
}
