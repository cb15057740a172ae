import type { KubeObject } from '../../schemas/wire/object.ts';
import type { GitManifest, GitSide, Setting } from '../kinds/git-side.ts';
import type { GitRun, TimedField } from '../kinds/git-units.ts';
import { lintBroadcastJob } from './git-lint.ts';
import { type NormalBroadcastJob, normalizeBroadcastJob } from './normalize.ts';

const COMPLETION = ['spec', 'completionPolicy'];

/** How a BroadcastJob is read from git. None of its pods is ever updated, and it begins with none. */
export const broadcastJobGit: GitSide = {
  read,
  fieldPath: (_, field) => ['spec', field],
  policyText: () => 'every template is a run of its own',
  lint: lintBroadcastJob,
  units: () => [],
  native: undefined,
};

function read(manifest: KubeObject): GitManifest {
  const job = normalizeBroadcastJob(manifest);
  return {
    template: job.template,
    paused: job.paused,
    units: { of: 'run', run: runOf(job) },
    settings: () => settingsOf(normalizeBroadcastJob(manifest)),
  };
}

/** What the compiler reads of how a job runs on its nodes. */
export function runOf(job: NormalBroadcastJob): GitRun {
  return {
    parallelism: job.parallelism,
    toleratesFailure: job.onFailure === 'Continue',
    isEndless: job.isEndless,
    deadline: timed('activeDeadlineSeconds', job.activeDeadlineSeconds),
    ttl: timed('ttlSecondsAfterFinished', job.ttlSecondsAfterFinished),
  };
}

function timed(field: string, seconds: number | undefined): TimedField | undefined {
  return seconds === undefined ? undefined : { path: [...COMPLETION, field], seconds };
}

/** The name of each setting in a manifest. */
const NAMES: Readonly<Record<keyof Omit<NormalBroadcastJob, 'template'>, string>> = {
  parallelism: 'parallelism',
  isEndless: 'completionPolicy.type',
  activeDeadlineSeconds: 'activeDeadlineSeconds',
  ttlSecondsAfterFinished: 'ttlSecondsAfterFinished',
  onFailure: 'failurePolicy.type',
  restartLimit: 'restartLimit',
  paused: 'paused',
};

/** A run goes on with any of them changed: it may begin on further nodes at once, where its plan allows that. */
function settingsOf(job: NormalBroadcastJob): Setting[] {
  return (Object.keys(NAMES) as (keyof typeof NAMES)[]).map((key) => ({
    name: NAMES[key],
    value: key === 'isEndless' ? (job.isEndless ? 'Never' : 'Always') : job[key],
    movesUnits: !AFTERWARDS.has(key),
  }));
}

/** What applies without a plan alone. */
const AFTERWARDS: ReadonlySet<string> = new Set(['activeDeadlineSeconds', 'ttlSecondsAfterFinished']);
