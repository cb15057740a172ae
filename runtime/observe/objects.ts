import { ApiError, type Resource } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { Creator, Kind, ObservedObjects } from '../../semantics/kinds/kind.ts';
import { type Need, needOf, needsOf } from '../../semantics/kinds/need.ts';
import type { PodOnNode } from '../../semantics/node/pod-on-node.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import type { Caches } from './caches.ts';
import type { Shown } from './needed.ts';
import { ownersOf } from './owners.ts';
import { type TargetKey, targetKey } from './target-key.ts';

/** A target with its key and kind. */
export interface TargetOfKind {
  key: TargetKey;
  kind: Kind;
  target: KubeObject;
}

type Objects = Pick<
  ObservedObjects,
  | 'pods'
  | 'orphans'
  | 'nodes'
  | 'claims'
  | 'children'
  | 'configs'
  | 'placement'
  | 'podsOnNodes'
  | 'runs'
  | 'creator'
  | 'owners'
  | 'disruptionBudgets'
  | 'namespaces'
  | 'pulls'
  | 'siblings'
  | 'named'
>;

/**
 * The objects that a target needs, and those among them that are to be read anew; or the resource that may not be listed; undefined: a
 * first list is pending.
 */
export type NeededObjects =
  | { objects: Objects; latest: readonly LatestNeed[] }
  | { forbidden: Resource; error: ApiError }
  | undefined;

export type LatestNeed = Extract<Need, { of: 'Latest' }>;

/** The caches that show what targets need. */
export type ObjectCaches = Pick<
  Caches,
  | 'podsOf'
  | 'pullPodsOf'
  | 'pulling'
  | 'selectedBy'
  | 'isSelecting'
  | 'siblingsOf'
  | 'namedIn'
  | 'orphansOf'
  | 'need'
  | 'claimsOf'
  | 'childrenOf'
  | 'named'
  | 'nodes'
  | 'nodeLabels'
  | 'podsOnNodes'
  | 'runsOf'
  | 'target'
  | 'revisionsOf'
  | 'namespacesOf'
  | 'allNamespaces'
> & {
  /** Undefined: another controller leads the targets, and its rules know no such limits. */
  disruptionBudgets: Caches['disruptionBudgets'] | undefined;
};

/** The pods that are a target's units: those that it selects, if its kind selects pods; otherwise those that it controls. */
export function unitPods(
  caches: Pick<Caches, 'podsOf' | 'selectedBy' | 'isSelecting'>,
  key: TargetKey,
  target: KubeObject,
): readonly Pod[] | undefined {
  return caches.isSelecting(key) ? caches.selectedBy(key) : caches.podsOf(target);
}

/** All objects that a target needs, from the caches. */
export function objectsOf(
  caches: ObjectCaches,
  { key, kind, target }: TargetOfKind,
  revisions: readonly KubeObject[],
): NeededObjects {
  const needs = kind.needs(target, revisions, caches.selectedBy(key) ?? []);
  caches.need(key, needs);
  const pods = unitPods(caches, key, target);
  const found: Partial<Record<ByNeed[0], (KubeObject | PodOnNode)[]>> = {};
  const awaitsNodes = needsOf(needs, 'Nodes').some(({ why }) => why === 'Subsets');
  let isPending = pods === undefined || (awaitsNodes && caches.nodeLabels.state === 'pending');
  let refused: { forbidden: Resource; error: ApiError } | undefined;
  for (const [what, resource, shown] of objectsByNeed(caches, target, needs)) {
    if (shown === undefined) isPending = true;
    else if (shown instanceof ApiError) refused ??= { forbidden: resource, error: shown };
    else {
      // A list that is empty is known, too.
      const all = (found[what] ??= []);
      for (const each of shown) all.push(each);
    }
  }
  if (refused !== undefined) return refused;
  if (isPending || pods === undefined) return undefined;
  const creator = creatorOf(caches, needs);
  const orphans = caches.orphansOf(key);
  if (orphans === 'pending') return undefined;
  return {
    latest: needsOf(needs, 'Latest'),
    objects: {
      pods,
      ...(orphans === undefined ? {} : { orphans }),
      ...(creator === undefined ? {} : { creator }),
      nodes: caches.nodeLabels,
      claims: [],
      ...(needOf(needs, 'OwnedPods') !== undefined && {
        pulls: { pods: caches.pullPodsOf(target), busy: caches.pulling.elsewhere(target) },
      }),
      ...(needOf(needs, 'SelectedPods')?.podName !== undefined && {
        siblings: caches.siblingsOf(key),
        named: caches.namedIn(key.namespace),
      }),
      ...(needOf(needs, 'Namespaces') !== undefined && { namespaces: caches.allNamespaces() }),
      ...(key.namespace === '' && caches.isSelecting(key) ? { namespaces: caches.namespacesOf(key) } : {}),
      ...(isLimited(caches, needs) ? { owners: ownersOf(caches, pods) } : {}),
      ...(found as Partial<Pick<Objects, ByNeed[0]>>),
    },
  };
}

/** Whether others limit what the target does to pods, and that is observed. */
function isLimited({ disruptionBudgets }: ObjectCaches, needs: readonly Need[]): boolean {
  return needOf(needs, 'Disruption') !== undefined && disruptionBudgets !== undefined;
}

/** The target that this one names as its controller, by its name: whether it is the one is for the rules to say. */
function creatorOf(caches: ObjectCaches, needs: readonly Need[]): Creator | undefined {
  const need = needOf(needs, 'Creator');
  const target = need && caches.target(targetKey(need.controller, need.namespace, need.name));
  return target && { target, revisions: caches.revisionsOf(target) };
}

/** The objects of a need, and the resource that they are of. */
type ByNeed = readonly [
  'claims' | 'children' | 'configs' | 'placement' | 'podsOnNodes' | 'runs' | 'disruptionBudgets',
  Resource,
  Shown<readonly (KubeObject | PodOnNode)[]>,
];

/** Reads every need, even after a refused one, so that all of them are watched from now on. */
function objectsByNeed(caches: ObjectCaches, target: KubeObject, needs: readonly Need[]): ByNeed[] {
  const isPlaced = needsOf(needs, 'Nodes').some(({ why }) => why === 'Placement');
  const all: ByNeed[] = [];
  for (const need of needsOf(needs, 'Claims'))
    all.push(['claims', resources.PersistentVolumeClaim, caches.claimsOf(target, need)]);
  if (isPlaced) all.push(['placement', resources.Node, caches.nodes()]);
  if (needOf(needs, 'PodsOnNodes') !== undefined)
    all.push(['podsOnNodes', resources.Pod, caches.podsOnNodes()]);
  if (needOf(needs, 'Runs') !== undefined)
    all.push(['runs', resources.ControllerRevision, caches.runsOf(target)]);
  if (isLimited(caches, needs))
    all.push(['disruptionBudgets', resources.PodDisruptionBudget, caches.disruptionBudgets?.shown()]);
  if (needOf(needs, 'Guards') !== undefined && caches.disruptionBudgets !== undefined) {
    const own = caches.disruptionBudgets.within(target.metadata.namespace ?? '');
    all.push(['disruptionBudgets', resources.PodDisruptionBudget, own]);
  }
  for (const { resource, arePast } of needsOf(needs, 'Children')) {
    const shown = caches.childrenOf(target, resource);
    all.push(['children', resource, arePast === true && shown instanceof ApiError ? [] : shown]);
  }
  for (const need of needsOf(needs, 'Config')) {
    const shown = caches.named(need);
    all.push(['configs', need.resource, need.isHint === true && shown instanceof ApiError ? [] : shown]);
  }
  return all;
}
