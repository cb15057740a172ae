import { afterEach, describe, expect, test, vi } from 'vitest';
import type { SnapshotReport } from '../../../runtime/report/snapshot.ts';
import { ApiError, type Cluster } from '../../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import { isOwnedBy } from '../../../semantics/owner.ts';
import { planDigest } from '../../../semantics/plan/digest.ts';
import { shelfKind } from './kind.ts';
import { copyResource } from './spec.ts';
import { AT, createShelfCluster, shelf, type ShelfCluster, SHOP } from './world.ts';

vi.mock('../../../semantics/registry/registered.ts', () => import('./registered.ts'));

const MINUTE = 60_000;

let scene: ShelfCluster | undefined;
afterEach(async () => {
  await scene?.stop();
  scene = undefined;
});

async function created(
  spec: JsonObject = {},
  ...how: Parameters<typeof createShelfCluster>
): Promise<ShelfCluster> {
  scene = await createShelfCluster(...how);
  await scene.user.create(shelfKind.resource, shelf(spec));
  await scene.clock.advance(MINUTE);
  return scene;
}

const held = (status: Record<string, unknown>): object[] =>
  (status['conditions'] as { type: string; status: string; reason: string; message: string }[])
    .filter(({ type, status: is }) => type === 'plan.kruise.io/Held' && is === 'True')
    .map(({ reason, message }) => ({ reason, message }));

/** A cluster that refuses writes of copies while there is a reason. */
function refusing(verb: 'create' | 'patch'): { of: (cluster: Cluster) => Cluster; why: string | undefined } {
  const rules = {
    why: undefined as string | undefined,
    of: (cluster: Cluster): Cluster => ({
      ...cluster,
      [verb]: async (...given: Parameters<Cluster[typeof verb]>) => {
        if (given[0].plural === copyResource.plural && rules.why !== undefined)
          throw new ApiError({ code: 403, reason: 'Forbidden', message: rules.why });
        return (cluster[verb] as (...all: unknown[]) => unknown)(...given);
      },
    }),
  };
  return rules;
}

describe('a target without plans', () => {
  test('is as its manifest wants it at once, under the role that is made for it', async () => {
    const { copies, status, target, denied, errors, user } = await created();
    expect(await copies()).toEqual({ 'poems-0': 'one', 'poems-1': 'one', 'poems-2': 'one' });
    expect(await status()).toEqual({ observedGeneration: 1, copies: 3, conditions: [] });
    const owner = await target();
    const { items } = await user.list(copyResource, { namespace: SHOP });
    const own = items.filter(({ metadata }) => metadata.name.startsWith('poems-'));
    expect(own.every((copy) => isOwnedBy(copy, owner))).toBe(true);
    expect([denied, errors]).toEqual([[], []]);
    // It has no revision, and so no record of one.
    expect((await user.list(resources.ControllerRevision, {})).items).toEqual([]);
  });

  test('follows each change of its manifest, though the policy requires plans', async () => {
    const { change, copies, status } = await created();
    await change({ copies: 2, text: 'two' });
    expect(await copies()).toEqual({ 'poems-0': 'two', 'poems-1': 'two' });
    expect(await status()).toMatchObject({ observedGeneration: 2, copies: 2 });
  });

  test('is mended where somebody else changes its objects', async () => {
    const { user, clock, copies } = await created();
    await user.patch(
      copyResource,
      { namespace: SHOP, name: 'poems-0' },
      {
        type: 'merge',
        body: { data: { text: 'x' } },
      },
    );
    await user.delete(copyResource, { namespace: SHOP, name: 'poems-2' });
    await clock.advance(5_000);
    expect(await copies()).toEqual({ 'poems-0': 'one', 'poems-1': 'one', 'poems-2': 'one' });
  });

  test('goes with its objects when it is deleted', async () => {
    const snapshots: SnapshotReport[] = [];
    const { user, clock, copies } = await created({}, { onSnapshot: (each) => snapshots.push(each) });
    await user.delete(shelfKind.resource, AT);
    await clock.advance(MINUTE);
    expect(await copies()).toEqual({});
    expect(snapshots.at(-1)).toMatchObject({ gone: true });
  });

  test('is left alone while it is being deleted', async () => {
    const { user, clock, copies } = await created();
    const body = { metadata: { finalizers: ['test.example/wait'] } };
    await user.patch(shelfKind.resource, AT, { type: 'merge', body });
    await user.delete(shelfKind.resource, AT);
    await user.delete(copyResource, { namespace: SHOP, name: 'poems-2' });
    await clock.advance(MINUTE);
    expect(await copies()).toEqual({ 'poems-0': 'one', 'poems-1': 'one' });
  });
});

describe('a target without plans is held', () => {
  test.each<[string, JsonObject, object]>([
    [
      'an invalid field',
      { text: '' },
      {
        reason: 'InvalidTarget',
        message: 'spec.text must not be empty. Nothing is changed until git corrects that',
      },
    ],
    [
      'a field that no rule executes',
      { text: 'two', locked: true },
      {
        reason: 'UnsupportedSemantics',
        message: 'this runtime does not execute spec.locked (a lock that keeps copies where they are)',
      },
    ],
  ])('by %s, and nothing of it changes until git corrects that', async (_, spec, why) => {
    const { change, copies, status, user } = await created();
    const before = await copies();
    await change({ copies: 1, ...spec });
    expect(await copies()).toEqual(before);
    expect(held(await status())).toEqual([why]);
    const { items } = await user.list(resources.Event, { namespace: SHOP });
    expect(items.filter(({ reason }) => reason === 'Held')).toHaveLength(1);
    await change({ text: 'two', locked: false });
    expect(await copies()).toEqual({ 'poems-0': 'two' });
    expect(held(await status())).toEqual([]);
  });

  test('by a refused write, which is tried again; the others go on', async () => {
    const rules = refusing('create');
    const { change, clock, copies, status, errors } = await created({}, {}, rules.of);
    rules.why = 'no more ConfigMaps';
    await change({ copies: 4, text: 'two' });
    expect(held(await status())).toEqual([
      {
        reason: 'FailedCreate',
        message: expect.stringContaining('a ConfigMap cannot be created: no more ConfigMaps') as string,
      },
    ]);
    expect(await copies()).toEqual({ 'poems-0': 'two', 'poems-1': 'two', 'poems-2': 'two' });
    rules.why = undefined;
    await clock.advance(MINUTE);
    expect(Object.keys(await copies())).toHaveLength(4);
    expect(held(await status())).toEqual([]);
    expect(await status()).toMatchObject({ copies: 4 });
    expect(errors.length).toBeGreaterThan(0);
  });

  test('by a refused write of which a restarted process still knows', async () => {
    const rules = refusing('patch');
    const shown: string[] = [];
    const { change, restart, copies, status } = await created(
      {},
      { onSnapshot: ({ held: why }) => shown.push(why?.reason ?? '') },
      (cluster) => {
        const { patch } = rules.of(cluster);
        return { ...cluster, patch };
      },
    );
    rules.why = 'sealed';
    await change({ text: 'two' });
    expect(held(await status())).toMatchObject([{ reason: 'FailedUpdate' }]);
    shown.length = 0;
    await restart();
    expect(new Set(shown)).toEqual(new Set(['FailedUpdate']));
    rules.why = undefined;
    await restart();
    expect(await copies()).toEqual({ 'poems-0': 'two', 'poems-1': 'two', 'poems-2': 'two' });
    expect(held(await status())).toEqual([]);
  });

  test('not by a name that is taken: that object stays as it is', async () => {
    scene = await createShelfCluster();
    const { user, clock, copies, status } = scene;
    const metadata = { name: 'poems-1', namespace: SHOP };
    const theirs: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { text: 'theirs' } };
    await user.create(copyResource, theirs);
    await user.create(shelfKind.resource, shelf());
    await clock.advance(MINUTE);
    expect(await copies()).toEqual({ 'poems-0': 'one', 'poems-1': 'theirs', 'poems-2': 'one' });
    expect(await status()).toMatchObject({ copies: 2 });
  });
});

describe('without a plan', () => {
  const about = {
    apiVersion: 'test.plan.kruise.io/v1',
    kind: 'Shelf',
    name: AT.name,
  };
  const why = 'a Shelf is reconciled at once and has no plan';

  test.each(['Approve', 'Revert', 'Abort', 'Pause', 'Resume', 'BreakGlass'])(
    'the command %s is refused, with the reason',
    async (action) => {
      const { user, clock } = await created();
      await user.create(resources.RolloutCommand, {
        apiVersion: 'plan.kruise.io/v1alpha1',
        kind: 'RolloutCommand',
        metadata: { namespace: SHOP, name: 'command' },
        spec: {
          target: about,
          action,
          by: 'mona',
          ...(action === 'Approve' && { step: 'agree', digest: `h1:${'0'.repeat(32)}` }),
          ...(action === 'BreakGlass' && { expires: '2026-01-01T01:00:00Z', reason: 'x' }),
        },
      });
      await clock.advance(1_000);
      const command = await user.get(resources.RolloutCommand, { namespace: SHOP, name: 'command' });
      expect(command['status']).toMatchObject({ result: 'Refused', message: why });
    },
  );

  test('a plan is not executed, with the reason', async () => {
    const { user, clock, status } = await created();
    const spec = {
      format: '1' as const,
      semantics: '1' as const,
      target: about,
      to: { hash: `h1:${'0'.repeat(32)}`, bound: {} },
      from: [],
      steps: [{ id: 'all', update: { to: '100%' } }],
    };
    await user.create(resources.RolloutPlan, {
      apiVersion: 'plan.kruise.io/v1alpha1',
      kind: 'RolloutPlan',
      metadata: { namespace: SHOP, name: 'shelf-poems' },
      spec: { ...spec, digest: planDigest(spec) },
    });
    await clock.advance(MINUTE);
    const plan = await user.get(resources.RolloutPlan, { namespace: SHOP, name: 'shelf-poems' });
    expect(plan['status']).toMatchObject({
      phase: 'Pending',
      waitingOn: 'UnsupportedSemantics',
      message: why,
    });
    expect(held(await status())).toEqual([]);
  });
});
