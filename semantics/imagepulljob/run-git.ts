import type { KubeObject } from '../../schemas/wire/object.ts';
import type { InvalidField } from '../fields/problems.ts';
import type { GitField, GitManifest, GitSide, Setting } from '../kinds/git-side.ts';
import type { RunWords, TimedField } from '../kinds/run-in-git.ts';
import { controllerOf } from '../owner.ts';
import { objectOf } from '../values/read.ts';
import { imageOf, normalizePull } from './normalize.ts';
import { runTemplate } from './run-template.ts';

/** How a job that waits for a plan is read from git. */
export const pullRunGit: GitSide = {
  read,
  fieldPath: (_, field: GitField) => ['spec', field === 'template' ? 'image' : field],
  policyText: () => 'every image is a run of its own',
  lint,
  units: () => [],
  native: undefined,
};

function read(manifest: KubeObject): GitManifest {
  const job = normalizePull(manifest);
  return {
    template: runTemplate(imageOf(manifest), job),
    paused: false,
    units: {
      of: 'run',
      run: {
        parallelism: job.parallelism,
        toleratesFailure: false,
        isEndless: job.neverEnds,
        deadline: timed('activeDeadlineSeconds', job.deadline),
        ttl: timed('ttlSecondsAfterFinished', job.ttl),
        words: WORDS,
      },
    },
    settings: () => settingsOf(manifest),
  };
}

/** No program runs on a node, and none of the image. */
const WORDS: RunWords = {
  sentence: 'Its image is pulled once to each node that it selects.',
  title: 'new run, one pull to each node that it selects',
  another: 'Another image is another run: nodes that have the one before pull this one, too.',
  changed: 'what it pulls changed',
  does: 'pulls to',
  unitsDo: 'pull it',
  failure: 'A failed pull',
  confined: 'Its pods run no program of the image, and ask for nothing of their node.',
  irreversible: 'what a node has pulled stays there, and a run cannot go back',
};

function timed(field: string, seconds: number | undefined): TimedField | undefined {
  return seconds === undefined ? undefined : { path: ['spec', 'completionPolicy', field], seconds };
}

/** A run goes on with any of them changed: it may begin on further nodes at once, where its plan allows that. */
function settingsOf(manifest: KubeObject): Setting[] {
  const { selector, podSelector } = objectOf(manifest['spec']);
  const { parallelism, attempts, attemptMs, neverEnds, deadline, ttl, pullSecrets } = normalizePull(manifest);
  return [
    { name: 'selector', value: filled(selector), movesUnits: true },
    { name: 'podSelector', value: filled(podSelector), movesUnits: true },
    { name: 'pullSecrets', value: pullSecrets, movesUnits: false, isImmutable: true },
    { name: 'parallelism', value: parallelism, movesUnits: true },
    { name: 'pullPolicy.timeoutSeconds', value: attemptMs / 1000, movesUnits: true },
    { name: 'pullPolicy.backoffLimit', value: attempts - 1, movesUnits: true },
    { name: 'completionPolicy.type', value: neverEnds ? 'Never' : 'Always', movesUnits: true },
    { name: 'activeDeadlineSeconds', value: deadline, movesUnits: false },
    { name: 'ttlSecondsAfterFinished', value: ttl, movesUnits: false },
  ];
}

function filled(value: unknown): object | undefined {
  const members = objectOf(value);
  return Object.keys(members).length === 0 ? undefined : members;
}

/** What only the compiler reports: a job in git with a controller, and one that can never pull. */
function lint(manifest: KubeObject): InvalidField[] {
  const found: InvalidField[] = [];
  if (controllerOf(manifest) !== undefined)
    found.push({
      path: ['metadata', 'ownerReferences'],
      rule: 'must not have a controller: only the runtime creates jobs that have one',
    });
  if (normalizePull(manifest).parallelism === 0)
    found.push({ path: ['spec', 'parallelism'], rule: 'must be at least 1, or no image is ever pulled' });
  return found;
}
