import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { loweringTo, type Neighbors, type RowOf } from '../kinds/lowering.ts';
import { isSameWorkload } from '../pod/workload.ts';
import type { LabelSelector } from '../values/selector.ts';
import { PROTECTION_LABEL } from '../protection/label.ts';
import { plainMetadata } from '../workload/plain.ts';
import { desiredAvailable } from './counts.ts';
import { TRUE_VALUES } from './coverage.ts';
import { evictionSelector } from './eviction-selector.ts';
import { budgetNeighbors, type Workload } from './neighbors.ts';
import { type NormalBudget, normalizeBudget } from './normalize.ts';
import { NO_PROTECT_ANNOTATION, OPERATIONS_ANNOTATION, TOTAL_ANNOTATION } from './resource.ts';
import { sizedResource } from './sizes.ts';

const { PodDisruptionBudget } = resources;

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
    const { coverage } = budget;
    const near = budgetNeighbors(around.inNamespace);
    const named = coverage.by === 'workload' ? near.named(coverage.workload) : [];
    const selector = evictionSelector(
      budget,
      named.map((each) => each.object),
    );
    const selected = selector === undefined ? [] : near.selectedBy(selector);
    const isCovered = (each: Workload): boolean =>
      coverage.by !== 'workload' || isSameWorkload(each, coverage.workload);
    return {
      ...around,
      object,
      budget,
      selector,
      covered: selected.filter(isCovered),
      alike: selected.filter((each) => !isCovered(each)),
      isShared: near.isShared(object, selected),
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
