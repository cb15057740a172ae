import { expect, test } from 'vitest';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { imagePullJobKind } from '../../../semantics/imagepulljob/kind.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { newPullPod } from '../../../semantics/pull/pod.ts';
import { timestamp } from '../../../semantics/values/timestamp.ts';
import { pullJob } from '../../fixtures/pull-jobs.ts';
import { NOW, SECOND, workOf } from '../pull/fleet.ts';

const pod = newPullPod(workOf(), 'node-1', 1) as Pod;
const completionPolicy = { ttlSecondsAfterFinished: 60 };

function observed(target: KubeObject, pods: readonly Pod[] = [pod]) {
  const pulls = { pods, busy: new Set<string>(), isRefused: false };
  return imagePullJobKind.observe({ ...{ target, pods: [], pulls, now: NOW } } as never);
}

function ended(spec: object): KubeObject {
  const job = pullJob('ahead', { completionPolicy, ...spec });
  const at = timestamp(NOW - 61 * SECOND);
  const conditions = [{ type: 'plan.kruise.io/Held', status: 'True', reason: 'NoCapacity', message: 'x' }];
  return {
    ...job,
    status: { startTime: at, completionTime: at, desired: 1, succeeded: 1, conditions },
  };
}

test.each<[string, object]>([
  ['as it was', {}],
  ['with an image that is none', { image: 'no image' }],
])('a job that has ended is cleared up, whatever is edited in it: %s', (_what, spec) => {
  const { invalid, unsupported, decide } = observed(ended(spec), []);
  expect([invalid, unsupported]).toEqual([[], []]);
  expect(decide(undefined).actions).toMatchObject([{ do: 'delete', kind: 'Target' }]);
});

test('a job that has ended waits for nothing, though a quota has refused its pods before', () => {
  const { decide } = observed(ended({}));
  expect(decide({ reason: 'NoCapacity', message: 'x' }).status).not.toHaveProperty('conditions');
});

test('a job that is held while it runs leaves no pods', () => {
  const job = pullJob('ahead', { image: 'no image' });
  const { invalid, whileHeld } = observed(job);
  expect(invalid).toHaveLength(1);
  expect(whileHeld().actions).toMatchObject([{ do: 'delete', kind: 'Pod', name: pod.metadata.name }]);
  expect(whileHeld().status).toEqual({});
  const { whileHeld: counted } = observed({ ...job, status: { desired: 3, active: 2, succeeded: 1 } });
  expect(counted().status).toEqual({ active: 0 });
  // One that never ends has no end in its status either.
  const daily = ended({ image: 'no image', completionPolicy: { type: 'Never' } });
  expect(observed(daily).invalid).toHaveLength(1);
});

test.each([
  ['whose pods stay by themselves', ['orphan'], 1],
  ['whose pods go with it', [], 0],
  ['whose pods go first', ['foregroundDeletion'], 0],
])('a job that is deleted, %s', (_what, finalizers, deleted) => {
  const job = pullJob('ahead');
  const metadata = { ...job.metadata, finalizers, deletionTimestamp: timestamp(NOW) };
  const actions = observed({ ...job, metadata }).release();
  expect(actions.map(({ do: what, kind }) => `${what} ${kind}`)).toEqual(
    Array.from({ length: deleted }, () => 'delete Pod'),
  );
});
