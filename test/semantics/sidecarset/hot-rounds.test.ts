import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import { classifyContent } from '../../../semantics/sidecarset/classify.ts';
import { contentOfSpec } from '../../../semantics/sidecarset/content.ts';
import { textOf } from '../../../semantics/values/read.ts';
import {
  annotation,
  halves,
  hot,
  mesh,
  ready,
  readyPods,
  settle,
  upgradeStrategy,
  write,
} from './hot-model.ts';
import { sidecar } from './model.ts';

describe('a hot upgrade (OpenKruise sidecarset, 6.10)', () => {
  test('the stages of two upgrades, with their versions (SS-38)', () => {
    const world = ready(1);
    expect(halves(world)).toBe('A empty:1, {"mesh":"mesh-1"}, 1/0/0/1');
    write(world, [mesh('B')], '70');
    world.reconcile();
    expect(halves(world)).toBe('A B, {"mesh":"mesh-2"}, 1/70/70/1');
    expect([readyPods(world), hot(world)]).toMatchObject([
      0,
      { reason: 'Upgrading', message: 'Upgrading: shop/p0' },
    ]);
    world.kubelet((image) => image === 'B');
    world.reconcile();
    expect(hot(world)).toMatchObject({ reason: 'Migrating' });
    world.kubelet();
    world.reconcile();
    expect(halves(world)).toBe('empty:1 B, {"mesh":"mesh-2"}, 0/70/70/0');
    expect([readyPods(world), hot(world)]).toMatchObject([0, { reason: 'Resetting' }]);
    world.kubelet();
    world.reconcile();
    expect([readyPods(world), hot(world)]).toEqual([1, undefined]);
    write(world, [mesh('C')], '95');
    world.reconcile();
    expect(halves(world)).toBe('C B, {"mesh":"mesh-1"}, 95/70/70/95');
    settle(world);
    expect(halves(world)).toBe('C empty:1, {"mesh":"mesh-1"}, 95/0/0/95');
    expect(readyPods(world)).toBe(1);
  });

  test('the hash is written with the first half, as injection writes it, and the reset leaves it', () => {
    const world = ready(1);
    write(world, [mesh('B')]);
    world.reconcile();
    const during = annotation(world, 'p0', 'kruise.io/sidecarset-hash');
    settle(world);
    expect(annotation(world, 'p0', 'kruise.io/sidecarset-hash')).toBe(during);
    const time = /"updateTimestamp":"[^"]*"/;
    world.create('p1');
    expect(annotation(world, 'p1', 'kruise.io/sidecarset-hash').replace(time, '')).toBe(
      during.replace(time, ''),
    );
    const state = annotation(world, 'p0', 'kruise.io/sidecarset-inplace-update-state');
    expect(JSON.parse(state)).toMatchObject({
      mesh: {
        lastContainerStatuses: { 'mesh-1': { imageID: 'id-of-A' }, 'mesh-2': { imageID: 'id-of-empty:1' } },
        changed: ['mesh-1'],
      },
    });
    expect(state).not.toContain('from');
  });

  test('three upgrades: the working half is 2, 1, 2 (SS-39)', () => {
    const world = ready(1);
    const working = ['B', 'C', 'D'].map((image) => {
      write(world, [mesh(image)]);
      settle(world);
      return annotation(world, 'p0', 'kruise.io/sidecarset-working-hotupgrade-container');
    });
    expect(working).toEqual(['{"mesh":"mesh-2"}', '{"mesh":"mesh-1"}', '{"mesh":"mesh-2"}']);
    expect(world.image('p0', 'mesh-1')).toBe('empty:1');
  });

  test('a version that is not later than the present one is made so: a restored cluster counts from less', () => {
    const world = ready(1);
    write(world, [mesh('B')], '70');
    settle(world);
    write(world, [mesh('C')], '7');
    world.reconcile();
    expect(halves(world)).toBe('C B, {"mesh":"mesh-1"}, 71/70/70/71');
  });

  test('one pod at a time: an upgrade uses up the budget until its reset', () => {
    const world = ready(3);
    write(world, [mesh('B')]);
    const seen = new Set<number>();
    for (let turn = 0; turn < 12; turn++) {
      world.reconcile();
      seen.add([...world.pods.keys()].filter((pod) => halves(world, pod).startsWith('A B')).length);
      world.kubelet();
    }
    expect(seen).toEqual(new Set([0, 1]));
    expect([readyPods(world), world.status('mesh')['updatedReadyPods']]).toEqual([3, 3]);
  });

  test('paused after the first half: no reset until it goes on (SS-41)', () => {
    const world = ready(1);
    write(world, [mesh('B')], '70');
    world.reconcile();
    write(world, [mesh('B')], undefined, { updateStrategy: { paused: true } });
    settle(world);
    expect(halves(world)).toBe('A B, {"mesh":"mesh-2"}, 1/70/70/1');
    write(world, [mesh('B')]);
    settle(world);
    expect(halves(world)).toBe('empty:1 B, {"mesh":"mesh-2"}, 0/70/70/0');
  });
});

describe('a set with an ordinary container', () => {
  const log = (image: string): JsonObject => sidecar('log', { image });

  test('both change in one write, and the old half works until both are ready', () => {
    const world = ready(1, [log('log:1')]);
    write(world, [mesh('B'), log('log:2')]);
    world.reconcile();
    expect([halves(world).slice(0, 3), world.image('p0', 'log')]).toEqual(['A B', 'log:2']);
    world.kubelet((image) => image === 'log:2');
    world.reconcile();
    expect(halves(world)).toMatch(/^A B/);
    settle(world);
    expect(halves(world)).toMatch(/^empty:1 B/);
    expect(readyPods(world)).toBe(1);
  });

  test('the ordinary one alone changes no half', () => {
    const world = ready(1, [log('log:1')]);
    const before = halves(world);
    write(world, [mesh('A'), log('log:2')]);
    settle(world);
    expect([halves(world), world.image('p0', 'log')]).toEqual([before, 'log:2']);
  });

  test('a pair that fails takes the ordinary one back, too', () => {
    const world = ready(1, [log('log:1')]);
    write(world, [mesh('B'), log('log:2')]);
    settle(world, (image) => image === 'B');
    write(world, [mesh('A'), log('log:1')]);
    settle(world, (image) => image === 'B');
    expect([halves(world), world.image('p0', 'log')]).toEqual([
      'A empty:1, {"mesh":"mesh-1"}, 1/0/0/1',
      'log:1',
    ]);
    expect(readyPods(world)).toBe(1);
  });
});

test('a pod goes back to the revision that it was on, not to a later one with the same image', () => {
  const log = (image: string): JsonObject => sidecar('log', { image });
  const world = ready(1, [log('log:1')]);
  write(world, [mesh('A'), log('log:2')], undefined, { updateStrategy: { partition: 1 } });
  settle(world);
  write(world, [mesh('B'), log('log:3')]);
  settle(world, (image) => image === 'B');
  expect([halves(world).slice(0, 3), world.image('p0', 'log')]).toEqual(['A B', 'log:3']);
  write(world, [mesh('C'), log('log:3')]);
  world.reconcile();
  expect([halves(world), world.image('p0', 'log')]).toEqual([
    'A empty:1, {"mesh":"mesh-1"}, 1/0/0/1',
    'log:1',
  ]);
});

test('new pods get both halves of a pinned revision, and an upgrade from there', () => {
  const world = ready(1);
  const revisionName = textOf(world.status('mesh')['latestRevision']);
  const pinned = { injectionStrategy: { revision: { revisionName } } };
  write(world, [mesh('B')], '70', { ...pinned, updateStrategy: { paused: true } });
  world.reconcile();
  world.create('p1');
  settle(world);
  expect(halves(world, 'p1')).toBe('A empty:1, {"mesh":"mesh-1"}, 1/0/0/1');
  expect(world.status('mesh')).toMatchObject({ matchedPods: 2, updatedPods: 0, readyPods: 2 });
  write(world, [mesh('B')], '80', { ...pinned, updateStrategy: { maxUnavailable: 2 } });
  settle(world);
  expect(halves(world, 'p1')).toBe('empty:1 B, {"mesh":"mesh-2"}, 0/80/80/0');
});

test('two sets with a pair each: neither loses what the other one has on record', () => {
  const world = ready(0);
  world.set('proxy', { containers: [sidecar('proxy', { image: 'P', upgradeStrategy })] });
  world.reconcile();
  world.create('p0');
  settle(world);
  write(world, [mesh('B')], '70');
  world.set('proxy', { containers: [sidecar('proxy', { image: 'Q', upgradeStrategy })] });
  settle(world);
  const working = '{"mesh":"mesh-2","proxy":"proxy-2"}';
  expect(halves(world)).toBe(`empty:1 B, ${working}, 0/70/70/0`);
  expect(['proxy-1', 'proxy-2'].map((half) => world.image('p0', half))).toEqual(['empty:1', 'Q']);
  expect([readyPods(world), world.status('proxy')['readyPods']]).toEqual([1, 1]);
});

test.each([
  ['image', 'B', 'empty:1', 'InPlace', 'the idle container gets it and takes over'],
  ['upgradeStrategy.hotUpgradeEmptyImage', 'A', 'empty:2', 'NewPodsOnly', 'only the image'],
])('what a change of %s does', (field, image, hotUpgradeEmptyImage, mode, reason) => {
  const change = (container: JsonObject): JsonObject => contentOfSpec({ containers: [container] });
  const next = mesh(image, { upgradeStrategy: { ...upgradeStrategy, hotUpgradeEmptyImage } });
  const found = classifyContent(change(mesh('A')), change(next));
  expect(found).toMatchObject({ mode, fields: [{ path: `spec.containers[mesh].${field}` }] });
  expect(found.fields[0]?.reason).toContain(reason);
});

test('another empty image: running pods stay as they are, and are ready', () => {
  const world = ready(2);
  write(world, [
    sidecar('mesh', {
      image: 'B',
      upgradeStrategy: { upgradeType: 'HotUpgrade', hotUpgradeEmptyImage: 'empty:2' },
    }),
  ]);
  settle(world);
  expect(halves(world)).toBe('A empty:1, {"mesh":"mesh-1"}, 1/0/0/1');
  expect(world.status('mesh')).toMatchObject({ matchedPods: 2, updatedPods: 0, readyPods: 2 });
  world.create('p2');
  expect(halves(world, 'p2')).toMatch(/^B empty:2/);
});

test('another empty image in the middle: the old half gets that of its own revision', () => {
  const world = ready(1);
  write(world, [mesh('B')]);
  world.reconcile();
  write(world, [
    sidecar('mesh', {
      image: 'B',
      upgradeStrategy: { upgradeType: 'HotUpgrade', hotUpgradeEmptyImage: 'empty:2' },
    }),
  ]);
  settle(world);
  expect(halves(world)).toMatch(/^empty:1 B/);
  expect(readyPods(world)).toBe(1);
});
