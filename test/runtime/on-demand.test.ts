import { expect, test } from 'vitest';
import { createOnDemand, type OnDemandSinks } from '../../runtime/observe/on-demand.ts';
import type { Reflector } from '../../runtime/observe/reflector.ts';
import { ApiError } from '../../schemas/wire/cluster.ts';

function demanded() {
  let sinks: OnDemandSinks | undefined;
  let known = 0;
  const reflector = { synced: false, start: () => undefined };
  const demand = createOnDemand(
    (given) => {
      sinks = given;
      return reflector as unknown as Reflector;
    },
    () => undefined,
    () => (known += 1),
  );
  demand.started();
  return {
    fail: (code: number) => sinks?.onError(new ApiError({ code, reason: 'Any', message: `answer ${code}` })),
    sync() {
      reflector.synced = true;
      sinks?.onSync();
    },
    get state() {
      const { state } = demand;
      return state instanceof ApiError ? state.status.code : state;
    },
    known: () => known,
  };
}

test('a resource that may not be listed is known to be so at once', () => {
  const found = demanded();
  expect(found.state).toBe('pending');
  found.fail(403);
  expect([found.state, found.known()]).toEqual([403, 1]);
});

test('one that the server does not serve is pending while it may be about to, and no longer', () => {
  const found = demanded();
  found.fail(404);
  found.fail(404);
  expect([found.state, found.known()]).toEqual(['pending', 0]);
  found.fail(404);
  found.fail(404);
  expect([found.state, found.known()]).toEqual([404, 1]);
  found.sync();
  expect([found.state, found.known()]).toEqual(['known', 2]);
});

test('any other failure keeps it pending, and what came before does not count', () => {
  const found = demanded();
  for (const code of [404, 404, 500, 404, 404]) found.fail(code);
  expect([found.state, found.known()]).toEqual(['pending', 0]);
});
