/** Kinds that are planned, with the versions that are read. */
export const PLANNED: ReadonlyMap<string, readonly string[]> = new Map([
  ['CloneSet', ['v1alpha1', 'v1beta1']],
]);

/** The kinds of apps.kruise.io. */
export const KINDS: readonly string[] = [
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
