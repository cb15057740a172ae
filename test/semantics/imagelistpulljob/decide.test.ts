import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { controllerOf } from '../../../semantics/owner.ts';
import { objectOf } from '../../../semantics/values/read.ts';
import { NOW, site } from './site.ts';

const nameOf = ({ metadata }: KubeObject): string => metadata.name;

describe('the jobs of a list', () => {
  test('PJ-25: two images have a child each, and both succeed', () => {
    const world = site({ parallelism: 3, selector: { names: ['a'] }, pullSecrets: ['registry'] });
    const { actions } = world.decide();
    expect(actions.map(({ event }) => event?.reason)).toEqual([
      'Successful create ImagePullJob',
      'Successful create ImagePullJob',
    ]);
    expect(world.children.map((child) => child['spec'])).toEqual(
      ['web:1', 'db:1'].map((image) => ({
        image,
        ...{ parallelism: 3, selector: { names: ['a'] }, pullSecrets: ['registry'], completionPolicy: {} },
      })),
    );
    expect(world.children.map((child) => controllerOf(child)?.uid)).toEqual(['of-ahead', 'of-ahead']);
    const hashes = world.children.map(({ metadata }) => metadata.labels?.['controller-revision-hash']);
    expect(new Set(hashes).size).toBe(1);
    expect(hashes[0]).toMatch(/^[0-9a-f]{10}$/);
    world.end({ desired: 3, active: 1, succeeded: 1, failed: 0 });
    world.decide();
    expect(world.shown).toBe('2 desired, 2 active, 0 completed, 0 succeeded');
    world.end(world.over(3, 3));
    world.decide();
    expect(world.shown).toBe('2 desired, 0 active, 2 completed, 2 succeeded: over');
    expect(world.log).toEqual(['+web:1', '+db:1']);
  });

  test('PJ-26: a changed template replaces them', () => {
    const world = site();
    world.decide();
    const before = world.children.map(nameOf);
    world.edit({ pullPolicy: { timeoutSeconds: 60 } });
    world.decide();
    expect(world.log.slice(2).sort()).toEqual(['+db:1', '+web:1', '-db:1', '-web:1']);
    expect(world.children.map(nameOf).filter((name) => before.includes(name))).toEqual([]);
    world.decide();
    expect(world.log).toHaveLength(6);
  });

  test('PJ-26: an image that is removed takes its child with it, and one that is added gets one', () => {
    const world = site();
    world.decide();
    const [web] = world.children;
    world.edit({ images: ['cache:1', 'web:1'] });
    world.decide();
    expect(world.log.slice(2)).toEqual(['-db:1', '+cache:1']);
    expect(world.children).toContain(web);
  });

  test('defaults that somebody writes out replace nothing, nor does a TTL', () => {
    const world = site();
    world.decide();
    world.edit({
      ...{ parallelism: 1, imagePullPolicy: 'IfNotPresent', pullPolicy: { timeoutSeconds: 600 } },
      completionPolicy: { type: 'Always', ttlSecondsAfterFinished: 60 },
    });
    world.decide();
    expect(world.log).toHaveLength(2);
  });

  test('none has a TTL: one that goes before the others end would be created again', () => {
    const world = site({ completionPolicy: { activeDeadlineSeconds: 900, ttlSecondsAfterFinished: 5 } });
    world.decide();
    expect(objectOf(world.children[0]?.['spec'])['completionPolicy']).toEqual({ activeDeadlineSeconds: 900 });
  });

  test('one that somebody deletes is created again once it is gone, while the list is not over', () => {
    const world = site();
    world.decide();
    const leaving = { deletionTimestamp: '2026-01-01T00:00:00Z' };
    world.change('web:1', (child) => ({ ...child, metadata: { ...child.metadata, ...leaving } }));
    world.decide();
    expect(world.log).toHaveLength(2);
    world.change('web:1', () => undefined);
    world.decide();
    expect(world.log.slice(2)).toEqual(['+web:1']);
  });

  test('what a webhook makes of one stays; one that is given another image later is replaced', () => {
    const world = site();
    world.decide();
    const mirrored = (generation: number) => (child: KubeObject) => ({
      ...child,
      metadata: { ...child.metadata, generation },
      spec: { ...objectOf(child['spec']), image: 'db:1' },
    });
    world.change('web:1', mirrored(1));
    world.decide();
    expect(world.log).toHaveLength(2);
    const [first] = world.children;
    world.change('db:1', (child) => (child === first ? mirrored(2)(child) : child));
    world.decide();
    world.decide();
    expect(world.log.slice(2)).toEqual(['-db:1', '+web:1']);
    expect(world.children).toHaveLength(2);
  });

  test.each<[string, JsonObject]>([
    ['other nodes', { selector: { names: [], matchLabels: { pool: 'none' } } }],
    ['other nodes by their pods', { podSelector: { matchLabels: { app: 'none' } } }],
    ['an image of a registry', { imagePullPolicy: 'Always' }],
  ])('one that is given %s later does not say what became of its image, and is replaced', (_what, spec) => {
    const world = site();
    world.decide();
    const edited = (generation: number, change: JsonObject) => (child: KubeObject) => ({
      ...child,
      metadata: { ...child.metadata, generation },
      spec: { ...objectOf(child['spec']), ...change },
    });
    world.change('web:1', edited(1, spec));
    world.decide();
    expect(world.log).toHaveLength(2);
    world.change('web:1', edited(2, spec));
    world.end(world.over(0, 0), 'web:1');
    world.decide();
    expect(world.shown).toBe('2 desired, 0 active, 0 completed, 0 succeeded');
    world.decide();
    expect(world.log.slice(2)).toEqual(['-web:1', '+web:1']);
  });

  test('one that is made faster or slower, or is edited back, is the same', () => {
    const world = site({ selector: { matchLabels: { pool: 'web' } } });
    world.decide();
    world.change('web:1', (child) => ({
      ...child,
      metadata: { ...child.metadata, generation: 3 },
      spec: { ...objectOf(child['spec']), parallelism: 0, pullPolicy: { backoffLimit: 9 } },
    }));
    world.decide();
    expect(world.log).toHaveLength(2);
  });

  test('those that OpenKruise has created are known by what they pull', () => {
    const world = site({ parallelism: 2 });
    const [web] = ['web:1', 'old:1'].map((image): KubeObject => {
      const child = {
        apiVersion: 'apps.kruise.io/v1beta1',
        kind: 'ImagePullJob',
        metadata: { name: `ahead-${image.slice(0, 3)}x7`, namespace: 'shop', ...owned },
        spec: {
          ...{ image, parallelism: 2, completionPolicy: { type: 'Always' }, imagePullPolicy: 'IfNotPresent' },
          pullPolicy: { timeoutSeconds: 600, backoffLimit: 3 },
        },
      };
      world.add(child);
      return child;
    });
    world.decide();
    expect(world.log).toEqual(['-old:1', '+db:1']);
    expect(world.children).toContain(web);
  });

  test('objects of others are left alone, and a name that one has is reported', () => {
    const world = site();
    world.decide();
    const names = world.children.map(nameOf);
    const foreign = { ...world.children[0], metadata: { name: names[0] ?? '', namespace: 'shop' } };
    const other = site();
    other.add(foreign as KubeObject);
    other.takenNames.add(names[0] ?? '');
    const { actions, explanations, events, requeueAt } = other.decide();
    expect(actions).toHaveLength(1);
    expect(explanations).toEqual([
      {
        about: 'web:1',
        reason: `web:1 gets no job: an object that the list has not created has the name ${names[0]}`,
      },
    ]);
    expect(events).toMatchObject([{ type: 'Warning', reason: 'FailedCreate' }]);
    // The name may be free by then.
    expect(requeueAt).toBe(NOW + 60_000);
  });

  test('names are those of the server, however long that of the list is', () => {
    const world = site();
    const name = `${'a'.repeat(241)}.${'b'.repeat(11)}`;
    const list = { ...world.list, metadata: { ...world.list.metadata, name } };
    const other = site();
    Object.assign(other.list, list);
    other.decide();
    const made = other.children.map(nameOf);
    expect(made.every((each) => each.length <= 253 && /^a{241}-[0-9a-f]{10}$/.test(each))).toBe(true);
  });
});

const owned = {
  ownerReferences: [
    {
      ...{ apiVersion: 'apps.kruise.io/v1beta1', kind: 'ImageListPullJob', name: 'ahead', uid: 'of-ahead' },
      controller: true,
    },
  ],
};

describe('the end of a list', () => {
  test('images that some nodes do not get are named, in the order of the list', () => {
    const world = site({ images: ['a:1', 'b:1', 'c:1'] });
    world.decide();
    world.end(world.over(3, 3));
    world.end(world.over(3, 2), 'c:1');
    world.end(world.over(3, 0), 'a:1');
    world.decide();
    expect(world.shown).toBe('3 desired, 0 active, 3 completed, 1 succeeded (not a:1, c:1): over');
    const [name] = world.children.map(nameOf);
    expect(world.list['status']).toMatchObject({
      failedImageStatuses: [
        {
          imagePullJob: name,
          message: `Please check for details which nodes failed by 'kubectl get ImagePullJob ${name}'.`,
        },
        {},
      ],
    });
  });

  test('a child of no node yet has not ended, before it says so', () => {
    const world = site({ images: ['a:1'] });
    world.decide();
    world.end({ desired: 0, succeeded: 0, failed: 0 });
    world.decide();
    expect(world.shown).toBe('1 desired, 0 active, 0 completed, 0 succeeded');
  });

  test('a list that never ends counts the day of each, once it has begun, and has no end', () => {
    const world = site({ images: ['a:1'], completionPolicy: { type: 'Never' } });
    world.decide();
    world.decide();
    expect(world.shown).toBe('1 desired, 0 active, 0 completed, 0 succeeded');
    world.end({ desired: 2, succeeded: 2, failed: 0 });
    world.decide();
    expect(world.shown).toBe('1 desired, 0 active, 1 completed, 1 succeeded');
  });

  test('after it nothing is created or deleted, whatever is edited, and its TTL deletes it', () => {
    const world = site({ completionPolicy: { ttlSecondsAfterFinished: 60 } });
    world.decide();
    world.end(world.over(1, 1));
    world.decide();
    world.edit({ images: ['other:1'] });
    world.change('db:1', () => undefined);
    expect(world.decide()).toMatchObject({ actions: [], requeueAt: NOW + 60_000 });
    expect(world.shown).toContain('2 desired, 0 active, 2 completed, 2 succeeded: over');
    world.pass(60);
    expect(world.decide().actions).toMatchObject([{ do: 'delete', kind: 'Target', name: 'ahead' }]);
  });

  test('why a write of it is refused is shown until it is over', () => {
    const world = site();
    const held = { reason: 'FailedCreate', message: 'no' };
    world.decide(held);
    expect(world.list['status']).toMatchObject({ conditions: [{ type: 'plan.kruise.io/Held' }] });
    world.end(world.over(1, 1));
    world.decide(held);
    world.decide(held);
    expect(world.list['status']).not.toHaveProperty('conditions');
  });
});
