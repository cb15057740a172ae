import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { isObject } from '../values/json-shape.ts';
import { intOrPercentOf, listOf, numberOf, objectOf, textOf } from '../values/read.ts';
import type { PartitionBySubset } from '../values/partition.ts';
import { remembered } from '../values/remembered.ts';
import type { LabelSelector } from '../values/selector.ts';
import type { Split, SubsetSize } from './allocate.ts';
import { FIELDS, type TemplateField } from './resource.ts';

/** A group of nodes with a child of its own. */
export interface Subset extends SubsetSize {
  /** Requirements of labels of nodes: the only part of the term that counts (OpenKruise uniteddeployment, section 2). */
  expressions: readonly JsonObject[];
  tolerations: readonly JsonObject[];
  /** Undefined: nothing more changes in its pods. */
  patch: JsonObject | undefined;
}

/** How pods for which there is no node go to another subset. */
export interface AdaptiveStrategy {
  /** So long a pod has no node before it counts. */
  criticalSeconds: number;
  /** So long a subset gets no more pods then. */
  fullSeconds: number;
  /** Pods without a node stay, and others stand in for them. */
  reserves: boolean;
}

/** A UnitedDeployment as the rules read it, of either served version. */
export interface NormalUnited {
  replicas: number;
  selector: LabelSelector;
  /** What is made of each subset; undefined: no template is set. */
  field: TemplateField | undefined;
  /** Labels and annotations of each child. */
  labels: JsonObject;
  annotations: JsonObject;
  /** The spec of each child, as the template has it. */
  childSpec: JsonObject;
  /** The template of pods, before what is particular to a subset. */
  podTemplate: JsonObject;
  /**
   * The content of a revision: the template of pods, and the patches of subsets by their names (`patches`). So another patch is a
   * rollout, and a new subset without a patch is none.
   */
  template: JsonObject;
  subsets: readonly Subset[];
  /** How many pods of each subset stay on the old revision. Deployments have no partition, and keep none. */
  partitions: PartitionBySubset;
  /** How pods leave subsets that have no room; undefined: they stay, and wait. */
  adaptive: AdaptiveStrategy | undefined;
  revisionHistoryLimit: number;
}

/** Reads either served version, once for an object. A field of another type is read as absent. */
export const normalizeUnited = remembered(normalized);

/** How its pods are split. */
export function splitOf({ subsets, adaptive }: NormalUnited): Split {
  if (adaptive === undefined) return { subsets, strategy: 'Fixed' };
  return { subsets, strategy: adaptive.reserves ? 'Reserving' : 'Adaptive' };
}

function normalized({ spec }: KubeObject): NormalUnited {
  const { replicas, selector, template, topology, updateStrategy, revisionHistoryLimit } = objectOf(spec);
  const field = FIELDS.find((each) => isObject(objectOf(template)[each]));
  const own = field === undefined ? {} : objectOf(objectOf(template)[field]);
  const metadata = objectOf(own['metadata']);
  const childSpec = objectOf(own['spec']);
  const podTemplate = objectOf(childSpec['template']);
  const subsets = listOf(objectOf(topology)['subsets']).map(subsetOf);
  const { type, adaptive } = objectOf(objectOf(topology)['scheduleStrategy']);
  const patches = subsets.flatMap(({ name, patch }) => (patch === undefined ? [] : [[name, patch] as const]));
  return {
    replicas: numberOf(replicas) ?? 1,
    selector: objectOf(selector),
    field,
    labels: objectOf(metadata['labels']),
    annotations: objectOf(metadata['annotations']),
    childSpec,
    podTemplate,
    template: { ...podTemplate, ...(patches.length > 0 && { patches: Object.fromEntries(patches) }) },
    subsets,
    partitions:
      field === 'deploymentTemplate'
        ? {}
        : partitionsOf(objectOf(objectOf(updateStrategy)['manualUpdate'])['partitions']),
    adaptive: type === 'Adaptive' ? adaptiveOf(objectOf(adaptive)) : undefined,
    revisionHistoryLimit: numberOf(revisionHistoryLimit) ?? 10,
  };
}

function adaptiveOf(strategy: JsonObject): AdaptiveStrategy {
  const { rescheduleCriticalSeconds, unschedulableDuration, reserveUnschedulablePods } = strategy;
  return {
    criticalSeconds: Math.max(numberOf(rescheduleCriticalSeconds) ?? 30, 0),
    fullSeconds: Math.max(numberOf(unschedulableDuration) ?? 300, 0),
    reserves: reserveUnschedulablePods === true,
  };
}

function subsetOf(subset: JsonObject): Subset {
  const { name, nodeSelectorTerm, tolerations, replicas, minReplicas, maxReplicas, patch } = subset;
  return {
    name: textOf(name),
    replicas: intOrPercentOf(replicas),
    min: intOrPercentOf(minReplicas),
    max: intOrPercentOf(maxReplicas),
    expressions: listOf(objectOf(nodeSelectorTerm)['matchExpressions']),
    tolerations: listOf(tolerations),
    patch: isObject(patch) && Object.keys(patch).length > 0 ? objectOf(patch) : undefined,
  };
}

function partitionsOf(partitions: unknown): Record<string, number> {
  const counts = Object.entries(objectOf(partitions)).flatMap(([name, count]) =>
    typeof count === 'number' ? [[name, count] as const] : [],
  );
  return Object.fromEntries(counts);
}
