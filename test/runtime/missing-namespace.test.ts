import { expect, test } from 'vitest';
import { createVirtualClock, createWorld } from 'kruise-sandbox';
import { createRuntime } from '../../runtime/runtime.ts';
import { sidecarSets } from '../../semantics/sidecarset/resource.ts';
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
