import { expect, test } from 'vitest';
import { createVirtualClock, createWorld } from 'kruise-sandbox';
import { createReflector } from '../../runtime/observe/reflector.ts';
import { resources } from '../../schemas/wire/resources.ts';

const SECOND = 1_000;

/** A reflector of ControllerRevisions whose lists take so long, and when each list began. */
async function slow(tookMs: number, restsAfterLists = true) {
  const clock = createVirtualClock(0);
  const user = createWorld({ clock, namespaces: ['shop'] }).cluster('user');
  const begun: number[] = [];
  const reflector = createReflector({
    clock,
    resource: resources.ControllerRevision,
    restsAfterLists,
    cluster: {
      ...user,
      async list(...args) {
        begun.push(clock.monotonic());
        if (tookMs > 0) await new Promise<void>((resolve) => void clock.after(tookMs, resolve));
        return user.list(...args);
      },
    },
    onChange: () => {},
    onSync: () => {},
  });
  reflector.start();
  await clock.advance(SECOND);
  return { clock, reflector, begun };
}

test('lists that are requested without end take a tenth of the time, and each request is met', async () => {
  const { clock, reflector, begun } = await slow(500);
  expect(begun).toEqual([0]);
  let last = 0;
  for (let round = 0; round < 290; round++) {
    last = reflector.listAgain();
    await clock.advance(100);
  }
  // The first one on request begins at once.
  expect(begun.slice(1)).toEqual([1, 6, 11, 16, 21, 26].map((second) => second * SECOND));
  await clock.advance(10 * SECOND);
  expect([begun.length, reflector.listed]).toEqual([8, last]);
  await clock.advance(60 * SECOND);
  expect(begun).toHaveLength(8);
  reflector.stop();
});

test('one that takes long delays the next one by a minute at most', async () => {
  const { clock, reflector, begun } = await slow(30 * SECOND);
  await clock.advance(60 * SECOND);
  reflector.listAgain();
  await clock.advance(31 * SECOND);
  const ordinal = reflector.listAgain();
  await clock.advance(120 * SECOND);
  expect([begun, reflector.listed]).toEqual([[0, 61_000, 151_000], ordinal]);
  reflector.stop();
});

test('a resource that decisions require does not rest: a second target is met by the next list', async () => {
  const { clock, reflector, begun } = await slow(6 * SECOND, false);
  await clock.advance(10 * SECOND);
  reflector.listAgain();
  await clock.advance(SECOND);
  const ordinal = reflector.listAgain();
  await clock.advance(11 * SECOND);
  expect([begun, reflector.listed]).toEqual([[0, 11_000, 17_000], ordinal]);
  reflector.stop();
});

test('none begins after it was stopped', async () => {
  const { clock, reflector, begun } = await slow(500);
  reflector.listAgain();
  await clock.advance(SECOND);
  reflector.listAgain();
  reflector.stop();
  await clock.advance(60 * SECOND);
  expect(begun).toHaveLength(2);
});
