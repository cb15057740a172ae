import { expect, test } from 'vitest';
import { createRuntime } from '../../runtime/runtime.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { createVirtualClock, createWorld } from 'kruise-sandbox';
import { cloneSet } from '../runtime/stage.ts';
import { EVIL, VICTIM } from './world.ts';

/** How often targets were reconciled after each change of a namespace. */
async function reconciledAfter(namespace: string, metadata: object): Promise<number> {
  const clock = createVirtualClock(Date.UTC(2026, 0, 1));
  const world = createWorld({ clock, namespaces: ['default', EVIL, VICTIM] });
  let runs = 0;
  const queue = { onStart: () => void (runs += 1), onEnd: () => undefined, onBusy: () => undefined };
  const runtime = createRuntime({ cluster: world.cluster('kruise'), clock, policy: 'Auto', queue });
  runtime.start();
  const user = world.cluster('user');
  for (const name of ['a', 'b', 'c']) await user.create(resources.CloneSet, cloneSet(name, 'web:1'));
  await clock.advance(60_000);
  const before = runs;
  await user.patch(
    resources.Namespace,
    { name: namespace },
    { type: 'merge', body: { metadata: { ...metadata } } },
  );
  await clock.advance(1_000);
  void runtime.stop();
  world.stop();
  return runs - before;
}

test.each([
  ['a label of another namespace', EVIL, { labels: { a: 'b' } }, 0],
  ['the policy of another namespace', EVIL, { annotations: { 'plan.kruise.io/policy': 'Required' } }, 0],
  ['a label of their own', VICTIM, { labels: { a: 'b' } }, 0],
  ['the policy of their own', VICTIM, { annotations: { 'plan.kruise.io/policy': 'Required' } }, 3],
])('security 17: targets are reconciled after a change of %s', async (_, namespace, metadata, runs) => {
  expect(await reconciledAfter(namespace, metadata)).toBe(runs);
});
