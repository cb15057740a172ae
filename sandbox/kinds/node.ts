import type { Condition, KubeObject } from '../../schemas/wire/object.ts';
import type { Toleration } from '../../schemas/pods/pod.ts';

export interface Taint {
  key: string;
  value?: string;
  effect: string;
  /** For NoExecute: when the taint was added. RFC 3339. */
  timeAdded?: string;
}

export interface NodeCondition extends Condition {
  lastHeartbeatTime?: string;
}

/** An image that a node has. */
export interface ListedImage {
  /** By digest, then by tag, with the registry. */
  names?: readonly string[];
  sizeBytes?: number;
}

/** The fields of a Node that the scheduler and the kubelets use. */
export interface Node extends KubeObject {
  spec?: {
    unschedulable?: boolean;
    taints?: Taint[];
    [field: string]: unknown;
  };
  status?: {
    allocatable?: Record<string, string | number>;
    capacity?: Record<string, string | number>;
    conditions?: NodeCondition[];
    addresses?: { type: string; address: string }[];
    images?: readonly ListedImage[];
    [field: string]: unknown;
  };
}

/** Whether a toleration matches a taint by key, value and effect; empty matches all. */
export function tolerates(toleration: Toleration, taint: Taint): boolean {
  const { key = '', operator = 'Equal', value = '', effect = '' } = toleration;
  return (
    (effect === '' || effect === taint.effect) &&
    (key === '' ? operator === 'Exists' : key === taint.key) &&
    (operator === 'Exists' || value === (taint.value ?? ''))
  );
}
