import { createVirtualClock, createWorld } from 'kruise-sandbox';
import { expect, test } from 'vitest';
import { resources } from '../../schemas/wire/resources.ts';
import { crds } from '../../schemas/generated/crds.ts';
import { matchedOf } from '../../semantics/workloadspread/matched.ts';
import { cloneSet, startRuntime } from './stage.ts';

test('pods without a node move once, however long the status takes that leaves their subset out (WS-26)', async () => {
  const clock = createVirtualClock(Date.UTC(2026, 0, 1));
  const world = createWorld({ clock, namespaces: ['shop'], crds: [...crds], nodes: 0 });
  world.nodes.add('node-b', { labels: { zone: 'b' } });
  const errors: unknown[] = [];
  const runtime = startRuntime(world, clock, errors, {
    policy: 'Auto',
    wrap: (cluster) => ({
      ...cluster,
      async patch(resource, at, sent, options) {
        if (resource.plural === 'workloadspreads')
          await new Promise<void>((done) => void clock.after(200, done));
        return cluster.patch(resource, at, sent, options);
      },
    }),
  });
  await clock.settle();
  const user = world.cluster('user');
  await user.create(resources.WorkloadSpread, {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'WorkloadSpread',
    metadata: { namespace: 'shop', name: 'web' },
    spec: {
      targetRef: { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'web' },
      scheduleStrategy: { type: 'Adaptive', adaptive: { rescheduleCriticalSeconds: 30 } },
      subsets: ['a', 'b'].map((name) => ({
        name,
        requiredNodeSelector: { matchExpressions: [{ key: 'zone', operator: 'In', values: [name] }] },
      })),
    },
  });
  await clock.advance(2_000);
  const made: (string | undefined)[] = [];
  world.onCommit(({ resource, type, object }) => {
    if (resource === 'pods' && type === 'ADDED') made.push(matchedOf(object)?.subset);
  });
  await user.create(resources.CloneSet, cloneSet('web', 'web:1', { replicas: 3 }, {}));
  await clock.advance(90_000);
  expect(made).toEqual(['a', 'a', 'a', 'b', 'b', 'b']);
  expect(errors).toEqual([]);
  await runtime.stop();
  world.stop();
});
