import type { Resource } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Pod } from '../pod/types.ts';
import type { ActiveInfluence, Influence, PodLabel } from './influence.ts';

/**
 * An object that is bound to its rules when it is first asked about a pod of its own. Each reconcile of a target meets all objects of its
 * namespace, of which few are about its pods.
 *
 * @param isOwn  whether a pod is one of the object's; never ends in an error
 * @param covers the same of a pod that is about to be created there, and may state no namespace. Its errors come through
 */
export function lateInfluence(
  { resource, object }: { resource: Resource; object: KubeObject },
  { isOwn, covers }: { isOwn(pod: Pod): boolean; covers(pod: KubeObject): boolean },
  bind: () => ActiveInfluence,
): ActiveInfluence {
  let made: ActiveInfluence | undefined;
  const bound = (): ActiveInfluence => (made ??= bind());
  return {
    resource,
    object,
    limitOf: (pod, how) => (isOwn(pod) ? bound().limitOf(pod, how) : undefined),
    created: (owner, pods, present) =>
      pods.some(covers)
        ? bound().created(owner, pods, present)
        : pods.map((pod) => ({ pod, isRecorded: false })),
    record: (done) => bound().record(done),
    raise: (done) => bound().raise(done),
    claim: (pod, pods) => bound().claim(pod, pods),
    deletionCost: (owner, present) => bound().deletionCost(owner, present),
    failed: (error) => bound().failed(error),
  };
}

/** The labels that each pod of an object has; none where its rules end in an error. */
export function ownLabels(rules: Pick<Influence, 'labels'>, object: KubeObject): readonly PodLabel[] {
  try {
    return rules.labels(object);
  } catch {
    return [];
  }
}

/**
 * Whether some of these pods have each of these labels, not necessarily one pod all of them. Few of the objects of a namespace are about the
 * pods of one target: what each pod has is read once for all of them.
 */
export function someHave(pods: readonly KubeObject[]): (labels: readonly PodLabel[]) => boolean {
  const values = new Map<string, ReadonlySet<string | undefined>>();
  const valuesOf = (key: string): ReadonlySet<string | undefined> => {
    const found = values.get(key) ?? new Set(pods.map(({ metadata }) => metadata.labels?.[key]));
    values.set(key, found);
    return found;
  };
  return (labels) => labels.every(({ key, value }) => valuesOf(key).has(value));
}
