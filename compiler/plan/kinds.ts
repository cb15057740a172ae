/** Kinds that are planned, with the versions that are read. */
export const PLANNED: ReadonlyMap<string, readonly string[]> = new Map([
  ['CloneSet', ['v1alpha1', 'v1beta1']],
]);

/** Group and version of a kind that is planned, as references to it are written. The group identifies, the version does not. */
export function apiVersionOf(kind: string): string {
  return `apps.kruise.io/${PLANNED.get(kind)?.at(-1) ?? 'v1alpha1'}`;
}

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
