import { expect, test } from 'vitest';
import { runOnNodes } from '../../../semantics/kinds/git-units.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { broadcastJobGit } from '../../../semantics/broadcastjob/git.ts';

const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'fix', image: 'fix:1' }] } };

function job(spec: object): KubeObject {
  return {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'BroadcastJob',
    metadata: { name: 'fix', namespace: 'ops' },
    spec: { template, ...spec },
  };
}

const runOf = (spec: object) => runOnNodes(broadcastJobGit.read(job(spec)).units);

test('what a manifest leaves out is not limited', () => {
  expect(runOf({})).toMatchObject({
    parallelism: 2147483647,
    toleratesFailure: false,
    isEndless: false,
    deadline: undefined,
    ttl: undefined,
  });
});

test('what applies without a plan alone is known by its path', () => {
  const completionPolicy = { type: 'Always', activeDeadlineSeconds: 60, ttlSecondsAfterFinished: 30 };
  const run = runOf({ completionPolicy, parallelism: '10%', failurePolicy: { type: 'Continue' } });
  expect(run).toMatchObject({
    parallelism: '10%',
    toleratesFailure: true,
    isEndless: false,
    deadline: { path: ['spec', 'completionPolicy', 'activeDeadlineSeconds'], seconds: 60 },
    ttl: { path: ['spec', 'completionPolicy', 'ttlSecondsAfterFinished'], seconds: 30 },
  });
});

test('with Never there is neither a deadline nor a TTL', () => {
  const completionPolicy = { type: 'Never', activeDeadlineSeconds: 60, ttlSecondsAfterFinished: 30 };
  const run = runOf({ completionPolicy });
  expect(run).toMatchObject({ isEndless: true, deadline: undefined, ttl: undefined });
});

test('every field but the template is a setting, and those that a plan applies may start pods', () => {
  const settings = broadcastJobGit.read(job({ paused: true, parallelism: 3 })).settings();
  expect(settings.map(({ name, value, movesUnits }) => [name, value, movesUnits])).toEqual([
    ['parallelism', 3, true],
    ['completionPolicy.type', 'Always', true],
    ['activeDeadlineSeconds', undefined, false],
    ['ttlSecondsAfterFinished', undefined, false],
    ['failurePolicy.type', 'FailFast', true],
    ['restartLimit', 0, true],
    ['paused', true, true],
  ]);
});
