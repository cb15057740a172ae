import type { GroupKind } from '../owner.ts';

/** The group of OpenKruise's workloads. */
export const OPENKRUISE_GROUP = 'apps.kruise.io';

/** The group of OpenKruise's policies. */
export const POLICY_GROUP = 'policy.kruise.io';

/** The usual controller of a kind, for use inside a sentence. */
export function controllerName({ group, kind }: GroupKind): string {
  return group === OPENKRUISE_GROUP ? 'OpenKruise' : `the ${kind} controller`;
}

/** The kinds that OpenKruise serves in the group of its workloads, registered or not. The list is closed. */
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

/** The kinds that it serves in the group of its policies. */
export const POLICY_KINDS: readonly string[] = ['PodUnavailableBudget'];

/** Kinds whose names Kubernetes has, too: in another group, such an object is not OpenKruise's. */
export const SHARED_KINDS: ReadonlySet<string> = new Set(['DaemonSet', 'StatefulSet']);

/** Kinds of OpenKruise's workloads that create other objects at the times of a schedule, with the waves of their plan. */
export const SCHEDULES: ReadonlySet<string> = new Set(['AdvancedCronJob']);
