import { afterEach, expect, test, vi } from 'vitest';
import { ApiError, type Cluster } from '../../../schemas/wire/cluster.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import { timestamp } from '../../../semantics/values/timestamp.ts';
import { delayed, type VirtualClock } from 'kruise-sandbox';
import { rationResource } from './spec.ts';
import { createRationCluster, MINUTE, ration, type RationCluster, SHOP, web } from './world.ts';

vi.mock('../../../semantics/registry/registered.ts', () => import('./registered.ts'));

const AT = { namespace: SHOP, name: 'web' };

let scene: RationCluster | undefined;
afterEach(async () => {
  await scene?.stop();
  scene = undefined;
});

async function created(...given: Parameters<typeof createRationCluster>): Promise<RationCluster> {
  scene = await createRationCluster(...given);
  scene.watch();
  return scene;
}

const slots = async (status: RationCluster['ration']) => {
  const { allowed, taken } = await status();
  return [allowed, taken];
};

test('without a ration, as many pods are updated at once as their owner lets', async () => {
  const { update, clock, worst, images } = await created([web()]);
  await update('web:2');
  await clock.advance(10 * MINUTE);
  expect([worst(), await images()]).toEqual([3, { 'web:2': 6 }]);
});

test('never more pods are unavailable than the ration has slots, and all are updated', async () => {
  const {
    update,
    clock,
    worst,
    images,
    held,
    errors,
    denied,
    ration: status,
  } = await created([web(), ration()]);
  expect(await slots(status)).toEqual([1, {}]);
  await update('web:2');
  await clock.advance(10 * MINUTE);
  expect([worst(), await images()]).toEqual([1, { 'web:2': 6 }]);
  expect(await held()).toBeUndefined();
  expect(await slots(status)).toEqual([1, {}]);
  expect([errors, denied]).toEqual([[], []]);
});

test('a scale-in takes pods one by one, as slots are free', async () => {
  const { user, clock, worst, pods } = await created([web(), ration({ total: 6, maxUnavailable: 2 })]);
  await user.patch(resources.CloneSet, AT, { type: 'merge', body: { spec: { replicas: 4 } } });
  await clock.advance(MINUTE);
  expect([worst(), (await pods()).length]).toEqual([2, 4]);
  await user.patch(resources.CloneSet, AT, { type: 'merge', body: { spec: { replicas: 2 } } });
  await clock.advance(MINUTE);
  // Four of six are there: no more may go.
  expect((await pods()).length).toBe(4);
  await user.patch(rationResource, AT, { type: 'merge', body: { spec: { total: 2 } } });
  await clock.advance(MINUTE);
  expect((await pods()).length).toBe(2);
});

test('a used-up ration is a wait that the status names, and that ends with it', async () => {
  const { user, update, clock, held, images, world, worst } = await created([
    web(),
    ration({ maxUnavailable: 0 }),
  ]);
  await update('web:2');
  await clock.advance(MINUTE);
  expect(await held()).toBe(
    'DisruptionNotAllowed: 3 pods may not become unavailable now: Ration shop/web allows 0 unavailable pods',
  );
  expect(await images()).toEqual({ 'web:1': 6 });
  const { items } = await user.list(resources.Event, { namespace: SHOP });
  expect(items.filter(({ reason }) => reason === 'Held').map(({ type, message }) => [type, message])).toEqual(
    [
      [
        'Normal',
        'DisruptionNotAllowed: 3 pods may not become unavailable now: Ration shop/web allows 0 unavailable pods',
      ],
    ],
  );
  // Nothing is written as long as nothing changes.
  const writes = (): number => world.log.filter(({ verb }) => verb === 'patch' || verb === 'delete').length;
  const before = writes();
  await clock.advance(10 * MINUTE);
  expect(writes()).toBe(before);
  await user.patch(rationResource, AT, { type: 'merge', body: { spec: { maxUnavailable: 1 } } });
  await clock.advance(2_500);
  expect(worst()).toBe(1);
  await clock.advance(10 * MINUTE);
  expect([await held(), await images()]).toEqual([undefined, { 'web:2': 6 }]);
});

/** Six pods of two targets, and one ration for all. */
const both = () => [web('web', 'web:1', { replicas: 3 }), web('other', 'web:1', { replicas: 3 }), ration()];

/** A cluster whose watch of rations, and perhaps of pods, is late: decisions are made on slots that were taken since. */
const late =
  (plurals: readonly string[]) =>
  (cluster: Cluster, clock: VirtualClock): Cluster =>
    delayed(cluster, clock, ({ plural }) => (plurals.includes(plural) ? 3_000 : 0));

test.each([[[]], [['rations']], [['rations', 'pods']]])(
  'two targets share the slots of one ration, with a late watch of %j',
  async (plurals) => {
    const { update, clock, worst, images } = await created(both(), late(plurals));
    await Promise.all([update('web:2'), update('web:2', 'other')]);
    await clock.advance(10 * MINUTE);
    expect([worst(), await images()]).toEqual([1, { 'web:2': 6 }]);
  },
);

test.each([[[]], [['rations']], [['rations', 'pods']]])(
  'two runtimes at once share the slots of one ration, with a late watch of %j',
  async (plurals) => {
    const { begin, update, clock, world, worst, images } = await created(both(), late(plurals));
    begin({ identity: 'second' }, late(plurals));
    await clock.advance(MINUTE);
    await Promise.all([update('web:2'), update('web:2', 'other')]);
    await clock.advance(20 * MINUTE);
    expect([worst(), await images()]).toEqual([1, { 'web:2': 6 }]);
    const refused = world.log.filter(({ resource, code }) => resource === 'rations' && code === 409);
    expect(refused.length).toBeGreaterThan(0);
  },
);

/** A cluster with a hook before each write of the status of a ration by a reservation. */
function beforeReservations(hook: () => Promise<void>): (cluster: Cluster) => Cluster {
  return (cluster) => ({
    ...cluster,
    async patch(resource, at, patch, options) {
      const { status } = patch.body as { status?: { taken?: object; conditions?: unknown } };
      const isReservation =
        resource.plural === rationResource.plural && status?.taken !== undefined && !('conditions' in status);
      if (isReservation) await hook();
      return cluster.patch(resource, at, patch, options);
    },
  });
}

test('a slot that somebody else takes meanwhile is not taken twice', async () => {
  let takes = 0;
  const other = beforeReservations(async () => {
    if (takes > 0 || scene === undefined) return;
    takes += 1;
    const pod = (await scene.pods()).find(({ metadata }) => metadata.labels?.['of'] === 'other');
    const taken = { [pod?.metadata.name ?? '']: timestamp(scene.clock.now()) };
    const body = { status: { allowed: 0, taken } };
    await scene.user.patch(rationResource, AT, { type: 'merge', body }, { subresource: 'status' });
  });
  const { update, clock, world, images, worst, held } = await created(both(), other);
  await update('web:2');
  await clock.advance(5_000);
  const refused = world.log.filter(({ resource, code }) => resource === 'rations' && code === 409);
  expect([takes, refused.length]).toEqual([1, 1]);
  expect([worst(), await images()]).toEqual([0, { 'web:1': 6 }]);
  expect(await held()).toMatch(
    /^DisruptionNotAllowed: 3 pods .*: Ration shop\/web allows 1 unavailable pod, and other-\S+ is/,
  );
  // Nobody has made that pod unavailable, and its slot runs out.
  await clock.advance(10 * MINUTE);
  expect([worst(), await images()]).toEqual([1, { 'web:1': 3, 'web:2': 3 }]);
});

test.each([403, 422])(
  'a reservation that is refused with %i is shown, and stops nothing else',
  async (code) => {
    let isRefused = true;
    const refusing = beforeReservations(async () => {
      const reason = code === 403 ? 'Forbidden' : 'Invalid';
      if (isRefused) throw new ApiError({ code, reason, message: 'rations are closed' });
    });
    const { user, world, update, restart, clock, held, images, pods, worst } = await created(
      [
        web(),
        web('free', 'free:1', {
          replicas: 1,
          template: {
            metadata: { labels: { of: 'free' } },
            spec: { containers: [{ name: 'main', image: 'free:1' }] },
          },
        }),
        ration(),
      ],
      refusing,
    );
    await update('web:2');
    await clock.advance(2 * MINUTE);
    const shown =
      'FailedUpdate: a Ration cannot be updated: rations are closed. Grant the right or change what refuses it. It is retried every 30s';
    expect(await held()).toBe(shown);
    expect([worst(), await images()]).toEqual([0, { 'web:1': 6, 'free:1': 1 }]);
    // A process that begins meanwhile shows the same at once.
    const without: string[] = [];
    world.onCommit(({ resource, object }) => {
      const { conditions } = (object['status'] ?? {}) as { conditions?: { type: string }[] };
      const isShown = conditions?.some(({ type }) => type === 'plan.kruise.io/Held') === true;
      if (resource.startsWith('clonesets') && object.metadata.name === 'web' && !isShown)
        without.push(JSON.stringify(conditions));
    });
    await restart(refusing);
    expect([without, await held()]).toEqual([[], shown]);
    // Another target, and the creation of pods, need no slot.
    await user.patch(
      resources.CloneSet,
      { ...AT, name: 'free' },
      { type: 'merge', body: { spec: { replicas: 2 } } },
    );
    await user.patch(resources.CloneSet, AT, { type: 'merge', body: { spec: { replicas: 7 } } });
    await clock.advance(2 * MINUTE);
    expect((await pods()).length).toBe(9);
    isRefused = false;
    await clock.advance(10 * MINUTE);
    expect([await held(), (await images())['web:2']]).toEqual([undefined, 7]);
  },
);
