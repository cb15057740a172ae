import type { Condition, KubeObject } from '../../schemas/wire/object.ts';
import type { Toleration } from './pod.ts';

export interface Taint {
  key: string;
  value?: string;
  effect: string;
  /** Of NoExecute: since when. RFC 3339. */
  timeAdded?: string;
}

export interface NodeCondition extends Condition {
  lastHeartbeatTime?: string;
}

/** The part of a Node that the scheduler and the kubelets act on. */
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
    [field: string]: unknown;
  };
}

/** Whether a toleration covers a taint, by key, value and effect; what is empty covers all. */
export function tolerates(toleration: Toleration, taint: Taint): boolean {
  const { key = '', operator = 'Equal', value = '', effect = '' } = toleration;
  return (
    (effect === '' || effect === taint.effect) &&
    (key === '' ? operator === 'Exists' : key === taint.key) &&
    (operator === 'Exists' || value === (taint.value ?? ''))
  );
}
