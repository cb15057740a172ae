import { isActive, isAvailable } from '../pod/readiness.ts';
import type { ActiveInfluence, InfluencingKind } from './influence.ts';

/**
 * What stands for objects of a kind that cannot be listed or read: as they may protect any pod, no available one is made
 * unavailable. New pods are created as they are.
 *
 * @param namespace '': all
 */
export function unreadInfluence(
  { rules, resource }: InfluencingKind,
  namespace: string,
  now: number,
): ActiveInfluence {
  const { group, version, kind, plural } = resource;
  return {
    rules: {
      ...rules,
      onCreate: (_object, _owner, pods) => pods.map((pod) => ({ pod, isRecorded: false })),
      deletionCost: () => () => undefined,
    },
    resource,
    object: { apiVersion: `${group}/${version}`, kind, metadata: { name: plural, namespace } },
    slots: {
      limit: { name: `a ${kind} that cannot be read`, most: 0, unavailable: [], left: 0 },
      takesSlot: (pod) =>
        (namespace === '' || pod.metadata.namespace === namespace) &&
        isActive(pod) &&
        isAvailable(pod, 0, now),
    },
  };
}
