import { afterEach, expect, test, vi } from 'vitest';
import { resources } from '../../../schemas/wire/resources.ts';
import { BREAKS_LABEL, rationResource } from './spec.ts';
import { createRationCluster, MINUTE, ration, type RationCluster, SHOP, web } from './world.ts';

vi.mock('../../../semantics/registry/registered.ts', () => import('./registered.ts'));

const AT = { namespace: SHOP, name: 'web' };

let scene: RationCluster | undefined;
afterEach(async () => {
  await scene?.stop();
  scene = undefined;
});

/** A CloneSet in the same namespace whose pods no ration covers. */
const other = () =>
  web('free', 'free:1', {
    replicas: 2,
    template: {
      metadata: { labels: { of: 'free' } },
      spec: { containers: [{ name: 'main', image: 'free:1' }] },
    },
  });

test('an invalid ration keeps its own pods as they are, with its name, and stops no others', async () => {
  scene = await createRationCluster([web(), other(), ration({ first: 9 })]);
  const { user, clock, update, held, images, errors } = scene;
  await update('web:2');
  const body = { spec: { template: { spec: { containers: [{ name: 'main', image: 'free:2' }] } } } };
  await user.patch(resources.CloneSet, { ...AT, name: 'free' }, { type: 'merge', body });
  await clock.advance(5 * MINUTE);
  expect(await images()).toEqual({ 'web:1': 6, 'free:2': 2 });
  expect(await held()).toBe(
    'DisruptionNotAllowed: 3 pods may not become unavailable now: Ration shop/web (not judged: spec.first must be at most spec.total) allows 0 unavailable pods',
  );
  const found = (await user.get(rationResource, AT)) as { status?: { conditions?: object[] } };
  expect(found.status?.conditions).toMatchObject([{ type: 'plan.kruise.io/Held', reason: 'InvalidTarget' }]);
  await user.patch(rationResource, AT, { type: 'merge', body: { spec: { first: null } } });
  await clock.advance(10 * MINUTE);
  expect([await held(), await images(), errors]).toEqual([undefined, { 'web:2': 6, 'free:2': 2 }, []]);
});

test('a pod about which its rules end in an error waits alone', async () => {
  scene = await createRationCluster([web(), ration()]);
  const { user, clock, update, held, pods, images, errors } = scene;
  const [first] = await pods();
  const name = first?.metadata.name ?? '';
  const annotate = (value: string | null) =>
    user.patch(
      resources.Pod,
      { namespace: SHOP, name },
      { type: 'merge', body: { metadata: { labels: { [BREAKS_LABEL]: value } } } },
    );
  await annotate('x');
  await update('web:2');
  await clock.advance(10 * MINUTE);
  expect(await images()).toEqual({ 'web:1': 1, 'web:2': 5 });
  expect(await held()).toBe(
    'DisruptionNotAllowed: 1 pod may not become unavailable now: Ration shop/web (not judged: its rules failed with TypeError: no rule reads this) allows 0 unavailable pods',
  );
  await annotate(null);
  await clock.advance(MINUTE);
  expect([await held(), await images(), errors]).toEqual([undefined, { 'web:2': 6 }, []]);
});

test('new pods about which its rules end in an error are created as they are', async () => {
  scene = await createRationCluster([ration({ first: 2 })]);
  const { user, clock, pods, errors } = scene;
  const template = {
    metadata: { labels: { app: 'web', of: 'web', [BREAKS_LABEL]: 'x' } },
    spec: { containers: [{ name: 'main', image: 'web:1' }] },
  };
  await user.create(resources.CloneSet, web('web', 'web:1', { replicas: 2, template }));
  await clock.advance(MINUTE);
  expect((await pods()).map(({ metadata }) => metadata.labels?.['test.plan.kruise.io/part'])).toEqual([
    undefined,
    undefined,
  ]);
  expect(errors).toEqual([]);
});
