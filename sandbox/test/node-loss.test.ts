import { describe, expect, test } from 'vitest';
import { resources } from '../../schemas/wire/resources.ts';
import type { Node } from '../kinds/node.ts';
import { conditionOf } from '../../schemas/pods/pod.ts';
import { pod, readPod, refusal, stage, type Stage } from './world.ts';

const at = (name: string) => ({ namespace: 'default', name });

async function taints({ alice }: Stage, name = 'node-1'): Promise<string[]> {
  const node = (await alice.get(resources.Node, { name })) as Node;
  return (node.spec?.taints ?? []).map(({ key, effect }) => `${key}:${effect}`);
}

async function ready({ alice }: Stage, name = 'node-1') {
  const node = (await alice.get(resources.Node, { name })) as Node;
  return node.status?.conditions?.find(({ type }) => type === 'Ready');
}

describe('a node that is lost', () => {
  test('is unreachable; pods leave after their five minutes, and really go when it is back', async () => {
    const set = stage({ nodes: 1 });
    const { alice, clock, world } = set;
    await alice.create(resources.Pod, pod('a'));
    await clock.advance(10_000);
    expect((await readPod(alice, 'a')).spec.tolerations).toEqual(
      ['not-ready', 'unreachable'].map((name) => ({
        key: `node.kubernetes.io/${name}`,
        operator: 'Exists',
        effect: 'NoExecute',
        tolerationSeconds: 300,
      })),
    );
    world.nodes.stopKubelet('node-1');
    await clock.advance(40_000);
    expect(await taints(set)).toEqual([
      'node.kubernetes.io/unreachable:NoSchedule',
      'node.kubernetes.io/unreachable:NoExecute',
    ]);
    expect((await ready(set))?.status).toBe('Unknown');
    await clock.advance(299_000);
    expect((await readPod(alice, 'a')).metadata.deletionTimestamp).toBeUndefined();
    await clock.advance(1000);
    const evicted = await readPod(alice, 'a');
    expect(evicted.metadata.deletionTimestamp).toBeDefined();
    expect(conditionOf(evicted, 'DisruptionTarget')).toMatchObject({
      status: 'True',
      reason: 'DeletionByTaintManager',
      message: 'Taint manager: deleting due to NoExecute taint',
    });
    await clock.advance(600_000);
    expect(await readPod(alice, 'a')).toBeDefined();
    world.nodes.startKubelet('node-1');
    await clock.advance(2000);
    expect((await refusal(alice.get(resources.Pod, at('a')))).code).toBe(404);
    expect(await taints(set)).toEqual([]);
  });

  const toleration = { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute' };
  test.each([
    ['for ever', toleration, undefined],
    ['for ten seconds', { ...toleration, tolerationSeconds: 10 }, 10],
    ['not at all', { ...toleration, tolerationSeconds: 0 }, 0],
  ])('a pod that tolerates it %s', async (_words, own, seconds) => {
    const { alice, clock, world } = stage({ nodes: 1 });
    await alice.create(resources.Pod, pod('a', 'web:1', { tolerations: [own] }));
    await clock.advance(10_000);
    world.nodes.stopKubelet('node-1');
    await clock.advance(40_000 + (seconds ?? 0) * 1000);
    if (seconds === undefined) await clock.advance(3_600_000);
    const { metadata } = await readPod(alice, 'a');
    expect(metadata.deletionTimestamp !== undefined).toBe(seconds !== undefined);
  });

  test('that is back in time keeps its pods', async () => {
    const set = stage({ nodes: 1 });
    await set.alice.create(resources.Pod, pod('a'));
    await set.clock.advance(10_000);
    set.world.nodes.stopKubelet('node-1');
    await set.clock.advance(200_000);
    set.world.nodes.startKubelet('node-1');
    await set.clock.advance(600_000);
    const kept = await readPod(set.alice, 'a');
    expect(kept.metadata.deletionTimestamp).toBeUndefined();
    expect(conditionOf(kept, 'Ready')?.status).toBe('True');
  });

  test('a taint set by a client evicts pods without toleration at once', async () => {
    const { alice, clock } = stage({ nodes: 1 });
    const own = [{ key: 'maintenance', operator: 'Exists' }];
    await alice.create(resources.Pod, pod('a'));
    await alice.create(resources.Pod, pod('b', 'web:1', { tolerations: own }));
    await clock.advance(10_000);
    const taint = { key: 'maintenance', effect: 'NoExecute' };
    await alice.patch(
      resources.Node,
      { name: 'node-1' },
      { type: 'merge', body: { spec: { taints: [taint] } } },
    );
    await clock.advance(2000);
    expect((await refusal(alice.get(resources.Pod, at('a')))).code).toBe(404);
    expect((await readPod(alice, 'b')).metadata.deletionTimestamp).toBeUndefined();
  });
});

describe('a removed node', () => {
  test('deletes its pods, after a while', async () => {
    const { alice, clock, world } = stage({ nodes: 2 });
    await alice.create(resources.Pod, pod('a'));
    await clock.advance(10_000);
    const last: unknown[] = [];
    world.onCommit(({ type, object }) => {
      if (type === 'DELETED' && object.kind === 'Pod') last.push(object);
    });
    world.nodes.remove('node-1');
    await clock.advance(39_000);
    expect((await readPod(alice, 'a')).status?.phase).toBe('Running');
    await clock.advance(2000);
    expect((await refusal(alice.get(resources.Pod, at('a')))).code).toBe(404);
    expect(last).toMatchObject([
      {
        status: {
          phase: 'Failed',
          conditions: expect.arrayContaining([
            expect.objectContaining({ type: 'DisruptionTarget', reason: 'DeletionByPodGC' }),
          ]),
        },
      },
    ]);
  });

  test('shuts down gracefully: its pods are Failed, and new ones start when it is back', async () => {
    const set = stage({ nodes: 1 });
    const { alice, clock, world } = set;
    await alice.create(resources.Pod, pod('a'));
    await clock.advance(10_000);
    world.nodes.shutDown('node-1');
    await clock.advance(2000);
    const ended = await readPod(alice, 'a');
    expect(ended.status).toMatchObject({
      phase: 'Failed',
      reason: 'Terminated',
      message: 'Pod was terminated in response to imminent node shutdown.',
      containerStatuses: [{ state: { terminated: { exitCode: 0 } } }],
    });
    expect(await ready(set)).toMatchObject({ status: 'False', message: 'node is shutting down' });
    expect(await taints(set)).toContain('node.kubernetes.io/not-ready:NoExecute');
    await clock.advance(100_000);
    expect((await ready(set))?.status).toBe('Unknown');
    world.nodes.startKubelet('node-1');
    await alice.create(resources.Pod, pod('b'));
    await clock.advance(10_000);
    expect((await readPod(alice, 'b')).status?.phase).toBe('Running');
    expect((await readPod(alice, 'a')).status?.phase).toBe('Failed');
  });
});

describe('a Node object', () => {
  test('created by a client gets a kubelet, which reports its capacity', async () => {
    const { alice, clock } = stage({ nodes: 0 });
    await alice.create(resources.Node, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'mine' } });
    await clock.advance(100);
    const node = (await alice.get(resources.Node, { name: 'mine' })) as Node;
    expect(node.status).toMatchObject({
      capacity: { cpu: '8', pods: '110' },
      nodeInfo: { kubeletVersion: expect.stringMatching(/^v1\.35/), operatingSystem: 'linux' },
    });
    expect(node.status?.conditions?.map(({ type, status }) => `${type} ${status}`)).toEqual([
      'MemoryPressure False',
      'DiskPressure False',
      'PIDPressure False',
      'Ready True',
    ]);
  });

  test('has a lease that is renewed while its kubelet is up', async () => {
    const set = stage({ nodes: 1, nodeLeases: true, namespaces: ['default', 'kube-node-lease'] });
    const { alice, clock, world } = set;
    const renewed = async () => {
      const lease = await alice.get(resources.Lease, { namespace: 'kube-node-lease', name: 'node-1' });
      expect(lease).toMatchObject({
        metadata: { ownerReferences: [{ kind: 'Node', name: 'node-1' }] },
        spec: { holderIdentity: 'node-1', leaseDurationSeconds: 40 },
      });
      return (lease['spec'] as { renewTime: string }).renewTime;
    };
    await clock.advance(35_000);
    expect(await renewed()).toBe('2026-01-01T12:00:30.000000Z');
    world.nodes.stopKubelet('node-1');
    await clock.advance(30_000);
    expect(await renewed()).toBe('2026-01-01T12:00:30.000000Z');
    world.nodes.remove('node-1');
    await clock.advance(1000);
    const [none] = (await alice.list(resources.Lease)).items;
    expect(none).toBeUndefined();
  });

  test('that is cordoned has a taint, and is otherwise unchanged', async () => {
    const set = stage({ nodes: 1 });
    set.world.nodes.cordon('node-1');
    await set.clock.advance(100);
    expect(await taints(set)).toEqual(['node.kubernetes.io/unschedulable:NoSchedule']);
    set.world.nodes.uncordon('node-1');
    await set.clock.advance(100);
    expect(await taints(set)).toEqual([]);
    const requests = set.world.log.length;
    await set.clock.advance(3_600_000);
    expect(set.world.log.length).toBe(requests);
  });
});
