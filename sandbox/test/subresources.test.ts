import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { pod, readPod, refusal, stage, type Stage } from './world.ts';

const at = (name: string) => ({ namespace: 'default', name });
const asked = { requests: { cpu: '100m', memory: '64Mi' } };

/** A pod that is bound to a node without kubelet. */
async function bound(spec: Record<string, unknown> = {}): Promise<Stage> {
  const set = stage({ nodes: 0 });
  const containers = [{ name: 'main', image: 'web:1', resources: asked }];
  await set.alice.create(resources.Pod, pod('a', 'web:1', { nodeName: 'somewhere', containers, ...spec }));
  return set;
}

describe('resize of a pod', () => {
  function resize({ alice }: Stage, container: Record<string, unknown>) {
    const body = { spec: { containers: [{ name: 'main', ...container }] } } as never;
    return alice.patch(resources.Pod, at('a'), { type: 'strategic', body }, { subresource: 'resize' });
  }

  test('changes resources, and the generation with them', async () => {
    const set = await bound();
    await resize(set, { resources: { requests: { cpu: '200m' } } });
    await resize(set, { resources: { limits: { cpu: '300m' } } });
    const { metadata, spec } = await readPod(set.alice, 'a');
    expect(metadata.generation).toBe(3);
    expect(spec.containers[0]?.resources).toEqual({
      requests: { cpu: '200m', memory: '64Mi' },
      limits: { cpu: '300m' },
    });
  });

  test('leaves everything else as it is', async () => {
    const set = await bound();
    const before = await readPod(set.alice, 'a');
    await resize(set, { image: 'web:2', env: [{ name: 'A' }] });
    await set.alice.patch(
      resources.Pod,
      at('a'),
      { type: 'merge', body: { metadata: { labels: { x: 'y' } } } },
      { subresource: 'resize' },
    );
    expect(await readPod(set.alice, 'a')).toBe(before);
  });

  const refused: [string, Record<string, unknown>, string][] = [
    [
      'a request that is taken away',
      { requests: { cpu: null } },
      'Pod "a" is invalid: spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed',
    ],
    [
      'a request above its limit',
      { limits: { cpu: '50m' } },
      'Pod "a" is invalid: spec.containers[0].resources.requests: Invalid value: "100m": must be less than or equal to cpu limit of 50m',
    ],
    [
      'another quality of service',
      { limits: { cpu: '100m', memory: '64Mi' } },
      'Pod "a" is invalid: spec: Invalid value: "Burstable": Pod QOS Class may not change as a result of resizing',
    ],
    [
      'another resource than cpu and memory',
      { requests: { 'ephemeral-storage': '1Gi' } },
      'Pod "a" is invalid: spec: Forbidden: only cpu and memory resources are mutable',
    ],
  ];
  test.each(refused)('refuses %s', async (_what, wanted, message) => {
    const status = await refusal(resize(await bound(), { resources: wanted }));
    expect(status).toMatchObject({ code: 422, message });
  });
});

describe('update of a pod', () => {
  const rows: [string, Record<string, unknown>, string | undefined][] = [
    ['an image', { containers: [{ name: 'main', image: 'web:2', resources: asked }] }, undefined],
    [
      'no image',
      { containers: [{ name: 'main', image: '', resources: asked }] },
      'spec.containers[0].image: Required value',
    ],
    [
      'a node',
      { nodeName: 'other' },
      'spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`',
    ],
    ['a deadline', { activeDeadlineSeconds: 10 }, undefined],
    [
      'no time at all',
      { activeDeadlineSeconds: 0 },
      'spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive',
    ],
    ['a grace period', { terminationGracePeriodSeconds: 5 }, 'spec: Forbidden: pod updates may not change'],
    [
      'a gate',
      { schedulingGates: [{ name: 'x' }] },
      "spec.schedulingGates[0].name: Forbidden: only deletion is allowed, but found new scheduling gate 'x'",
    ],
  ];
  test.each(rows)('%s', async (_what, spec, message) => {
    const { alice } = await bound();
    const call = alice.patch(resources.Pod, at('a'), { type: 'merge', body: { spec: spec as never } });
    if (message === undefined) await call;
    else expect((await refusal(call)).message).toContain(message);
  });

  test('one that waits at a gate may still be sent elsewhere', async () => {
    const { alice } = stage({ nodes: 0 });
    await alice.create(resources.Pod, pod('a', 'web:1', { schedulingGates: [{ name: 'x/y' }] }));
    const send = (nodeSelector: Record<string, string>) =>
      alice.patch(resources.Pod, at('a'), { type: 'merge', body: { spec: { nodeSelector } } });
    expect((await send({ disk: 'ssd' })).metadata.generation).toBe(2);
    await alice.patch(resources.Pod, at('a'), { type: 'merge', body: { spec: { schedulingGates: [] } } });
    expect((await refusal(send({ disk: 'hdd' }))).code).toBe(422);
  });
});

describe('binding of a pod', () => {
  const binding = (node: string): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Binding',
    metadata: at('a'),
    target: { kind: 'Node', name: node },
  });
  const bind = ({ alice }: Stage, node: string) =>
    alice.create(resources.Pod, binding(node), { subresource: 'binding' });

  test('is no change of the desired state', async () => {
    const set = stage({ nodes: 0 });
    await set.alice.create(resources.Pod, pod('a'));
    await bind(set, 'n');
    expect((await readPod(set.alice, 'a')).metadata.generation).toBe(1);
  });

  test('happens once', async () => {
    expect(await refusal(bind(await bound(), 'n'))).toEqual({
      code: 409,
      reason: 'Conflict',
      message:
        'Operation cannot be fulfilled on pods/binding "a": pod a is already assigned to node "somewhere"',
      details: { name: 'a', kind: 'pods/binding' },
    });
  });

  test('waits for gates, and needs a node', async () => {
    const set = stage({ nodes: 0 });
    await set.alice.create(resources.Pod, pod('a', 'web:1', { schedulingGates: [{ name: 'x/y' }] }));
    expect((await refusal(bind(set, 'n'))).message).toBe(
      'Operation cannot be fulfilled on pods/binding "a": pod a has non-empty .spec.schedulingGates',
    );
    expect(await refusal(bind(set, ''))).toEqual({
      code: 500,
      reason: '',
      message: 'target.name: Required value',
    });
  });
});

describe('scale', () => {
  test('of 0 is omitted, like the other counters', async () => {
    const { alice, world } = stage({ nodes: 0 });
    const deployments = {
      group: 'apps',
      version: 'v1',
      plural: 'deployments',
      kind: 'Deployment',
      namespaced: true,
    };
    const labels = { a: 'b', c: 'd' };
    await alice.create(deployments, {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: at('a'),
      spec: {
        replicas: 0,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'web:1' }] } },
      },
    });
    const read = () => world.server.get('alice', deployments, at('a'), 'scale');
    expect(read()).toMatchObject({ kind: 'Scale', spec: {}, status: { replicas: 0, selector: 'a=b,c=d' } });
    expect(read()['spec']).toEqual({});
    const set = (replicas: number) =>
      alice.patch(
        deployments,
        at('a'),
        { type: 'merge', body: { spec: { replicas } } },
        { subresource: 'scale' },
      );
    expect((await set(3))['spec']).toEqual({ replicas: 3 });
    expect(await refusal(set(-3))).toEqual({
      code: 422,
      reason: 'Invalid',
      message:
        'Scale.autoscaling "a" is invalid: spec.replicas: Invalid value: -3: must be greater than or equal to 0',
      details: {
        name: 'a',
        group: 'autoscaling',
        kind: 'Scale',
        causes: [
          {
            reason: 'FieldValueInvalid',
            message: 'Invalid value: -3: must be greater than or equal to 0',
            field: 'spec.replicas',
          },
        ],
      },
    });
  });
});
