import type { Condition, KubeObject } from '../../schemas/wire/object.ts';
import type { LabelSelector } from '../../schemas/pods/pod.ts';

/** The fields of a PodDisruptionBudget that evictions and the controller use. */
export interface PodDisruptionBudget extends KubeObject {
  spec?: {
    selector?: LabelSelector;
    minAvailable?: number | string;
    maxUnavailable?: number | string;
    unhealthyPodEvictionPolicy?: string;
  };
  status?: BudgetStatus;
}

export interface BudgetStatus {
  observedGeneration?: number;
  /** Evicted pods that still exist: name and time. */
  disruptedPods?: Record<string, string>;
  disruptionsAllowed: number;
  currentHealthy: number;
  desiredHealthy: number;
  expectedPods: number;
  conditions?: (Condition & { observedGeneration?: number })[];
}

/** The status with its DisruptionAllowed condition; `failure` explains why the sync failed. */
export function withAllowed(
  status: BudgetStatus,
  generation: number | undefined,
  at: string,
  failure?: string,
): BudgetStatus {
  const allowed = status.disruptionsAllowed > 0;
  const value = allowed ? 'True' : 'False';
  const reason = failure !== undefined ? 'SyncFailed' : allowed ? 'SufficientPods' : 'InsufficientPods';
  const before = status.conditions?.find(({ type }) => type === 'DisruptionAllowed');
  const others = status.conditions?.filter(({ type }) => type !== 'DisruptionAllowed') ?? [];
  return {
    ...status,
    conditions: [
      ...others,
      {
        type: 'DisruptionAllowed',
        status: value,
        ...(generation === undefined ? {} : { observedGeneration: generation }),
        lastTransitionTime:
          before?.status === value && before.lastTransitionTime !== undefined
            ? before.lastTransitionTime
            : at,
        reason,
        message: failure ?? '',
      },
    ],
  };
}
