import { expect, test } from 'vitest';
import { createFreshnessCheck } from '../../runtime/act/cache-freshness.ts';
import { createWriteTracker } from '../../runtime/act/write-tracker.ts';
import { createVirtualClock } from 'kruise-sandbox/clock';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { cloneSet } from '../runtime/stage.ts';

const target = cloneSet('web', 'web:1');

/** Caches whose pods are at version 10, and records of observed pod versions, each in a revision of its own. */
async function setUp(...observed: number[]) {
  const clock = createVirtualClock(0);
  const own = createWriteTracker();
  const pods = { version: 10, listBegunAt: -Infinity, relists: 0 };
  const records = [...observed];
  const caches = {
    versionOf: () => pods.version,
    listBegunAt: () => pods.listBegunAt,
    relist: () => void pods.relists++,
    runsOf: () => [],
    revisionsOf: (): KubeObject[] =>
      records.map((version, index) => ({
        apiVersion: 'apps/v1',
        kind: 'ControllerRevision',
        metadata: {
          name: `r${index}`,
          annotations: { 'plan.kruise.io/seen': JSON.stringify({ pods: version }) },
        },
      })),
  };
  const catchUp = createFreshnessCheck({ caches, clock, writes: own });
  await clock.advance(1_000);
  return {
    clock,
    own,
    pods,
    records,
    check: () => {
      const { waits, held, discarded } = catchUp.check(target, [resources.Pod]);
      return [waits, held?.reason, discarded?.message.match(/pods at version \d+/)?.[0]];
    },
  };
}
const WAITS = [true, undefined, undefined];
const GOES_ON = [false, undefined, undefined];

test('security 2: a target waits until the caches show the versions of its record', async () => {
  const { clock, pods, check } = await setUp(20);
  expect(check()).toEqual(WAITS);
  await clock.advance(5_000);
  expect([check(), pods.relists]).toEqual([WAITS, 1]);
  pods.listBegunAt = clock.monotonic();
  pods.version = 20;
  expect(check()).toEqual(GOES_ON);
});

test('security 2: a list that began before the record was known does not discard it', async () => {
  const { clock, pods, records, check } = await setUp(20);
  pods.listBegunAt = clock.monotonic();
  expect(check()).toEqual(WAITS);
  await clock.advance(1_000);
  const begunAt = clock.monotonic();
  await clock.advance(1_000);
  // Another process records more while the list is under way.
  records.push(30);
  expect(check()).toEqual(WAITS);
  pods.listBegunAt = begunAt;
  expect(check()).toEqual([true, undefined, 'pods at version 20']);
  expect(check()).toEqual(WAITS);
  pods.version = 30;
  expect(check()).toEqual(GOES_ON);
});

test('security 2: a version that a later list does not show is discarded once; a new record is waited for again', async () => {
  const { clock, pods, records, check } = await setUp(20, 25);
  expect(check()).toEqual(WAITS);
  await clock.advance(5_000);
  pods.listBegunAt = clock.monotonic();
  expect(check()).toEqual([false, undefined, 'pods at version 25']);
  await clock.advance(600_000);
  expect(check()).toEqual(GOES_ON);
  records.push(15);
  expect(check()).toEqual(WAITS);
});

test('security 2: a write of this process that the server lost in a restore is not waited for, and later ones are', async () => {
  const { clock, own, pods, check } = await setUp();
  const written = (version: number): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web-1', resourceVersion: String(version) },
  });
  own.note(resources.Pod, written(20));
  expect(check()).toEqual(WAITS);
  await clock.advance(5_000);
  pods.listBegunAt = clock.monotonic();
  expect(check()).toEqual([false, undefined, 'pods at version 20']);
  own.note(resources.Pod, written(12));
  expect(check()).toEqual(WAITS);
  pods.version = 12;
  expect(check()).toEqual(GOES_ON);
});

test('security 2: while no list is complete the target is held after a minute', async () => {
  const { clock, check } = await setUp(20);
  expect(check()).toEqual(WAITS);
  await clock.advance(60_000);
  expect(check()).toEqual([true, 'CachesStale', undefined]);
});
