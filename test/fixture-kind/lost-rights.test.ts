import { afterEach, describe, expect, test, vi } from 'vitest';
import { intercepting, type World } from 'kruise-sandbox';
import { ApiError, type Cluster, type WatchHandle, type WatchSink } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { cloneSet } from '../runtime/stage.ts';
import { aisleKind, rackKind } from './kind.ts';
import { registered } from './registered.ts';
import { createRackCluster, planFor, type RackCluster, SHOP, target } from './world.ts';

vi.mock('../../semantics/registry/registered.ts', () => import('./registered.ts'));

const denied = (plural: string): ApiError =>
  new ApiError({ code: 403, reason: 'Forbidden', message: `${plural} is forbidden` });

/** Rights of the runtime to a resource that are taken away and given back while it runs. */
function revocable(plural: string) {
  const watches: { handle: WatchHandle; sink: WatchSink }[] = [];
  let isDenied = false;
  return {
    clusterOf: (world: World): Cluster =>
      intercepting(world.cluster('kruise'), {
        async request({ verb, resource }, send) {
          if (isDenied && verb === 'list' && resource.plural === plural) throw denied(plural);
          return send();
        },
        watch({ resource }, open, sink) {
          const handle = open(sink);
          if (resource.plural === plural) watches.push({ handle, sink });
          return handle;
        },
      }),
    revoke() {
      isDenied = true;
      for (const { handle, sink } of watches.splice(0)) {
        handle.stop();
        sink.onEnd(denied(plural));
      }
    },
    giveBack() {
      isDenied = false;
    },
  };
}

let cluster: RackCluster | undefined;
afterEach(async () => {
  await cluster?.stop();
  cluster = undefined;
});

test('a runtime that may not watch what all kinds require is not ready', async () => {
  const rights = revocable('pods');
  cluster = await createRackCluster(rackKind, rights.clusterOf);
  const { clock, runtime } = cluster;
  await clock.advance(60_000);
  expect(runtime.synced).toBe(true);
  rights.revoke();
  await clock.advance(1_000);
  expect([runtime.synced, runtime.heldKinds]).toEqual([false, registered.map(({ id }) => id.kind)]);
  rights.giveBack();
  await clock.advance(120_000);
  expect([runtime.synced, runtime.heldKinds]).toEqual([true, []]);
});

/** A rack, an aisle and a CloneSet that have settled; then the racks may not be watched any more. */
async function withoutRacks() {
  const rights = revocable('racks');
  const made = await createRackCluster(rackKind, rights.clusterOf);
  cluster = made;
  const { user, clock } = made;
  await user.create(aisleKind.resource, { ...target(aisleKind, 'db:1'), metadata: { name: 'wide' } });
  await user.create(resources.CloneSet, cloneSet('web', 'web:1', { replicas: 1 }));
  await clock.advance(60_000);
  rights.revoke();
  await clock.advance(1_000);
  const resize = async (): Promise<void> => {
    const merge = (spec: object) => ({ type: 'merge', body: { spec } }) as never;
    await user.patch(rackKind.resource, made.at, merge({ slots: 5 }));
    await user.patch(aisleKind.resource, { name: 'wide' }, merge({ slots: 5 }));
    await user.patch(resources.CloneSet, { namespace: SHOP, name: 'web' }, merge({ replicas: 2 }));
    await clock.advance(120_000);
  };
  const pods = async (owner: string): Promise<number> => {
    const { items } = await user.list(resources.Pod, { namespace: SHOP });
    return items.filter(({ metadata }) => metadata.name.startsWith(`${owner}-`)).length;
  };
  return { made, rights, resize, pods };
}

describe('a kind that may not be watched any more', () => {
  test('holds its own targets, and no others', async () => {
    const { made, rights, resize, pods } = await withoutRacks();
    await resize();
    expect([made.runtime.synced, made.runtime.heldKinds]).toEqual([true, ['Rack']]);
    expect([await pods('db'), await pods('wide'), await pods('web')]).toEqual([4, 5, 2]);
    rights.giveBack();
    await made.clock.advance(120_000);
    expect([made.runtime.synced, made.runtime.heldKinds]).toEqual([true, []]);
    expect([await pods('db'), await pods('wide'), await pods('web')]).toEqual([5, 5, 2]);
    expect(made.errors).toEqual([]);
  });

  test('holds the plans that come after its targets', async () => {
    const { made, rights } = await withoutRacks();
    const { user, clock } = made;
    const after = { apiVersion: 'test.plan.kruise.io/v1', kind: 'Rack', namespace: SHOP, name: 'db' };
    const { template } = target(aisleKind, 'db:2')['spec'] as { template: JsonObject };
    const plan = planFor(aisleKind, 'db:1', 'db:2', { after: [after], name: 'wide' });
    await user.create(resources.ClusterRolloutPlan, plan);
    await user.patch(aisleKind.resource, { name: 'wide' }, { type: 'merge', body: { spec: { template } } });
    await clock.advance(120_000);
    const phase = async (): Promise<unknown> => {
      const { status } = await user.get(resources.ClusterRolloutPlan, { name: plan.metadata.name });
      return (status as { phase?: string } | undefined)?.phase;
    };
    expect(await phase()).toBe('Pending');
    rights.giveBack();
    await clock.advance(300_000);
    expect(await phase()).toBe('AwaitingApproval');
  });
});
