import { describe, expect, test } from 'vitest';
import type { Clock } from '../../schemas/wire/clock.ts';
import type { Cluster } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { snapshotName } from '../../semantics/plan/memory.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { revisionData, revisionHash, revisionName } from '../../semantics/revision/revisions.ts';
import {
  availableOf,
  cloneSet,
  createTestCluster,
  phaseOf,
  planOf,
  type TestCluster,
  templateOf,
} from './stage.ts';

const HOUR = 3_600_000;

function writesOf(stage: TestCluster): number {
  return stage.world.log.filter(
    ({ user, verb }) => user === 'kruise' && !['list', 'watch', 'get'].includes(verb),
  ).length;
}

/** Follows how many pods of a target are out of service at each commit, and how many are broken at an image. */
function watchPods(stage: TestCluster, replicas: number, image: string) {
  const pods = new Map<string, Pod>();
  const observed = { unavailable: 0, brokenAtGoal: 0 };
  stage.world.onCommit(({ type, object }) => {
    if (object.kind !== 'Pod') return;
    if (type === 'DELETED') pods.delete(object.metadata.name);
    else pods.set(object.metadata.name, object as Pod);
    const all = [...pods.values()];
    const now = stage.clock.now();
    observed.unavailable = Math.max(observed.unavailable, replicas - availableOf(all, now));
    const atGoal = all.filter((pod) => pod.spec.containers[0]?.image === image);
    observed.brokenAtGoal = Math.max(observed.brokenAtGoal, atGoal.length - availableOf(atGoal, now));
  });
  return {
    seen: observed,
    fill: async () => (await stage.pods()).forEach((pod) => pods.set(pod.metadata.name, pod)),
  };
}

describe('nothing is written if nothing is due (I15)', () => {
  test('held without a plan, over ten hours', async () => {
    const stage = await createTestCluster(cloneSet('web', 'web:1'));
    await stage.change('web:2', false);
    await stage.clock.advance(60_000);
    const before = writesOf(stage);
    await stage.clock.advance(10 * HOUR);
    expect(writesOf(stage) - before).toBe(0);
    expect(await stage.images()).toEqual({ 'web:1': 3 });
    const held = ((await stage.target())['status'] as { conditions: { type: string; reason: string }[] })
      .conditions;
    expect(held.find((c) => c.type === 'plan.kruise.io/Held')?.reason).toBe('NoPlan');
    await stage.stop();
  });

  test('waiting for an approval, over ten hours', async () => {
    const stage = await createTestCluster(cloneSet('web', 'web:1'));
    await stage.change('web:2', {
      steps: [
        { id: 'one', update: { to: 1 } },
        { id: 'ok', approve: {} },
      ],
    });
    await stage.until('AwaitingApproval');
    await stage.clock.advance(60_000);
    const before = writesOf(stage);
    await stage.clock.advance(10 * HOUR);
    // What is written is the clock of the gate, ever less often.
    expect(writesOf(stage) - before).toBeLessThan(150);
    expect(await stage.images()).toEqual({ 'web:1': 2, 'web:2': 1 });
    await stage.stop();
  });
});

describe('a hundred pods with an image that never becomes ready (CS-41)', () => {
  test.each([
    ['Halt', 'Halted'],
    ['Revert', 'Reverted'],
  ] as const)('%s at the deadline, and never more than ten unavailable', async (onFailure, phase) => {
    const target = cloneSet('web', 'web:1', { replicas: 100 }, { maxUnavailable: '10%' });
    const stage = await createTestCluster(target, {
      world: { nodes: 10 },
      prepare: (world) => world.images.set('web:2', { neverReady: true }),
    });
    const { seen: observed, fill } = watchPods(stage, 100, 'web:2');
    await fill();
    await stage.change('web:2', { steps: [{ id: 'all', update: { to: '100%' }, onFailure }] });
    await stage.until(phase);
    await stage.clock.advance(120_000);
    expect(observed.unavailable).toBe(10);
    expect(observed.brokenAtGoal).toBe(10);
    expect(await stage.images()).toEqual(
      onFailure === 'Halt' ? { 'web:1': 90, 'web:2': 10 } : { 'web:1': 100 },
    );
    expect(availableOf(await stage.pods(), stage.clock.now())).toBe(onFailure === 'Halt' ? 90 : 100);
    expect(stage.errors).toEqual([]);
    await stage.stop();
  });

  test('one broken pod of a hundred stops the rest at its deadline, not before', async () => {
    const stage = await createTestCluster(cloneSet('web', 'web:1', { replicas: 20 }, { maxUnavailable: 2 }), {
      prepare: (world) => world.images.set('web:2', { crashAfterMs: 100_000, times: 1 }),
    });
    const steps = [
      { id: 'five', update: { to: 5 } },
      { id: 'soak', soak: { for: '10m' } },
      { id: 'all', update: { to: '100%' } },
    ];
    await stage.change('web:2', { steps });
    await stage.until('Halted');
    expect((await stage.images())['web:2']).toBe(5);
    const status = (await stage.plan())['status'] as { message: string };
    expect(status.message).toContain('during soak');
    await stage.stop();
  });
});

describe('several targets', () => {
  test('two in one namespace, each with a plan, are independent', async () => {
    const stage = await createTestCluster(cloneSet('web', 'web:1'));
    await stage.user.create(resources.CloneSet, cloneSet('api', 'api:1', { replicas: 4 }));
    await stage.clock.advance(60_000);
    const apiBefore = (await stage.pods('api')).map((pod) => pod.metadata.resourceVersion);
    await stage.change('web:2');
    await stage.until('Succeeded');
    expect((await stage.pods('api')).map((pod) => pod.metadata.resourceVersion)).toEqual(apiBefore);
    await stage.change(
      'api:2',
      {
        steps: [
          { id: 'one', update: { to: 1 } },
          { id: 'ok', approve: {} },
        ],
      },
      'api',
    );
    await stage.clock.advance(60_000);
    expect(await stage.images('api')).toEqual({ 'api:1': 3, 'api:2': 1 });
    expect(await phaseOf(stage, 'api')).toBe('AwaitingApproval');
    expect(await phaseOf(stage, 'web')).toBe('Succeeded');
    expect(await stage.images()).toEqual({ 'web:2': 3 });
    await stage.stop();
  });

  test('a plan for another target with the same content is not executed', async () => {
    const stage = await createTestCluster(cloneSet('web', 'web:1'));
    const other = planOf('web', 'web:1', 'web:2', {
      target: { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'api' },
    });
    await stage.user.create(resources.RolloutPlan, other);
    await stage.change('web:2', false);
    await stage.clock.advance(120_000);
    expect(await stage.images()).toEqual({ 'web:1': 3 });
    await stage.stop();
  });
});

describe('names of another owner (I19)', () => {
  test('a revision of another owner with that name is skipped', async () => {
    const data = revisionData(templateOf('web', 'web:1'));
    const name = revisionName('web', revisionHash(data));
    const stage = await createTestCluster(cloneSet('other', 'other:1'));
    await stage.user.create(resources.ControllerRevision, {
      apiVersion: 'apps/v1',
      kind: 'ControllerRevision',
      metadata: { name, namespace: 'shop' },
      data: {},
      revision: 1,
    });
    await stage.user.create(resources.CloneSet, cloneSet('web', 'web:1'));
    await stage.clock.advance(60_000);
    expect(await stage.images()).toEqual({ 'web:1': 3 });
    await stage.stop();
  });

  test('a snapshot of another owner with that name is neither trusted nor changed', async () => {
    const stage = await createTestCluster(cloneSet('web', 'web:1'));
    await stage.user.create(resources.CloneSet, cloneSet('other', 'other:1'));
    const other = await stage.target('other');
    const plan = planOf('web', 'web:1', 'web:2');
    const owner = {
      apiVersion: other.apiVersion,
      kind: other.kind,
      name: 'other',
      uid: other.metadata.uid ?? '',
      controller: true,
    };
    const name = snapshotName('web', (plan['spec'] as { digest: string }).digest);
    const foreign = await stage.user.create(resources.ControllerRevision, {
      apiVersion: 'apps/v1',
      kind: 'ControllerRevision',
      metadata: { name, namespace: 'shop', ownerReferences: [owner] },
      data: {},
      revision: 1,
    });
    const before = stage.world.log.length;
    await stage.change('web:2');
    await stage.clock.advance(600_000);
    expect(stage.world.log.length - before).toBeLessThan(300);
    const now = await stage.user.get(resources.ControllerRevision, { namespace: 'shop', name });
    expect(now.metadata.resourceVersion).toBe(foreign.metadata.resourceVersion);
    // The plan is remembered under another name, and carried out.
    expect(await stage.images()).toEqual({ 'web:2': 3 });
    expect(stage.errors).toEqual([]);
    await stage.stop();
  });

  test('the accepted plan of a target that was deleted with orphaned pods is not trusted, and there is no loop', async () => {
    const stage = await createTestCluster(cloneSet('web', 'web:1'));
    await stage.change('web:2');
    await stage.until('Succeeded');
    const snapshot = (await stage.user.list(resources.ControllerRevision, { namespace: 'shop' })).items.find(
      (o) => o.metadata.name.includes('-plan-'),
    ) as KubeObject;
    await stage.user.delete(
      resources.CloneSet,
      { namespace: 'shop', name: 'web' },
      { propagationPolicy: 'Orphan' },
    );
    await stage.clock.advance(10_000);
    await stage.user.create(resources.CloneSet, cloneSet('web', 'web:2'));
    const before = stage.world.log.length;
    await stage.clock.advance(600_000);
    expect(stage.world.log.length - before).toBeLessThan(600);
    const left = await stage.user.get(resources.ControllerRevision, {
      namespace: 'shop',
      name: snapshot.metadata.name,
    });
    expect(left.metadata.annotations).toEqual(snapshot.metadata.annotations);
    await stage.stop();
  });
});

describe('a watch that is late (I16, I19, I28)', () => {
  /** Events arrive 700 ms after they happened, in order. */
  function late(cluster: Cluster, clock: Clock): Cluster {
    return {
      ...cluster,
      watch(resource, options, sink) {
        let stopped = false;
        const delay = (run: () => void): void => void clock.after(700, () => (stopped ? undefined : run()));
        const handle = cluster.watch(resource, options, {
          onOpen: () => delay(() => sink.onOpen?.()),
          onEvent: (event) => delay(() => sink.onEvent(event)),
          onEnd: (error) => delay(() => sink.onEnd(error)),
        });
        return {
          stop() {
            stopped = true;
            handle.stop();
          },
        };
      },
    };
  }

  test('nothing is decided before the caches show our own writes: no write is refused or repeated (IU-46)', async () => {
    const stage = await createTestCluster(cloneSet('web', 'web:1'), { wrap: late });
    await stage.change('web:2');
    await stage.until('Succeeded');
    await stage.clock.advance(60_000);
    expect(await stage.images()).toEqual({ 'web:2': 3 });
    const refused = stage.world.log.filter(({ user, code }) => user === 'kruise' && code >= 400);
    expect(refused.map(({ verb, resource, name }) => `${verb} ${resource} ${name ?? ''}`)).toEqual([]);
    const patches = stage.world.log.filter(
      ({ user, verb, resource, subresource }) =>
        user === 'kruise' && verb === 'patch' && resource === 'pods' && subresource === undefined,
    );
    // One that takes each pod to the new image.
    expect(patches).toHaveLength(3);
    await stage.stop();
  });
});
