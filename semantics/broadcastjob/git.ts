import type { KubeObject } from '../../schemas/wire/object.ts';
import type { GitManifest, GitSide, Setting } from '../kinds/git-side.ts';
import type { GitRun, RunWords, TimedField } from '../kinds/run-in-git.ts';
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
    words: WORDS,
  };
}

const WORDS: RunWords = {
  sentence: 'Its pod runs once on each node that fits.',
  title: 'new run, once on each node that fits',
  another: 'Another template is another run: nodes that ran the one before run this one, too.',
  changed: 'the template changed',
  does: 'runs on',
  unitsDo: 'run it',
  failure: 'A failed pod',
  confined: 'The pod is confined to its containers: it asks for nothing of its node.',
  irreversible: 'what ran on a node stays done, and a run cannot go back',
};

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
