import { describe, expect, test } from 'vitest';
import type { Pod } from '../../../semantics/pod/types.ts';
import { pullVerdict } from '../../../semantics/pull/verdict.ts';
import { createIntern } from '../../../runtime/observe/intern.ts';
import { projectPod } from '../../../semantics/pod/project.ts';
import { LOST, NOW, podOf, PULLING, SECOND, STARTED, workOf } from './fleet.ts';

const LIMIT = 600 * SECOND;
const waits = (reason: string) => ({ waiting: { reason } });
const verdict = (pod: Pod, now = NOW) => pullVerdict(pod, LIMIT, NOW, now);

test.each([
  ['running', { running: {} }],
  ['the command does not exist', STARTED],
  ['it has ended', { terminated: { reason: 'Completed' } }],
  ['on CRI-O', waits('CreateContainerError')],
  ['a missing key', waits('CreateContainerConfigError')],
  ['it is restarted', waits('CrashLoopBackOff')],
  ['the runtime cannot run it', waits('RunContainerError')],
])('%s: the image is there', (_, state) => {
  expect(verdict(podOf('a', [state]))).toEqual({ is: 'pulled' });
});

test.each([
  ['ErrImagePull', 'ImagePullBackOff nginx:1.27', false],
  ['ImagePullBackOff', 'ImagePullBackOff nginx:1.27', false],
  ['RegistryUnavailable', 'RegistryUnavailable nginx:1.27', false],
  ['SignatureValidationFailed', 'SignatureValidationFailed nginx:1.27', false],
  ['ImageInspectError', 'ImageInspectError nginx:1.27', false],
  ['InvalidImageName', 'InvalidImageName nginx:1.27', true],
  ['ErrImageNeverPull', 'ErrImageNeverPull nginx:1.27', true],
])('%s: the attempt has failed', (reason, problem, isFinal) => {
  expect(verdict(podOf('a', [waits(reason)]))).toEqual({ is: 'failed', problem, isFinal });
});

test.each([
  ['no status yet', []],
  ['ContainerCreating', [PULLING]],
  ['PodInitializing', [waits('PodInitializing')]],
])('%s: it pulls, until its time has passed', (_, states) => {
  const pod = podOf('a', states);
  expect(verdict(pod, NOW + LIMIT - 1)).toEqual({ is: 'pulling' });
  expect(verdict(pod, NOW + LIMIT)).toEqual({ is: 'failed', problem: 'it took too long', isFinal: false });
});

test('of several images every one must be there, and one that failed decides', () => {
  const work = workOf({ images: ['nginx:1.27', 'redis:8'] });
  expect(verdict(podOf('a', [STARTED, PULLING], { work }))).toEqual({ is: 'pulling' });
  expect(verdict(podOf('a', [STARTED, STARTED], { work }))).toEqual({ is: 'pulled' });
  expect(verdict(podOf('a', [STARTED, waits('ErrImagePull')], { work }))).toEqual({
    is: 'failed',
    problem: 'ImagePullBackOff redis:8',
    isFinal: false,
  });
});

test('a pod that the node refused has failed without proof of an image', () => {
  const pod = podOf('a', []);
  const refused = { ...pod, status: { ...pod.status, phase: 'Failed' } };
  expect(verdict(refused)).toEqual({
    is: 'failed',
    problem: 'the pod failed before it pulled',
    isFinal: false,
  });
});

test('a pod that was ended before its containers began is no proof of an image, as the cache has it, too', () => {
  const work = workOf({ images: ['nginx:1.27', 'redis:8'] });
  const problem = 'the pod ended before a container began';
  for (const states of [
    [LOST, LOST],
    [STARTED, LOST],
  ]) {
    const pod = podOf('a', states, { work });
    expect(verdict(pod)).toEqual({ is: 'lost', problem });
    expect(verdict(projectPod(pod, createIntern()))).toEqual({ is: 'lost', problem });
  }
});

test('a pod without room on its node says so', () => {
  const pod = podOf('a', []);
  const conditions = [{ type: 'PodScheduled', status: 'False' as const, reason: 'Unschedulable' }];
  const problem = 'the scheduler has not placed the pod';
  const waiting = { ...pod, status: { ...pod.status, conditions } };
  expect(verdict(waiting)).toEqual({ is: 'pulling', problem });
  expect(verdict(waiting, NOW + LIMIT)).toEqual({ is: 'failed', problem, isFinal: false });
});

describe('a pod that ends for a reason of its own', () => {
  const ended = (reason: string, states: Parameters<typeof podOf>[1]): Pod => {
    const pod = podOf('a', states);
    return { ...pod, status: { ...pod.status, phase: 'Failed', reason } };
  };

  test.each([
    'OutOfcpu',
    'OutOfpods',
    'OutOfephemeral-storage',
    'NodeAffinity',
    'UnexpectedAdmissionError',
    'TopologyAffinityError',
    'NodeShutdown',
    'Preempting',
  ])('%s: the image was not asked for', (reason) => {
    expect(verdict(ended(reason, []))).toMatchObject({ is: 'untried' });
    expect(verdict(ended(reason, [LOST]))).toMatchObject({ is: 'untried' });
  });

  test('Evicted before the kubelet knew a container: the node takes no pod', () => {
    expect(verdict(ended('Evicted', []))).toMatchObject({ is: 'untried' });
  });

  test.each(['Evicted', 'DeadlineExceeded', 'AnythingElse'])(
    '%s while it pulls: an attempt, as the image may be what fills the disk',
    (reason) => {
      expect(verdict(ended(reason, [LOST]))).toMatchObject({ is: 'lost' });
      expect(verdict(ended(reason, [PULLING]))).toMatchObject({ is: 'failed', isFinal: false });
    },
  );

  test.each(['DeadlineExceeded', 'AppArmor', 'PodOSNotSupported', ''])(
    'refused with %j: an attempt, so that it ends',
    (reason) => {
      expect(verdict(ended(reason, []))).toMatchObject({ is: 'failed', isFinal: false });
    },
  );
});
