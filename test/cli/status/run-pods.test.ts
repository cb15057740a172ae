import { expect, test } from 'vitest';
import { countsOf, podStatuses } from '../../../cli/status/pods.ts';
import { statusesOf } from '../../../cli/status/read.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { ago, NOW, pod, statusObjects, target } from './objects.ts';

test('a pod of a run shows its node and its outcome, failed ones first', () => {
  const owner = {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'BroadcastJob',
    name: 'web',
    uid: 'web',
    controller: true,
  };
  const made = (name: string, status: object): KubeObject => {
    const object = pod(name, '', status, { creationTimestamp: ago(10), ownerReferences: [owner] });
    return { ...object, spec: { ...(object['spec'] as object), nodeName: `node-of-${name}` } };
  };
  const ended = (exitCode: number): object => ({ name: 'main', state: { terminated: { exitCode } } });
  const objects = statusObjects({
    targets: [{ ...target('web'), kind: 'BroadcastJob' }],
    pods: [
      made('a', { phase: 'Succeeded', containerStatuses: [ended(0)] }),
      made('b', { phase: 'Failed', containerStatuses: [ended(3)] }),
      made('c', { phase: 'Running' }),
    ],
  });
  const [status] = statusesOf(objects);
  if (status === undefined) throw new Error('no status');
  const pods = podStatuses(status, objects, NOW);
  expect(pods.map(({ is, state }) => [is, state])).toEqual([
    ['run', 'failed on node-of-b: main exited with code 3'],
    ['run', 'succeeded on node-of-a'],
    ['run', 'running on node-of-c'],
  ]);
  expect(countsOf(pods)).toBe('3, 1 failed');
});
