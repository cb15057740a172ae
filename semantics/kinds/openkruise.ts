import type { GroupKind } from '../owner.ts';

/** The group of OpenKruise's workloads. */
export const OPENKRUISE_GROUP = 'apps.kruise.io';

/** The controller that looks after objects of a kind where this runtime does not, as in the middle of a sentence. */
export function controllerName({ group, kind }: GroupKind): string {
  return group === OPENKRUISE_GROUP ? 'OpenKruise' : `the ${kind} controller`;
}

/** The kinds of that group, registered or not: the names that a misspelt one may have been meant for. */
export const OPENKRUISE_KINDS: readonly string[] = [
  'AdvancedCronJob',
  'BroadcastJob',
  'CloneSet',
  'ContainerRecreateRequest',
  'DaemonSet',
  'EphemeralJob',
  'ImageListPullJob',
  'ImagePullJob',
  'NodeImage',
  'NodePodProbe',
  'PersistentPodState',
  'PodProbeMarker',
  'ResourceDistribution',
  'SidecarSet',
  'StatefulSet',
  'UnitedDeployment',
  'WorkloadSpread',
];

/** Those whose names Kubernetes has, too: without our group such an object is simply not ours. */
export const SHARED_KINDS: ReadonlySet<string> = new Set(['DaemonSet', 'StatefulSet']);
