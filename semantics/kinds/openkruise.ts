import type { GroupKind } from '../owner.ts';

/** The group of OpenKruise's workloads. */
export const OPENKRUISE_GROUP = 'apps.kruise.io';

/** The group of OpenKruise's policies, such as PodUnavailableBudget. None of them is planned. */
export const POLICY_GROUP = 'policy.kruise.io';

/** The usual controller of a kind, for use inside a sentence. */
export function controllerName({ group, kind }: GroupKind): string {
  return group === OPENKRUISE_GROUP ? 'OpenKruise' : `the ${kind} controller`;
}

/** The kinds of that group, registered or not: suggestions for a misspelled kind. */
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

/** Kinds whose names Kubernetes has, too: in another group, such an object is not OpenKruise's. */
export const SHARED_KINDS: ReadonlySet<string> = new Set(['DaemonSet', 'StatefulSet']);
