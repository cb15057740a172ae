import { condition } from './readiness.ts';
import type { Pod } from './types.ts';

/** Where a pod runs, or why it runs nowhere, and what its conditions say. */
export interface PodLocation {
  node?: string;
  /** It fits on no node: what the scheduler says. */
  unschedulable?: string;
  /** Why a container of it does not run: `nginx: ImagePullBackOff`. */
  problem?: string;
  /** Status of each condition, by type. */
  readonly conditions: Readonly<Record<string, string>>;
}

/** What the scheduler says of a pod that waits for its volumes to be made, as every new one does: no node lacks anything. */
const UNBOUND = 'unbound immediate PersistentVolumeClaims';

export function locationOf(pod: Pod): PodLocation {
  const { nodeName } = pod.spec;
  const scheduled = nodeName === undefined ? condition(pod, 'PodScheduled') : undefined;
  const isRefused = scheduled?.status === 'False' && scheduled.reason === 'Unschedulable';
  const waitsForVolumes = isRefused && scheduled.message?.includes(UNBOUND) === true;
  const fitsNowhere = isRefused && !waitsForVolumes;
  return {
    ...(nodeName === undefined ? {} : { node: nodeName }),
    ...(fitsNowhere ? { unschedulable: scheduled.message ?? 'Unschedulable' } : {}),
    ...(waitsForVolumes ? { problem: 'its volume claims are not bound yet' } : problemOf(pod)),
    conditions: conditionsOf(pod.status?.conditions ?? []),
  };
}

function problemOf(pod: Pod): { problem?: string } {
  for (const status of pod.status?.containerStatuses ?? []) {
    const { waiting } = (status['state'] ?? {}) as { waiting?: { reason?: string } };
    if (waiting?.reason !== undefined) return { problem: `${status.name}: ${waiting.reason}` };
  }
  return {};
}

/** Status of each condition, by type. */
export function conditionsOf(
  conditions: readonly { type: string; status: string }[],
): Readonly<Record<string, string>> {
  return Object.fromEntries(conditions.map(({ type, status }) => [type, status]));
}
