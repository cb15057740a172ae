import { createVirtualClock } from 'kruise-sandbox/clock';
import { expect, test } from 'vitest';
import { createReflector } from '../../runtime/observe/reflector.ts';
import type { Cluster, WatchSink } from '../../schemas/wire/cluster.ts';
import { resources } from '../../schemas/wire/resources.ts';

const MINUTE = 60_000;

test('bookmarks alone are no news: one of them counts as such ten minutes after the last', async () => {
  const clock = createVirtualClock(0);
  let sink: WatchSink | undefined;
  const cluster = {
    list: async () => ({ metadata: { resourceVersion: '5' }, items: [] }),
    watch(_resource, _options, into) {
      sink = into;
      return { stop: clock.after(0, () => into.onOpen?.()) };
    },
  } satisfies Partial<Cluster>;
  let synced = 0;
  const reflector = createReflector({
    ...{ cluster: cluster as unknown as Cluster, clock, resource: resources.Pod },
    onChange: () => {},
    onSync: () => (synced += 1),
  });
  reflector.start();
  await clock.settle();
  const counts: number[] = [];
  for (let minute = 1; minute <= 22; minute += 1) {
    await clock.advance(MINUTE);
    sink?.onEvent({ type: 'BOOKMARK', resourceVersion: String(5 + minute) });
    counts.push(synced);
  }
  const expected = [...Array<number>(9).fill(1), ...Array<number>(10).fill(2), 3, 3, 3];
  expect([counts, reflector.version]).toEqual([expected, 27]);
  // After a gap the first one counts.
  sink?.onEnd(new Error('connection reset'));
  await clock.advance(810);
  expect([reflector.synced, synced]).toEqual([false, 3]);
  sink?.onEvent({ type: 'BOOKMARK', resourceVersion: '40' });
  expect([reflector.synced, synced]).toEqual([true, 4]);
  reflector.stop();
});
