import { expect, test } from 'vitest';
import { locationOf } from '../../../semantics/pod/location.ts';
import { no, pod } from './pods.ts';

test.each([
  ['a container that cannot pull its image', { reason: 'ImagePullBackOff' }, 'main: ImagePullBackOff web:1'],
  ['one that crashes', { reason: 'CrashLoopBackOff' }, 'main: CrashLoopBackOff, 4 restarts'],
  ['one that starts', { reason: 'ContainerCreating' }, 'main: ContainerCreating'],
  ['another reason', { reason: 'CreateContainerConfigError' }, 'main: CreateContainerConfigError'],
])('%s', (_, waiting, problem) => {
  const { spec, ...parts } = pod();
  const own = { ...spec, containers: [{ name: 'main', image: 'web:1' }] };
  const starting = { name: 'log', state: { waiting: { reason: 'ContainerCreating' } } };
  const containerStatuses = [starting, { name: 'main', restartCount: 4, state: { waiting } }];
  const found = locationOf({
    ...parts,
    spec: own,
    status: { containerStatuses: containerStatuses.slice(-1) },
  });
  expect(found.problem).toBe(problem);
  const both = locationOf({ ...parts, spec: own, status: { containerStatuses } });
  expect(both.problem).toBe(waiting.reason === 'ContainerCreating' ? 'log: ContainerCreating' : problem);
});

test.each([
  [
    '0/3 nodes are available: 3 Insufficient cpu.',
    { unschedulable: '0/3 nodes are available: 3 Insufficient cpu.' },
  ],
  [
    '0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims. preemption: no.',
    { problem: 'its volume claims are not bound yet' },
  ],
])('%s', (message, expected) => {
  const { conditions: _, ...place } = locationOf(
    pod({ conditions: [{ ...no('PodScheduled', 'Unschedulable'), message }] }),
  );
  expect(place).toEqual(expected);
});
