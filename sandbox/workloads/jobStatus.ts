import { timestamp } from '../api/metadata.ts';
import {
  hasFailed,
  indexOf,
  indexText,
  isIndexed,
  isTerminating,
  isTracked,
  readIndexes,
  restartedTooOften,
} from './jobPods.ts';
import type { Job, JobCondition, JobStatus, Pod } from './kinds.ts';
import { isActive, isReady } from './pods.ts';

export function jobCondition({ status }: Pick<Job, 'status'>, type: string): JobCondition | undefined {
  return status?.conditions?.find((each) => each.type === type && each.status === 'True');
}

/** The condition with which a Job has ended. */
export function endOf(job: Job): JobCondition | undefined {
  return jobCondition(job, 'Complete') ?? jobCondition(job, 'Failed');
}

export interface Reason {
  reason: string;
  message: string;
}

/** Sets a condition of this status; one that has it already stays as it is. */
export function withJobCondition(
  status: JobStatus,
  type: string,
  { reason, message }: Reason,
  now: number,
  value: 'True' | 'False' = 'True',
): JobStatus {
  const conditions = status.conditions ?? [];
  const old = conditions.find((each) => each.type === type);
  if (old?.status === value) return status;
  const at = timestamp(now);
  const next = { type, status: value, lastProbeTime: at, lastTransitionTime: at, reason, message };
  return { ...status, conditions: [...conditions.filter((each) => each !== old), next] };
}

/** Counts ended pods, which are remembered by uid until their finalizer is gone: no crash counts one twice. */
export function remembered(job: Job, pods: readonly Pod[]): JobStatus {
  const status = job.status ?? {};
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  const known = new Set([...succeeded, ...failed]);
  const fresh = pods.filter((pod) => isTracked(pod) && !known.has(pod.metadata.uid ?? ''));
  const uids = (found: readonly Pod[]) => found.map(({ metadata }) => metadata.uid ?? '');
  const done = fresh.filter(({ status: of }) => of?.phase === 'Succeeded');
  const broken = fresh.filter((pod) => hasFailed(job, pod));
  const uncounted = {
    ...(isIndexed(job) || succeeded.length + done.length === 0
      ? {}
      : { succeeded: [...succeeded, ...uids(done)] }),
    ...(failed.length + broken.length === 0 ? {} : { failed: [...failed, ...uids(broken)] }),
  };
  if (!isIndexed(job)) return { ...status, uncountedTerminatedPods: uncounted };
  // Those beyond the completions were complete before these were reduced.
  const completed = [...readIndexes(status.completedIndexes), ...done.flatMap((pod) => indexOf(pod) ?? [])];
  const indexes = new Set(completed.filter((index) => index < (job.spec.completions ?? 0)));
  const completedIndexes = indexText(indexes);
  const { succeeded: _succeeded, completedIndexes: _completed, ...others } = status;
  return {
    ...others,
    ...(completedIndexes === '' ? {} : { completedIndexes }),
    ...(indexes.size === 0 ? {} : { succeeded: indexes.size }),
    uncountedTerminatedPods: uncounted,
  };
}

/** The remembered pods have no finalizer any more. */
export function counted(status: JobStatus): JobStatus {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  return {
    ...status,
    ...(succeeded.length === 0 ? {} : { succeeded: (status.succeeded ?? 0) + succeeded.length }),
    ...(failed.length === 0 ? {} : { failed: (status.failed ?? 0) + failed.length }),
    uncountedTerminatedPods: {},
  };
}

export function withPodCounts(status: JobStatus, pods: readonly Pod[]): JobStatus {
  const active = pods.filter(isActive);
  return {
    ...status,
    active: active.length,
    ready: active.filter(isReady).length,
    terminating: pods.filter(isTerminating).length,
  };
}

/** When the Job has taken too long, milliseconds since 1970. */
export function jobDeadline({ spec, status }: Job): number | undefined {
  if (spec.activeDeadlineSeconds === undefined || status?.startTime === undefined) return undefined;
  return Date.parse(status.startTime) + spec.activeDeadlineSeconds * 1000;
}

/** Why a Job fails now, if it does. */
export function failureOf(job: Job, pods: readonly Pod[], now: number): Reason | undefined {
  if ((job.status?.failed ?? 0) > (job.spec.backoffLimit ?? 6) || restartedTooOften(job, pods))
    return { reason: 'BackoffLimitExceeded', message: 'Job has reached the specified backoff limit' };
  return (jobDeadline(job) ?? Infinity) <= now && job.spec.suspend !== true
    ? { reason: 'DeadlineExceeded', message: 'Job was active longer than specified deadline' }
    : undefined;
}

/** Whether enough pods have succeeded: all completions, or, without a number, one after which none is active. */
export function hasSucceeded({ spec, status }: Job, active: number): boolean {
  const succeeded = status?.succeeded ?? 0;
  if (spec.completions === undefined) return succeeded > 0 && active === 0;
  return succeeded >= spec.completions;
}

/** How many pods may work at once. */
export function wantedActive({ spec, status }: Job, active: number): number {
  const parallelism = spec.parallelism ?? 1;
  const succeeded = status?.succeeded ?? 0;
  if (spec.completions !== undefined) return Math.min(Math.max(0, spec.completions - succeeded), parallelism);
  return succeeded > 0 ? Math.min(active, parallelism) : parallelism;
}
