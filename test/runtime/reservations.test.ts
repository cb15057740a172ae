import { createVirtualClock } from 'kruise-sandbox';
import { expect, test } from 'vitest';
import { createReservations } from '../../runtime/act/reservations.ts';
import { targetKey } from '../../runtime/observe/target-key.ts';
import type { Action, PatchAction } from '../../semantics/decision.ts';
import type { Pod } from '../../semantics/pod/types.ts';

const web = targetKey({ group: 'apps.kruise.io', kind: 'CloneSet' }, 'shop', 'web');
const log = targetKey({ group: 'apps.kruise.io', kind: 'SidecarSet' }, '', 'log');

const podAt = (name: string, resourceVersion: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, uid: `uid-${name}`, resourceVersion },
  spec: { containers: [] },
});

function patch(name: string, resourceVersion: string, restoresTraffic?: true): PatchAction {
  const body = { metadata: { uid: `uid-${name}`, resourceVersion } };
  return {
    do: 'patch',
    kind: 'Pod',
    verb: 'drain',
    reason: '',
    name,
    body,
    ...(restoresTraffic === undefined ? {} : { restoresTraffic }),
  };
}

const deletion: Action = {
  do: 'delete',
  kind: 'Pod',
  verb: 'delete',
  reason: '',
  name: 'a',
  uid: 'uid-a',
  resourceVersion: '1',
};

function setup() {
  const clock = createVirtualClock(0);
  const reservations = createReservations(clock);
  const reservedFor = (key: typeof web, ...pods: Pod[]): string[] => [...reservations.among([pods], key)];
  return { clock, reservations, reservedFor };
}

test('a pod is reserved for others until its write is observed, and never for its own target', () => {
  const { reservations, reservedFor } = setup();
  reservations.reserve(web, [patch('a', '1')]);
  expect(reservedFor(log, podAt('a', '1'), podAt('b', '1'))).toEqual(['uid-a']);
  expect(reservedFor(web, podAt('a', '1'))).toEqual([]);
  reservations.written(web, patch('a', '1'));
  expect(reservedFor(log, podAt('a', '1'))).toEqual(['uid-a']);
  expect(reservedFor(log, podAt('a', '2'))).toEqual([]);
});

test('a deletion reserves its pod; what returns traffic, and writes of other objects, do not', () => {
  const { reservations, reservedFor } = setup();
  reservations.reserve(web, [deletion, patch('b', '1', true), { ...patch('c', '1'), kind: 'Child' }]);
  expect(reservedFor(log, podAt('a', '1'), podAt('b', '1'), podAt('c', '1'))).toEqual(['uid-a']);
  expect(reservations.count).toBe(1);
});

test('a refused write ends its reservation', () => {
  const { reservations, reservedFor } = setup();
  reservations.reserve(web, [patch('a', '1'), patch('b', '1')]);
  reservations.release(web, patch('a', '1'));
  expect(reservedFor(log, podAt('a', '1'), podAt('b', '1'))).toEqual(['uid-b']);
});

test('the next decision ends what was written, and what has no answer lasts two minutes', async () => {
  const { clock, reservations, reservedFor } = setup();
  reservations.reserve(web, [patch('a', '1'), patch('b', '1')]);
  reservations.written(web, patch('a', '1'));
  reservations.reserve(web, []);
  expect(reservedFor(log, podAt('a', '1'), podAt('b', '1'))).toEqual(['uid-b']);
  await clock.advance(119_000);
  reservations.reserve(web, []);
  expect(reservedFor(log, podAt('b', '1'))).toEqual(['uid-b']);
  await clock.advance(1_000);
  expect(reservedFor(log, podAt('b', '1'))).toEqual([]);
});

test('a write that was accepted reserves its pod however late the watch is', async () => {
  const { clock, reservations, reservedFor } = setup();
  reservations.reserve(web, [patch('a', '1')]);
  reservations.written(web, patch('a', '1'));
  await clock.advance(10 * 60_000);
  expect(reservedFor(log, podAt('a', '1'))).toEqual(['uid-a']);
});

test('two targets may reserve one pod, and a target that is gone reserves none', () => {
  const { reservations, reservedFor } = setup();
  reservations.reserve(web, [patch('a', '1')]);
  reservations.reserve(log, [patch('a', '1')]);
  expect(reservedFor(web, podAt('a', '1'))).toEqual(['uid-a']);
  reservations.forget(web);
  expect(reservedFor(log, podAt('a', '1'))).toEqual([]);
  expect(reservedFor(web, podAt('a', '1'))).toEqual(['uid-a']);
});
