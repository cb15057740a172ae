import { afterEach, describe, expect, test, vi } from 'vitest';
import { type Call, type Fate, isWrite } from 'kruise-sandbox';
import type { RolloutPlanSpec } from '../../../schemas/generated/types/rolloutplan.ts';
import { ApiError } from '../../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import { readShare, SHARE_ANNOTATION } from '../../../semantics/children/shares.ts';
import { controllerReference } from '../../../semantics/owner.ts';
import { planDigest } from '../../../semantics/plan/digest.ts';
import { rackKind } from '../kind.ts';
import { createFleetCluster, type FleetCluster, SHOP } from './world.ts';

vi.mock('../../../semantics/registry/registered.ts', () => import('./registered.ts'));

let scene: FleetCluster | undefined;
afterEach(async () => {
  await scene?.stop();
  scene = undefined;
});

async function begun(...how: Parameters<typeof createFleetCluster>): Promise<FleetCluster> {
  scene = await createFleetCluster(...how);
  await scene.change('db:2', 'db:1');
  return scene;
}

const statusOf = (object: KubeObject): Record<string, unknown> =>
  (object['status'] ?? {}) as Record<string, unknown>;
const allOn = (image: string) => ({ a: { [image]: 5 }, b: { [image]: 3 }, c: { [image]: 2 } });
const atFifth = { ...allOn('db:1'), a: { 'db:1': 3, 'db:2': 2 } };
const heldIn = (object: KubeObject): unknown => statusOf(object)['conditions'];

describe('a child that somebody else writes', () => {
  test('gets no share for that it names the root, and the share of another one', async () => {
    const { user, target, rack, pods, clock, most } = await begun();
    const { metadata, spec, apiVersion, kind } = await rack('a');
    most();
    await user.create(rackKind.resource, {
      apiVersion,
      kind,
      metadata: {
        name: 'db-d',
        namespace: SHOP,
        annotations: { ...metadata.annotations },
        ownerReferences: [controllerReference(await target())],
      },
      spec,
    });
    await clock.advance(60_000);
    expect(await pods()).toEqual(atFifth);
    expect(heldIn(await rack('d'))).toMatchObject([
      {
        reason: 'Unproven',
        message: expect.stringContaining('Fleet db has not recorded that it gives it this share') as string,
      },
    ]);
    expect(statusOf(await target())).toMatchObject({ replicas: 10 });
    expect(most().images['db:2']).toBe(2);
  });

  test('does nothing that it was not given, and is written back', async () => {
    let isRefused = false;
    const { user, rack, pods, clock, most } = await begun(
      {},
      () => 'lives',
      ({ verb, resource, subresource }) => {
        const isRack = verb === 'patch' && resource.plural === 'racks' && subresource === undefined;
        return isRack && isRefused
          ? new ApiError({ code: 403, reason: 'Forbidden', message: 'not now' })
          : undefined;
      },
    );
    const before = await rack('a');
    most();
    isRefused = true;
    const text = before.metadata.annotations?.[SHARE_ANNOTATION] ?? '';
    expect(readShare(before)?.share).toMatchObject({ allowed: 2 });
    const wider = text.replace('"allowed":2', '"allowed":5').replace('"moving":false', '"moving":true');
    const annotations = { [SHARE_ANNOTATION]: wider };
    const body = { metadata: { annotations }, spec: { partition: 0 } };
    await user.patch(rackKind.resource, { namespace: SHOP, name: 'db-a' }, { type: 'merge', body });
    await clock.advance(2 * 60_000);
    expect(heldIn(await rack('a'))).toMatchObject([{ reason: 'Unproven' }]);
    isRefused = false;
    await clock.advance(2 * 60_000);
    expect(await pods()).toEqual(atFifth);
    expect(most().images['db:2']).toBe(2);
    const after = await rack('a');
    expect([readShare(after)?.share, after['spec']]).toEqual([readShare(before)?.share, before['spec']]);
  });

  test('comes back on the stable revision when it is deleted, and then gets its share again', async () => {
    const { user, plan, pods, clock, most, approve } = await begun();
    most();
    await user.delete(rackKind.resource, { namespace: SHOP, name: 'db-a' });
    await clock.advance(5 * 60_000);
    expect(most().images['db:2']).toBe(2);
    expect(await pods()).toEqual(atFifth);
    expect(statusOf(await plan())).toMatchObject({ phase: 'AwaitingApproval', updated: '2/10' });
    await approve('one');
    await approve('two');
    expect(await pods()).toEqual(allOn('db:2'));
  });
});

describe('a plan and a command about a child', () => {
  test('are refused: it follows its root', async () => {
    const { user, rack, clock, pods } = await begun();
    const about = { apiVersion: 'test.plan.kruise.io/v1', kind: 'Rack', name: 'db-b' };
    const spec: Omit<RolloutPlanSpec, 'digest'> = {
      format: '1',
      semantics: '1',
      target: about,
      to: { hash: `h1:${'0'.repeat(32)}`, bound: {} },
      from: [],
      steps: [{ id: 'all', update: { to: '100%' } }],
    };
    await user.create(resources.RolloutPlan, {
      apiVersion: 'plan.kruise.io/v1alpha1',
      kind: 'RolloutPlan',
      metadata: { namespace: SHOP, name: 'rack-db-b' },
      spec: { ...spec, digest: planDigest(spec) },
    });
    await user.create(resources.RolloutCommand, {
      apiVersion: 'plan.kruise.io/v1alpha1',
      kind: 'RolloutCommand',
      metadata: { namespace: SHOP, name: 'open' },
      spec: { target: about, action: 'BreakGlass', by: 'mona', reason: 'x', expires: '2026-01-02T00:00:00Z' },
    });
    await clock.advance(60_000);
    const why = 'Rack/db-b has no plan of its own: it follows Fleet db';
    const plan = await user.get(resources.RolloutPlan, { namespace: SHOP, name: 'rack-db-b' });
    expect(statusOf(plan)).toMatchObject({ phase: 'Pending', waitingOn: 'FollowsRoot', message: why });
    const command = await user.get(resources.RolloutCommand, { namespace: SHOP, name: 'open' });
    expect(statusOf(command)).toMatchObject({
      result: 'Refused',
      message: `BreakGlass by mona: ${why}. Send it to that`,
    });
    expect(heldIn(await rack('b'))).toEqual([]);
    expect(await pods()).toEqual(atFifth);
  });
});

/** Ends the process at the call with this number among the writes of shares: their records, and the children themselves. */
function endingAt(number: number, how: Exclude<Fate, 'lives'>): { fate(call: Call): Fate; begin(): void } {
  let count: number | undefined;
  return {
    begin: () => (count = 0),
    fate(call) {
      const isAbout = ['racks', 'controllerrevisions'].includes(call.resource.plural);
      if (count === undefined || !isAbout || !isWrite(call)) return 'lives';
      count += 1;
      return count === number ? how : 'lives';
    },
  };
}

describe('the runtime ends at a write of a share, or of its record', () => {
  test.each<[number, string, Exclude<Fate, 'lives'>]>([
    [3, 'not sent', 'unsent'],
    [4, 'done and not answered', 'unanswered'],
    [5, 'in flight, and arrives late', { arrivesAfterMs: 6_300 }],
    [6, 'not sent', 'unsent'],
    [7, 'done and not answered', 'unanswered'],
    [8, 'in flight, and arrives late', { arrivesAfterMs: 6_300 }],
  ])('write %i, %s: another goes on within the same bounds', async (number, _, how) => {
    const end = endingAt(number, how);
    scene = await createFleetCluster({}, end.fate);
    const { change, approve, pods, most, plan } = scene;
    end.begin();
    await change('db:2', 'db:1');
    await scene.clock.advance(60_000);
    expect(await pods()).toEqual(atFifth);
    expect(most().images['db:2']).toBe(2);
    await approve('one');
    expect(most().images['db:2']).toBe(5);
    await approve('two');
    expect(await pods()).toEqual(allOn('db:2'));
    expect(statusOf(await plan())).toMatchObject({ phase: 'Succeeded' });
  });
});
