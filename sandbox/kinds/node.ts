import type { Condition, KubeObject } from '../../schemas/wire/object.ts';

/** The part of a Node that the scheduler and the kubelets act on. */
export interface Node extends KubeObject {
  spec?: {
    unschedulable?: boolean;
    taints?: { key: string; value?: string; effect: string }[];
    [field: string]: unknown;
  };
  status?: {
    allocatable?: Record<string, string | number>;
    capacity?: Record<string, string | number>;
    conditions?: Condition[];
    [field: string]: unknown;
  };
}
