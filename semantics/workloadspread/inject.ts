import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { strategicMerge, UnfitPatch } from '../template/strategic-merge.ts';
import { listOf, objectOf } from '../values/read.ts';
import { matchedText } from './matched.ts';
import { filteredBy } from './members.ts';
import type { Subset } from './normalize.ts';
import { MATCHED_ANNOTATION } from './resource.ts';
import { selectedBy } from './selected-by.ts';
import { REVISION_LABEL, SHORT_HASH_LABEL } from '../pod/types.ts';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

/** What servers compute from a class. */
const COMPUTED: Readonly<Record<string, readonly string[]>> = {
  priorityClassName: ['priority', 'preemptionPolicy'],
  runtimeClassName: ['overhead'],
};

/** Labels by which the controllers of Kubernetes know their pods, whether their selectors have them or not. */
const IDENTITY: readonly string[] = [
  SHORT_HASH_LABEL,
  REVISION_LABEL,
  'statefulset.kubernetes.io/pod-name',
  'apps.kubernetes.io/pod-index',
  'batch.kubernetes.io/controller-uid',
  'batch.kubernetes.io/job-completion-index',
];

/**
 * A new pod as its subset wants it (OpenKruise workloadspread, rule 6.3): more tolerations, narrower node affinity, the patch, and the
 * annotation at last. A patch that does not fit the pod, or by which the pod would leave its owner or its WorkloadSpread, is left out.
 *
 * @param owner the target that creates the pod; undefined: it is not known what it selects
 * @param uid   by what the pod is on record, if it has no name yet
 */
export function inSubset(
  spread: KubeObject,
  subset: Subset,
  owner: KubeObject | undefined,
  pod: KubeObject,
  uid?: string,
): KubeObject {
  const placed = { ...pod, spec: placedSpec(objectOf(pod['spec']), subset) };
  const patched = patchedPod(placed, { spread, subset, owner }) ?? placed;
  const annotations = {
    ...patched.metadata.annotations,
    [MATCHED_ANNOTATION]: matchedText(spread, subset.name, { uid }),
  };
  return { ...patched, metadata: { ...patched.metadata, annotations } };
}

/**
 * The spec of a pod that is to run on the nodes of a subset.
 *
 * @param exists the pod is there already, and waits: a server refuses to let it run where it could not before. Default: it is new
 */
export function placedSpec(
  spec: JsonObject,
  { required, preferred, tolerations }: Subset,
  exists = false,
): JsonObject {
  const affinity = objectOf(spec['affinity']);
  const nodes = objectOf(affinity['nodeAffinity']);
  const nodeAffinity = {
    ...nodes,
    ...(preferred.length > 0 && { [PREFERRED]: [...listOf(nodes[PREFERRED]), ...preferred] }),
    ...(required !== undefined && { [REQUIRED]: narrowed(nodes[REQUIRED], objectOf(required), exists) }),
  };
  return {
    ...spec,
    ...(tolerations.length > 0 && { tolerations: [...listOf(spec['tolerations']), ...tolerations] }),
    affinity: { ...affinity, nodeAffinity },
  } as JsonObject;
}

/** Each alternative with one more requirement; without any, it is the only one. One that is empty matches no node. */
function narrowed(required: unknown, term: JsonObject, keepsEmpty: boolean): JsonObject {
  const terms = listOf(objectOf(required)['nodeSelectorTerms']);
  if (terms.length === 0) return { ...objectOf(required), nodeSelectorTerms: [term] };
  const both = (each: JsonObject, field: string): JsonObject => {
    const all = [...listOf(each[field]), ...listOf(term[field])];
    return all.length === 0 ? {} : { [field]: all };
  };
  const stays = (each: JsonObject): boolean =>
    keepsEmpty && listOf(each['matchExpressions']).length + listOf(each['matchFields']).length === 0;
  const nodeSelectorTerms = terms.map((each) =>
    stays(each) ? each : { ...each, ...both(each, 'matchExpressions'), ...both(each, 'matchFields') },
  );
  return { ...objectOf(required), nodeSelectorTerms };
}

/** The pod with the patch of its subset; undefined: there is none, or it must not be applied. */
function patchedPod(
  pod: KubeObject,
  { spread, subset: { patch }, owner }: { spread: KubeObject; subset: Subset; owner: KubeObject | undefined },
): KubeObject | undefined {
  if (patch === undefined) return undefined;
  try {
    const patched = strategicMerge(pod as unknown as JsonObject, patch);
    const { spec } = patched;
    // The server has computed these from the class of the template, and computes them again.
    const patchedSpec = objectOf(patch['spec']);
    for (const [field, computed] of Object.entries(COMPUTED))
      for (const each of patchedSpec[field] === undefined ? [] : computed)
        if (patchedSpec[each] === undefined) delete objectOf(spec)[each];
    const labels = objectOf(objectOf(patched['metadata'])['labels']) as Record<string, string>;
    const made = patched as unknown as KubeObject;
    const stays =
      IDENTITY.every((key) => labels[key] === pod.metadata.labels?.[key]) &&
      (owner === undefined ? !changesLabels(patch) : selectedBy(owner)(labels));
    // A pod that its WorkloadSpread no longer selects would not count in its subset, whose cap would hold nothing.
    return stays && filteredBy(spread)(made) ? made : undefined;
  } catch (error) {
    if (error instanceof UnfitPatch) return undefined;
    throw error;
  }
}

/** Whether a patch is about labels. */
export function changesLabels(patch: JsonObject): boolean {
  return objectOf(patch['metadata'])['labels'] !== undefined;
}
