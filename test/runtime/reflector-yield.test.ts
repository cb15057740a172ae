import { expect, test } from 'vitest';
import { createReflector } from '../../runtime/observe/reflector.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { createVirtualClock, createWorld } from 'kruise-sandbox';

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

test('a thousand objects are processed in parts, between which other work runs', async () => {
  let reported = 0;
  const otherWork: number[] = [];
  const { clock, reflector } = many(() => {
    if (reported++ === 0) other();
  });
  function other(): void {
    otherWork.push(reported);
    if (otherWork.length < 20) clock.after(0, other);
  }
  reflector.start();
  await clock.settle();
  expect([...new Set(otherWork)]).toEqual([
    1, 99, 199, 299, 399, 499, 599, 699, 799, 899, 999, 1_099, 1_199, 1_200,
  ]);
  expect([...reflector.values()]).toHaveLength(1_200);
});

test('stopped in between, it reports no further objects', async () => {
  let reported = 0;
  const { clock, reflector } = many(() => void (reported += 1));
  reflector.start();
  await clock.runUntil(() => reported > 0);
  reflector.stop();
  await clock.settle();
  expect(reported).toBe(99);
});

test('a list of a synced cache is processed at once: a mixture of both states never existed', async () => {
  let reported = 0;
  const observed: number[] = [];
  const { clock, reflector, server } = many(() => {
    if (reported++ === 1_200) clock.after(0, () => observed.push(reported));
  });
  reflector.start();
  await clock.settle();
  expect([reflector.synced, reported]).toEqual([true, 1_200]);
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
  expect(observed).toEqual([2_400]);
});
