import { afterEach, describe, expect, test, vi } from 'vitest';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { isOwnedBy } from '../../semantics/owner.ts';
import { aisleKind, rackKind } from './kind.ts';
import { createRackCluster, planFor, planResources, type RackCluster, SHOP, target } from './world.ts';

vi.mock('../../semantics/registry/registered.ts', () => import('./registered.ts'));

let scene: RackCluster | undefined;
afterEach(async () => {
  await scene?.stop();
  scene = undefined;
});

const statusOf = (object: KubeObject): Record<string, unknown> =>
  (object['status'] ?? {}) as Record<string, unknown>;
const digestOf = (plan: KubeObject): string => (plan['spec'] as { digest: string }).digest;

describe.each([rackKind, aisleKind])('a $id.kind', (kind) => {
  test('is filled, and tells its status', async () => {
    scene = await createRackCluster(kind);
    expect(scene.errors).toEqual([]);
    expect(await scene.images()).toEqual(['db:1', 'db:1', 'db:1', 'db:1']);
    expect(statusOf(await scene.target())).toMatchObject({ replicas: 4, availableReplicas: 4 });
  });

  test('goes to a new template step by step', async () => {
    scene = await createRackCluster(kind);
    await scene.change('db:1', 'db:2');
    const waiting = await scene.plan();
    expect(statusOf(waiting)).toMatchObject({ phase: 'AwaitingApproval', waitingOn: 'Approval' });
    expect(await scene.images()).toEqual(['db:2', 'db:1', 'db:1', 'db:1']);
    await scene.command('Approve', { step: 'agree', digest: digestOf(waiting) });
    await scene.clock.advance(5 * 60_000);
    expect(statusOf(await scene.plan())).toMatchObject({ phase: 'Succeeded' });
    expect(await scene.images()).toEqual(['db:2', 'db:2', 'db:2', 'db:2']);
    expect(scene.errors).toEqual([]);
  });

  test('is held without a plan, and goes back without one', async () => {
    scene = await createRackCluster(kind);
    await scene.change('db:1', 'db:9', false);
    expect(await scene.images()).toEqual(['db:1', 'db:1', 'db:1', 'db:1']);
    const { conditions } = statusOf(await scene.target()) as {
      conditions: { type: string; reason: string }[];
    };
    expect(conditions).toMatchObject([{ type: 'plan.kruise.io/Held', reason: 'NoPlan' }]);
    await scene.change('db:9', 'db:1', false);
    await scene.change('db:1', 'db:2');
    await scene.change('db:2', 'db:1', false);
    expect(statusOf(await scene.plan())).toMatchObject({ phase: 'Reverted' });
    expect(await scene.images()).toEqual(['db:1', 'db:1', 'db:1', 'db:1']);
  });

  test('takes what it owns along when it is deleted', async () => {
    scene = await createRackCluster(kind);
    await scene.user.delete(kind.resource, scene.at);
    await scene.clock.advance(2 * 60_000);
    expect(await scene.images()).toEqual([]);
  });
});

describe('what is in no namespace', () => {
  test('is remembered in that of the runtime, and owned by it alone', async () => {
    scene = await createRackCluster(aisleKind);
    await scene.change('db:1', 'db:2');
    const { items } = await scene.user.list(resources.ControllerRevision, {});
    expect(new Set(items.map(({ metadata }) => metadata.namespace))).toEqual(new Set(['kruise-system']));
    const owner = await scene.target();
    expect(items.every((object) => isOwnedBy(object, owner))).toBe(true);
  });

  test('has lost no pod that is there', async () => {
    scene = await createRackCluster(aisleKind);
    const shown = new Set<string>();
    scene.world.onCommit(({ object }) => {
      if (object.kind !== 'Aisle') return;
      const { conditions = [] } = statusOf(object) as { conditions?: { reason: string }[] };
      for (const { reason } of conditions) shown.add(reason);
    });
    await scene.change('db:1', 'db:2');
    await scene.command('Approve', { step: 'agree', digest: digestOf(await scene.plan()) });
    await scene.clock.advance(5 * 60_000);
    expect(await scene.images()).toEqual(['db:2', 'db:2', 'db:2', 'db:2']);
    expect([...shown]).not.toContain('PodsLost');
  });

  test('is not meant by a plan of a namespace', async () => {
    scene = await createRackCluster(aisleKind);
    const plan = planFor(aisleKind, 'db:1', 'db:2');
    const metadata = { ...plan.metadata, namespace: SHOP };
    await scene.user.create(resources.RolloutPlan, { ...plan, kind: 'RolloutPlan', metadata });
    await scene.clock.advance(60_000);
    const { name } = metadata;
    const refused = await scene.user.get(resources.RolloutPlan, { namespace: SHOP, name });
    expect(statusOf(refused)).toMatchObject({
      phase: 'Pending',
      waitingOn: 'TargetMissing',
      message: expect.stringContaining('there is no Aisle db in namespace shop') as string,
    });
  });
});

describe.each([
  { kind: aisleKind, other: rackKind, namespace: SHOP, called: 'Rack shop/db' },
  { kind: rackKind, other: aisleKind, namespace: undefined, called: 'Aisle db' },
])('a $kind.id.kind that comes after $called', ({ kind, other, namespace, called }) => {
  const { group, version } = other.resource;
  const after = [
    { apiVersion: `${group}/${version}`, kind: other.id.kind, name: 'db', ...(namespace && { namespace }) },
  ];

  test('waits until that target is settled', async () => {
    scene = await createRackCluster(kind);
    const { plan } = planResources(kind);
    await scene.user.create(plan, planFor(kind, 'db:1', 'db:2', { after }));
    await scene.change('db:1', 'db:2', false);
    expect(statusOf(await scene.plan())).toMatchObject({
      phase: 'Pending',
      waitingOn: 'Predecessor',
      message: expect.stringContaining(`comes after ${called}, which is not there`) as string,
    });
    const empty = target(other, 'db:1');
    await scene.user.create(other.resource, { ...empty, spec: { ...(empty['spec'] as object), slots: 0 } });
    await scene.clock.advance(60_000);
    expect(statusOf(await scene.plan())).toMatchObject({ phase: 'AwaitingApproval' });
  });
});
