import { describe, expect, test } from 'vitest';
import type { DeleteOptions } from '../../schemas/wire/cluster.ts';
import type { KubeObject, OwnerReference } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { conditionOf } from '../../schemas/pods/pod.ts';
import { thousandths } from '../kinds/quantity.ts';
import { configMap, configMaps, pod, readPod, refusal, stage, widget, widgets, type Stage } from './world.ts';

const at = (name: string) => ({ namespace: 'default', name });

describe('scheduler', () => {
  const asking = (requests: Record<string, string>) => ({
    containers: [{ name: 'main', image: 'web:1', resources: { requests } }],
  });
  async function nodeOf({ alice }: Stage, name: string): Promise<string | undefined> {
    return (await readPod(alice, name)).spec.nodeName;
  }

  test('spreads pods over nodes', async () => {
    const set = stage({ nodes: 3 });
    for (const name of ['a', 'b', 'c', 'd']) await set.alice.create(resources.Pod, pod(name));
    await set.clock.advance(200);
    const nodes = await Promise.all(['a', 'b', 'c', 'd'].map((name) => nodeOf(set, name)));
    expect(nodes).toEqual(['node-1', 'node-2', 'node-3', 'node-1']);
    expect(conditionOf(await readPod(set.alice, 'a'), 'PodScheduled')?.status).toBe('True');
  });

  test('capacity is exhausted, and released by a deleted pod', async () => {
    const set = stage({ nodes: 1 });
    for (const name of ['a', 'b', 'c'])
      await set.alice.create(resources.Pod, pod(name, '', asking({ cpu: '3500m' })));
    await set.clock.advance(10_000);
    expect(await nodeOf(set, 'c')).toBeUndefined();
    expect(conditionOf(await readPod(set.alice, 'c'), 'PodScheduled')).toMatchObject({
      status: 'False',
      reason: 'Unschedulable',
      message: '0/1 nodes are available: 1 Insufficient cpu.',
    });
    await set.alice.delete(resources.Pod, at('a'));
    await set.clock.advance(2000);
    expect(await nodeOf(set, 'c')).toBe('node-1');
  });

  test('a cordoned node, a wrong label and a taint keep pods away', async () => {
    const set = stage({ nodes: 1 });
    set.world.nodes.cordon('node-1');
    set.world.nodes.add('labeled', { labels: { disk: 'ssd' } });
    await set.alice.patch(
      resources.Node,
      { name: 'labeled' },
      {
        type: 'merge',
        body: { spec: { taints: [{ key: 'only', value: 'me', effect: 'NoSchedule' }] } },
      },
    );
    await set.alice.create(resources.Pod, pod('a'));
    const toleration = { key: 'only', operator: 'Equal', value: 'me', effect: 'NoSchedule' };
    await set.alice.create(
      resources.Pod,
      pod('b', 'web:1', { tolerations: [toleration], nodeSelector: { disk: 'ssd' } }),
    );
    await set.alice.create(
      resources.Pod,
      pod('c', 'web:1', { tolerations: [toleration], nodeSelector: { disk: 'hdd' } }),
    );
    await set.clock.advance(200);
    expect(await nodeOf(set, 'b')).toBe('labeled');
    expect(conditionOf(await readPod(set.alice, 'a'), 'PodScheduled')?.message).toBe(
      '0/2 nodes are available: 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable.',
    );
    expect(await nodeOf(set, 'c')).toBeUndefined();
    set.world.nodes.uncordon('node-1');
    await set.clock.advance(200);
    expect(await nodeOf(set, 'a')).toBe('node-1');
  });

  test('a pod of another scheduler is not touched', async () => {
    const set = stage({ nodes: 1 });
    await set.alice.create(resources.Pod, pod('a', 'web:1', { schedulerName: 'mine' }));
    await set.clock.advance(1000);
    expect(await nodeOf(set, 'a')).toBeUndefined();
  });

  test('a gated pod waits for its gates', async () => {
    const set = stage({ nodes: 1 });
    await set.alice.create(resources.Pod, pod('a', 'web:1', { schedulingGates: [{ name: 'x/y' }] }));
    await set.clock.advance(1000);
    expect(conditionOf(await readPod(set.alice, 'a'), 'PodScheduled')?.reason).toBe('SchedulingGated');
    await set.alice.patch(resources.Pod, at('a'), {
      type: 'merge',
      body: { spec: { schedulingGates: null } },
    });
    await set.clock.advance(1000);
    expect(await nodeOf(set, 'a')).toBe('node-1');
  });

  const quantities: [string | number, number][] = [
    ['100m', 100],
    ['0.1', 100],
    [2, 2000],
    ['1Ki', 1_024_000],
    ['1k', 1_000_000],
    ['1e3', 1_000_000],
    ['1.5', 1500],
    ['1u', 1],
    ['x', Number.NaN],
  ];
  test.each(quantities)('the quantity %s is %d thousandths', (quantity, expected) => {
    expect(thousandths(quantity)).toBe(expected);
  });
});

function owner(object: KubeObject, blocks = false): OwnerReference {
  const { apiVersion, kind, metadata } = object;
  return {
    apiVersion,
    kind,
    name: metadata.name,
    uid: metadata.uid ?? '',
    ...(blocks ? { blockOwnerDeletion: true } : {}),
  };
}

describe('garbage collector', () => {
  /** The remaining objects of a widget, its child and its grandchild. */
  async function left(options: DeleteOptions, settleMs = 1000): Promise<string> {
    const { alice, clock } = stage({ nodes: 0 });
    const top = await alice.create(widgets, widget('top'));
    const child = await alice.create(configMaps, configMap('child', { ownerReferences: [owner(top, true)] }));
    await alice.create(configMaps, configMap('grandchild', { ownerReferences: [owner(child, true)] }));
    await alice.delete(widgets, at('top'), options);
    await clock.advance(settleMs);
    const found = [...(await alice.list(widgets)).items, ...(await alice.list(configMaps)).items];
    return found
      .map(({ metadata }) => `${metadata.name}(${(metadata.ownerReferences ?? []).length})`)
      .join(' ');
  }

  test('background: the owner first, then everything below', async () => {
    expect(await left({})).toBe('');
    expect(await left({}, 0)).toBe('child(1) grandchild(1)');
  });

  test('foreground: the owner last', async () => {
    expect(await left({ propagationPolicy: 'Foreground' })).toBe('');
    expect(await left({ propagationPolicy: 'Foreground' }, 0)).toBe('top(0) child(1) grandchild(1)');
    expect(await left({ propagationPolicy: 'Foreground' }, 120)).toMatch(/^top/);
  });

  test('orphan: the dependents stay, without the reference', async () => {
    expect(await left({ propagationPolicy: 'Orphan' })).toBe('child(0) grandchild(1)');
  });

  test('with another existing owner only the dangling reference is removed', async () => {
    const { alice, clock } = stage({ nodes: 0 });
    const one = await alice.create(widgets, widget('one'));
    const two = await alice.create(widgets, widget('two'));
    await alice.create(configMaps, configMap('child', { ownerReferences: [owner(one), owner(two)] }));
    await alice.delete(widgets, at('one'));
    await clock.advance(1000);
    expect((await alice.get(configMaps, at('child'))).metadata.ownerReferences).toEqual([owner(two)]);
  });

  test('a dependent created after its owner was deleted is collected', async () => {
    const { alice, clock } = stage({ nodes: 0 });
    const gone = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'never-was' };
    await alice.create(configMaps, configMap('child', { ownerReferences: [gone] }));
    await clock.advance(1000);
    expect((await refusal(alice.get(configMaps, at('child')))).code).toBe(404);
  });
});

describe('namespaces', () => {
  const inOther = (object: KubeObject): KubeObject => ({
    ...object,
    metadata: { ...object.metadata, namespace: 'other' },
  });
  const other = { name: 'other' };
  const place = (name: string) => ({ namespace: 'other', name });

  /** The conditions that are True, with their messages. */
  function failing(namespace: KubeObject): string[] {
    const { conditions = [] } = namespace['status'] as {
      conditions?: { type: string; status: string; reason: string; message: string }[];
    };
    return conditions
      .filter(({ status }) => status === 'True')
      .map(({ type, reason, message }) => `${type} ${reason}: ${message}`);
  }

  test('go after their content, pods first, and take nothing new meanwhile', async () => {
    const { alice, clock } = stage({ nodes: 1, namespaces: ['default', 'other'] });
    await alice.create(resources.Pod, inOther(pod('a')));
    await alice.create(widgets, inOther(widget('a')));
    await clock.advance(10_000);
    const marked = await alice.delete(resources.Namespace, other);
    expect(marked).toMatchObject({ status: { phase: 'Terminating' } });
    expect(marked?.metadata.deletionGracePeriodSeconds).toBeUndefined();
    expect(await refusal(alice.create(configMaps, inOther(configMap('late'))))).toMatchObject({
      code: 403,
      message:
        'configmaps "late" is forbidden: unable to create new content in namespace other because it is being terminated',
    });
    await clock.advance(500);
    expect((await alice.get(resources.Pod, place('a'))).metadata.deletionTimestamp).toBeDefined();
    expect((await alice.get(widgets, place('a'))).metadata.deletionTimestamp).toBeUndefined();
    const waiting = await alice.get(resources.Namespace, other);
    expect(failing(waiting)).toEqual([]);
    expect(waiting).toMatchObject({
      status: {
        conditions: [{ type: 'NamespaceDeletionDiscoveryFailure', status: 'False' }, {}, {}, {}, {}],
      },
    });
    await clock.advance(2000);
    expect((await refusal(alice.get(widgets, place('a')))).code).toBe(404);
    expect((await refusal(alice.get(resources.Namespace, other))).code).toBe(404);
  });

  test('report the remaining content', async () => {
    const { alice, clock } = stage({ nodes: 0, namespaces: ['default', 'other'] });
    const kept = (object: KubeObject, finalizers: string[]) =>
      inOther({ ...object, metadata: { ...object.metadata, finalizers } });
    await alice.create(configMaps, kept(configMap('a'), ['x/y']));
    await alice.create(configMaps, kept(configMap('b'), ['x/y', 'z/z']));
    await alice.create(configMaps, inOther(configMap('c')));
    await alice.create(widgets, kept(widget('a'), ['c/c']));
    await alice.delete(resources.Namespace, other);
    await clock.advance(1000);
    expect(failing(await alice.get(resources.Namespace, other))).toEqual([
      'NamespaceContentRemaining SomeResourcesRemain: Some resources are remaining: configmaps. has 2 resource instances, widgets.test.example has 1 resource instances',
      'NamespaceFinalizersRemaining SomeFinalizersRemain: Some content in the namespace has finalizers remaining: c/c in 1 resource instances, x/y in 2 resource instances, z/z in 1 resource instances',
    ]);
    const release = { type: 'merge', body: { metadata: { finalizers: null } } } as const;
    for (const name of ['a', 'b']) await alice.patch(configMaps, place(name), release);
    await clock.advance(1000);
    expect(failing(await alice.get(resources.Namespace, other))[1]).toContain(
      'remaining: c/c in 1 resource instances',
    );
    await alice.patch(widgets, place('a'), release);
    await clock.advance(1000);
    expect((await refusal(alice.get(resources.Namespace, other))).code).toBe(404);
  });

  test('report that their content is deleted, while a finalizer keeps them', async () => {
    const { alice, clock } = stage({ nodes: 0, namespaces: ['default', 'other'] });
    const mark = (finalizers: string[] | null) =>
      ({ type: 'merge', body: { metadata: { finalizers } } }) as const;
    await alice.patch(resources.Namespace, other, mark(['x/y']));
    await alice.create(configMaps, inOther(configMap('a', { finalizers: ['x/y'] })));
    await alice.delete(resources.Namespace, other);
    await clock.advance(1000);
    expect(failing(await alice.get(resources.Namespace, other))).toHaveLength(2);
    await alice.patch(configMaps, place('a'), mark(null));
    await clock.advance(1000);
    const left = await alice.get(resources.Namespace, other);
    expect(failing(left)).toEqual([]);
    expect((left['status'] as { conditions: { message: string }[] }).conditions[3]?.message).toBe(
      'All content successfully removed',
    );
    await alice.patch(resources.Namespace, other, mark(null));
    expect((await refusal(alice.get(resources.Namespace, other))).code).toBe(404);
  });

  test('that every cluster needs may not be deleted', async () => {
    const { alice } = stage({ namespaces: ['default', 'kube-system'] });
    for (const name of ['default', 'kube-system'])
      expect(await refusal(alice.delete(resources.Namespace, { name }))).toEqual({
        code: 403,
        reason: 'Forbidden',
        message: `namespaces "${name}" is forbidden: this namespace may not be deleted`,
        details: { name, kind: 'namespaces' },
      });
  });

  test('keep the label with their name', async () => {
    const { alice } = stage({ namespaces: ['default', 'other'] });
    const body = { metadata: { labels: { 'kubernetes.io/metadata.name': 'x', a: 'b' } } };
    const { metadata } = await alice.patch(resources.Namespace, other, { type: 'merge', body });
    expect(metadata.labels).toEqual({ 'kubernetes.io/metadata.name': 'other', a: 'b' });
  });
});
