import { describe, expect, it } from 'vitest';
import { conditionOf, type Pod } from '../../../schemas/pods/pod.ts';
import { SIMULATED_NODE } from 'kruise-sandbox/remote';
import { ApiError, type Cluster } from '../../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import { pod, readPod, stage, type Stage } from '../../fixtures/widgets.ts';
import { counting, remoteNodes, type RemoteNodesFixture, type RemoteNodesFixtureOptions } from './setup.ts';

interface Scene extends Stage {
  staff: RemoteNodesFixture;
  writes: string[];
}

/** Nodes of a remote server, intercepted by `between`; that server's scheduler binds pods. */
async function scene(
  options: RemoteNodesFixtureOptions = {},
  between: (cluster: Cluster) => Cluster = (cluster) => cluster,
): Promise<Scene> {
  const set = stage({ nodes: 0, kubeletsByHand: false, bootstrapped: true });
  const { cluster, writes } = counting(between(set.world.cluster('outside')));
  const staff = remoteNodes(cluster, set.clock, { schedules: false, ...options });
  await begin(set, staff);
  return { ...set, staff, writes };
}

async function begin({ clock }: Stage, staff: RemoteNodesFixture): Promise<void> {
  let started = false;
  void staff.start().then(() => (started = true));
  await clock.runUntil(() => started);
}

const isReady = (object: Pod): boolean => conditionOf(object, 'Ready')?.status === 'True';

function statusWrites({ writes }: Scene): string[] {
  return writes.filter((write) => write.startsWith('patch pods/status'));
}

describe('nodes of a remote server, with failing requests', () => {
  it('a write whose answer is lost is written again, and a write that was lost too', async () => {
    let calls = 0;
    const { alice, clock, staff } = await scene({}, (cluster) => ({
      ...cluster,
      async patch(resource, ...rest) {
        calls += 1;
        if (resource.plural !== 'pods' || calls % 3 === 0) return cluster.patch(resource, ...rest);
        if (calls % 3 === 1) await cluster.patch(resource, ...rest);
        throw new Error('the connection was reset');
      },
    }));
    await alice.create(resources.Pod, pod('web'));
    await clock.advance(20_000);
    expect(isReady(await readPod(alice, 'web'))).toBe(true);
    expect(staff.errors.length).toBeGreaterThan(0);
  });

  it('during an outage only the newest status is kept and then written', async () => {
    let down = false;
    const set = await scene({}, (cluster) => ({
      ...cluster,
      patch: async (...given) =>
        down ? Promise.reject(new Error('the connection was reset')) : cluster.patch(...given),
    }));
    const { alice, clock, writes } = set;
    await alice.create(resources.Pod, pod('web'));
    await clock.advance(150);
    down = true;
    await clock.advance(20_000);
    expect(isReady(await readPod(alice, 'web'))).toBe(false);
    down = false;
    writes.length = 0;
    await clock.advance(15_000);
    expect(isReady(await readPod(alice, 'web'))).toBe(true);
    expect(statusWrites(set)).toEqual(['patch pods/status web']);
  });

  it('a status that the server normalizes is not rewritten forever', async () => {
    const set = await scene({}, (cluster) => ({
      ...cluster,
      async patch(resource, at, patch, options) {
        if (resource.plural !== 'pods') return cluster.patch(resource, at, patch, options);
        const text = JSON.stringify(patch.body).replaceAll(
          '"reason":"ContainersNotReady"',
          '"reason":"Unready"',
        );
        const body = JSON.parse(text) as JsonObject;
        return cluster.patch(resource, at, { type: 'strategic', body }, options);
      },
    }));
    await set.alice.create(resources.Pod, pod('web'));
    await set.clock.advance(60_000);
    expect(isReady(await readPod(set.alice, 'web'))).toBe(true);
    expect(statusWrites(set)).toHaveLength(3);
  });

  it('a refused status is reported and not retried forever', async () => {
    const set = await scene({}, (cluster) => ({
      ...cluster,
      patch: async (resource, ...rest) =>
        resource.plural === 'pods'
          ? Promise.reject(new ApiError({ code: 422, reason: 'Invalid', message: 'it is invalid' }))
          : cluster.patch(resource, ...rest),
    }));
    await set.alice.create(resources.Pod, pod('web'));
    await set.clock.advance(60_000);
    expect(statusWrites(set)).toHaveLength(3);
    expect(set.staff.errors[0]).toMatch(/^pod default\/web .*it is invalid$/);
  });

  it('two schedulers do not get in each other’s way', async () => {
    const set = stage({ nodes: 0, kubeletsByHand: false, bootstrapped: true });
    const { alice, clock, world } = set;
    const inner = world.cluster('outside');
    const late: Cluster = {
      ...inner,
      async create(...given) {
        await new Promise<void>((resolve) => clock.after(50, resolve));
        return inner.create(...given);
      },
    };
    const staff = remoteNodes(late, clock, { timings: { scheduleMs: 80 } });
    await begin(set, staff);
    for (let count = 1; count <= 20; count += 1) await alice.create(resources.Pod, pod(`web-${count}`));
    await clock.advance(15_000);
    const { items } = await alice.list(resources.Pod, { namespace: 'default' });
    expect((items as Pod[]).filter(isReady)).toHaveLength(20);
    expect(staff.errors).toEqual([]);
    const lost = world.log.filter(
      ({ user, subresource, code }) => user === 'outside' && subresource === 'binding' && code === 409,
    );
    expect(lost.length).toBeGreaterThan(0);
  });

  it('a pod starts when its binding is there, not before', async () => {
    const held: (() => void)[] = [];
    const own = { schedulerName: 'default-scheduler' };
    const set = stage({
      nodes: 0,
      kubeletsByHand: false,
      bootstrapped: true,
      timings: { scheduleMs: 3_600_000 },
    });
    const inner = set.world.cluster('outside');
    const { cluster, writes } = counting({
      ...inner,
      async create(resource, body, options) {
        if (options?.subresource === 'binding') await new Promise<void>((resolve) => held.push(resolve));
        return inner.create(resource, body, options);
      },
    });
    await begin(set, remoteNodes(cluster, set.clock));
    await set.alice.create(resources.Pod, pod('web', 'web:1', own));
    await set.clock.advance(10_000);
    expect(writes.filter((write) => write.includes(' pods'))).toEqual(['create pods/binding web']);
    held[0]?.();
    await set.clock.advance(10_000);
    const web = await readPod(set.alice, 'web');
    expect(isReady(web)).toBe(true);
    expect(web.status?.startTime).toBe('2026-01-01T12:00:10Z');
  });

  it('a pod starts though its binding changes nothing but the node', async () => {
    const set = stage({
      nodes: 0,
      kubeletsByHand: false,
      bootstrapped: true,
      timings: { scheduleMs: 3_600_000 },
    });
    await begin(set, remoteNodes(set.world.cluster('outside'), set.clock));
    await set.alice.create(resources.Pod, pod('web'));
    const condition = { type: 'PodScheduled', status: 'True', lastTransitionTime: '2026-01-01T12:00:00Z' };
    await set.alice.patch(
      resources.Pod,
      { namespace: 'default', name: 'web' },
      { type: 'strategic', body: { status: { conditions: [condition] } } },
      { subresource: 'status' },
    );
    await set.clock.advance(10_000);
    expect(isReady(await readPod(set.alice, 'web'))).toBe(true);
  });

  it('a pod whose binding is refused gets another chance after a while', async () => {
    let refusals = 2;
    const set = stage({
      nodes: 0,
      kubeletsByHand: false,
      bootstrapped: true,
      timings: { scheduleMs: 3_600_000 },
    });
    const inner = set.world.cluster('outside');
    const { cluster, writes } = counting({
      ...inner,
      create: async (resource, body, options) => {
        if (options?.subresource === 'binding' && (refusals -= 1) >= 0)
          throw new ApiError({ code: 403, reason: 'Forbidden', message: 'not now' });
        return inner.create(resource, body, options);
      },
    });
    const staff = remoteNodes(cluster, set.clock);
    await begin(set, staff);
    await set.alice.create(resources.Pod, pod('web'));
    await set.clock.advance(2_000);
    expect(writes.filter((write) => write.includes('binding'))).toHaveLength(1);
    await set.clock.advance(10_000);
    expect(writes.filter((write) => write.includes('binding'))).toHaveLength(3);
    expect(isReady(await readPod(set.alice, 'web'))).toBe(true);
    expect(staff.errors).toHaveLength(2);
  });

  it('a pod recreated under its name during a gap of the watch is a new pod', async () => {
    const set = await scene();
    const { alice, clock, world } = set;
    await alice.create(resources.Pod, pod('web'));
    await clock.advance(5_000);
    const first = await readPod(alice, 'web');
    world.server.endWatches(new ApiError({ code: 410, reason: 'Expired', message: 'too old' }));
    await alice.delete(resources.Pod, { namespace: 'default', name: 'web' }, { gracePeriodSeconds: 0 });
    await alice.create(resources.Pod, pod('web'));
    await clock.advance(15_000);
    const second = await readPod(alice, 'web');
    expect(isReady(second)).toBe(true);
    expect(second.metadata.uid).not.toBe(first.metadata.uid);
    expect(second.status?.containerStatuses?.[0]).not.toMatchObject({
      containerID: first.status?.containerStatuses?.[0]?.containerID,
    });
    expect(second.status?.podIP).not.toBe(first.status?.podIP);
    expect(set.staff.store.byUid(first.metadata.uid ?? '')).toBeUndefined();
  });

  it('a pod deleted during a gap of the watch is removed', async () => {
    const set = await scene();
    const { alice, clock, world, staff } = set;
    await alice.create(resources.Pod, pod('web'));
    await clock.advance(5_000);
    world.server.endWatches(new ApiError({ code: 410, reason: 'Expired', message: 'too old' }));
    await alice.delete(resources.Pod, { namespace: 'default', name: 'web' }, { gracePeriodSeconds: 0 });
    await clock.advance(5_000);
    expect(staff.store.list('pods')).toEqual([]);
  });

  it('a node that the server marked as lost reports Ready', async () => {
    const set = await scene();
    const { alice, clock } = set;
    const ready = async (): Promise<string | undefined> => {
      const { conditions } = (await alice.get(resources.Node, { name: 'outside-1' }))['status'] as {
        conditions: { type: string; status: string }[];
      };
      return conditions.find(({ type }) => type === 'Ready')?.status;
    };
    const conditions = [{ type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown', message: 'silent' }];
    const body = { status: { conditions } };
    await alice.patch(
      resources.Node,
      { name: 'outside-1' },
      { type: 'strategic', body },
      { subresource: 'status' },
    );
    expect(await ready()).toBe('Unknown');
    await clock.advance(11_000);
    expect(await ready()).toBe('True');
  });

  it('an unchanged node reports its status every five minutes, and renews its Lease every ten seconds', async () => {
    const { clock, writes } = await scene({ nodes: 1 });
    await clock.advance(1_000);
    writes.length = 0;
    await clock.advance(600_000);
    const count = (what: string): number => writes.filter((write) => write === what).length;
    expect(count('patch nodes/status outside-1')).toBe(2);
    expect(count('patch leases outside-1')).toBe(60);
    expect(writes).toHaveLength(62);
  });

  it('a deleted Lease is created again', async () => {
    const { alice, clock } = await scene({ nodes: 1 });
    await clock.advance(1_000);
    const at = { namespace: 'kube-node-lease', name: 'outside-1' };
    await alice.delete(resources.Lease, at);
    await clock.advance(10_000);
    expect((await alice.get(resources.Lease, at))['spec']).toMatchObject({ holderIdentity: 'outside-1' });
  });

  it('nothing is written for a node that was deleted, or its pods', async () => {
    const { alice, clock, writes } = await scene({ nodes: 1 });
    await alice.create(resources.Pod, pod('web'));
    await clock.advance(5_000);
    await alice.delete(resources.Node, { name: 'outside-1' });
    await clock.advance(1_000);
    writes.length = 0;
    await clock.advance(30_000);
    expect(writes).toEqual([]);
  });

  it('a node that is there already is taken over as it is', async () => {
    const set = stage({ nodes: 0, kubeletsByHand: false, bootstrapped: true });
    const node = {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'outside-1', labels: { zone: 'a' } },
      spec: { unschedulable: true },
    };
    await set.alice.create(resources.Node, node);
    const { cluster, writes } = counting(set.world.cluster('outside'));
    await begin(set, remoteNodes(cluster, set.clock, { nodes: 1, schedules: false }));
    await set.clock.advance(1_000);
    const found = await set.alice.get(resources.Node, { name: 'outside-1' });
    expect(found.metadata.labels).toEqual({ zone: 'a' });
    expect(found).toMatchObject({ spec: { unschedulable: true } });
    expect(found['status']).toMatchObject({
      allocatable: { cpu: '8' },
      addresses: [{ type: 'InternalIP' }, {}],
    });
    expect(writes.filter((write) => write.includes('nodes'))).toEqual(['patch nodes/status outside-1']);
  });

  it('stop after pending writes; cleanup deletes them', async () => {
    const set = await scene({ timings: { pullMs: 100, startMs: 100 } }, (cluster) => ({
      ...cluster,
      async patch(...given) {
        if (given[0].plural === 'pods') await new Promise<void>((resolve) => set.clock.after(1_000, resolve));
        return cluster.patch(...given);
      },
    }));
    const { alice, clock, staff } = set;
    await alice.create(resources.Pod, pod('web'));
    // The first status is being sent; the next one waits for it.
    await clock.advance(400);
    expect((await readPod(alice, 'web')).status?.startTime).toBeUndefined();
    let stopped = false;
    void staff.stop({ cleanup: true }).then(() => (stopped = true));
    await clock.runUntil(() => stopped);
    expect((await readPod(alice, 'web')).status?.phase).toBe('Running');
    expect((await alice.list(resources.Node)).items).toEqual([]);
    expect((await alice.list(resources.Lease, { namespace: 'kube-node-lease' })).items).toEqual([]);
    const before = set.writes.length;
    await clock.advance(30_000);
    expect(set.writes).toHaveLength(before);
  });

  it('Events report actions, unless disabled', async () => {
    const reasons = async (events: boolean): Promise<string[]> => {
      const { alice, clock, staff } = await scene({ events });
      await alice.create(resources.Pod, pod('web'));
      await clock.advance(5_000);
      expect(staff.errors).toEqual([]);
      const { items } = await alice.list(resources.Event, { namespace: 'default' });
      return items.map((event) => String(event['reason'])).sort();
    };
    expect(await reasons(true)).toEqual(['Created', 'Pulled', 'Pulling', 'Started']);
    expect(await reasons(false)).toEqual([]);
  });

  it('an expired Event is created again on the next occurrence', async () => {
    const { alice, clock } = await scene();
    await alice.create(resources.Pod, pod('web', 'web:1-crashing'));
    await clock.advance(40_000);
    const backOffs = async () =>
      (await alice.list(resources.Event, { namespace: 'default' })).items.filter(
        (event) => event['reason'] === 'BackOff',
      );
    const [first] = await backOffs();
    expect(first).toMatchObject({ count: 2 });
    await alice.delete(resources.Event, { namespace: 'default', name: first?.metadata.name ?? '' });
    await clock.advance(60_000);
    expect(await backOffs()).toMatchObject([{ count: 4 }]);
  });

  it('only nodes of theirs are mirrored, and pods that are or may come there', async () => {
    const { alice, clock, staff } = await scene();
    await alice.create(resources.Node, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'machine' } });
    await alice.create(resources.Pod, pod('elsewhere', 'web:1', { nodeName: 'machine' }));
    await alice.create(resources.Pod, pod('web'));
    await clock.advance(5_000);
    expect(staff.store.list('nodes').map(({ metadata }) => metadata.name)).toEqual([
      'outside-1',
      'outside-2',
    ]);
    expect(staff.store.list('pods').map(({ metadata }) => metadata.name)).toEqual(['web']);
    const node = await alice.get(resources.Node, { name: 'outside-1' });
    expect(node.metadata.labels?.[SIMULATED_NODE]).toBe('true');
  });
});
