import { describe, expect, test } from 'vitest';
import type { Cluster } from '../../../schemas/wire/cluster.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import { noon } from '../world.ts';
import { at, daemonSets, imageChange, merge, podsOf, statusOf, workload, workloadStage } from './stage.ts';

/** `NODE IMAGE` of each pod. */
async function pods(alice: Cluster): Promise<string[]> {
  return (await podsOf(alice, 'app=web'))
    .map(({ spec }) => `${spec.nodeName} ${spec.containers[0]?.image}`)
    .sort();
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

  test('replaces failed pods with longer and longer pauses', async () => {
    const { alice, clock, wait, world } = workloadStage({ nodes: 1 });
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
  });
});
