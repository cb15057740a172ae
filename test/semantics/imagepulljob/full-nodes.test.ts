import { describe, expect, test } from 'vitest';
import { timestamp } from '../../../semantics/values/timestamp.ts';
import { NOW, SECOND } from '../pull/fleet.ts';
import { type End, fleet, HOUR, oldNode } from './fleet.ts';

const MINUTE = 60 * SECOND;
const DAY = 24 * HOUR;
const three = () => ['a', 'b', 'c'].map((name) => oldNode(name));
const many = (count: number) =>
  Array.from({ length: count }, (_each, index) => oldNode(`n${String(index).padStart(2, '0')}`));

/** Every pod of the node ends so, the others have the image, and a step of time passes. */
function pass(site: ReturnType<typeof fleet>, ends: Record<string, End>, rounds: number, stepMs: number) {
  for (let round = 0; round < rounds; round++) {
    site.decide();
    for (const { metadata } of site.nodes) site.end(ends[metadata.name] ?? 'pulled', metadata.name);
    site.pass(stepMs);
  }
}

describe('a node that takes no pod', () => {
  test.each<[End, number]>([
    ['full', 5 * SECOND],
    ['full', MINUTE],
    ['full', 5 * MINUTE],
    ['queued', 5 * SECOND],
    ['queued', MINUTE],
  ])('%s, looked at every %d ms: the others go on, and it is tried again', (end, stepMs) => {
    const site = fleet({ parallelism: 1 }, three());
    pass(site, { a: end }, 40, stepMs);
    expect(site.shown).toBe('3 desired, 1 active, 2 succeeded, 0 failed: job is running, progress 66.7%');
    expect(site.made).toEqual(expect.arrayContaining(['a#2', 'b#1', 'c#1']));
    site.pass(10 * MINUTE);
    pass(site, {}, 4, 10 * SECOND);
    expect(site.shown).toContain('job has completed');
  });

  test('is tried again when there is a place in parallelism', () => {
    const site = fleet({ parallelism: 1 }, three());
    pass(site, { a: 'full', b: 'pulling' }, 12, 30 * SECOND);
    expect(site.made.filter((each) => !each.startsWith('a'))).toEqual(['b#1']);
    const before = site.made.length;
    pass(site, { a: 'full', b: 'pulling' }, 4, 30 * SECOND);
    expect(site.made).toHaveLength(before);
  });

  test('keeps no other node from its next day', () => {
    const site = fleet({ parallelism: 3, completionPolicy: { type: 'Never' } }, three());
    pass(site, { a: 'full' }, (3 * DAY) / (5 * MINUTE), 5 * MINUTE);
    expect(site.made.filter((each) => each.startsWith('b')).length).toBeGreaterThanOrEqual(3);
  });
});

test('a pod that fills the disk of its node is evicted as often as backoffLimit says', () => {
  const site = fleet({ pullPolicy: { backoffLimit: 1 } }, [oldNode('a')]);
  pass(site, { a: 'evicted' }, 10, 5 * MINUTE);
  expect(site.made).toEqual(['a#1', 'a#2']);
  expect(site.shown).toContain('1 failed (a): job has completed');
});

test('a pod that is deleted on a dead node holds its place for ten minutes', () => {
  const site = fleet({ parallelism: 1 }, three());
  site.decide();
  site.end('pulling');
  const [pod] = site.pods;
  Object.assign(pod?.metadata as object, { deletionTimestamp: timestamp(NOW) });
  expect(site.decide()).toMatchObject({ actions: [], requeueAt: NOW + 10 * MINUTE });
  site.pass(10 * MINUTE);
  expect(site.decide().events).toMatchObject([{ message: 'a: node has not responded for a long time' }]);
  expect(site.made).toEqual(['a#1', 'b#1']);
});

describe('pods that wait for a place', () => {
  test.each([
    [1, 10],
    [20, 20],
  ])('with parallelism %d, at most %d, so that no more start at once', (parallelism, most) => {
    const site = fleet({ parallelism }, many(60));
    for (let round = 0; round < 100; round++) {
      site.decide();
      site.end('unplaced');
      site.pass(61 * SECOND);
      expect(site.pods.length).toBeLessThanOrEqual(most + parallelism);
    }
    expect(new Set(site.made.map((each) => each.split('#')[0])).size).toBe(60);
  });

  test('go in turn, so that many full nodes keep no other from the image', () => {
    const site = fleet({ parallelism: 1 }, many(30));
    const full = Object.fromEntries(
      site.nodes.slice(0, 25).map((node) => [node.metadata.name, 'unplaced' as const]),
    );
    pass(site, full, 60, 61 * SECOND);
    expect(site.shown).toContain('30 desired, 10 active, 5 succeeded, 0 failed');
    pass(site, {}, 60, 61 * SECOND);
    expect(site.shown).toContain('30 succeeded, 0 failed: job has completed');
  });

  test('of many full nodes keep a job that never ends from no day', () => {
    const site = fleet({ parallelism: 1, completionPolicy: { type: 'Never' } }, many(20));
    const full = Object.fromEntries(
      site.nodes.slice(0, 15).map((node) => [node.metadata.name, 'unplaced' as const]),
    );
    pass(site, full, (3 * DAY) / (5 * MINUTE), 5 * MINUTE);
    expect(site.made.filter((each) => each.startsWith('n19')).length).toBeGreaterThanOrEqual(3);
  });
});
