import { createVirtualClock, createWorld } from 'kruise-sandbox';
import { expect, test } from 'vitest';
import { preflight } from '../../runtime/preflight.ts';
import { crds } from '../../schemas/generated/crds.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { connectionTo } from './process-world.ts';
import { zones } from './spread-world.ts';

const NAME = 'workloadspreads.apps.kruise.io';

test('WS-38: without its definition creating one is refused, and the runtime manages the other kinds', async () => {
  const clock = createVirtualClock(0);
  const served = crds.filter(({ metadata }) => metadata.name !== NAME);
  expect(served).toHaveLength(crds.length - 1);
  const world = createWorld({ clock, crds: served, namespaces: ['default', 'shop'] });
  await clock.settle();
  const created = world
    .cluster('user')
    .create(resources.WorkloadSpread, zones('CloneSet', { a: 1, b: null }));
  await expect(created).rejects.toMatchObject({ status: { code: 404 } });
  const where = {
    connection: connectionTo('https://10.0.0.1:6443'),
    namespace: undefined,
    lease: undefined,
  };
  const warnings: string[] = [];
  const { kinds } = await preflight(world.cluster('kruise'), where, (text) => warnings.push(text));
  const on = kinds.map(({ id }) => id.kind);
  expect([on.includes('CloneSet'), on.includes('WorkloadSpread')]).toEqual([true, false]);
  expect(warnings).toMatchObject([expect.stringMatching(/^no WorkloadSpread is managed: .*workloadspreads/)]);
  world.stop();
});
