import { createVirtualClock, createWorld, type World } from 'kruise-sandbox';
import { afterEach, expect, test } from 'vitest';
import { createRuntime } from '../../runtime/runtime.ts';
import type { Runtime } from '../../runtime/options.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { recordedFact } from '../../semantics/protection/contents.ts';
import { PROTECTION_LABEL } from '../../semantics/protection/label.ts';

const clock = createVirtualClock(Date.UTC(2026, 0, 1));
let world: World;
let runtime: Runtime;
afterEach(async () => {
  await runtime.stop();
  world.stop();
});

/** A runtime in a cluster whose namespace `shop` is protected while something is in it. */
async function begun(protects?: () => boolean): Promise<void> {
  world = createWorld({ clock, nodes: 0, namespaces: ['shop'] });
  const body = { metadata: { labels: { [PROTECTION_LABEL]: 'Cascading' } } };
  await world.cluster('admin').patch(resources.Namespace, { name: 'shop' }, { type: 'merge', body });
  runtime = createRuntime({
    ...{ cluster: world.cluster('runtime'), clock, policy: 'Required' },
    ...(protects !== undefined && { protects }),
  });
  runtime.start();
  await clock.advance(2_000);
}

const facts = async (): Promise<number> =>
  Object.keys(recordedFact(await world.cluster('admin').get(resources.Namespace, { name: 'shop' }))).length;

test('a runtime records what is in protected objects, where it has the component', async () => {
  await begun(() => true);
  expect(await facts()).toBe(1);
});

test('without the component it does not even ask', async () => {
  await begun();
  expect(await facts()).toBe(0);
  const own = world.log.filter(({ user }) => user === 'runtime');
  const asked = own.map(({ resource, verb }) => `${verb} ${resource}`);
  expect(asked).toContain('list namespaces');
  expect(asked.filter((each) => each.includes('customresourcedefinitions'))).toEqual([]);
});

test('it begins once the component is there, and ends with the runtime', async () => {
  let isThere = false;
  await begun(() => isThere);
  isThere = true;
  runtime.reconcileAll();
  await clock.advance(2_000);
  expect(await facts()).toBe(1);
  await runtime.stop();
  await world.cluster('admin').create(resources.Pod, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', namespace: 'shop' },
    spec: { containers: [{ name: 'main', image: 'nginx:1' }] },
  });
  await clock.advance(60_000);
  expect(await facts()).toBe(1);
});
