import { ApiError } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { timestamp } from '../api/metadata.ts';
import { controllerReference } from './children.ts';
import { cronJobs, jobs, type Controller, type WorkloadContext } from './context.ts';
import { endOf, jobCondition } from './jobStatus.ts';
import type { CronJob, CronJobStatus, Job } from './kinds.ts';
import { latestScheduled, nextScheduled, scheduledText } from './schedule.ts';

const scheduledAnnotation = 'batch.kubernetes.io/cronjob-scheduled-timestamp';

function createdAt({ metadata }: KubeObject): number {
  return Date.parse(metadata.creationTimestamp ?? '');
}

/** The time of a schedule that is due now, if any: the latest since the last one, within the starting deadline. */
export function dueTime({ metadata, spec, status }: CronJob, now: number): number | undefined {
  const since = Date.parse(status?.lastScheduleTime ?? metadata.creationTimestamp ?? '');
  const deadline = spec.startingDeadlineSeconds;
  const from = deadline === undefined ? since : Math.max(since, now - deadline * 1000 - 1);
  return latestScheduled(spec.schedule, from, now, spec.timeZone);
}

/** The ended Jobs of one outcome beyond their limit, the oldest first. */
export function beyondLimit(ended: readonly Job[], limit: number | undefined): Job[] {
  if (limit === undefined) return [];
  const startOf = (job: Job) => Date.parse(job.status?.startTime ?? '') || createdAt(job);
  const ordered = [...ended].sort(
    (a, b) => startOf(a) - startOf(b) || (a.metadata.name < b.metadata.name ? -1 : 1),
  );
  return ordered.slice(0, Math.max(0, ended.length - limit));
}

function referenceTo({ apiVersion, kind, metadata }: Job) {
  const { namespace, name, uid, resourceVersion } = metadata;
  return { apiVersion, kind, namespace, name, uid, resourceVersion };
}

/** Makes the Jobs of each CronJob when they are due. */
export function createCronJobController(context: WorkloadContext): Controller {
  const { record } = context;

  function jobsOf(cron: CronJob): Job[] {
    return context.children.of(jobs.id, cron) as Job[];
  }

  function cleanUp(cron: CronJob): void {
    const { successfulJobsHistoryLimit: successful, failedJobsHistoryLimit: failed } = cron.spec;
    const all = jobsOf(cron);
    const of = (type: string) => all.filter((job) => jobCondition(job, type) !== undefined);
    for (const job of [...beyondLimit(of('Complete'), successful), ...beyondLimit(of('Failed'), failed)]) {
      context.remove(jobs, job, { propagationPolicy: 'Background' });
      record(cron, 'Normal', 'SuccessfulDelete', `Deleted job ${job.metadata.name}`);
    }
  }

  /** Reports what has become of the Jobs that were active. */
  function reportEnded(cron: CronJob): void {
    const all = jobsOf(cron);
    for (const { name, uid } of cron.status?.active ?? []) {
      const job = all.find(({ metadata }) => metadata.uid === uid);
      const end = job && endOf(job);
      if (job === undefined) record(cron, 'Normal', 'MissingJob', `Active job went missing: ${name}`);
      else if (end !== undefined)
        record(cron, 'Normal', 'SawCompletedJob', `Saw completed job: ${name}, condition: ${end.type}`);
    }
  }

  /** Which Jobs are active, and when the last one succeeded. */
  function observe(cron: CronJob): CronJobStatus {
    const all = jobsOf(cron);
    const active = all.filter((job) => endOf(job) === undefined);
    const { active: _old, ...rest } = cron.status ?? {};
    const times = all.flatMap(({ status }) => status?.completionTime ?? []);
    const last = [...times, rest.lastSuccessfulTime ?? ''].sort().at(-1) ?? '';
    return {
      ...rest,
      ...(active.length === 0 ? {} : { active: active.map(referenceTo) }),
      ...(last === '' ? {} : { lastSuccessfulTime: last }),
    };
  }

  /** False: the server refused the Job. */
  function createJob(cron: CronJob, at: number): boolean {
    const { jobTemplate, timeZone } = cron.spec;
    const { metadata, spec } = jobTemplate;
    const name = `${cron.metadata.name}-${Math.floor(at / 60_000)}`;
    const job = {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: {
        ...(metadata?.labels === undefined ? {} : { labels: metadata.labels }),
        annotations: { ...metadata?.annotations, [scheduledAnnotation]: scheduledText(at, timeZone) },
        name,
        namespace: cron.metadata.namespace,
        ownerReferences: [controllerReference(cron)],
      },
      spec,
    };
    try {
      context.create(jobs, job);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      record(cron, 'Warning', 'FailedCreate', `Error creating job: ${error.message}`);
      context.refused(cron);
      return false;
    }
    record(cron, 'Normal', 'SuccessfulCreate', `Created job ${name}`);
    return true;
  }

  /** Starts the Job of a due time, as far as the concurrency policy lets it. */
  function start(cron: CronJob, at: number): void {
    const active = jobsOf(cron).filter((job) => endOf(job) === undefined);
    const { concurrencyPolicy } = cron.spec;
    if (concurrencyPolicy === 'Forbid' && active.length > 0) {
      record(
        cron,
        'Normal',
        'JobAlreadyActive',
        'Not starting job because prior execution is running and concurrency policy is Forbid',
      );
      return;
    }
    if (concurrencyPolicy === 'Replace')
      for (const job of active) {
        context.remove(jobs, job, { propagationPolicy: 'Background' });
        record(cron, 'Normal', 'SuccessfulDelete', `Deleted job ${job.metadata.name}`);
      }
    const isCreated = createJob(cron, at);
    const seen = context.latest(cron) ?? cron;
    // Without the Jobs that were replaced, also where the next one was refused.
    const status = observe(seen);
    context.writeStatus(cronJobs, seen, isCreated ? { ...status, lastScheduleTime: timestamp(at) } : status);
  }

  function sync(object: KubeObject): number | undefined {
    const cron = object as CronJob;
    if (cron.metadata.deletionTimestamp !== undefined) return undefined;
    reportEnded(cron);
    context.writeStatus(cronJobs, cron, observe(cron));
    cleanUp(cron);
    const seen = context.latest(cron) ?? cron;
    if (seen.spec.suspend === true) return undefined;
    const now = context.now();
    const due = dueTime(seen, now);
    if (due !== undefined) start(seen, due);
    return nextScheduled(seen.spec.schedule, now, seen.spec.timeZone);
  }

  return { resource: cronJobs, owns: [jobs.id], sync };
}
