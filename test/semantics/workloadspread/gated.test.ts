import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import type { PatchAction } from '../../../semantics/decision.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { decideSpread, type SpreadStatus } from '../../../semantics/workloadspread/decide.ts';
import { unsupportedSpread } from '../../../semantics/workloadspread/unsupported.ts';
import { workloadSpreadKind } from '../../../semantics/workloadspread/kind.ts';
import { matchedOf, recordedBy } from '../../../semantics/workloadspread/matched.ts';
import { objectOf } from '../../../semantics/values/read.ts';
import * as fc from '../../property.ts';
import { deploymentOf, podOf, replicaSetOf, spreadOfDeployment } from './gates.ts';
import { inZone, NOW } from './spreads.ts';

type World = { target: KubeObject; pods: readonly Pod[]; configs?: readonly KubeObject[]; now?: number };

function decided({ target, pods, configs = [deploymentOf(6)], now = NOW }: World) {
  const { actions, status, requeueAt } = decideSpread({ target, pods, configs, now }, undefined);
  const patches = actions.filter((each): each is PatchAction => each.do === 'patch');
  const placed = patches.filter(({ verb }) => verb === 'place');
  return { status, requeueAt, placed, patches };
}

/** The same WorkloadSpread with the status that was decided. */
const withStatus = (target: KubeObject, status: SpreadStatus): KubeObject => ({
  ...target,
  status: structuredClone(status),
});

/** What is known of a pod by the write that lets it go. */
const podIn = (patch: PatchAction | undefined): KubeObject =>
  ({ apiVersion: 'v1', kind: 'Pod', ...patch?.body }) as KubeObject;

const subsetIn = (patch: PatchAction): string | undefined => matchedOf(podIn(patch))?.subset;

const three = ['web-1', 'web-2', 'web-3'].map((name) => podOf(name));

describe('pods of a Deployment that wait with a gate', () => {
  it('have their places on record before they are written, and those without a cap at once', () => {
    const target = spreadOfDeployment({ a: 2, b: null });
    const first = decided({ target, pods: three });
    expect(first.placed.map(subsetIn)).toEqual(['b']);
    expect(first.status.versionedSubsetStatuses['h1']).toMatchObject([
      {
        name: 'a',
        replicas: 0,
        missingReplicas: 0,
        creatingPods: { 'web-1': expect.anything(), 'web-2': expect.anything() },
      },
      { name: 'b', replicas: 0, missingReplicas: -1 },
    ]);
    const second = decided({ target: withStatus(target, first.status), pods: three });
    expect(second.placed.map((each) => [each.name, subsetIn(each)])).toEqual([
      ['web-1', 'a'],
      ['web-2', 'a'],
      ['web-3', 'b'],
    ]);
  });

  it('get everything in one write, bound to the version that was read', () => {
    const subsets: JsonObject[] = [
      {
        name: 'a',
        requiredNodeSelector: inZone('a'),
        tolerations: [{ key: 'spot', operator: 'Exists' }],
        patch: { metadata: { labels: { place: 'a' }, annotations: { note: 'x' } } },
      },
    ];
    const tolerations = [{ key: 'old', operator: 'Exists' }];
    const required = { nodeSelectorTerms: [inZone('x')] };
    const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } };
    const pods = [podOf('web-1', undefined, { spec: { tolerations, affinity } })];
    const { placed } = decided({ target: spreadOfDeployment({}, { subsets }), pods });
    expect(placed.map(({ body }) => body)).toEqual([
      {
        metadata: {
          uid: 'uid-web-1',
          resourceVersion: '7',
          labels: { place: 'a' },
          annotations: {
            note: 'x',
            'apps.kruise.io/matched-workloadspread': '{"name":"spread","subset":"a"}',
            'controller.kubernetes.io/pod-deletion-cost': '100',
          },
        },
        spec: {
          schedulingGates: [{ name: 'kruise.io/workloadspread', $patch: 'delete' }],
          tolerations: [...tolerations, { key: 'spot', operator: 'Exists' }],
          affinity: {
            nodeAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: {
                nodeSelectorTerms: [
                  {
                    matchExpressions: [
                      ...(inZone('x')['matchExpressions'] as JsonObject[]),
                      ...(inZone('a')['matchExpressions'] as JsonObject[]),
                    ],
                  },
                ],
              },
            },
          },
        },
      },
    ]);
  });

  it.each<[string, JsonObject]>([
    ['the labels of its Deployment', { app: 'other' }],
    ['a label of the filter', { tier: 'x' }],
  ])('keep what a patch of %s would change', (_what, labels) => {
    const subsets: JsonObject[] = [{ name: 'a', patch: { metadata: { labels } } }];
    const targetFilter = { selector: { matchExpressions: [{ key: 'tier', operator: 'DoesNotExist' }] } };
    const { placed } = decided({
      target: spreadOfDeployment({}, { subsets, targetFilter }),
      pods: [podOf('w')],
    });
    expect(placed.map(({ body }) => Object.keys(body['metadata'] as object))).toEqual([
      ['uid', 'resourceVersion', 'annotations'],
    ]);
  });

  it('wait for nothing where no subset has room, where the filter leaves them out, and where the Deployment is gone', () => {
    const bare = { spec: { schedulingGates: [{ name: 'kruise.io/workloadspread', $patch: 'delete' }] } };
    const full = [podOf('web-0', 'a'), podOf('web-1')];
    const without = decided({ target: spreadOfDeployment({ a: 1 }), pods: full }).placed[0];
    expect(without?.body).toMatchObject(bare);
    expect(recordedBy(podIn(without), { metadata: { name: 'spread' } } as KubeObject)).toBe('room');
    const targetFilter = { selector: { matchLabels: { tier: 'x' } } };
    const left = decided({ target: spreadOfDeployment({ a: 1 }, { targetFilter }), pods: [podOf('web-1')] });
    expect(left.placed.map(({ body }) => body['spec'])).toEqual([bare.spec]);
    const goneAt = (seconds: number) =>
      decided({
        target: spreadOfDeployment({ a: '50%', b: '50%' }),
        pods: [podOf('web-1')],
        configs: [],
        now: NOW + seconds * 1_000,
      });
    expect(goneAt(60).placed.map(({ body }) => body['spec'])).toEqual([bare.spec]);
    // It may not be known yet, and a percentage of nothing is nothing.
    expect(goneAt(59)).toMatchObject({ placed: [], requeueAt: NOW + 60_000 });
  });

  it('go without a place after 30 s where the server refuses their patch, and no place stays on record', () => {
    const subsets: JsonObject[] = [
      { name: 'a', maxReplicas: 1, patch: { metadata: { annotations: { x: 'y' } } } },
    ];
    const target = spreadOfDeployment({}, { subsets });
    const recorded = withStatus(target, decided({ target, pods: [podOf('web-1')] }).status);
    const refusedPods = new Set(['web-1']);
    const at = (seconds: number) =>
      decideSpread(
        {
          target: recorded,
          pods: [podOf('web-1')],
          configs: [deploymentOf(2)],
          refusedPods,
          now: NOW + seconds * 1000,
        },
        undefined,
      );
    const young = at(29);
    expect(young.requeueAt).toBe(NOW + 30_000);
    expect(young.actions).toMatchObject([{ body: { metadata: { annotations: { x: 'y' } } } }]);
    const old = at(30);
    expect(old.actions.map((action) => (action as PatchAction).body)).toEqual([
      {
        metadata: {
          ...{ uid: 'uid-web-1', resourceVersion: '7' },
          annotations: {
            'apps.kruise.io/matched-workloadspread': '{"name":"spread","subset":"","by":"refused"}',
          },
        },
        spec: { schedulingGates: [{ name: 'kruise.io/workloadspread', $patch: 'delete' }] },
      },
    ]);
    expect(old.status.versionedSubsetStatuses).toEqual({});
  });

  it('go without a place after a minute where no rule executes their WorkloadSpread', () => {
    const target = spreadOfDeployment(
      {},
      { subsets: [{ name: 'a', patch: { spec: { priorityClassName: 'x' } } }] },
    );
    const young = podOf('web-2');
    young.metadata.creationTimestamp = new Date(NOW + 1_000).toISOString();
    const objects = { target, pods: [podOf('web-1'), young], revisions: [], takenNames: new Set<string>() };
    const held = (seconds: number) =>
      workloadSpreadKind.observe({ ...objects, now: NOW + seconds * 1000 }).whileHeld();
    expect(held(59)).toEqual({ actions: [], again: NOW + 60_000, status: {} });
    expect(held(60)).toMatchObject({ actions: [{ name: 'web-1' }], again: NOW + 61_000 });
  });

  it('go without a place where their WorkloadSpread is being deleted', () => {
    const target = spreadOfDeployment({ a: 1 });
    const pods = [podOf('web-1'), podOf('web-2', 'a')];
    const snapshot = workloadSpreadKind.observe({
      target,
      pods,
      revisions: [],
      takenNames: new Set(),
      now: NOW,
    });
    expect(snapshot.release()).toMatchObject([
      { name: 'web-1', body: { spec: { schedulingGates: [expect.anything()] } } },
    ]);
  });

  it('WS-5: have the whole caps for each version', () => {
    const pods = [podOf('web-1', 'a'), podOf('web-2', 'a'), podOf('web-9', undefined, { hash: 'h2' })];
    const { status } = decided({ target: spreadOfDeployment({ a: 2, b: null }), pods });
    expect(status.versionedSubsetStatuses).toMatchObject({
      h1: [{ replicas: 2, missingReplicas: 0 }, { replicas: 0 }],
      h2: [
        { replicas: 0, missingReplicas: 1, creatingPods: { 'web-9': expect.anything() } },
        { replicas: 0 },
      ],
    });
    expect(status.subsetStatuses).toMatchObject([{ name: 'a', replicas: 2 }, { name: 'b' }]);
  });

  it('keep a place on record for 30 s, also where they are not observed', () => {
    const target = spreadOfDeployment({ a: 1, b: null });
    const { status } = decided({ target, pods: [podOf('web-1')] });
    const recorded = withStatus(target, status);
    const later = podOf('web-2');
    // The first one is not in the cache any more, or not yet.
    const young = decided({ target: recorded, pods: [later], now: NOW + 29_000 });
    expect(young.placed.map(subsetIn)).toEqual(['b']);
    expect(young.requeueAt).toBe(NOW + 30_000);
    const old = decided({ target: recorded, pods: [later], now: NOW + 30_000 });
    expect(old.placed).toEqual([]);
    expect(old.status.versionedSubsetStatuses['h1']?.[0]?.creatingPods).toEqual({
      'web-2': '2026-01-01T00:00:30Z',
    });
    // It is observed in its subset: another process may not observe that yet.
    const seen = (now: number) =>
      decided({ target: recorded, pods: [podOf('web-1', 'a')], now }).status.versionedSubsetStatuses[
        'h1'
      ]?.[0];
    expect(seen(NOW + 29_000)).toMatchObject({
      replicas: 0,
      missingReplicas: 0,
      creatingPods: { 'web-1': expect.anything() },
    });
    expect(seen(NOW + 30_000)).toEqual({ name: 'a', replicas: 1, missingReplicas: 0 });
    const waits = decided({ target: recorded, pods: [podOf('web-1')], now: NOW + 3_600_000 });
    expect(waits.placed.map(subsetIn)).toEqual(['a']);
    expect(waits.requeueAt).toBeUndefined();
  });

  it('are given places a thousand at a time: the status must fit an object', () => {
    const pods = Array.from({ length: 2_500 }, (_, index) => podOf(`web-${String(index).padStart(4, '0')}`));
    const target = spreadOfDeployment({ a: 2_200, b: null });
    const places = ({ versionedSubsetStatuses }: SpreadStatus): number =>
      Object.keys(versionedSubsetStatuses['h1']?.[0]?.creatingPods ?? {}).length;
    const first = decided({ target, pods });
    expect([places(first.status), first.placed.length]).toEqual([1_000, 0]);
    const second = decided({ target: withStatus(target, first.status), pods });
    expect([places(second.status), second.placed.length]).toEqual([1_000, 1_000]);
    // Those show it now: their records stay for half a minute, and the next thousand come.
    const shown = pods.map((pod, index) => (index < 1_000 ? podOf(pod.metadata.name, 'a') : pod));
    const third = decided({ target: withStatus(target, second.status), pods: shown });
    expect([places(third.status), third.placed.length]).toEqual([2_000, 0]);
  });

  it('property: two processes that see the pods late never put more into a than its cap, whoever writes first', () => {
    const names = Array.from({ length: 6 }, (_, index) => `web-${index}`);
    const order = fc.shuffledSubarray(names, { minLength: names.length });
    const step = fc.record({
      who: fc.constantFrom(0, 1),
      creates: fc.nat({ max: 2 }),
      reads: fc.subarray(names),
      isFresh: fc.boolean(),
    });
    fc.assert(
      fc.property(order, fc.array(step, { maxLength: 30 }), (toCreate, steps) => {
        let target = spreadOfDeployment({ a: 2, b: null });
        let version = 0;
        const coming = [...toCreate];
        const pods = new Map<string, { pod: Pod; version: number }>();
        // What each of the two has read of the pods, and of the WorkloadSpread.
        const seen = [new Map(pods), new Map(pods)];
        const read = [
          { target, version },
          { target, version },
        ];
        for (const { who, creates, reads, isFresh } of steps) {
          for (const name of coming.splice(0, creates)) pods.set(name, { pod: podOf(name), version: 0 });
          for (const name of reads) {
            const live = pods.get(name);
            if (live !== undefined) seen[who]?.set(name, live);
          }
          if (isFresh) read[who] = { target, version };
          const own = [...(seen[who]?.values() ?? [])];
          const known = read[who] ?? { target, version };
          const { placed, status } = decided({ target: known.target, pods: own.map(({ pod }) => pod) });
          for (const { name, body } of placed) {
            const live = pods.get(name);
            const from = seen[who]?.get(name);
            if (live === undefined || live.version !== from?.version) continue;
            const { annotations } = objectOf(body['metadata']);
            const metadata = { ...live.pod.metadata, annotations: annotations as Record<string, string> };
            pods.set(name, {
              pod: { ...live.pod, metadata, spec: { containers: [] } },
              version: live.version + 1,
            });
          }
          if (known.version !== version) continue;
          target = withStatus(target, status);
          version += 1;
        }
        const inA = [...pods.values()].filter(({ pod }) => matchedOf(pod)?.subset === 'a');
        expect(inA.length).toBeLessThanOrEqual(2);
      }),
    );
  });
});

describe('what deletion costs', () => {
  const costs = (world: World): unknown[] =>
    decided(world)
      .patches.filter(({ verb }) => verb.startsWith('set'))
      .map(({ name, body }) => [
        name,
        Object.values((body['metadata'] as JsonObject)['annotations'] as object)[0],
      ]);

  it('WS-25: is mirrored for pods of an older ReplicaSet', () => {
    const pods = [
      podOf('o1', 'a'),
      podOf('o2', 'b'),
      podOf('n1', 'a', { hash: 'h2' }),
      podOf('n2', 'b', { hash: 'h2' }),
    ];
    const configs = [deploymentOf(2, '2'), replicaSetOf('h1', '1'), replicaSetOf('h2', '2')];
    expect(costs({ target: spreadOfDeployment({ a: 2, b: null }), pods, configs })).toEqual([
      ['o1', '100'],
      ['o2', '200'],
      ['n1', '200'],
      ['n2', '100'],
    ]);
  });

  it('is not mirrored for a rollout that its Deployment does not show yet, nor for one that is paused with another template', () => {
    const pods = [podOf('o1', 'a'), podOf('n1', 'a', { hash: 'h2' })];
    const configs = [deploymentOf(2, '9'), replicaSetOf('h1', '9'), replicaSetOf('h2', '10')];
    const target = spreadOfDeployment({ a: 2, b: null });
    const expected = [
      ['o1', '200'],
      ['n1', '200'],
    ];
    expect(costs({ target, pods, configs })).toEqual(expected);
    const paused = deploymentOf(2, '10');
    Object.assign(objectOf(paused['spec']), { paused: true, template: { spec: { containers: [] } } });
    expect(costs({ target, pods: pods.slice(1), configs: [paused, ...configs.slice(2)] })).toEqual([
      ['n1', '200'],
    ]);
  });

  it('is written where it differs alone', () => {
    const pods = [podOf('o1', 'a')];
    const { annotations } = pods[0]?.metadata ?? {};
    if (annotations !== undefined) annotations['controller.kubernetes.io/pod-deletion-cost'] = '200';
    expect(costs({ target: spreadOfDeployment({ a: 2, b: null }), pods })).toEqual([]);
  });
});

describe('a target with gates', () => {
  it.each<[string, JsonObject, number]>([
    ['of metadata', { metadata: { labels: { a: 'b' } } }, 0],
    ['of the spec', { spec: { priorityClassName: 'high' } }, 1],
    [
      'of annotations that no pod gets which exists',
      {
        metadata: {
          annotations: {
            'container.apparmor.security.beta.kubernetes.io/main': 'runtime/default',
            'kubernetes.io/config.mirror': 'x',
            'kubernetes.io/config.source': 'x',
          },
        },
      },
      2,
    ],
  ])('a patch %s', (_what, patch, count) => {
    const found = unsupportedSpread(spreadOfDeployment({}, { subsets: [{ name: 'a', patch }] }));
    expect(found).toHaveLength(count);
  });
});
