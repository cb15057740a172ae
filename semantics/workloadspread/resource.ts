import type { Resource } from '../../schemas/wire/cluster.ts';
import { resources } from '../../schemas/wire/resources.ts';

export const spreadResource: Resource = resources.WorkloadSpread;

/** On a pod: its WorkloadSpread and its subset, as JSON. Nothing else records where a pod belongs. */
export const MATCHED_ANNOTATION = 'apps.kruise.io/matched-workloadspread';
/** On a WorkloadSpread, `true`: pods that are older get no labels and annotations of the patch of their subset. */
export const IGNORE_OLD_ANNOTATION = 'workloadspread.kruise.io/ignore-patch-existing-pods-metadata';

/** The version of pods whose owners have one cap for all versions. */
export const ANY_VERSION = 'versionIgnored';

/** The scheduling gate by which pods of workloads of Kubernetes wait for their subset. `kruise build` writes it into templates. */
export const GATE = 'kruise.io/workloadspread';

/** The workloads whose pods this runtime creates itself, and so spreads as it creates them. */
export const CREATED: readonly Resource[] = [resources.CloneSet, resources.StatefulSet];

const native = (group: string, kind: string, plural: string): Resource => ({
  ...{ group, version: 'v1', kind, plural, namespaced: true },
});

export const replicaSets = native('apps', 'ReplicaSet', 'replicasets');

/** The workloads whose pods others create, with a gate, and that are spread before they are scheduled. */
export const GATED: readonly Resource[] = [
  native('apps', 'Deployment', 'deployments'),
  replicaSets,
  native('batch', 'Job', 'jobs'),
];

/** The workloads whose pods are spread. */
export const SPREAD: readonly Resource[] = [...CREATED, ...GATED];

/** Whether pods of this workload wait for their subset with a gate. */
export function isGatedKind({ group, kind }: { group: string; kind: string }): boolean {
  return GATED.some((each) => each.group === group && each.kind === kind);
}
