import { ApiError } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { timestamp } from '../api/metadata.ts';
import { jobs, pods as podResource, type Controller, type WorkloadContext } from './context.ts';
import {
  backoffUntil,
  freeIndexes,
  indexOf,
  isIndexed,
  isTerminating,
  isTracked,
  jobPod,
  readIndexes,
  trackingFinalizer,
} from './jobPods.ts';
import {
  counted,
  endOf,
  failureOf,
  hasSucceeded,
  jobCondition,
  jobDeadline,
  remembered,
  wantedActive,
  withJobCondition,
  withPodCounts,
  type Reason,
} from './jobStatus.ts';
import type { Job, JobStatus, Pod } from './kinds.ts';
import { inDeletionOrder, isActive } from './pods.ts';
import type { Pauses } from './retries.ts';

const ownController = 'kubernetes.io/job-controller';
/** Of the queue of Kubernetes' controller. */
const pauses: Pauses = { firstMs: 1000, longestMs: 60_000 };
const reached: Reason = {
  reason: 'CompletionsReached',
  message: 'Reached expected number of succeeded pods',
};

/** Runs the pods of each Job to their end. */
export function createJobController(context: WorkloadContext): Controller {
  const { record } = context;

  function podsOf(job: Job): Pod[] {
    return context.children.of(podResource.id, job) as Pod[];
  }

  function latest(job: Job): Job {
    return context.latest(job) ?? job;
  }

  function release(pod: KubeObject): void {
    const finalizers = (pod.metadata.finalizers ?? []).filter((name) => name !== trackingFinalizer);
    context.patch(podResource, pod, { metadata: { finalizers } });
  }

  function remove(job: Job, pod: Pod): void {
    context.remove(podResource, pod);
    record(job, 'Normal', 'SuccessfulDelete', `Deleted pod: ${pod.metadata.name}`);
  }

  /** Deletes pods that are not needed any more; they do not count as failed. */
  function drop(job: Job, surplus: readonly Pod[]): void {
    for (const pod of surplus) {
      if (isTracked(pod)) release(pod);
      remove(job, pod);
    }
  }

  function write(job: Job, status: JobStatus): Job {
    context.writeStatus(jobs, job, withPodCounts(status, podsOf(job)));
    return latest(job);
  }

  /** Remembers ended pods, takes their finalizer away, and counts them. */
  function count(job: Job, claimed: readonly Pod[]): Job {
    const before = remembered(job, claimed);
    const marked = write(job, before);
    const { succeeded = [], failed = [] } = before.uncountedTerminatedPods ?? {};
    const known = new Set([...succeeded, ...failed]);
    for (const pod of claimed)
      if (isTracked(pod) && (known.has(pod.metadata.uid ?? '') || pod.status?.phase === 'Succeeded'))
        release(pod);
    return write(marked, counted(marked.status ?? {}));
  }

  /** Ends the Job: the reason first, then its pods, then the condition that it has ended. */
  function finish(job: Job, kind: 'Complete' | 'Failed', why: Reason): number | undefined {
    const now = context.now();
    const target = kind === 'Failed' ? 'FailureTarget' : 'SuccessCriteriaMet';
    const announced = write(job, withJobCondition(job.status ?? {}, target, why, now));
    const active = podsOf(job).filter(isActive);
    if (kind === 'Failed') for (const pod of active) remove(job, pod);
    else drop(job, active);
    const seen = count(announced, podsOf(job));
    if (podsOf(job).some((pod) => isActive(pod) || isTerminating(pod))) return undefined;
    const ended = withJobCondition(seen.status ?? {}, kind, why, now);
    if (kind === 'Failed') {
      write(seen, ended);
      record(job, 'Warning', why.reason, why.message);
    } else {
      write(seen, { ...ended, completionTime: timestamp(now) });
      record(job, 'Normal', 'Completed', 'Job completed');
    }
    return undefined;
  }

  function suspend(job: Job): void {
    drop(job, podsOf(job).filter(isActive));
    const why = { reason: 'JobSuspended', message: 'Job suspended' };
    if (jobCondition(job, 'Suspended') === undefined) record(job, 'Normal', 'Suspended', 'Job suspended');
    write(job, withJobCondition(job.status ?? {}, 'Suspended', why, context.now()));
  }

  /** Sets the start time of a Job that begins, or goes on after it was suspended. */
  function begin(job: Job): Job {
    const now = context.now();
    const { status = {} } = job;
    const isResumed = jobCondition(job, 'Suspended') !== undefined;
    if (status.startTime !== undefined && !isResumed) return job;
    const started = { ...status, startTime: timestamp(now) };
    if (!isResumed) return write(job, started);
    record(job, 'Normal', 'Resumed', 'Job resumed');
    const why = { reason: 'JobResumed', message: 'Job resumed' };
    return write(job, withJobCondition(started, 'Suspended', why, now, 'False'));
  }

  function add(job: Job, indexes: readonly (number | undefined)[]): void {
    for (const index of indexes) {
      try {
        const { metadata } = context.create(podResource, jobPod(job, index));
        record(job, 'Normal', 'SuccessfulCreate', `Created pod: ${metadata.name}`);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        record(job, 'Warning', 'FailedCreate', `Error creating: ${error.message}`);
        context.refused(job);
        return;
      }
    }
  }

  function work(job: Job): number | undefined {
    const pods = podsOf(job);
    const active = pods.filter(isActive);
    const wanted = wantedActive(job, active.length);
    // Pods of indexes that the Job no longer has go first.
    const isBeyond = (pod: Pod) => isIndexed(job) && (indexOf(pod) ?? 0) >= (job.spec.completions ?? 0);
    const beyond = active.filter(isBeyond);
    const surplus = [...beyond, ...inDeletionOrder(active.filter((pod) => !isBeyond(pod)))];
    drop(job, surplus.slice(0, Math.max(beyond.length, active.length - wanted)));
    const waiting = job.spec.podReplacementPolicy === 'Failed' ? pods.filter(isTerminating).length : 0;
    const missing = Math.max(0, wanted - active.length - waiting);
    let again = jobDeadline(job);
    if (missing > 0) {
      const until = backoffUntil(job, pods);
      const indexes = isIndexed(job)
        ? freeIndexes(job, readIndexes(job.status?.completedIndexes), active, missing)
        : Array.from({ length: missing }, () => undefined);
      if (until > context.now()) again = Math.min(until, again ?? until);
      else add(job, indexes);
    }
    write(job, latest(job).status ?? {});
    return again;
  }

  /** Deletes a Job that has ended, when its time has come. */
  function expire(job: Job, end: { lastTransitionTime?: string }): number | undefined {
    const { ttlSecondsAfterFinished: seconds } = job.spec;
    if (seconds === undefined) return undefined;
    const at = Date.parse(end.lastTransitionTime ?? '') + seconds * 1000;
    if (at > context.now()) return at;
    context.remove(jobs, job, { propagationPolicy: 'Foreground' });
    return undefined;
  }

  function sync(object: KubeObject): number | undefined {
    const job = object as Job;
    if ((job.spec.managedBy ?? ownController) !== ownController) return undefined;
    const claimed = context.claim(podResource, job, job.spec.selector) as Pod[];
    const end = endOf(job);
    if (end !== undefined || job.metadata.deletionTimestamp !== undefined) {
      for (const pod of claimed) if (isTracked(pod)) release(pod);
      return end === undefined || job.metadata.deletionTimestamp !== undefined ? undefined : expire(job, end);
    }
    let current = job.spec.suspend === true ? job : begin(job);
    current = count(current, podsOf(current));
    const failing =
      jobCondition(current, 'FailureTarget') ?? failureOf(current, podsOf(current), context.now());
    if (failing !== undefined)
      return finish(current, 'Failed', { reason: failing.reason ?? '', message: failing.message ?? '' });
    const active = podsOf(current).filter(isActive).length;
    if (hasSucceeded(current, active)) return finish(current, 'Complete', reached);
    if (current.spec.suspend === true) {
      suspend(current);
      return undefined;
    }
    return work(current);
  }

  return {
    resource: jobs,
    owns: [podResource.id],
    pauses,
    sync,
    strayed(child) {
      if (isTracked(child as Pod)) release(child);
    },
  };
}
