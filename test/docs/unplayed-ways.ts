/**
 * Rows of docs/differences.md, by section, whose way no test plays. None is added: a new row is played in `ways.ts`, or says that there is
 * no switch.
 */
export const unplayed: readonly string[] = [
  'Pods and scaling: CloneSets in `kube-system`, or ours',
  'Volume claims: claims of a pod that could not be made, where none are taken over',
  'Revisions, status, Events: an amount in another family of suffixes',
  'StatefulSets: `ordinals.start`',
  'StatefulSets: defaults of `rollingUpdate`',
  'SidecarSets: whitelist of `patchPodMetadata`',
];
