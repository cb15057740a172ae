import { afterEach, expect, test } from 'vitest';
import { intercepting } from 'kruise-sandbox';
import { ApiError, type Cluster, type WatchHandle, type WatchSink } from '../../schemas/wire/cluster.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { budget, endSite, MINUTE, site, web } from './budget-site.ts';

afterEach(endSite);

const { plural } = resources.PodUnavailableBudget;
const notServed = (): ApiError =>
  new ApiError({
    code: 404,
    reason: 'NotFound',
    message: 'the server could not find the requested resource',
  });

/** A server that stops to serve budgets, and serves them again. */
function removable() {
  const watches: { handle: WatchHandle; sink: WatchSink }[] = [];
  let isGone = false;
  return {
    wrap: (cluster: Cluster): Cluster =>
      intercepting(cluster, {
        async request({ resource }, send) {
          if (isGone && resource.plural === plural) throw notServed();
          return send();
        },
        watch({ resource }, open, sink) {
          const handle = open(sink);
          if (resource.plural === plural) watches.push({ handle, sink });
          return handle;
        },
      }),
    remove() {
      isGone = true;
      for (const { handle, sink } of watches.splice(0)) {
        handle.stop();
        sink.onEnd(notServed());
      }
    },
    restore() {
      isGone = false;
    },
  };
}

test('without the definition of budgets there are none: rollouts go on, until it is there again', async () => {
  const definition = removable();
  const { update, clock, held, images, errors } = await site(
    [web(3), budget({ maxUnavailable: 0 })],
    definition.wrap,
  );
  await update('web:2');
  await clock.advance(MINUTE);
  expect([await images(), await held()]).toEqual([
    { 'web:1': 3 },
    'DisruptionNotAllowed: 3 pods may not become unavailable now: PodUnavailableBudget shop/web allows 0 unavailable pods',
  ]);
  definition.remove();
  await clock.advance(5 * MINUTE);
  expect([await images(), await held()]).toEqual([{ 'web:2': 3 }, undefined]);
  definition.restore();
  // However long it was gone.
  await clock.advance(2_000);
  await update('web:3');
  await clock.advance(5 * MINUTE);
  expect([await images(), errors]).toEqual([{ 'web:2': 3 }, []]);
});
