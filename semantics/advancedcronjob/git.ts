import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { runOf } from '../broadcastjob/git.ts';
import { normalizeBroadcastJob } from '../broadcastjob/normalize.ts';
import type { GitField, GitManifest, GitSide, Setting } from '../kinds/git-side.ts';
import type { GitRuns } from '../kinds/run-in-git.ts';
import { objectOf } from '../values/read.ts';
import { isNativeEnough, lintCronJob } from './git-lint.ts';
import { childOf, type NormalCronJob, normalizeCronJob, templateField } from './normalize.ts';
import { tickStepFaults } from './step-faults.ts';
import { waveFaults } from './wave-faults.ts';

/** How an AdvancedCronJob is read from git. No child is ever updated, and it begins with none. */
export const advancedCronJobGit: GitSide = {
  read,
  fieldPath,
  policyText: () => 'children that run stay as they are, and the next tick runs the new template',
  lint: lintCronJob,
  units: () => [],
  native: undefined,
};

/** The template of its pods is within that of its children; one that pulls images has none. */
function fieldPath(manifest: KubeObject, field: GitField): string[] {
  if (field !== 'template') return ['spec', field];
  const path = ['spec', 'template'];
  const own = templateField(objectOf(objectOf(manifest['spec'])['template']));
  if (own === undefined) return path;
  return [...path, own.field, 'spec', ...(own.kind === 'ImageListPullJob' ? [] : ['template'])];
}

function read(manifest: KubeObject): GitManifest {
  const cronJob = normalizeCronJob(manifest);
  return {
    template: cronJob.template,
    units: {
      of: 'ticks',
      schedule: {
        isGated: childOf(cronJob.template)?.kind === 'BroadcastJob',
        isNativeEnough: isNativeEnough(manifest),
        podTemplate: podsOf(manifest),
        stepFaults: tickStepFaults,
        runs: runsOf(cronJob),
      },
    },
    paused: cronJob.paused,
    settings: () => settingsOf(normalizeCronJob(manifest)),
  };
}

/** How its children run on nodes; undefined: they are others, that need no plan. */
function runsOf(cronJob: NormalCronJob): GitRuns | undefined {
  const child = childOf(cronJob.template);
  if (child?.kind !== 'BroadcastJob') return undefined;
  const job = { apiVersion: '', kind: child.kind, metadata: { name: '' }, spec: child.spec };
  return {
    run: runOf(normalizeBroadcastJob(job)),
    nouns: { unit: 'node', units: 'nodes' },
    waveFaults: (steps) => waveFaults(steps, cronJob).map(({ message }) => message),
  };
}

/** The template of the pods of its children, as written; undefined: they have none. */
function podsOf(manifest: KubeObject): JsonObject | undefined {
  const template = objectOf(objectOf(manifest['spec'])['template']);
  const own = templateField(template);
  if (own === undefined || own.kind === 'ImageListPullJob') return undefined;
  return objectOf(objectOf(objectOf(template[own.field])['spec'])['template']);
}

/** A changed schedule or policy applies at once; a lower limit deletes children that have ended. */
function settingsOf(cronJob: NormalCronJob): Setting[] {
  const { schedule, timeZone, deadlineMs, concurrency, paused, history } = cronJob;
  const seconds = deadlineMs === undefined ? undefined : deadlineMs / 1000;
  return [
    { name: 'schedule', value: schedule, movesUnits: true },
    { name: 'timeZone', value: timeZone, movesUnits: true },
    { name: 'startingDeadlineSeconds', value: seconds, movesUnits: true },
    { name: 'concurrencyPolicy', value: concurrency, movesUnits: true },
    { name: 'paused', value: paused, movesUnits: true },
    { name: 'successfulJobsHistoryLimit', value: history.succeeded, movesUnits: false },
    { name: 'failedJobsHistoryLimit', value: history.failed, movesUnits: false },
  ];
}
