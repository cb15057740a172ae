import { afterEach, describe, expect, test } from 'vitest';
import { delayed, intercepting, type VirtualClock } from 'kruise-sandbox';
import type { Cluster } from '../../schemas/wire/cluster.ts';
import { resources } from '../../schemas/wire/resources.ts';
import {
  at,
  budget,
  deployment,
  DEPLOYMENT,
  endSite,
  cloneSetOfFive,
  labeled,
  MINUTE,
  scale,
  SHOP,
  site,
  web,
} from './budget-site.ts';
import { setWith } from './sidecar-world.ts';

afterEach(endSite);

describe('updates under a budget', () => {
  test.each([['InPlaceIfPossible'], ['ReCreate']])(
    'a CloneSet updates %s, one pod at a time, and every slot is free in the end',
    async (podUpdatePolicy) => {
      const { watch, update, clock, worst, images, counts, entries, errors, denied } = await site([
        web(4, { podUpdatePolicy }),
        budget(),
      ]);
      expect(await counts()).toBe('1/4/3/4');
      watch();
      await update('web:2');
      await clock.advance(15 * MINUTE);
      expect([worst(), await images(), await counts()]).toEqual([1, { 'web:2': 4 }, '1/4/3/4']);
      expect(await entries()).toEqual([undefined, undefined]);
      expect([errors, denied]).toEqual([[], []]);
    },
  );

  test('a budget of nothing is a wait that names it, and that ends with it (PUB-7)', async () => {
    const { update, clock, held, images, user, watch, worst } = await site([
      web(3),
      budget({ maxUnavailable: 0 }),
    ]);
    watch();
    await update('web:2');
    await clock.advance(MINUTE);
    const waits =
      'DisruptionNotAllowed: 3 pods may not become unavailable now: PodUnavailableBudget shop/web allows 0 unavailable pods';
    expect([await held(), await images()]).toEqual([waits, { 'web:1': 3 }]);
    const { items } = await user.list(resources.Event, { namespace: SHOP });
    expect(items.filter(({ reason }) => reason === 'Held').map(({ message }) => message)).toEqual([waits]);
    const body = { spec: { maxUnavailable: 1 } };
    await user.patch(resources.PodUnavailableBudget, at('web'), { type: 'merge', body });
    await clock.advance(10 * MINUTE);
    expect([worst(), await held(), await images()]).toEqual([1, undefined, { 'web:2': 3 }]);
  });

  test.each([['InPlaceIfPossible'], ['ReCreate']])(
    'a bad image, updated %s: one old pod stays, and the fix finishes (PUB-23, PUB-24)',
    async (podUpdatePolicy) => {
      const { world, update, clock, images, counts } = await site([web(2, { podUpdatePolicy }), budget()]);
      world.images.set('web:bad', { neverReady: true });
      await update('web:bad');
      await clock.advance(10 * MINUTE);
      expect([await images(), await counts()]).toEqual([{ 'web:1': 1, 'web:bad': 1 }, '0/1/1/2']);
      await update('web:3');
      await clock.advance(10 * MINUTE);
      expect([await images(), await counts()]).toEqual([{ 'web:3': 2 }, '1/2/1/2']);
    },
  );

  test('two runtimes at once, each with a late watch of budgets, share its slots (PUB-21, PUB-22)', async () => {
    const late = (cluster: Cluster, clock: VirtualClock): Cluster =>
      delayed(cluster, clock, ({ plural }) => (plural === 'podunavailablebudgets' ? 3_000 : 0));
    const { begin, user, clock, watch, worst, images, world } = await site(
      [cloneSetOfFive('one'), cloneSetOfFive('two'), budget({ maxUnavailable: 2 })],
      late,
    );
    begin();
    await clock.advance(MINUTE);
    watch();
    const changed = (name: string): Promise<unknown> => {
      const body = { spec: { template: labeled(name, 'web:2') } };
      return user.patch(resources.CloneSet, at(name), { type: 'merge', body });
    };
    await Promise.all([changed('one'), changed('two')]);
    for (let minutes = 0; minutes < 30 && (await images())['web:2'] !== 10; minutes += 1)
      await clock.advance(MINUTE);
    expect([worst(), await images()]).toEqual([2, { 'web:2': 10 }]);
    const refused = world.log.filter(
      ({ resource, code }) => resource === 'podunavailablebudgets' && code === 409,
    );
    expect(refused.length).toBeGreaterThan(0);
  });
});

test('a slot is not free before the write that it is for is observed, however late the cache of pods is', async () => {
  let lateMs = 0;
  const late = (cluster: Cluster, virtual: VirtualClock): Cluster =>
    intercepting(
      delayed(cluster, virtual, ({ plural }) => (plural === 'pods' ? lateMs : 0)),
      {
        async request({ verb, resource }, send) {
          if (lateMs > 0 && verb === 'list' && resource.plural === 'pods')
            await new Promise<void>((resolve) => void virtual.after(lateMs, resolve));
          return send();
        },
        watch: (_call, open, sink) => open(sink),
      },
    );
  const { world, user, clock, watch, worst } = await site(
    [cloneSetOfFive('one'), cloneSetOfFive('two'), budget()],
    late,
  );
  world.images.set('web:bad', { neverReady: true });
  watch();
  lateMs = 40_000;
  for (const name of ['one', 'two']) {
    const body = { spec: { template: labeled(name, 'web:bad') } };
    await user.patch(resources.CloneSet, at(name), { type: 'merge', body });
  }
  await clock.advance(10 * MINUTE);
  expect(worst()).toBe(1);
});

describe('scale-in under a budget', () => {
  test('to nothing: desired 0, and every pod goes (PUB-25)', async () => {
    const { patch, clock, pods, counts } = await site([web(4), budget()]);
    await patch({ replicas: 0 });
    await clock.advance(MINUTE);
    expect([await pods(), await counts()]).toEqual([[], '0/0/0/0']);
  });

  test('pods that the budget wants to keep stay, and the wait names it', async () => {
    const { patch, clock, pods, held } = await site([web(4), budget({ minAvailable: 3 })]);
    await patch({ replicas: 2 });
    await clock.advance(MINUTE);
    expect((await pods()).length).toBe(3);
    expect(await held()).toMatch(/^DisruptionNotAllowed: 1 pod .*: PodUnavailableBudget shop\/web allows 0/);
  });
});

describe('pods of other owners', () => {
  test('two Deployments are counted and followed (PUB-6), and their pods are linked (PUB-30)', async () => {
    const { user, clock, counts, pods, denied, errors } = await site([
      deployment('one', 5),
      deployment('two', 5),
      budget({ maxUnavailable: '25%' }),
    ]);
    expect(await counts()).toBe('3/10/7/10');
    const links = (await pods()).map(({ metadata }) => metadata.annotations?.['pub.kruise.io/related-pub']);
    expect(new Set(links)).toEqual(new Set(['web']));
    await scale(user, 'one', 0);
    await clock.advance(MINUTE);
    expect(await counts()).toBe('2/5/3/5');
    await user.delete(DEPLOYMENT, at('two'));
    await clock.advance(MINUTE);
    expect(await counts()).toBe('0/0/0/0');
    expect([denied, errors]).toEqual([[], []]);
  });

  test('a sidecar with a bad image stops at the budget (PUB-34)', async () => {
    const strategy = { updateStrategy: { type: 'RollingUpdate', maxUnavailable: '100%' } };
    const set = setWith('log:1', { selector: { matchLabels: { app: 'web' } }, ...strategy });
    const { world, user, clock, pods, counts } = await site([set, deployment('one', 8), budget()]);
    world.images.set('log:bad', { neverReady: true });
    const body = { spec: { containers: [{ name: 'log', image: 'log:bad' }] } };
    await user.patch(resources.SidecarSet, { name: 'log' }, { type: 'merge', body });
    await clock.advance(10 * MINUTE);
    const changed = (await pods()).filter(({ spec }) => JSON.stringify(spec).includes('log:bad'));
    expect([changed.length, await counts()]).toEqual([1, '0/7/7/8']);
  });

  test('the Deployment that a budget names', async () => {
    const targetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'one' };
    const { counts, user, clock } = await site([
      deployment('one', 3),
      deployment('two', 3),
      budget({ targetRef, minAvailable: '60%' }),
    ]);
    expect(await counts()).toBe('1/3/2/3');
    await scale(user, 'one', 5);
    await clock.advance(MINUTE);
    expect(await counts()).toBe('2/5/3/5');
  });

  test('a pod whose budget is gone is linked to the new one (PUB-37)', async () => {
    const { user, clock, pods } = await site([deployment('one', 1), budget()]);
    await user.delete(resources.PodUnavailableBudget, at('web'));
    const next = { ...budget(), metadata: at('next') };
    await user.create(resources.PodUnavailableBudget, next);
    await clock.advance(MINUTE);
    const links = (await pods()).map(({ metadata }) => metadata.annotations?.['pub.kruise.io/related-pub']);
    expect(links).toEqual(['next']);
  });
});

test('an entry of somebody else who never acted ends by itself, with an event (PUB-16)', async () => {
  const { user, clock, pods, counts, entries } = await site([web(3), budget()]);
  const [first] = await pods();
  const name = first?.metadata.name ?? '';
  const now = new Date(clock.now()).toISOString().replace(/\.\d+Z$/, 'Z');
  const body = { status: { unavailableAllowed: 0, disruptedPods: { [name]: now } } };
  await user.patch(
    resources.PodUnavailableBudget,
    at('web'),
    { type: 'merge', body },
    { subresource: 'status' },
  );
  await clock.advance(15_000);
  expect([await counts(), await entries()]).toEqual(['0/2/2/3', [{ [name]: now }, undefined]]);
  await clock.advance(15_000);
  expect([await counts(), await entries()]).toEqual(['1/3/2/3', [undefined, undefined]]);
  const { items } = await user.list(resources.Event, { namespace: SHOP });
  expect(items.filter(({ reason }) => reason === 'NotDeleted').map(({ message }) => message)).toEqual([
    `pod ${name} was to be deleted 20s ago, and is still there`,
  ]);
});
