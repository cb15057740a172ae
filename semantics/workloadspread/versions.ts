import type { KubeObject } from '../../schemas/wire/object.ts';
import { controllerOf, groupKindOf } from '../owner.ts';
import { type Pod, SHORT_HASH_LABEL } from '../pod/types.ts';
import type { NormalSpread } from './normalize.ts';
import { ANY_VERSION, replicaSets } from './resource.ts';

/** The number of a rollout, on a Deployment and on the ReplicaSets that it has had. */
const ROLLOUT_ANNOTATION = 'deployment.kubernetes.io/revision';

/** Kinds with a quota for each version (OpenKruise workloadspread, rule 6.2 step 3b). */
const VERSIONED: ReadonlySet<string> = new Set(['Deployment', 'ReplicaSet']);

/** The version of a pod: each one has the whole caps for itself. */
export function versionOf({ target }: NormalSpread, { metadata }: KubeObject): string {
  if (target.group !== 'apps' || !VERSIONED.has(target.kind)) return ANY_VERSION;
  return metadata.labels?.[SHORT_HASH_LABEL] ?? ANY_VERSION;
}

/** Pods by their versions. */
export function byVersion(spread: NormalSpread, pods: readonly Pod[]): ReadonlyMap<string, readonly Pod[]> {
  const found = new Map<string, Pod[]>();
  for (const pod of pods) {
    const version = versionOf(spread, pod);
    const own = found.get(version);
    if (own === undefined) found.set(version, [pod]);
    else own.push(pod);
  }
  return found;
}

/** The names of the ReplicaSets that pods belong to. */
export function replicaSetsOf(pods: readonly Pod[]): string[] {
  const names = pods.flatMap((pod) => {
    const owner = controllerOf(pod);
    return owner !== undefined && groupKindOf(owner).group === 'apps' && owner.kind === replicaSets.kind
      ? [owner.name]
      : [];
  });
  return [...new Set(names)];
}

/**
 * The versions that are not the latest of a Deployment: those of ReplicaSets of an earlier rollout than it is at. A ReplicaSet may show the
 * next one before its Deployment does, and one that is paused is at the last that it has begun.
 *
 * @param configs the ReplicaSets among other objects of the namespace
 */
export function olderVersions(
  owner: KubeObject | undefined,
  configs: readonly KubeObject[],
): ReadonlySet<string> {
  const present = owner?.metadata.annotations?.[ROLLOUT_ANNOTATION];
  if (owner === undefined || present === undefined) return new Set();
  return new Set(
    configs.flatMap((each) => {
      const { labels, annotations } = each.metadata;
      const rollout = annotations?.[ROLLOUT_ANNOTATION];
      const version = labels?.[SHORT_HASH_LABEL];
      const isOwn =
        groupKindOf(each).kind === replicaSets.kind && controllerOf(each)?.uid === owner.metadata.uid;
      return isOwn && version !== undefined && Number(rollout) < Number(present) ? [version] : [];
    }),
  );
}
