import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { loweringTo, type Neighbors, type RowOf } from '../kinds/lowering.ts';
import { groupKindOf } from '../owner.ts';
import { isSameWorkload, type PodWorkload } from '../pod/workload.ts';
import { isObject } from '../values/json-shape.ts';
import { objectOf } from '../values/read.ts';
import { type LabelSelector, selectorPredicate, wellFormedSelector } from '../values/selector.ts';
import { PROTECTION_LABEL } from '../protection/label.ts';
import { plainMetadata } from '../workload/plain.ts';
import { desiredAvailable } from './counts.ts';
import { covering, TRUE_VALUES } from './coverage.ts';
import { evictionSelector } from './eviction-selector.ts';
import { type NormalBudget, normalizeBudget } from './normalize.ts';
import {
  budgetResource,
  NO_PROTECT_ANNOTATION,
  OPERATIONS_ANNOTATION,
  TOTAL_ANNOTATION,
} from './resource.ts';
import { sizedResource } from './sizes.ts';

const { PodDisruptionBudget } = resources;

/** A manifest with pods, as far as they are read here. */
interface Workload extends PodWorkload {
  object: KubeObject;
  /** The metadata of its pods. */
  pod: { labels: Record<string, string>; annotations: Record<string, string> };
}

interface Read extends Neighbors {
  object: KubeObject;
  budget: NormalBudget;
  /** The labels of its pods; undefined: they are not in git. */
  selector: LabelSelector | undefined;
  /** The workloads in git whose pods it covers. */
  covered: readonly Workload[];
  /** Others whose pods have the labels. */
  alike: readonly Workload[];
  /** Whether a pod is one of another budget in git, too. */
  isShared: boolean;
}

const stays: readonly RowOf<Read>[] = [
  {
    what: 'protectOperations without EVICT',
    instead: 'a PodDisruptionBudget counts evictions alone',
    applies: ({ budget }) => !budget.operations.has('EVICT'),
  },
  {
    what: 'pods of no workload in git',
    instead: 'how Kubernetes would count them is unknown',
    applies: ({ selector, covered }) => selector === undefined || covered.length === 0,
  },
  {
    what: 'targetRef to a workload with labels that another one has',
    instead: 'the pods of both would be counted',
    applies: ({ alike }) => alike.length > 0,
  },
  {
    what: 'workloads without a scale, without protectTotalReplicas',
    instead: 'Kubernetes does not know how many pods there are to be, and lets none be evicted',
    applies: ({ budget: { total, limit }, covered }) =>
      total === undefined &&
      !(limit?.field === 'minAvailable' && typeof limit.value === 'number') &&
      covered.some((each) => sizedResource(each) === undefined),
  },
  {
    what: 'ignoredPodSelector',
    instead: 'pods that are left out would count as missing',
    applies: ({ budget }) => budget.ignored !== undefined,
  },
  {
    what: 'pods of another budget',
    instead: 'Kubernetes evicts no pod of two PodDisruptionBudgets',
    applies: ({ isShared }) => isShared,
  },
];

const losses: readonly RowOf<Read>[] = [
  {
    what: 'protection from deletion',
    instead: 'a rollout, a scale-in or a user deletes any number of pods at once',
    applies: ({ budget }) => budget.operations.has('DELETE'),
  },
  {
    what: 'protection from updates and resizes',
    instead: 'any number of pods is changed at once',
    applies: ({ budget }) => budget.operations.has('UPDATE') || budget.operations.has('RESIZE'),
  },
  {
    what: 'pod templates with pub.kruise.io/no-protect',
    instead: 'an eviction of such a pod takes a slot, too',
    applies: ({ covered }) =>
      covered.some(({ pod }) => TRUE_VALUES.has(pod.annotations[NO_PROTECT_ANNOTATION] ?? '')),
  },
  {
    what: `the label ${PROTECTION_LABEL}`,
    instead: 'a PodDisruptionBudget is not protected from deletion',
    applies: ({ object: { metadata } }) => metadata.labels?.[PROTECTION_LABEL] !== undefined,
  },
];

/** A budget as the PodDisruptionBudget by which its pods are evicted (OpenKruise podunavailablebudget, section 12.1). */
export const budgetLowering = loweringTo<Read>({
  to: { apiVersion: 'policy/v1', kind: PodDisruptionBudget.kind },
  stays,
  losses,
  differs: [
    'a pod counts as available while it is ready: labels that begin with unavailable-pod.kruise.io/ and updates in place count for nothing',
    'before Kubernetes 1.27 a pod that is not ready is not always evicted',
    'an eviction that deletes no pod has its slot for two minutes, not for 20 seconds',
    'pods get no annotation that links them to it',
  ],
  read(object, around) {
    const budget = normalizeBudget(object);
    const workloads = around.inNamespace.flatMap(workloadOf);
    const selector = evictionSelector(
      budget,
      workloads.map((each) => each.object),
    );
    const matches = selector === undefined ? () => false : selectorPredicate(selector);
    const selected = workloads.filter(({ pod }) => matches(pod.labels));
    const { coverage } = budget;
    const isCovered = (each: Workload): boolean =>
      coverage.by !== 'workload' || isSameWorkload(each, coverage.workload);
    return {
      ...around,
      object,
      budget,
      selector,
      covered: selected.filter(isCovered),
      alike: selected.filter((each) => !isCovered(each)),
      isShared: around.inNamespace.some((other) => other !== object && selectsSome(other, selected)),
    };
  },
  lower(object, { budget, selector = {} }) {
    const { limit, total } = budget;
    const { annotations, ...metadata } = plainMetadata(object);
    const kept = Object.entries(annotations ?? {}).filter(
      ([key]) => key !== OPERATIONS_ANNOTATION && key !== TOTAL_ANNOTATION,
    );
    const own: JsonObject = limit === undefined ? {} : { [limit.field]: limit.value };
    return {
      metadata: { ...metadata, ...(kept.length > 0 && { annotations: Object.fromEntries(kept) }) },
      spec: {
        selector: selector as JsonObject,
        ...(total === undefined ? own : { minAvailable: desiredAvailable(limit, total) }),
        unhealthyPodEvictionPolicy: 'AlwaysAllow',
      },
    };
  },
});

/** A pod without a controller is its own. Manifests of kinds of others may hold anything, and only what fits counts. */
function workloadOf(object: KubeObject): Workload[] {
  const named = { ...groupKindOf(object), name: object.metadata.name };
  if (named.group === '' && named.kind === 'Pod') return [{ ...named, object, pod: podOf(object.metadata) }];
  const spec = objectOf(object['spec']);
  const { metadata } = podTemplateOf(spec);
  if (!isObject(metadata)) return [];
  const selector = selectorOf(spec['selector']);
  return [
    {
      ...named,
      object: { ...object, spec: { selector: selector ?? {} } },
      pod: podOf(metadata),
    },
  ];
}

/** Of what creates Jobs, the pod template is in that of a Job. */
function podTemplateOf({ template, jobTemplate }: JsonObject): JsonObject {
  const own = objectOf(template);
  const job = jobTemplate ?? own['jobTemplate'] ?? own['broadcastJobTemplate'];
  return isObject(job) ? objectOf(objectOf(job['spec'])['template']) : own;
}

function podOf({ labels, annotations }: { labels?: unknown; annotations?: unknown }): Workload['pod'] {
  return { labels: textsIn(labels), annotations: textsIn(annotations) };
}

function textsIn(value: unknown): Record<string, string> {
  const texts = Object.entries(objectOf(value)).filter(
    (each): each is [string, string] => typeof each[1] === 'string',
  );
  return Object.fromEntries(texts);
}

function selectorOf(value: unknown): LabelSelector | undefined {
  return isObject(value) ? wellFormedSelector(value) : undefined;
}

/** Whether another manifest is a budget of some of these pods. */
function selectsSome(other: KubeObject, workloads: readonly Workload[]): boolean {
  const { group, kind } = groupKindOf(other);
  if (group === PodDisruptionBudget.group && kind === PodDisruptionBudget.kind) {
    const { selector } = objectOf(other['spec']);
    const known = selectorOf(selector);
    // One without a term selects every pod; of one that nobody can read, anything may be true.
    if (known === undefined) return selector !== undefined && selector !== null;
    const matches = selectorPredicate(known);
    return workloads.some(({ pod }) => matches(pod.labels));
  }
  if (group !== budgetResource.group || kind !== budgetResource.kind) return false;
  const { coverage, operations } = normalizeBudget(other);
  if (!operations.has('EVICT')) return false;
  const isCovered = covering(coverage);
  return workloads.some((each) =>
    coverage.by === 'workload'
      ? isSameWorkload(each, coverage.workload)
      : isCovered({ ...each.object, metadata: { ...each.pod, name: '' } }),
  );
}
