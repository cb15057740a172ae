import type { Resource } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { DisruptionLimit } from '../limits/disruption.ts';
import { isActive, isReady } from '../pod/readiness.ts';
import type { Pod } from '../pod/types.ts';
import { type ActiveInfluence, type Influence, type InfluencingKind, isInNamespaceOf } from './influence.ts';

/**
 * What stands for objects of a kind that cannot be listed: as they may protect any pod, no ready one is made unavailable. New
 * pods are created as they are.
 *
 * @param namespace '': all
 */
export function unreadInfluence({ resource, rules }: InfluencingKind, namespace: string): ActiveInfluence {
  const { group, version, kind, plural } = resource;
  const object = { apiVersion: `${group}/${version}`, kind, metadata: { name: plural, namespace } };
  const isOwn = (pod: Pod): boolean =>
    rules.protects && (namespace === '' || pod.metadata.namespace === namespace);
  return closed(resource, object, { isOwn, name: `a ${kind} that cannot be read` });
}

/**
 * What stands for an object that no rule may read, or whose rules end in an error: none of its own pods that is ready is made
 * unavailable, and new pods are created as they are. It stops no pod of others.
 *
 * @param why as a clause
 */
export function unjudgedInfluence(
  { rules, resource }: InfluencingKind,
  object: KubeObject,
  why: string,
): ActiveInfluence {
  const { namespace = '', name } = object.metadata;
  const shown = `${resource.kind} ${namespace}/${name} (not judged: ${why})`;
  const isOwn = rules.protects ? ownPods(rules, object) : () => false;
  return closed(resource, object, { isOwn, name: shown });
}

/** What stands for an object until it is known how evictions are limited: a slot that is taken now may be taken by one of them. */
export function unguardedInfluence(kind: InfluencingKind, object: KubeObject): ActiveInfluence {
  return unjudgedInfluence(kind, object, 'PodDisruptionBudgets are not listed yet');
}

/**
 * What stands for an object that is too large to be read, its spec included: as it may be about any pod of its namespace, none of these
 * that is ready is made unavailable.
 */
export function unknownPodsInfluence(
  { resource, rules }: InfluencingKind,
  object: KubeObject,
): ActiveInfluence {
  const { namespace = '', name } = object.metadata;
  const isOwn = (pod: Pod): boolean => rules.protects && isInNamespaceOf(object, pod);
  const shown = `${resource.kind} ${namespace}/${name} (not judged: it is too large to read which pods it is about)`;
  return closed(resource, object, { isOwn, name: shown });
}

/** The test for pods of an object. */
export function ownPods(rules: Pick<Influence, 'covers'>, object: KubeObject): (pod: Pod) => boolean {
  return (pod) => {
    if (!isInNamespaceOf(object, pod)) return false;
    try {
      return rules.covers(object, pod);
    } catch {
      return false;
    }
  };
}

function closed(
  resource: Resource,
  object: KubeObject,
  { isOwn, name }: { isOwn(pod: Pod): boolean; name: string },
): ActiveInfluence {
  const limit: DisruptionLimit = { name, most: 0, unavailable: [], left: 0 };
  const influence: ActiveInfluence = {
    resource,
    object,
    limitOf: (pod) => (isActive(pod) && isReady(pod) && isOwn(pod) ? limit : undefined),
    created: (_owner, pods) => pods.map((pod) => ({ pod, isRecorded: false })),
    record: () => ({}),
    raise: () => undefined,
    claim: () => undefined,
    deletionCost: () => () => undefined,
    failed: () => influence,
  };
  return influence;
}
