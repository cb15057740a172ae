import { describe, expect, test } from 'vitest';
import type { Cluster } from '../../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import { noon } from '../world.ts';
import {
  at,
  daemonSets,
  imageChange,
  merge,
  podQuota,
  podsOf,
  resourceQuotas,
  statusOf,
  workload,
  workloadStage,
} from './stage.ts';

/** `NODE IMAGE` of each pod. */
async function pods(alice: Cluster): Promise<string[]> {
  return (await podsOf(alice, 'app=web'))
    .map(({ spec }) => `${spec.nodeName} ${spec.containers[0]?.image}`)
    .sort();
}

/** Its containers take 20 seconds to stop. */
function withSlowStop({ spec }: KubeObject) {
  const { template } = spec as { template: { metadata: object; spec: { containers: object[] } } };
  const [container] = template.spec.containers;
  const lifecycle = { preStop: { sleep: { seconds: 20 } } };
  return {
    ...(spec as object),
    template: { ...template, spec: { containers: [{ ...container, lifecycle }] } },
  };
}

describe('a DaemonSet', () => {
  test('has a pod on each node, also on those that come later or are cordoned', async () => {
    const { alice, wait, world } = workloadStage({ nodes: 2 });
    world.nodes.cordon('node-2');
    await alice.create(daemonSets, workload('DaemonSet'));
    await wait(10);
    expect(await pods(alice)).toEqual(['node-1 web:1', 'node-2 web:1']);
    expect(statusOf(await alice.get(daemonSets, at('web')))).toEqual({
      observedGeneration: 1,
      desiredNumberScheduled: 2,
      currentNumberScheduled: 2,
      numberMisscheduled: 0,
      numberReady: 2,
      numberAvailable: 2,
      updatedNumberScheduled: 2,
    });
    world.nodes.add('node-3');
    await wait(10);
    expect(await pods(alice)).toHaveLength(3);
    await alice.delete(resources.Node, { name: 'node-3' });
    await wait(60);
    expect(await pods(alice)).toHaveLength(2);
  });

  test('leaves out nodes that its template does not select or tolerate', async () => {
    const { alice, wait, world } = workloadStage({ nodes: 1 });
    world.nodes.add('ssd', { labels: { disk: 'ssd' } });
    world.nodes.add('tainted', { labels: { disk: 'ssd' } });
    const taints = [{ key: 'only', value: 'me', effect: 'NoSchedule' }];
    await alice.patch(resources.Node, { name: 'tainted' }, merge({ spec: { taints } }));
    const set = workload('DaemonSet');
    const { template } = set['spec'] as { template: { spec: object } };
    Object.assign(template.spec, { nodeSelector: { disk: 'ssd' } });
    await alice.create(daemonSets, set);
    await wait(10);
    expect(await pods(alice)).toEqual(['ssd web:1']);
    // Who is there when a taint comes stays, unless the taint evicts.
    await alice.patch(resources.Node, { name: 'ssd' }, merge({ spec: { taints } }));
    await wait(10);
    expect(await pods(alice)).toEqual(['ssd web:1']);
    expect(statusOf(await alice.get(daemonSets, at('web')))).toMatchObject({ numberMisscheduled: 1 });
    await alice.patch(resources.Node, { name: 'ssd' }, merge({ metadata: { labels: { disk: 'hdd' } } }));
    await wait(10);
    expect(await pods(alice)).toEqual([]);
  });

  test.each([
    ['maxUnavailable', { maxUnavailable: 1 }, [2, 3]],
    ['maxSurge', { maxUnavailable: 0, maxSurge: 1 }, [3, 4]],
  ])('is updated within %s', async (_name, rollingUpdate, [least, most]) => {
    const { alice, wait, world } = workloadStage({ nodes: 3 });
    await alice.create(
      daemonSets,
      workload('DaemonSet', { updateStrategy: { type: 'RollingUpdate', rollingUpdate } }),
    );
    await wait(10);
    const ready: number[] = [];
    const all: number[] = [];
    world.onCommit(({ resource }) => {
      if (resource !== 'pods') return;
      const left = world.server
        .list('bob', resources.Pod, { namespace: 'default' })
        .items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
      all.push(left.length);
      ready.push(left.filter((pod) => JSON.stringify(pod).includes('"ready":true')).length);
    });
    await alice.patch(daemonSets, at('web'), imageChange('web:2'));
    await wait(40);
    expect(await pods(alice)).toEqual(['node-1 web:2', 'node-2 web:2', 'node-3 web:2']);
    expect([Math.min(...ready), Math.max(...all)]).toEqual([least, most]);
  });

  test('with a surge, a node gets a new pod while the deleted one still stops', async () => {
    const { alice, wait } = workloadStage({ nodes: 1 });
    const rollingUpdate = { maxUnavailable: 0, maxSurge: 1 };
    const updateStrategy = { type: 'RollingUpdate', rollingUpdate };
    const set = workload('DaemonSet', { updateStrategy });
    set['spec'] = withSlowStop(set);
    await alice.create(daemonSets, set);
    await wait(10);
    const [before] = await podsOf(alice, 'app=web');
    await alice.delete(resources.Pod, at(before?.metadata.name ?? ''));
    await wait(5);
    const after = await podsOf(alice, 'app=web');
    const fresh = after.find(({ metadata }) => metadata.deletionTimestamp === undefined);
    expect(after).toHaveLength(2);
    expect(fresh?.status?.phase).toBe('Running');
  });

  test('with a surge, an old pod that is not ready goes as soon as it has a successor', async () => {
    const { alice, wait, world } = workloadStage({ nodes: 2 });
    world.images.set('web:1', { neverReady: true });
    world.images.set('web:2', { neverReady: true });
    const rollingUpdate = { maxUnavailable: 0, maxSurge: 1 };
    const updateStrategy = { type: 'RollingUpdate', rollingUpdate };
    await alice.create(daemonSets, workload('DaemonSet', { updateStrategy }));
    await wait(10);
    await alice.patch(daemonSets, at('web'), imageChange('web:2'));
    await wait(60);
    expect(await pods(alice)).toEqual(['node-1 web:2', 'node-2 web:2']);
  });

  test('without a surge, the oldest of two pods of a node stays', async () => {
    const { alice, wait, world } = workloadStage({ nodes: 1 });
    world.images.set('web:2', { neverReady: true });
    const rolling = (maxUnavailable: number, maxSurge: number) => ({
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable, maxSurge } },
    });
    await alice.create(daemonSets, workload('DaemonSet', rolling(0, 1)));
    await wait(10);
    await alice.patch(daemonSets, at('web'), imageChange('web:2'));
    await wait(30);
    expect(await pods(alice)).toEqual(['node-1 web:1', 'node-1 web:2']);
    const removed: unknown[] = [];
    world.onCommit(({ resource, type, object }) => {
      const { containers = [] } = (object['spec'] ?? {}) as { containers?: { image: string }[] };
      if (resource === 'pods' && type === 'DELETED') removed.push(containers[0]?.image);
    });
    await alice.patch(daemonSets, at('web'), merge({ spec: rolling(1, 0) }));
    await wait(60);
    expect(removed).toEqual(['web:2', 'web:1']);
  });

  test('an update takes the pods from nodes that it no longer tolerates', async () => {
    const { alice, wait } = workloadStage({ nodes: 2 });
    await alice.create(daemonSets, workload('DaemonSet'));
    await wait(10);
    const taints = [{ key: 'only', value: 'me', effect: 'NoSchedule' }];
    await alice.patch(resources.Node, { name: 'node-2' }, merge({ spec: { taints } }));
    await wait(10);
    expect(await pods(alice)).toEqual(['node-1 web:1', 'node-2 web:1']);
    await alice.patch(daemonSets, at('web'), imageChange('web:2'));
    await wait(60);
    expect(await pods(alice)).toEqual(['node-1 web:2']);
  });

  test('reports a pod that it may not create, and tries again', async () => {
    const { alice, wait } = workloadStage({ nodes: 2, podEvents: true });
    await alice.create(resourceQuotas, podQuota('few', 1));
    await wait(1);
    await alice.create(daemonSets, workload('DaemonSet'));
    await wait(10);
    expect(statusOf(await alice.get(daemonSets, at('web')))).toMatchObject({
      observedGeneration: 1,
      desiredNumberScheduled: 2,
      currentNumberScheduled: 1,
    });
    const { items } = await alice.list(resources.Event, { namespace: 'default' });
    const messages = items.map(({ reason, message }) => `${String(reason)} ${String(message)}`);
    expect(messages.find((each) => each.startsWith('FailedCreate'))).toMatch(
      /^FailedCreate Error creating: pods "web-\w+" is forbidden: exceeded quota: few, requested: pods=1, used: pods=1, limited: pods=1$/,
    );
    await alice.delete(resourceQuotas, at('few'));
    await wait(300);
    expect(await pods(alice)).toHaveLength(2);
  });

  test('leaves the pods of a removed node to the garbage collector, but those that wait for it', async () => {
    const { alice, wait, world } = workloadStage({ nodes: 2 });
    await alice.create(daemonSets, workload('DaemonSet'));
    await wait(10);
    world.nodes.cordon('node-2');
    const big = { containers: [{ name: 'main', image: 'web:1', resources: { requests: { cpu: '900' } } }] };
    const template = { metadata: { labels: { app: 'big' } }, spec: big };
    const waiting = workload('DaemonSet', { selector: { matchLabels: { app: 'big' } }, template });
    await alice.create(daemonSets, { ...waiting, metadata: at('big') });
    await wait(10);
    const by = new Map<string, string>();
    world.onCommit(({ resource, object: { metadata }, user }) => {
      const { labels, deletionTimestamp, name } = metadata;
      if (resource !== 'pods' || deletionTimestamp === undefined || by.has(name)) return;
      by.set(name, `${labels?.['app']} ${user.split(':').at(-1)}`);
    });
    await alice.delete(resources.Node, { name: 'node-2' });
    await wait(60);
    expect(by.size).toBe(2);
    expect([...by.values()]).toContain('big daemon-set-controller');
    expect([...by.values()]).toContain('web pod-garbage-collector');
  });

  test('replaces failed pods with longer and longer pauses', async () => {
    const { alice, clock, wait, world } = workloadStage({ nodes: 1, podEvents: true });
    const made: number[] = [];
    world.onCommit(({ resource, type, object }) => {
      if (resource !== 'pods' || type !== 'ADDED') return;
      made.push(Math.round((clock.now() - noon) / 1000));
      const { name } = object.metadata;
      const failed = merge({ status: { phase: 'Failed' } });
      clock.after(100, () => void alice.patch(resources.Pod, at(name), failed, { subresource: 'status' }));
    });
    await alice.create(daemonSets, workload('DaemonSet'));
    await wait(30);
    expect(made).toEqual([0, 0, 1, 4, 8, 16]);
    const { items } = await alice.list(resources.Event, { namespace: 'default' });
    const found = items.filter(({ reason }) => reason === 'FailedDaemonPod').map(({ message }) => message);
    expect(found[0]).toMatch(
      /^Found failed daemon pod default\/web-\w+ on node node-1, will try to kill it$/,
    );
  });
});
