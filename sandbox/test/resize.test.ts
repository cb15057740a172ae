import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { conditionOf } from '../../schemas/pods/pod.ts';
import { main, pod, readPod, stage, type Stage } from './world.ts';

const at = (name: string) => ({ namespace: 'default', name });

function asking(name: string, cpu: string, fields: Record<string, unknown> = {}): KubeObject {
  return pod(name, '', {
    containers: [{ name: 'main', image: 'web:1', resources: { requests: { cpu } }, ...fields }],
  });
}

async function resize({ alice }: Stage, name: string, cpu: string): Promise<void> {
  await alice.patch(
    resources.Pod,
    at(name),
    {
      type: 'strategic',
      body: { spec: { containers: [{ name: 'main', resources: { requests: { cpu } } }] } },
    },
    { subresource: 'resize' },
  );
}

async function resizing({ alice }: Stage, name: string): Promise<string[]> {
  const { status } = await readPod(alice, name);
  return (status?.conditions ?? [])
    .filter(({ type }) => type.startsWith('PodResize'))
    .map(({ type, reason, message }) => [type, reason, message].filter(Boolean).join(' '));
}

describe('status of a running pod', () => {
  test('has what containers were given, conditions in their order, and the generation they are about', async () => {
    const { alice, clock } = stage({ nodes: 1 });
    await alice.create(resources.Pod, asking('a', '100m'));
    await clock.advance(10_000);
    const up = await readPod(alice, 'a');
    expect(main(up)).toMatchObject({
      allocatedResources: { cpu: '100m' },
      resources: { requests: { cpu: '100m' } },
    });
    const { generation } = up.metadata;
    expect(up.status).toMatchObject({
      observedGeneration: generation,
      qosClass: 'Burstable',
      hostIPs: [{ ip: '192.168.0.1' }],
      podIPs: [{ ip: '10.128.0.1' }],
    });
    expect(up.status?.conditions?.map((each) => [each.type, each.status, each.observedGeneration])).toEqual(
      ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map((type) => [
        type,
        'True',
        generation,
      ]),
    );
  });

  test('observes a change when the kubelet acts on it, not while it still acts on the one before', async () => {
    const { alice, clock } = stage({ nodes: 1 });
    await alice.create(resources.Pod, pod('a'));
    await clock.advance(10_000);
    const change = (image: string) =>
      alice.patch(resources.Pod, at('a'), {
        type: 'strategic',
        body: { spec: { containers: [{ name: 'main', image }] } },
      });
    const observed = async () => {
      const { metadata, status } = await readPod(alice, 'a');
      return (metadata.generation ?? 0) - (status?.observedGeneration ?? 0);
    };
    await change('web:2');
    await clock.advance(10);
    expect(await observed()).toBe(0);
    await change('web:1');
    await clock.advance(10);
    expect(await observed()).toBe(1);
    await clock.advance(2000);
    expect(await observed()).toBe(0);
  });
});

describe('resize', () => {
  test('happens in place, and shows its progress', async () => {
    const set = stage({ nodes: 1 });
    await set.alice.create(resources.Pod, asking('a', '1'));
    await set.clock.advance(10_000);
    const before = await readPod(set.alice, 'a');
    await resize(set, 'a', '2');
    await set.clock.advance(100);
    expect(await resizing(set, 'a')).toEqual(['PodResizeInProgress']);
    await set.clock.advance(1000);
    expect(await resizing(set, 'a')).toEqual([]);
    const after = await readPod(set.alice, 'a');
    expect(main(after)).toMatchObject({
      containerID: main(before).containerID,
      restartCount: 0,
      allocatedResources: { cpu: '2' },
      resources: { requests: { cpu: '2' } },
    });
    expect(after.status?.observedGeneration).toBe(after.metadata.generation);
  });

  test('restarts the container if its resizePolicy requires it', async () => {
    const set = stage({ nodes: 1 });
    const resizePolicy = [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }];
    await set.alice.create(resources.Pod, asking('a', '1', { resizePolicy }));
    await set.clock.advance(10_000);
    await resize(set, 'a', '2');
    await set.clock.advance(500);
    expect(await resizing(set, 'a')).toEqual(['PodResizeInProgress']);
    await set.clock.advance(5000);
    expect(await resizing(set, 'a')).toEqual([]);
    expect(main(await readPod(set.alice, 'a'))).toMatchObject({
      restartCount: 1,
      ready: true,
      resources: { requests: { cpu: '2' } },
    });
  });

  test('what no empty node could give is infeasible; what this one cannot give now waits', async () => {
    const set = stage({ nodes: 1 });
    await set.alice.create(resources.Pod, asking('a', '3'));
    await set.alice.create(resources.Pod, asking('b', '4'));
    await set.clock.advance(10_000);
    await resize(set, 'a', '9');
    await set.clock.advance(1000);
    expect(await resizing(set, 'a')).toEqual([
      "PodResizePending Infeasible Node didn't have enough capacity: cpu, requested: 9000, capacity: 8000",
    ]);
    await resize(set, 'a', '6');
    await set.clock.advance(1000);
    expect(await resizing(set, 'a')).toEqual([
      "PodResizePending Deferred Node didn't have enough resource: cpu, requested: 6000, used: 4000, capacity: 8000",
    ]);
    expect(main(await readPod(set.alice, 'a')).resources).toEqual({ requests: { cpu: '3' } });
    await set.alice.delete(resources.Pod, at('b'));
    await set.clock.advance(3000);
    expect(await resizing(set, 'a')).toEqual([]);
    expect(main(await readPod(set.alice, 'a')).resources).toEqual({ requests: { cpu: '6' } });
    expect(conditionOf(await readPod(set.alice, 'a'), 'Ready')?.status).toBe('True');
  });
});
