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

/** The workloads whose pods others create, and that a webhook alone spreads: each pod has the subset of its ordinal. */
export const ADMITTED: readonly Resource[] = [native('apps', 'StatefulSet', 'statefulsets')];

/** The workloads whose pods are spread. */
export const SPREAD: readonly Resource[] = [...CREATED, ...GATED, ...ADMITTED];

/** On a WorkloadSpread, `webhook`: no gate is wanted in the template of its workload. */
export const BY_ANNOTATION = 'plan.kruise.io/spread-by';

/** The only other way than that of the kind of workload. */
export const WEBHOOK = 'webhook';

type Workload = Readonly<{ group: string; kind: string }>;

const isAmong = (some: readonly Resource[], { group, kind }: Workload): boolean =>
  some.some((each) => each.group === group && each.kind === kind);

/** Whether the pods of this workload can wait for their subset with a gate. */
export function isGatedKind(workload: Workload): boolean {
  return isAmong(GATED, workload);
}

/** Whether this runtime creates the pods of this workload. */
export function isCreatedKind(workload: Workload): boolean {
  return isAmong(CREATED, workload);
}

/**
 * Whether an administrator has defined the kind of this workload, and its controller creates pods: none of Kubernetes, nor of this runtime.
 * A WorkloadSpread that asks for the webhook spreads them, and nothing reads the workload.
 */
export function isCustomKind(workload: Workload): boolean {
  const { group } = workload;
  return group.includes('.') && !group.endsWith('.k8s.io') && group !== spreadResource.group;
}
