import { expect, test, vi } from 'vitest';
import { createRuntime } from '../../runtime/runtime.ts';
import { createVirtualClock, createWorld } from 'kruise-sandbox';
import { crds } from '../../schemas/generated/crds.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { rackDefinitions } from './definitions.ts';
import { aisleKind, rackKind } from './kind.ts';
import { SHOP, target } from './world.ts';

vi.mock('../../semantics/registry/registered.ts', () => import('./registered.ts'));

test.each([rackKind, aisleKind])(
  'a $id.kind is looked after from the time its kind is, without a restart',
  async (kind) => {
    const clock = createVirtualClock(Date.UTC(2026, 0, 1));
    const world = createWorld({
      clock,
      namespaces: ['default', SHOP, 'kruise-system'],
      crds: [...crds, ...rackDefinitions],
    });
    const user = world.cluster('user');
    const runtime = createRuntime({ cluster: world.cluster('kruise'), clock, policy: 'Auto', kinds: [] });
    runtime.start();
    await user.create(kind.resource, target(kind, 'db:1'));
    await clock.advance(60_000);
    const pods = async () => (await user.list(resources.Pod, { namespace: SHOP })).items.length;
    expect(await pods()).toBe(0);
    runtime.manage(kind);
    await clock.advance(60_000);
    expect(runtime.synced).toBe(true);
    expect(await pods()).toBe(4);
    void runtime.stop();
    world.stop();
  },
);
