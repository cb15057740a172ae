import { expect, test } from 'vitest';
import { locationOf } from '../../../semantics/pod/location.ts';
import { no, pod } from './pods.ts';

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
