import { expect, test } from 'vitest';
import type { Step } from '../../../schemas/generated/types/rolloutplan.ts';
import { parseSnapshot, snapshotObject } from '../../../semantics/plan/memory.ts';
import * as fc from '../../property.ts';
import { NodeCluster, planOf } from './cluster.ts';

const all: Step = { id: 'all', update: { to: '100%' } };
const soak: Step = { id: 'soak', soak: { for: '10m' } };
const owner = { apiVersion: 'v1', kind: 'DaemonSet', name: 'agent', uid: 'uid-agent', controller: true };

const LISTS = ['unavailable', 'restarts', 'excused', 'down', 'unreverted'] as const;
/** 2,000 names each, as a record of an earlier version may have. They are of nodes that are gone. */
const namesOf = (length: number): string[] =>
  Array.from({ length: 2_000 }, (_, n) => `gone-${n}-`.padEnd(length, 'x'));

/** In the middle of a soak the runtime is replaced, and reads the record that the one before it has written. */
function soaking(lists: readonly (typeof LISTS)[number][], length: number): NodeCluster {
  const cluster = new NodeCluster('1', 'n1 n2 n3', { maxUnavailable: 3 }).run(2);
  cluster.plans = [planOf(['1'], '2', [all, soak])];
  cluster.commit('2').run(3);
  expect(cluster.state).toBe('Soaking soak');
  cluster.memory = cluster.memory.map(({ spec, progress }) => {
    const names = namesOf(length);
    const restarts = Object.fromEntries(names.map((name, n) => [name, n + 1]));
    const { baseline } = progress;
    const before = {
      ...progress,
      ...Object.fromEntries(lists.map((list) => [list, names])),
      baseline: {
        ...baseline,
        ...(lists.includes('unavailable') && { unavailable: names }),
        ...(lists.includes('restarts') && { restarts }),
      },
    };
    const object = snapshotObject({ name: 'agent', namespace: 'ops', owner }, spec, before);
    const read = parseSnapshot(object);
    if (read === undefined) throw new Error('the record cannot be read');
    return read;
  });
  return cluster;
}

const records = fc.tuple(fc.subarray([...LISTS], { minLength: 1 }), fc.integer({ min: 50, max: 63 }));

test('a soak that a record of any size describes ends', () => {
  fc.assert(
    fc.property(records, ([lists, length]) => {
      expect(soaking(lists, length).run(15).state).toBe('Succeeded Completed');
    }),
    { numRuns: 8 },
  );
});

test('and fails by a pod that breaks', () => {
  fc.assert(
    fc.property(records, ([lists, length]) => {
      const cluster = soaking(lists, length);
      cluster.failing.add('n2');
      expect(cluster.run(3).state).toBe('Halted soak Breach');
    }),
    { numRuns: 8 },
  );
});

test('a node that reboots has room on a record that restarts had filled', () => {
  const cluster = soaking(['restarts'], 55).setReady('n2', false).run(1);
  expect(cluster.progress?.away).toEqual(['n2']);
  cluster.failing.add('n2');
  expect(cluster.setReady('n2', true).run(5).state).toBe('Soaking soak');
  expect(cluster.progress?.baseline.otherRestarts).toBeGreaterThan(0);
});
