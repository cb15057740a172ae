import { behaviorByTag, createWorld } from 'kruise-sandbox';
import { createVirtualClock } from 'kruise-sandbox/clock';
import { expect, test } from 'vitest';
import { createRuntime } from '../../runtime/runtime.ts';
import { crds } from '../../schemas/generated/crds.ts';
import type { Cluster } from '../../schemas/wire/cluster.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { cloneSet } from './stage.ts';

const MINUTE = 60_000;

test('a target at rest is decided on every ten minutes, though each watch has its bookmarks at a second of its own', async () => {
  const clock = createVirtualClock(Date.UTC(2026, 0, 1));
  const world = createWorld({
    ...{ clock, namespaces: ['shop'], nodes: 2, crds: [...crds], images: behaviorByTag },
  });
  const own = world.cluster('kruise');
  let watches = 0;
  const cluster: Cluster = {
    ...own,
    watch(resource, options, sink) {
      const lateMs = ((watches++ * 7) % 60) * 1_000;
      return own.watch(resource, options, {
        ...sink,
        onEvent(event) {
          if (event.type === 'BOOKMARK') clock.after(lateMs, () => sink.onEvent(event));
          else sink.onEvent(event);
        },
      });
    },
  };
  const decided: number[] = [];
  const runtime = createRuntime({
    ...{ cluster, clock, policy: 'Auto' },
    onSnapshot: () => decided.push(clock.now()),
  });
  runtime.start();
  await clock.settle();
  const user = world.cluster('user');
  const template = {
    metadata: { labels: { app: 'web' } },
    spec: { containers: [{ name: 'main', image: 'web:1' }] },
  };
  await user.create(resources.CloneSet, cloneSet('web', '', { template }, {}));
  await clock.advance(30 * MINUTE);
  decided.length = 0;
  // The version of the cluster goes on, so that there are bookmarks.
  for (let quarter = 0; quarter < 240; quarter += 1) {
    const metadata = { name: `other-${quarter}`, namespace: 'shop' };
    await user.create(resources.ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
    await clock.advance(MINUTE / 4);
  }
  expect(watches).toBeGreaterThan(10);
  expect(decided.slice(1).map((at, index) => Math.floor((at - (decided[index] ?? 0)) / MINUTE))).toEqual(
    Array(decided.length - 1).fill(10),
  );
  expect(decided.length).toBeGreaterThanOrEqual(5);
  await Promise.all([runtime.stop(), clock.settle()]);
  world.stop();
});
