import type { BroadcastJobStatus, JobCondition } from '../../schemas/generated/types/broadcastjob.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { heldCondition, timed } from '../conditions/times.ts';
import { HELD_CONDITION } from '../plan/held-condition.ts';
import { timestamp } from '../values/timestamp.ts';

export type JobPhase = 'running' | 'paused' | 'completed' | 'failed';

/** The status that a job has. */
export function statusOf(job: KubeObject): BroadcastJobStatus {
  return job['status'] ?? {};
}

/** Whether a condition says that the job has completed or failed. It stays so, whatever happens to its pods and nodes. */
export function isEnded({ conditions = [] }: BroadcastJobStatus): boolean {
  return conditions.some(
    ({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True',
  );
}

/** The status of a job that ends now (OpenKruise broadcastjob, section 3). */
export function ended(
  status: BroadcastJobStatus,
  type: 'Complete' | 'Failed',
  message: string,
  now: number,
): BroadcastJobStatus {
  const at = timestamp(now);
  const condition: JobCondition = {
    type,
    status: 'True',
    reason: type,
    message,
    lastProbeTime: at,
    lastTransitionTime: at,
  };
  const phase: JobPhase = type === 'Complete' ? 'completed' : 'failed';
  return { ...status, phase, completionTime: at, conditions: [...(status.conditions ?? []), condition] };
}

/** The status with the condition that the job is held, or without it. */
export function withHeld(
  status: BroadcastJobStatus,
  job: KubeObject,
  held: { reason: string; message: string } | undefined,
  now: number,
): BroadcastJobStatus {
  const others = (status.conditions ?? []).filter(({ type }) => type !== HELD_CONDITION);
  const { conditions: before } = statusOf(job);
  const conditions = timed([heldCondition(held)], before, now).map(
    ({ lastUpdateTime: _not, ...condition }) => condition as JobCondition,
  );
  const { conditions: _replaced, ...rest } = status;
  const all = [...others, ...conditions];
  return all.length === 0 ? rest : { ...rest, conditions: all };
}
