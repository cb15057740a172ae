import { afterEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { cloneSet, createTestCluster, type TestCluster } from './stage.ts';

let stage: TestCluster;
afterEach(() => stage.stop());

const AT = { namespace: 'shop', name: 'web' };

/** What a HorizontalPodAutoscaler does: it reads the scale, counts the pods of its selector, and writes the scale. */
async function autoscale(replicas: number): Promise<{ before: number; pods: string[] }> {
  // An empty patch returns the subresource unchanged.
  const scale = await writeScale({});
  const { selector, replicas: before } = scale['status'] as { selector: string; replicas: number };
  const { items } = await stage.user.list(resources.Pod, { namespace: 'shop', labelSelector: selector });
  await writeScale({ spec: { replicas } });
  return { before, pods: items.map(({ metadata }) => metadata.name) };
}

function writeScale(body: JsonObject): Promise<KubeObject> {
  return stage.user.patch(resources.CloneSet, AT, { type: 'merge', body }, { subresource: 'scale' });
}

/** A pod of another owner, which has only some labels of the selector. */
function stranger(): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'stranger', namespace: 'shop', labels: { app: 'web' } },
    spec: { containers: [{ name: 'main', image: 'other:1' }] },
  };
}

const labels = { app: 'web', tier: 'front' };
const target = (policy: 'Auto' | 'Required') => {
  const object = cloneSet('web', 'web:1', {
    selector: {
      matchLabels: { app: 'web' },
      matchExpressions: [{ key: 'tier', operator: 'In', values: ['front'] }],
    },
    template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'web:1' }] } },
  });
  return { ...object, metadata: { ...object.metadata, annotations: { 'plan.kruise.io/policy': policy } } };
};

describe('an autoscaler (CS-43)', () => {
  test.each(['Auto', 'Required'] as const)(
    'selects exactly the pods by the selector of the scale, and replicas follow its writes: %s',
    async (policy) => {
      stage = await createTestCluster(target(policy), { policy: 'Auto' });
      await stage.user.create(resources.Pod, stranger());
      const own = async () =>
        (await stage.pods()).map(({ metadata }) => metadata.name).filter((name) => name !== 'stranger');
      for (const [from, to] of [
        [3, 6],
        [6, 2],
        [2, 0],
        [0, 4],
      ] as const) {
        const pods = await own();
        expect(await autoscale(to)).toEqual({ before: from, pods });
        await stage.clock.advance(120_000);
        expect(await own()).toHaveLength(to);
      }
      const { spec, status } = (await stage.target()) as unknown as { spec: JsonObject; status: JsonObject };
      expect([spec['replicas'], status['replicas'], status['labelSelector']]).toEqual([
        4,
        4,
        'app=web,tier in (front)',
      ]);
      expect(stage.errors).toEqual([]);
    },
  );

  test('during a rollout it does not change the plan: the same plan and step, and as many new pods as allowed', async () => {
    stage = await createTestCluster(cloneSet('web', 'web:1', { replicas: 4 }), { policy: 'Required' });
    await stage.change('web:2', {
      steps: [
        { id: 'canary', update: { to: 1 } },
        { id: 'look', approve: {} },
        { id: 'rest', update: { to: '100%' } },
      ],
    });
    await stage.until('AwaitingApproval');
    const observed = async () => {
      const { status } = (await stage.plan()) as unknown as { status: JsonObject };
      const revisions = (await stage.user.list(resources.ControllerRevision, { namespace: 'shop' })).items;
      return [
        status['phase'],
        status['step'],
        status['digest'],
        revisions.map(({ metadata }) => metadata.name),
      ];
    };
    const before = await observed();
    expect(before).toEqual([
      'AwaitingApproval',
      expect.anything(),
      expect.stringMatching(/^h1:/),
      expect.anything(),
    ]);
    for (const [replicas, images] of [
      [8, { 'web:1': 7, 'web:2': 1 }],
      [3, { 'web:1': 2, 'web:2': 1 }],
      [6, { 'web:1': 5, 'web:2': 1 }],
    ] as const) {
      await autoscale(replicas);
      await stage.clock.advance(120_000);
      expect(await stage.images()).toEqual(images);
      expect(await observed()).toEqual(before);
    }
  });
});
