import { expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { PodOwner } from '../../../semantics/limits/pod-owners.ts';
import { NOW, sidecar } from './model.ts';
import { type Rolling, rolling } from './rolling.ts';

const log = (version: number): JsonObject => sidecar('log', { image: `log:${version}` });

/** Four ready pods of two owners, each of which allows so many unavailable ones; the set allows three. */
function ready(most: readonly [number, number], updateStrategy: JsonObject = { maxUnavailable: 3 }): Rolling {
  const world = rolling();
  world.set('log', { containers: [log(1)], updateStrategy });
  world.reconcile();
  for (const name of ['a0', 'a1', 'b0', 'b1']) world.create(name);
  world.kubelet();
  world.reconcile();
  world.set('log', { containers: [log(2)], updateStrategy });
  limited(world, most);
  return world;
}

/** The owners as they are now. */
function limited(world: Rolling, most: readonly [number, number]): void {
  const owners = ['a', 'b'].map((name, index): PodOwner => ({
    uid: `uid-of-${name}`,
    name: `CloneSet shop/${name}`,
    replicas: 2,
    maxUnavailable: most[index] ?? 0,
    minReadySeconds: 0,
    pods: [...world.pods.values()].filter(({ metadata }) => metadata.name.startsWith(name)),
  }));
  world.limits = { owners };
}

const updated = (world: Rolling): string =>
  [...world.pods.keys()].filter((name) => world.image(name, 'log') === 'log:2').join(' ');

test('the pods of an owner without room wait, and those of others go ahead', () => {
  const world = ready([0, 1]);
  world.reconcile(2);
  expect(updated(world)).toBe('b0');
  expect(world.explained).toEqual({
    'shop/a0': 'waits: CloneSet shop/a allows 0 unavailable pods',
    'shop/a1': 'waits: CloneSet shop/a allows 0 unavailable pods',
    'shop/b1': 'waits: CloneSet shop/b allows 1 unavailable pod, and b0 is changed first',
  });
  // Changes of owners are not all observed.
  expect(world.requeueAt).toBeGreaterThan(NOW);
});

test('what waits for an owner is not what the partition keeps', () => {
  const world = ready([0, 2], { maxUnavailable: 3, partition: 2 });
  world.reconcile(2);
  expect(updated(world)).toBe('b0 b1');
});

test('the next pod follows once the first is available again', () => {
  const world = ready([0, 1]);
  world.reconcile(2);
  limited(world, [0, 1]);
  world.reconcile(1);
  expect(updated(world)).toBe('b0');
  world.kubelet();
  limited(world, [0, 1]);
  world.reconcile(1);
  expect(updated(world)).toBe('b0 b1');
});

test('a pod that another target is about to write waits, and uses up the room of its owner', () => {
  const world = ready([1, 0]);
  world.limits = { ...world.limits, reserved: new Set(['uid-of-a1']) };
  world.reconcile(2);
  expect(updated(world)).toBe('');
  expect(world.explained).toMatchObject({
    'shop/a0': 'waits: CloneSet shop/a allows 1 unavailable pod, and a1 is unavailable',
    'shop/a1': 'waits: another update of it has begun',
  });
});

test('where nothing is observed of owners, the set alone decides', () => {
  const world = ready([0, 0]);
  world.limits = {};
  world.reconcile(2);
  expect(updated(world).split(' ')).toHaveLength(3);
  expect(world.requeueAt).toBeUndefined();
});

test.each<[string, JsonObject, updated: string, held: boolean]>([
  ['without an order pods of another owner go ahead', {}, 'b0', false],
  [
    'in an order that the manifest asks for, the first ones keep their place',
    {
      priorityStrategy: { weightPriority: [{ weight: 9, matchSelector: { matchLabels: { first: 'yes' } } }] },
    },
    '',
    true,
  ],
])('%s, and a step says what it waits for', (_title, strategy, expected, held) => {
  const updateStrategy = { maxUnavailable: 3, partition: 2, ...strategy };
  const world = rolling();
  world.set('log', { containers: [log(1)], updateStrategy });
  world.reconcile();
  for (const name of ['a0', 'a1']) world.create(name, { first: 'yes' });
  for (const name of ['b0', 'b1']) world.create(name);
  world.kubelet();
  world.reconcile();
  world.set('log', { containers: [log(2)], updateStrategy });
  limited(world, [0, 1]);
  world.reconcile(2);
  expect(world.limitedBy).toBe(
    held ? 'shop/a0 and 1 more: CloneSet shop/a allows 0 unavailable pods' : undefined,
  );
  expect(updated(world)).toBe(expected);
});

test('pods of an earlier change that is not complete are named', () => {
  const world = ready([2, 2]);
  world.reconcile(2);
  expect(updated(world).split(' ')).toHaveLength(3);
  world.set('log', { containers: [log(3)], updateStrategy: { maxUnavailable: 9 } });
  world.limits = {};
  world.reconcile(1);
  expect(world.blockedBy).toMatch(
    /^shop\/[ab]\d and 2 more: a change of its containers is not complete, and uses up maxUnavailable$/,
  );
});
