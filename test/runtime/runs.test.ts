import { afterEach, expect, test } from 'vitest';
import { createFreshnessCheck } from '../../runtime/act/cache-freshness.ts';
import { withObservedVersions } from '../../runtime/act/observed-versions.ts';
import { createWriteTracker } from '../../runtime/act/write-tracker.ts';
import { createCaches } from '../../runtime/observe/caches.ts';
import { objectsOf } from '../../runtime/observe/objects.ts';
import { type TargetKey, targetKey } from '../../runtime/observe/target-key.ts';
import { createVirtualClock, createWorld } from 'kruise-sandbox';
import type { KubeObject, OwnerReference } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { Kind } from '../../semantics/kinds/kind.ts';
import { kinds } from '../../semantics/registry/registry.ts';
import { controllerReference } from '../../semantics/owner.ts';
import { RUN_KIND_LABEL, RUN_TARGET_LABEL, runKindLabel } from '../../semantics/run/labels.ts';
import { cloneSet } from './stage.ts';

const [registered] = kinds as readonly [Kind];
/** CloneSets as if they were runs. */
const kind: Kind = { ...registered, needs: () => [{ of: 'Runs' }], uses: [{ of: 'Runs' }] };
const at = (name: string) => ({ namespace: 'shop', name });

let end = (): void => {};
afterEach(() => end());

async function worldOf() {
  const clock = createVirtualClock(0);
  const world = createWorld({ clock, namespaces: ['shop'], nodes: 0 });
  const user = world.cluster('user');
  const enqueued: TargetKey[] = [];
  const enqueue = (key: TargetKey): void => void enqueued.push(key);
  const caches = createCaches(world.cluster('kruise'), clock, enqueue, { kinds: [kind] });
  end = () => {
    caches.stop();
    world.stop();
  };
  const target = await user.create(resources.CloneSet, cloneSet('web', 'web:1'));
  caches.start();
  await clock.advance(1_000);
  const run = (name: string, labels: Record<string, string>, owners: OwnerReference[] = []): KubeObject => ({
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: { ...at(name), labels, ownerReferences: owners },
    data: { hash: name },
    revision: 1,
  });
  return {
    clock,
    user,
    caches,
    target,
    enqueued,
    create: async (...parts: Parameters<typeof run>) =>
      user.create(resources.ControllerRevision, run(...parts)),
    async seen(name = 'web') {
      await clock.advance(100);
      const key = targetKey(kind.id, 'shop', name);
      const found = caches.target(key);
      if (found === undefined) return undefined;
      const objects = objectsOf(caches, { key, kind, target: found }, []);
      if (objects === undefined || 'forbidden' in objects) return undefined;
      return objects.objects.runs?.map(({ metadata }) => metadata.name).sort();
    },
  };
}

const labels = (target: string) => ({ [RUN_KIND_LABEL]: runKindLabel(kind.id), [RUN_TARGET_LABEL]: target });

test('a target observes its runs, which nothing owns, and is enqueued when one changes', async () => {
  const world = await worldOf();
  const { user, enqueued, clock } = world;
  expect(await world.seen()).toEqual([]);
  enqueued.length = 0;
  await world.create('one', labels('web'));
  await world.create('of-another', labels('api'));
  await world.create('of-a-kind', { ...labels('web'), [RUN_KIND_LABEL]: 'Shelf.test.example' });
  await world.create('of-nobody', {});
  await world.create('owned', labels('web'), [controllerReference(world.target)]);
  expect(await world.seen()).toEqual(['one']);
  expect(enqueued).toContain(targetKey(kind.id, 'shop', 'web'));
  enqueued.length = 0;
  const body = { metadata: { annotations: { note: 'changed' } } };
  await user.patch(resources.ControllerRevision, at('one'), { type: 'merge', body });
  await clock.advance(100);
  expect(enqueued).toEqual([targetKey(kind.id, 'shop', 'web')]);
  await user.delete(resources.ControllerRevision, at('one'));
  expect(await world.seen()).toEqual([]);
  expect(enqueued).toHaveLength(2);
});

test('a target that is created anew under its name observes the runs of the one before', async () => {
  const world = await worldOf();
  const { user, clock } = world;
  await world.create('one', labels('web'));
  await user.delete(resources.CloneSet, at('web'));
  await clock.advance(60_000);
  expect(await world.seen()).toBeUndefined();
  await user.create(resources.CloneSet, cloneSet('web', 'web:1'));
  expect(await world.seen()).toEqual(['one']);
});

test('a run is that of the target that its label names now', async () => {
  const world = await worldOf();
  const { user, enqueued } = world;
  await user.create(resources.CloneSet, cloneSet('api', 'api:1'));
  await world.create('one', labels('web'));
  expect([await world.seen('web'), await world.seen('api')]).toEqual([['one'], []]);
  enqueued.length = 0;
  const body = { metadata: { labels: labels('api') } };
  await user.patch(resources.ControllerRevision, at('one'), { type: 'merge', body });
  expect([await world.seen('web'), await world.seen('api')]).toEqual([[], ['one']]);
  expect(new Set(enqueued.map(({ name }) => name))).toEqual(new Set(['web', 'api']));
});

test('a run that is too large to be cached holds its target: what it did is not known', async () => {
  const world = await worldOf();
  await world.user.create(resources.ControllerRevision, {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: { ...at('giant'), labels: labels('web') },
    data: { text: 'x'.repeat(700 * 1024) },
    revision: 1,
  });
  await world.clock.advance(100);
  expect(world.caches.oversized(world.target)).toMatchObject({ kind: 'ControllerRevision', name: 'giant' });
});

test('nothing is decided until the caches show what a run was recorded after', async () => {
  const world = await worldOf();
  const { caches, clock, user } = world;
  const check = createFreshnessCheck({ caches, clock, writes: createWriteTracker() });
  const waits = (): boolean => check.check(world.target, [resources.Pod]).waits;
  const recorded = await world.create('one', labels('web'));
  await clock.advance(100);
  expect(waits()).toBe(false);
  const versions = new Map([[resources.Pod, caches.versionOf(resources.Pod) + 1_000]]);
  const { metadata } = withObservedVersions({ metadata: {} }, { versions });
  const body = { metadata: { ...metadata, uid: recorded.metadata.uid ?? '' } };
  await user.patch(resources.ControllerRevision, at('one'), { type: 'merge', body });
  await clock.advance(100);
  expect(waits()).toBe(true);
});
