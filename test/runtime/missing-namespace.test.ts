import { expect, test } from 'vitest';
import { createVirtualClock, createWorld } from 'kruise-sandbox';
import { createRuntime } from '../../runtime/runtime.ts';
import { crds } from '../../schemas/generated/crds.ts';
import type { Patch } from '../../schemas/wire/cluster.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { sidecarSets } from '../../semantics/sidecarset/resource.ts';
import { trueCondition } from '../../semantics/status/conditions.ts';
import { setWith } from './sidecar-world.ts';

test('records that have no namespace are an error, and are not retried as if an object had changed', async () => {
  const clock = createVirtualClock(Date.UTC(2026, 0, 1));
  const world = createWorld({ clock, namespaces: ['default'] });
  const errors: string[] = [];
  const runtime = createRuntime({
    cluster: world.cluster('kruise'),
    clock,
    policy: 'Auto',
    onError: (_key, error) => errors.push(String(error)),
  });
  runtime.start();
  await world.cluster('user').create(sidecarSets, setWith('log:1'));
  await clock.advance(30_000);
  expect(errors[0]).toContain('namespaces "kruise-system" not found');
  // Retries wait longer and longer.
  expect(errors.length).toBeLessThan(20);
  await runtime.stop();
  world.stop();
});

test('a SidecarSet whose records are in a namespace that is being deleted is held with that', async () => {
  const clock = createVirtualClock(Date.UTC(2026, 0, 1));
  const world = createWorld({ clock, namespaces: ['default', 'ops'], crds });
  const user = world.cluster('user');
  const runtime = createRuntime({
    cluster: world.cluster('kruise'),
    clock,
    policy: 'Auto',
    stateNamespace: 'ops',
  });
  runtime.start();
  const { metadata } = await user.create(sidecarSets, setWith('log:1'));
  await clock.advance(30_000);
  await user.create(resources.Pod, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'stays', namespace: 'ops', finalizers: ['example.com/stays'] },
    spec: { containers: [{ name: 'a', image: 'a:1' }] },
  });
  await user.delete(resources.Namespace, { name: 'ops' }, {});
  await clock.advance(10_000);
  const changed: Patch = { type: 'merge', body: { spec: { containers: [{ name: 'log', image: 'log:2' }] } } };
  await user.patch(sidecarSets, metadata, changed);
  await clock.advance(30_000);
  const held = trueCondition(await user.get(sidecarSets, metadata), 'plan.kruise.io/Held');
  expect(held?.message).toContain('its records are in namespace ops, which is being deleted');
  await runtime.stop();
  world.stop();
});
