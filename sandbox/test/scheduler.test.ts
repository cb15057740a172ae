import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { conditionOf, type Pod } from '../../schemas/pods/pod.ts';
import { pod, readPod, stage, type Stage } from './world.ts';

const at = (name: string) => ({ namespace: 'default', name });

/** Two zones: node-a1 and node-a2, node-b1; and node-x without a zone. */
function zones(): Stage {
  const set = stage({ nodes: 0 });
  for (const [name, zone] of [
    ['node-a1', 'a'],
    ['node-a2', 'a'],
    ['node-b1', 'b'],
  ] as const)
    set.world.nodes.add(name, { labels: { zone, size: name === 'node-a2' ? '20' : '10' } });
  set.world.nodes.add('node-x', { labels: { size: '5' } });
  return set;
}

function labeled(
  name: string,
  spec: Record<string, unknown>,
  labels: Record<string, string> = { app: 'web' },
): KubeObject {
  const made = pod(name, 'web:1', spec);
  return { ...made, metadata: { ...made.metadata, labels } };
}

/** Creates the pods in sequence and returns their nodes, or the message of an unschedulable pod. */
async function place(set: Stage, ...bodies: KubeObject[]): Promise<string[]> {
  const places: string[] = [];
  for (const body of bodies) {
    await set.alice.create(resources.Pod, body);
    await set.clock.advance(300);
    const made = await readPod(set.alice, body.metadata.name);
    places.push(made.spec.nodeName ?? conditionOf(made, 'PodScheduled')?.message ?? '');
  }
  return places;
}

const selector = { labelSelector: { matchLabels: { app: 'web' } } };
const required = (value: unknown) => ({ requiredDuringSchedulingIgnoredDuringExecution: value });
const preferred = (value: unknown) => ({ preferredDuringSchedulingIgnoredDuringExecution: value });

describe('node affinity', () => {
  const terms = (...expressions: Record<string, unknown>[]) => ({
    affinity: {
      nodeAffinity: required({
        nodeSelectorTerms: expressions.map((each) => ({ matchExpressions: [each] })),
      }),
    },
  });
  test.each<[string, Record<string, unknown>, string]>([
    ['In', terms({ key: 'zone', operator: 'In', values: ['b'] }), 'node-b1'],
    [
      'NotIn takes what has no such label',
      terms({ key: 'zone', operator: 'NotIn', values: ['a', 'b'] }),
      'node-x',
    ],
    ['Exists', terms({ key: 'zone', operator: 'Exists' }), 'node-a1'],
    ['DoesNotExist', terms({ key: 'zone', operator: 'DoesNotExist' }), 'node-x'],
    ['Gt', terms({ key: 'size', operator: 'Gt', values: ['15'] }), 'node-a2'],
    ['Lt', terms({ key: 'size', operator: 'Lt', values: ['9'] }), 'node-x'],
    [
      'one term of several is enough',
      terms({ key: 'zone', operator: 'In', values: ['c'] }, { key: 'zone', operator: 'In', values: ['b'] }),
      'node-b1',
    ],
    [
      'a name',
      {
        affinity: {
          nodeAffinity: required({
            nodeSelectorTerms: [
              { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['node-a2'] }] },
            ],
          }),
        },
      },
      'node-a2',
    ],
    [
      'none',
      terms({ key: 'zone', operator: 'In', values: ['c'] }),
      "0/4 nodes are available: 4 node(s) didn't match Pod's node affinity/selector.",
    ],
    [
      'what is preferred wins over the fewest pods, by weight',
      {
        affinity: {
          nodeAffinity: preferred([
            { weight: 1, preference: { matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] } },
            { weight: 5, preference: { matchExpressions: [{ key: 'zone', operator: 'In', values: ['b'] }] } },
          ]),
        },
      },
      'node-b1',
    ],
  ])('node affinity: %s', async (_what, spec, expected) => {
    expect(await place(zones(), labeled('a', spec))).toEqual([expected]);
  });
});

describe('pods among each other', () => {
  const near = { affinity: { podAffinity: required([{ topologyKey: 'zone', ...selector }]) } };
  const far = { affinity: { podAntiAffinity: required([{ topologyKey: 'zone', ...selector }]) } };

  test('affinity: the first pod of a group is scheduled on any node with the label, later pods in its domain', async () => {
    const set = zones();
    expect(await place(set, ...['a', 'b', 'c'].map((name) => labeled(name, near)))).toEqual([
      'node-a1',
      'node-a2',
      'node-a1',
    ]);
  });

  test('affinity to missing pods waits for them', async () => {
    const set = zones();
    const [waits] = await place(set, labeled('a', near, { app: 'other' }));
    expect(waits).toBe("0/4 nodes are available: 4 node(s) didn't match pod affinity rules.");
    await place(set, labeled('b', { nodeSelector: { zone: 'b' } }));
    expect((await readPod(set.alice, 'a')).spec.nodeName).toBe('node-b1');
  });

  test('anti-affinity: one a domain, nodes in no domain aside', async () => {
    const spec = { ...far, nodeSelector: { zone: 'a' } };
    expect(
      await place(zones(), labeled('a', far), labeled('b', far), labeled('c', far), labeled('d', spec)),
    ).toEqual([
      'node-a1',
      'node-b1',
      'node-x',
      "0/4 nodes are available: 2 node(s) didn't match Pod's node affinity/selector, 2 node(s) didn't match pod anti-affinity rules.",
    ]);
  });

  test('anti-affinity of an existing pod excludes matching pods', async () => {
    const set = zones();
    const places = await place(
      set,
      labeled('a', { ...far, nodeSelector: { zone: 'a' } }, { app: 'shy' }),
      labeled('b', { nodeSelector: { zone: 'a' } }),
      labeled('c', { nodeSelector: { zone: 'a' } }, { app: 'other' }),
    );
    expect(places).toEqual([
      'node-a1',
      "0/4 nodes are available: 2 node(s) didn't match Pod's node affinity/selector, 2 node(s) didn't satisfy existing pods anti-affinity rules.",
      'node-a2',
    ]);
  });

  test('other namespaces do not count unless they are named', async () => {
    const set = zones();
    await set.alice.create(resources.Namespace, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'shop', labels: { team: 'shop' } },
    });
    const there = labeled('there', { nodeSelector: { zone: 'b' } });
    await set.alice.create(resources.Pod, { ...there, metadata: { ...there.metadata, namespace: 'shop' } });
    await set.clock.advance(300);
    const term = { topologyKey: 'zone', ...selector };
    const by = (fields: object) => ({ affinity: { podAffinity: required([{ ...term, ...fields }]) } });
    expect(
      await place(
        set,
        labeled('a', by({}), { app: 'other' }),
        labeled('b', by({ namespaces: ['shop'] }), { app: 'other' }),
        labeled('c', by({ namespaceSelector: { matchLabels: { team: 'shop' } } }), { app: 'other' }),
      ),
    ).toEqual(["0/4 nodes are available: 4 node(s) didn't match pod affinity rules.", 'node-b1', 'node-b1']);
  });

  test('preferred affinity and anti-affinity affect the score', async () => {
    const weighted = [
      { weight: 10, podAffinityTerm: { topologyKey: 'kubernetes.io/hostname', ...selector } },
    ];
    const set = zones();
    expect(
      await place(
        set,
        labeled('a', { nodeSelector: { zone: 'b' } }),
        labeled('b', { affinity: { podAffinity: preferred(weighted) } }),
        labeled('c', { affinity: { podAntiAffinity: preferred(weighted) }, nodeSelector: { size: '10' } }),
      ),
    ).toEqual(['node-b1', 'node-b1', 'node-a1']);
  });
});

describe('spread', () => {
  const spread = (fields: Record<string, unknown> = {}) => ({
    topologySpreadConstraints: [
      { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', ...selector, ...fields },
    ],
  });

  test('DoNotSchedule limits the skew, and reports why a pod is pending', async () => {
    const set = zones();
    const names = ['a', 'b', 'c', 'd', 'e'];
    expect(await place(set, ...names.map((name) => labeled(name, spread())))).toEqual([
      'node-a1',
      'node-b1',
      'node-a2',
      'node-b1',
      'node-a1',
    ]);
    set.world.nodes.cordon('node-b1');
    expect(await place(set, labeled('f', spread()))).toEqual([
      "0/4 nodes are available: 1 node(s) didn't match pod topology spread constraints (missing required label), 1 node(s) were unschedulable, 2 node(s) didn't match pod topology spread constraints.",
    ]);
  });

  test('ScheduleAnyway prefers the emptier domain to the emptier node', async () => {
    const set = zones();
    const any = spread({ whenUnsatisfiable: 'ScheduleAnyway' });
    const filler = { nodeSelector: { zone: 'b' } };
    expect(
      await place(
        set,
        labeled('x', filler, {}),
        labeled('y', filler, {}),
        labeled('a', { ...any, nodeSelector: { zone: 'a' } }),
        labeled('b', any),
      ),
    ).toEqual(['node-b1', 'node-b1', 'node-a1', 'node-b1']);
  });
});

describe('room', () => {
  const asking = (requests: Record<string, string>, fields: Record<string, unknown> = {}) => ({
    containers: [{ name: 'main', image: 'web:1', resources: { requests, limits: requests } }],
    ...fields,
  });

  test('every resource counts, those of extensions too, and each shortage is named', async () => {
    const set = stage({ nodes: 1 });
    set.world.nodes.add('gpu', { allocatable: { 'example.com/gpu': '2' } });
    expect(
      await place(
        set,
        pod('a', '', asking({ 'example.com/gpu': '2' })),
        pod('b', '', asking({ 'example.com/gpu': '1', cpu: '9' })),
      ),
    ).toEqual(['gpu', '0/2 nodes are available: 2 Insufficient cpu, 2 Insufficient example.com/gpu.']);
  });

  test('ephemeral storage counts: of a node, and of each pod that a kubelet is given', async () => {
    const set = stage({ nodes: 1, podEvents: true });
    const large = asking({ 'ephemeral-storage': '60Gi' });
    expect(await place(set, pod('a', '', large), pod('b', '', large))).toEqual([
      'node-1',
      '0/1 nodes are available: 1 Insufficient ephemeral-storage.',
    ]);
    await set.alice.create(resources.Pod, pod('c', 'web:1', { ...large, nodeName: 'node-1' }));
    await set.clock.advance(1_000);
    expect((await readPod(set.alice, 'c')).status).toMatchObject({
      phase: 'Failed',
      reason: 'OutOfephemeral-storage',
    });
  });

  test('host ports are given once a node', async () => {
    const set = stage({ nodes: 2 });
    const spec = {
      containers: [{ name: 'main', image: 'web:1', ports: [{ containerPort: 80, hostPort: 80 }] }],
    };
    expect(await place(set, pod('a', '', spec), pod('b', '', spec), pod('c', '', spec))).toEqual([
      'node-1',
      'node-2',
      "0/2 nodes are available: 2 node(s) didn't have free ports for the requested pod ports.",
    ]);
  });

  test('who waits is served by priority', async () => {
    const set = stage({ nodes: 1 });
    const full = asking({ cpu: '8' });
    await set.alice.create(
      {
        group: 'scheduling.k8s.io',
        version: 'v1',
        plural: 'priorityclasses',
        kind: 'PriorityClass',
        namespaced: false,
      },
      { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name: 'high' }, value: 1000 },
    );
    await place(
      set,
      pod('a', '', full),
      pod('low', '', full),
      pod('high', '', { ...full, priorityClassName: 'high' }),
    );
    await set.alice.delete(resources.Pod, at('a'));
    await set.clock.advance(2000);
    const nodes = ((await set.alice.list(resources.Pod)).items as Pod[]).map(
      ({ metadata, spec }) => `${metadata.name} ${spec.nodeName ?? 'waits'}`,
    );
    expect(nodes).toEqual(['high node-1', 'low waits']);
  });

  test('a node of last resort is taken last', async () => {
    const set = stage({ nodes: 2 });
    const taint = { key: 'slow', effect: 'PreferNoSchedule' };
    await set.alice.patch(
      resources.Node,
      { name: 'node-1' },
      { type: 'merge', body: { spec: { taints: [taint] } } },
    );
    expect(await place(set, pod('a'), pod('b'))).toEqual(['node-2', 'node-2']);
  });

  test('a pod bound to a full node is rejected by its kubelet', async () => {
    const set = stage({ nodes: 1 });
    await set.alice.create(resources.Pod, pod('a', '', { ...asking({ cpu: '9' }), nodeName: 'node-1' }));
    await set.clock.advance(1000);
    expect((await readPod(set.alice, 'a')).status).toMatchObject({
      phase: 'Failed',
      reason: 'OutOfcpu',
      message:
        "Pod was rejected: Node didn't have enough resource: cpu, requested: 9000, used: 0, capacity: 8000",
    });
  });
});
