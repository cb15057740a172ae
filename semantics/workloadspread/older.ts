import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { PatchAction } from '../decision.ts';
import { isWantedNode } from '../node/affinity.ts';
import { isActive } from '../pod/readiness.ts';
import type { NodeLabels } from '../pod/nodes.ts';
import type { Pod } from '../pod/types.ts';
import { objectOf } from '../values/read.ts';
import { matchedOf, matchedText } from './matched.ts';
import { filteredBy, membersOf, spreadBy } from './members.ts';
import { type NormalSpread, normalizeSpread, type Subset } from './normalize.ts';
import { isMissed } from './missed.ts';
import { MATCHED_ANNOTATION } from './resource.ts';
import { selectedBy } from './selected-by.ts';
import { capOf } from './size.ts';

/** The weights of what makes a subset the right one for a pod that runs already (OpenKruise workloadspread, rule 6.4). */
const PER_WEIGHT = 100;
const PER_METADATA = 10;

/**
 * The subsets of pods that were there before the WorkloadSpread, by uid: those of their nodes. One that is on record in a subset which is no
 * more stays in none, and one of another WorkloadSpread that is there is not touched.
 *
 * @param others the WorkloadSpreads that its pods name, as far as they exist
 * @param size   how many pods the target is to have
 */
export function olderPods(
  object: KubeObject,
  pods: readonly Pod[],
  { nodes, others, size }: { nodes: NodeLabels | undefined; others: readonly KubeObject[]; size: number },
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const unmatched = unmatchedPods(object, pods, others);
  if (unmatched.length === 0 || nodes?.state !== 'known') return found;
  const spread = normalizeSpread(object);
  const counts = new Map(
    [...membersOf(object, pods).bySubset].map(([name, own]) => [name, own.length] as const),
  );
  for (const pod of unmatched) {
    const name = bestSubset(spread, pod, nodes, (subset) => {
      const cap = capOf(subset, size);
      return cap === undefined || (counts.get(subset.name) ?? 0) < cap;
    });
    if (name === undefined) continue;
    counts.set(name, (counts.get(name) ?? 0) + 1);
    found.set(pod.metadata.uid ?? '', name);
  }
  return found;
}

/** So long new pods wait for the list of nodes. One that takes longer may never come, and lost pods are to be replaced. */
const COUNTED_MS = 60_000;

/** Whether pods that are there are counted as soon as nodes are known: until then nobody can tell which subsets have room. */
export function awaitsNodes(
  object: KubeObject,
  pods: readonly Pod[],
  nodes: NodeLabels | undefined,
  now: number,
): boolean {
  const since = nodes?.pendingSince;
  return since !== undefined && now < since + COUNTED_MS && unmatchedPods(object, pods, []).length > 0;
}

/** The pods that run, and that no WorkloadSpread has said anything about. */
function unmatchedPods(
  object: KubeObject,
  pods: readonly Pod[],
  others: readonly KubeObject[],
): readonly Pod[] {
  const isOwn = spreadBy(object);
  // Most are on record: that is asked first, as it costs least.
  return pods.filter(
    (pod) => !isOnRecord(object, pod, others) && pod.spec.nodeName && isActive(pod) && isOwn(pod),
  );
}

/** Whether this or another WorkloadSpread has said where a pod belongs. */
function isOnRecord({ metadata }: KubeObject, pod: Pod, others: readonly KubeObject[]): boolean {
  return matchedOf(pod)?.name === metadata.name || isOfOther(pod, others);
}

/**
 * Whether another WorkloadSpread has said where a pod belongs: this one leaves it alone, as two would write it for ever.
 *
 * @param others the WorkloadSpreads that pods name, as far as they exist
 */
export function isOfOther(pod: Pod, others: readonly KubeObject[]): boolean {
  if (others.length === 0) return false;
  const { name } = matchedOf(pod) ?? {};
  return others.some((each) => each.metadata.name === name && spreadBy(each)(pod));
}

function bestSubset(
  { subsets }: NormalSpread,
  pod: Pod,
  nodes: NodeLabels,
  hasRoom: (subset: Subset) => boolean,
): string | undefined {
  const labels = nodes.of(pod.spec.nodeName ?? '');
  if (labels === undefined) return undefined;
  const isOn = (term: Subset['required']): boolean =>
    isWantedNode(
      {
        containers: [],
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term ?? {}] },
          },
        },
      },
      { apiVersion: 'v1', kind: 'Node', metadata: { name: pod.spec.nodeName ?? '', labels: { ...labels } } },
    );
  let best: { name: string; score: number } | undefined;
  for (const subset of subsets) {
    if (subset.required !== undefined && !isOn(subset.required)) continue;
    const weight = subset.preferred.reduce((sum, each) => sum + (isOn(each.preference) ? each.weight : 0), 0);
    const score =
      PER_WEIGHT * weight + (hasMetadata(pod, subset) ? PER_METADATA : 0) + (hasRoom(subset) ? 1 : 0);
    if (best === undefined || score > best.score) best = { name: subset.name, score };
  }
  return best?.name;
}

/** Whether the patch of a subset would not change a pod, annotations aside. Of the spec the rules read too little to tell. */
function hasMetadata({ metadata }: Pod, { patch }: Subset): boolean {
  if (patch === undefined) return true;
  const labels = Object.entries(objectOf(objectOf(patch['metadata'])['labels']));
  const isSame = ([key, value]: (typeof labels)[number]): boolean =>
    (metadata.labels?.[key] ?? null) === value;
  return Object.keys(objectOf(patch['spec'])).length === 0 && labels.every(isSame);
}

const NOTHING: JsonObject = {};
type Labels = Record<string, string>;

/** The labels of a pod after a merge patch: null removes one. */
function labelsAfter({ metadata }: Pod, change: JsonObject): Labels {
  const after = Object.entries({ ...metadata.labels, ...change }).filter(([, value]) => value !== null);
  return Object.fromEntries(after) as Labels;
}

/**
 * The writes that put older pods on record, with the labels and annotations of the patch of their subset.
 *
 * @param owner undefined: nothing reads it, and no patch of labels is for its pods
 */
export function recordOlder(
  object: KubeObject,
  owner: KubeObject | undefined,
  pods: readonly Pod[],
  assigned: ReadonlyMap<string, string>,
): PatchAction[] {
  if (assigned.size === 0) return [];
  const { way, subsets, patchesOlder } = normalizeSpread(object);
  const isSelected = owner === undefined ? () => true : selectedBy(owner);
  const isFiltered = filteredBy(object);
  // The policies let no label of a running pod of others change.
  const patchesMetadata = patchesOlder && way === 'creates';
  return pods.flatMap((pod): PatchAction[] => {
    const { name, uid = '' } = pod.metadata;
    const subset = subsets.find((each) => each.name === assigned.get(uid));
    if (subset === undefined) return [];
    const patched = objectOf(subset.patch?.['metadata']);
    // Neither its owner nor the WorkloadSpread must lose it by its labels.
    const after = labelsAfter(pod, objectOf(patched['labels']));
    const isLeft = isSelected(after) && isFiltered({ metadata: { ...pod.metadata, labels: after } });
    const { labels, annotations } = patchesMetadata && isLeft ? patched : NOTHING;
    const more = {
      ...objectOf(annotations),
      [MATCHED_ANNOTATION]: matchedText(object, subset.name, {
        by: isMissed(object, pod) ? 'node' : undefined,
      }),
    };
    const metadata = { uid, ...(labels !== undefined && { labels }), annotations: more };
    const reason = `its node is one of subset ${subset.name} of WorkloadSpread ${object.metadata.name}`;
    return [{ do: 'patch', kind: 'Pod', verb: 'match', name, body: { metadata }, reason, isAside: true }];
  });
}
