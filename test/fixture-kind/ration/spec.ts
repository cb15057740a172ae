import type { Resource } from '../../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { isActive, isAvailable } from '../../../semantics/pod/readiness.ts';
import type { Pod } from '../../../semantics/pod/types.ts';

export const rationResource: Resource = {
  group: 'test.plan.kruise.io',
  version: 'v1',
  plural: 'rations',
  kind: 'Ration',
  namespaced: true,
};

/** What part of the pods a new one belongs to: `first` or `rest`. */
export const PART_LABEL = 'test.plan.kruise.io/part';
/** What it costs to delete a pod. */
export const RANK_ANNOTATION = 'test.plan.kruise.io/rank';

/** A pod with this label breaks the rules of rations. */
export const BREAKS_LABEL = 'breaks-the-rules';

/** For how long a pod has its slot though it was not observed to be unavailable, milliseconds. */
export const TAKEN_MS = 10_000;
/** For how long a new pod counts though it was not observed, milliseconds. */
export const CREATED_MS = 30_000;

export interface RationSpec {
  app: string;
  total: number;
  maxUnavailable: number;
  first?: number;
}

/** Times by the names of pods. */
export type Times = Readonly<Record<string, string>>;

export interface RationStatus {
  observedGeneration?: number;
  /** How many more pods may become unavailable. */
  allowed?: number;
  /** Pods that have a slot, and are available yet. */
  taken?: Times;
  /** How many more new pods are among the first. */
  firstLeft?: number;
  /** New pods among the first that are not observed yet. */
  created?: Times;
  conditions?: [];
}

export function specOf({ spec }: KubeObject): RationSpec {
  return spec as RationSpec;
}

export function statusOf({ status }: KubeObject): RationStatus {
  return status ?? {};
}

/** Whether the status is about the present spec. */
export function isCounted(object: KubeObject): boolean {
  return statusOf(object).observedGeneration === object.metadata.generation;
}

export function isOf(object: KubeObject, { metadata }: KubeObject): boolean {
  return metadata.labels?.['app'] === specOf(object).app;
}

export function isSound(pod: Pod, now: number): boolean {
  return isActive(pod) && isAvailable(pod, 0, now);
}
