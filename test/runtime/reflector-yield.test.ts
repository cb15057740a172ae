import { expect, test } from 'vitest';
import { createReflector } from '../../runtime/observe/reflector.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { createVirtualClock } from '../../sandbox/clock/virtual.ts';
import { createWorld } from '../../sandbox/world.ts';

/** A reflector that has 1,200 objects to list. */
function many(onChange: () => void) {
  const clock = createVirtualClock(0);
  const world = createWorld({ clock, namespaces: ['shop'] });
  const cluster = world.cluster('user');
  for (let count = 0; count < 1_200; count++)
    world.server.create('user', resources.ControllerRevision, {
      apiVersion: 'apps/v1',
      kind: 'ControllerRevision',
      metadata: { name: `r${count}`, namespace: 'shop' },
      data: {},
      revision: 1,
    } satisfies KubeObject);
  const onSync = (): void => {};
  const reflector = createReflector({
    cluster,
    clock,
    resource: resources.ControllerRevision,
    onChange,
    onSync,
  });
  return { clock, reflector, server: world.server };
}

test('a thousand objects are told in turns, between which others have theirs', async () => {
  let told = 0;
  const others: number[] = [];
  const { clock, reflector } = many(() => {
    if (told++ === 0) other();
  });
  function other(): void {
    others.push(told);
    if (others.length < 20) clock.after(0, other);
  }
  reflector.start();
  await clock.settle();
  expect([...new Set(others)]).toEqual([
    1, 99, 199, 299, 399, 499, 599, 699, 799, 899, 999, 1_099, 1_199, 1_200,
  ]);
  expect([...reflector.values()]).toHaveLength(1_200);
});

test('stopped in between, no more are told', async () => {
  let told = 0;
  const { clock, reflector } = many(() => void (told += 1));
  reflector.start();
  await clock.runUntil(() => told > 0);
  reflector.stop();
  await clock.settle();
  expect(told).toBe(99);
});

test('listed again while others decide on it, all of it is told at once: half of each state was never so', async () => {
  let told = 0;
  const seen: number[] = [];
  const { clock, reflector, server } = many(() => {
    if (told++ === 1_200) clock.after(0, () => seen.push(told));
  });
  reflector.start();
  await clock.settle();
  expect([reflector.synced, told]).toEqual([true, 1_200]);
  for (let count = 0; count < 1_200; count++)
    server.patch(
      'user',
      resources.ControllerRevision,
      { namespace: 'shop', name: `r${count}` },
      {
        type: 'merge',
        body: { revision: 2 },
      },
    );
  reflector.relist();
  await clock.settle();
  expect(seen).toEqual([2_400]);
});
