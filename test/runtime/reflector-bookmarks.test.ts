import { createVirtualClock } from 'kruise-sandbox/clock';
import { expect, test } from 'vitest';
import { createReflector } from '../../runtime/observe/reflector.ts';
import type { Cluster, WatchSink } from '../../schemas/wire/cluster.ts';
import { resources } from '../../schemas/wire/resources.ts';

const MINUTE = 60_000;

test('a bookmark is no news, but the first one after a gap', async () => {
  const clock = createVirtualClock(0);
  let sink: WatchSink | undefined;
  const cluster = {
    list: async () => ({ metadata: { resourceVersion: '5' }, items: [] }),
    watch(_resource, _options, into) {
      sink = into;
      return { stop: clock.after(0, () => into.onOpen?.()) };
    },
  } satisfies Partial<Cluster>;
  const called = { sync: 0, bookmark: 0 };
  const reflector = createReflector({
    ...{ cluster: cluster as unknown as Cluster, clock, resource: resources.Pod },
    onChange: () => {},
    onSync: () => (called.sync += 1),
    onBookmark: () => (called.bookmark += 1),
  });
  reflector.start();
  await clock.settle();
  for (let minute = 1; minute <= 22; minute += 1) {
    await clock.advance(MINUTE);
    sink?.onEvent({ type: 'BOOKMARK', resourceVersion: String(5 + minute) });
  }
  expect([called, reflector.version]).toEqual([{ sync: 1, bookmark: 22 }, 27]);
  sink?.onEnd(new Error('connection reset'));
  await clock.advance(810);
  expect([reflector.synced, called]).toEqual([false, { sync: 1, bookmark: 22 }]);
  sink?.onEvent({ type: 'BOOKMARK', resourceVersion: '40' });
  expect([reflector.synced, called]).toEqual([true, { sync: 2, bookmark: 22 }]);
  reflector.stop();
});
