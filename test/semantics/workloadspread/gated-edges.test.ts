import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import type { PatchAction } from '../../../semantics/decision.ts';
import type { NodeLabels } from '../../../semantics/pod/nodes.ts';
import { DELETION_COST_ANNOTATION, type Pod } from '../../../semantics/pod/types.ts';
import { objectOf, textOf } from '../../../semantics/values/read.ts';
import { decideSpread } from '../../../semantics/workloadspread/decide.ts';
import { GATE, MATCHED_ANNOTATION } from '../../../semantics/workloadspread/resource.ts';
import { deploymentOf, podOf, spreadOfDeployment } from './gates.ts';
import { inZone, NOW } from './spreads.ts';

/** Each node is of the zone of its name. */
const nodes: NodeLabels = { state: 'known', pendingSince: undefined, of: (name) => ({ zone: name }) };

function decided(target: KubeObject, pods: readonly Pod[], others: readonly KubeObject[] = []) {
  const configs = [deploymentOf(6), ...others];
  const { actions, status } = decideSpread({ target, pods, configs, nodes, now: NOW }, undefined);
  const patches = actions.filter((each): each is PatchAction => each.do === 'patch');
  return { status, patches, placed: patches.filter(({ verb }) => verb === 'place') };
}

const costIn = ({ body }: PatchAction): string =>
  textOf(objectOf(objectOf(objectOf(body)['metadata'])['annotations'])[DELETION_COST_ANNOTATION]);

describe('pods that wait with a gate', () => {
  it('keep an alternative that is empty, as the server refuses to widen it', () => {
    const key = 'requiredDuringSchedulingIgnoredDuringExecution';
    const affinity = { nodeAffinity: { [key]: { nodeSelectorTerms: [{}, inZone('x')] } } };
    const pods = [podOf('web-1', undefined, { spec: { affinity } })];
    const { placed } = decided(spreadOfDeployment({ a: null }), pods);
    const spec = objectOf(objectOf(placed[0]?.body)['spec']);
    const required = objectOf(objectOf(objectOf(spec['affinity'])['nodeAffinity'])[key]);
    expect(required['nodeSelectorTerms']).toMatchObject([{}, { matchExpressions: [{}, {}] }]);
    expect((required['nodeSelectorTerms'] as unknown[])[0]).toEqual({});
  });

  it('of a CloneSet lose a gate of its template, and keep the subset that they were made in', () => {
    const targetRef = { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'web' };
    const target = spreadOfDeployment({ a: 1, b: null }, { targetRef });
    const pod = podOf('web-1', 'a', { spec: { schedulingGates: [{ name: GATE }] } });
    pod.metadata.ownerReferences = [{ ...targetRef, uid: 'of-web', controller: true }];
    const { placed } = decided(target, [pod]);
    expect(placed.map(({ body }) => body)).toEqual([
      {
        metadata: { uid: 'uid-web-1', resourceVersion: '7' },
        spec: { schedulingGates: [{ name: GATE, $patch: 'delete' }] },
      },
    ]);
  });
});

describe('pods that run already where their WorkloadSpread comes', () => {
  it('count against the caps before they are on record, and cost what others of their subset do', () => {
    const running = (name: string, zone: string): Pod =>
      podOf(name, undefined, { spec: { schedulingGates: [], nodeName: zone } });
    const pods = [
      running('web-1', 'a'),
      running('web-2', 'a'),
      running('web-3', 'b'),
      podOf('web-4'),
      podOf('web-5'),
    ];
    const { status, placed, patches } = decided(spreadOfDeployment({ a: 3, b: null }), pods);
    expect(placed.map(({ name }) => name)).toEqual(['web-5']);
    const costs = patches.filter(({ verb }) => verb.startsWith('set'));
    expect(costs.map((each) => [each.name, costIn(each)])).toEqual([
      ['web-1', '200'],
      ['web-2', '200'],
      ['web-3', '100'],
    ]);
    expect(status.versionedSubsetStatuses['h1']).toMatchObject([
      { name: 'a', replicas: 2, missingReplicas: 0, creatingPods: { 'web-4': expect.anything() } },
      { name: 'b', replicas: 1 },
    ]);
  });
});

describe('pods whose Deployment is not known yet', () => {
  const subsets: JsonObject[] = [
    { name: 'a', maxReplicas: 1 },
    { name: 'b', patch: { metadata: { labels: { place: 'b' } } } },
  ];
  const at = (target: KubeObject, seconds: number) => {
    const pods = ['web-1', 'web-2'].map((name) => podOf(name));
    const now = NOW + seconds * 1_000;
    const { actions, status, requeueAt } = decideSpread({ target, pods, nodes, now }, undefined);
    return { status, requeueAt, placed: actions.map((each) => (each as PatchAction).name) };
  };

  it('wait a minute for it where their patch is for pods that it selects', () => {
    const target = spreadOfDeployment({}, { subsets });
    const { status } = at(target, 0);
    const recorded = { ...target, status: structuredClone(status) as unknown as JsonObject };
    expect(at(recorded, 1)).toMatchObject({ placed: ['web-1'], requeueAt: NOW + 30_000 });
    expect(at(recorded, 59)).toMatchObject({ placed: ['web-1'], requeueAt: NOW + 60_000 });
    expect(at(recorded, 60).placed).toEqual(['web-1', 'web-2']);
  });

  it('wait likewise where their place is on record', () => {
    const [open, capped] = [...subsets].reverse();
    const target = spreadOfDeployment({}, { subsets: [{ ...open, maxReplicas: 2 }, capped] as JsonObject[] });
    const { status } = at(target, 0);
    const recorded = { ...target, status: structuredClone(status) as unknown as JsonObject };
    expect(at(recorded, 1)).toMatchObject({ placed: [], requeueAt: NOW + 30_000 });
    expect(at(recorded, 60).placed).toEqual(['web-1', 'web-2']);
  });
});

describe('pods whose template has the record of another pod', () => {
  const copied = (name: string): Pod => {
    const pod = podOf(name, undefined);
    const text = JSON.stringify({ name: 'spread', subset: 'a', uid: 'web-2' });
    return { ...pod, metadata: { ...pod.metadata, annotations: { [MATCHED_ANNOTATION]: text } } };
  };

  it('get their place as others do, and count once', () => {
    const target = spreadOfDeployment({ a: 3, b: null });
    const pods = [copied('web-1'), copied('web-2')];
    const first = decided(target, pods);
    expect(first.placed).toEqual([]);
    expect(first.status.versionedSubsetStatuses['h1']).toMatchObject([
      { name: 'a', replicas: 0, missingReplicas: 1 },
      { name: 'b', replicas: 0 },
    ]);
    const second = decided({ ...target, status: structuredClone(first.status) }, pods);
    expect(second.placed.map(({ name }) => name)).toEqual(['web-1', 'web-2']);
    expect(second.status).toEqual(first.status);
  });

  const recordIn = (target: KubeObject): unknown[] =>
    decided(target, [copied('web-1')]).placed.map(
      ({ body }) => objectOf(objectOf(body['metadata'])['annotations'])[MATCHED_ANNOTATION],
    );

  it('have another one where no subset has room', () => {
    expect(recordIn(spreadOfDeployment({ a: 0 }))).toEqual(['{"name":"spread","subset":"","by":"room"}']);
  });

  it('lose it where the filter leaves them out', () => {
    const targetFilter = { selector: { matchLabels: { tier: 'x' } } };
    expect(recordIn(spreadOfDeployment({ a: 1 }, { targetFilter }))).toEqual([null]);
  });
});

describe('two WorkloadSpreads of one Deployment', () => {
  it.each([
    ['of the first one', 'a'],
    ['of none', undefined],
  ])('do not write the deletion cost of a pod in turns: %s', (_what, subset) => {
    const first = spreadOfDeployment({ a: 3, b: 1 });
    const { metadata } = first;
    const other = { ...spreadOfDeployment({ c: 1, d: 1, e: 1 }), metadata: { ...metadata, name: 'other' } };
    const pod = podOf('web-1', subset, { spec: { schedulingGates: [] } });
    const written: string[] = [];
    for (let round = 0; round < 3; round += 1)
      for (const [target, others] of [
        [first, []],
        [other, subset === undefined ? [] : [first]],
      ] as const)
        for (const patch of decided(target, [pod], others).patches) {
          written.push(costIn(patch));
          pod.metadata.annotations = {
            ...pod.metadata.annotations,
            [DELETION_COST_ANNOTATION]: costIn(patch),
          };
        }
    expect(written).toEqual(subset === undefined ? ['-300', '-400'] : ['200']);
  });
});
