import { expect, test } from 'vitest';
import type { Caches } from '../../runtime/observe/caches.ts';
import { createStates } from '../../runtime/reconcile/state.ts';
import { createVirtualClock } from 'kruise-sandbox/clock';
import type { Cluster } from '../../schemas/wire/cluster.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { cloneSetKey } from './keys.ts';

test('a target has one state, which is deleted with it', () => {
  const clock = createVirtualClock(0);
  const states = createStates({ cluster: {} as Cluster, caches: {} as Caches, clock });
  const state = states.of(cloneSetKey());
  state.takenNames.add('web-abc');
  state.writes.note(resources.Pod, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', resourceVersion: '7' },
  });
  expect(states.of(cloneSetKey())).toBe(state);
  expect(states.of(cloneSetKey('other'))).not.toBe(state);
  states.delete(cloneSetKey());
  expect([states.size, states.find(cloneSetKey())]).toEqual([1, undefined]);
  const next = states.of(cloneSetKey());
  expect([next.takenNames.current().size, next.writes.stale(() => 0)]).toEqual([0, []]);
});
