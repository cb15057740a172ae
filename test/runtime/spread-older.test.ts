import { expect, test } from 'vitest';
import { resources } from '../../schemas/wire/resources.ts';
import { cloneSet, startRuntime } from './stage.ts';
import { type SpreadWorld, spreadWorld, zones } from './spread-world.ts';

const of = (count: number, place: string): string[] => Array.from({ length: count }, () => place);

/** A CloneSet of six pods without a place, which gets a WorkloadSpread and another size at once. */
async function resized(world: SpreadWorld, replicas: number): Promise<string[]> {
  const { clock, user, change, located } = world;
  await user.create(resources.CloneSet, cloneSet('web', 'web:1', { replicas: 6 }));
  await clock.advance(60_000);
  expect(await located()).toEqual([...of(3, 'node-a - unbound'), ...of(3, 'node-b - unbound')]);
  await user.create(resources.WorkloadSpread, zones('CloneSet', { a: 3, b: null }));
  await change(resources.CloneSet, { replicas });
  await clock.advance(120_000);
  const all = await located();
  await world.stop();
  expect(world.errors).toEqual([]);
  return all;
}

const GROWN = [...of(3, 'node-a a unbound'), ...of(3, 'node-b b'), ...of(3, 'node-b b unbound')];

test('pods that run already count against the caps for those that a CloneSet creates before they are on record', async () => {
  expect(await resized(await spreadWorld(), 9)).toEqual(GROWN);
});

test('pods are created once the nodes of those are known that run already', async () => {
  const world = await spreadWorld((cluster, clock) => ({
    ...cluster,
    async list(resource, options) {
      if (resource.plural === 'nodes') await new Promise<void>((done) => void clock.after(5_000, done));
      return cluster.list(resource, options);
    },
  }));
  expect(await resized(world, 9)).toEqual(GROWN);
});

test('a scale-in keeps the first subset full also before its pods are on record', async () => {
  expect(await resized(await spreadWorld(), 3)).toEqual(of(3, 'node-a a unbound'));
});

test('they count likewise for a runtime that starts long after the WorkloadSpread was created', async () => {
  const { world, clock, user, errors, located, change, stop, stopRuntime } = await spreadWorld();
  await user.create(resources.CloneSet, cloneSet('web', 'web:1', { replicas: 6 }));
  await clock.advance(60_000);
  await stopRuntime();
  await user.create(resources.WorkloadSpread, zones('CloneSet', { a: 3, b: null }));
  await change(resources.CloneSet, { replicas: 9 });
  await clock.advance(120_000);
  const next = startRuntime(world, clock, errors, {
    policy: 'Auto',
    wrap: (cluster) => ({
      ...cluster,
      async list(resource, options) {
        if (resource.plural === 'nodes') await new Promise<void>((done) => void clock.after(2_000, done));
        return cluster.list(resource, options);
      },
    }),
  });
  await clock.advance(60_000);
  expect(await located()).toEqual(GROWN);
  expect(errors).toEqual([]);
  await next.stop();
  await stop();
});
