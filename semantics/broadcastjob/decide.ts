import type { BroadcastJobStatus } from '../../schemas/generated/types/broadcastjob.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Decision, EventDraft } from '../decision.ts';
import type { Node } from '../node/node.ts';
import type { Pod } from '../pod/types.ts';
import { timeOf, timestamp } from '../values/timestamp.ts';
import { classified, isDone, type JobPods } from './classify.ts';
import { normalizeBroadcastJob, type NormalBroadcastJob } from './normalize.ts';
import { type NodePlacement, placementOf } from '../node/placement.ts';
import { createPods, deletePod } from './pod-actions.ts';
import { ended, isEnded, type JobPhase, statusOf } from './status.ts';

/** Everything that the rules of BroadcastJobs read, as plain data of one time. */
export interface JobObjects {
  job: KubeObject;
  /** The pods that the job controls, whatever their labels. */
  pods: readonly Pod[];
  /** Every node. */
  nodes: readonly Node[];
  /** Names that other objects were found to have. */
  takenNames: ReadonlySet<string>;
  /** Milliseconds since 1970. */
  now: number;
}

export interface JobDecision extends Decision<BroadcastJobStatus> {
  /** The job has been over for longer than its TTL: it is to be deleted, and its pods with it. */
  expired: boolean;
}

/** A job with what was found out about it. */
interface ObservedJob extends JobObjects {
  spec: NormalBroadcastJob;
  sorted: JobPods;
  placement: NodePlacement;
  /** The status to write, if nothing else is decided. */
  status: BroadcastJobStatus;
  events: EventDraft[];
}

/**
 * What to do about one BroadcastJob now, as OpenKruise does (OpenKruise broadcastjob, rule 6.1): fail it, pause it, delete pods
 * that do not fit any more, create missing ones within its parallelism, or complete it. The status counts what was observed,
 * before the actions; only a job that fails counts the pods that are deleted for it, since its status stays as it is then.
 */
export function decideBroadcastJob(objects: JobObjects): JobDecision {
  const spec = normalizeBroadcastJob(objects.job);
  const before = statusOf(objects.job);
  if (!spec.isEndless && isEnded(before)) return afterEnd(objects, spec, before);
  const observed = observedJob(objects, spec, before);
  const { status, sorted, events, now } = observed;
  // A job without end that has failed serves no further node.
  if (status.phase === 'failed') return decided(observed, {});
  if (spec.paused) return decided(observed, { status: inPhase(status, 'paused') });
  const isHalted = spec.onFailure === 'Pause' && sorted.failed.length > 0;
  if (status.phase === 'paused' && !isHalted)
    events.push({ type: 'Normal', reason: 'Continue', message: 'continue to process job' });
  if (isHalted) {
    if (status.phase !== 'paused')
      events.push({ type: 'Warning', reason: 'Paused', message: 'job is paused, because a pod has failed' });
    return decided(observed, { status: inPhase(status, 'paused') });
  }
  observed.status = inPhase(status, 'running');
  if (spec.onFailure === 'FailFast' && sorted.failed.length > 0)
    return fail(observed, 'failed pod is found', 'failed pod is found in a job with the policy FailFast');
  const deadline = deadlineOf(spec, status);
  if (deadline !== undefined && deadline <= now)
    return fail(observed, 'DeadlineExceeded', 'Job was active longer than specified deadline');
  return proceed(observed, deadline);
}

function observedJob(objects: JobObjects, spec: NormalBroadcastJob, before: BroadcastJobStatus): ObservedJob {
  const { pods, nodes, now } = objects;
  const sorted = classified(pods, spec);
  const placement = placementOf(spec.template, pods, nodes);
  const status: BroadcastJobStatus = {
    ...before,
    phase: before.phase || 'running',
    startTime: before.startTime ?? timestamp(now),
    desired: placement.desired.length,
    active: sorted.active.length,
    succeeded: sorted.succeeded.length,
    failed: sorted.failed.length,
  };
  const events = placement.duplicates.map(({ pod, node }): EventDraft => ({
    type: 'Warning',
    reason: 'DuplicatePodCreatedOnSameNode',
    message: `pod ${pod.metadata.name} runs on node ${node} beside a younger pod of this job`,
  }));
  return { ...objects, spec, sorted, placement, status, events };
}

/** The actions of a job that is neither paused nor over, and whether it is complete. */
function proceed(observed: ObservedJob, deadline: number | undefined): JobDecision {
  const { job, spec, placement } = observed;
  const deletions = placement.unfit.map(({ pod, node, why }) => deletePod(job, pod, `node ${node} ${why}`));
  const creations =
    job.metadata.deletionTimestamp === undefined
      ? createPods(observed, observed.sorted.active.length)
      : { actions: [], explanations: [], events: [] };
  observed.events.push(...creations.events);
  const actions = [...deletions, ...creations.actions];
  const { explanations } = creations;
  if (!isComplete(spec, placement)) return decided(observed, { actions, explanations, requeueAt: deadline });
  const { status, now } = observed;
  const message = `Job completed, ${status.succeeded} pods succeeded, ${status.failed} pods failed`;
  observed.events.push({ type: 'Normal', reason: 'JobComplete', message });
  return decided(observed, {
    actions,
    explanations,
    status: ended(status, 'Complete', message, now),
    requeueAt: expiry(spec, now),
  });
}

/** OpenKruise broadcastjob, rule 6.5. A job without a node that fits waits for one. */
function isComplete({ isEndless }: NormalBroadcastJob, { desired, rest, present }: NodePlacement): boolean {
  return !isEndless && desired.length > 0 && rest.length === 0 && present.every(isDone);
}

/** The job fails: its active pods are deleted; those that have ended stay, and so do those over their restart limit. */
function fail(observed: ObservedJob, reason: string, message: string): JobDecision {
  const { job, spec, sorted, status, now } = observed;
  observed.events.push({ type: 'Warning', reason, message });
  const failed = sorted.failed.length + sorted.active.length;
  return decided(observed, {
    actions: sorted.active.map((pod) => deletePod(job, pod, message)),
    status: ended({ ...status, active: 0, failed }, 'Failed', message, now),
    requeueAt: expiry(spec, now),
  });
}

/** A job that is over only waits for its TTL. */
function afterEnd({ now }: JobObjects, spec: NormalBroadcastJob, status: BroadcastJobStatus): JobDecision {
  const expiresAt = expiry(spec, timeOf(status.completionTime));
  const expired = expiresAt !== undefined && expiresAt <= now;
  return {
    actions: [],
    status,
    explanations: [],
    expired,
    ...(expiresAt === undefined || expired ? {} : { requeueAt: expiresAt }),
  };
}

/** When a job that ends at this time is deleted; undefined: never. */
function expiry({ ttlSecondsAfterFinished }: NormalBroadcastJob, endedAt: number): number | undefined {
  return ttlSecondsAfterFinished === undefined ? undefined : endedAt + ttlSecondsAfterFinished * 1000;
}

function deadlineOf({ activeDeadlineSeconds }: NormalBroadcastJob, { startTime }: BroadcastJobStatus) {
  return activeDeadlineSeconds === undefined ? undefined : timeOf(startTime) + activeDeadlineSeconds * 1000;
}

function inPhase(status: BroadcastJobStatus, phase: JobPhase): BroadcastJobStatus {
  return { ...status, phase };
}

function decided(
  { status, events }: ObservedJob,
  { requeueAt, ...own }: Partial<Omit<JobDecision, 'requeueAt'>> & { requeueAt?: number | undefined },
): JobDecision {
  return {
    actions: [],
    explanations: [],
    status,
    expired: false,
    ...own,
    ...(events.length === 0 ? {} : { events }),
    ...(requeueAt === undefined ? {} : { requeueAt }),
  };
}
