import type { World } from 'kruise-sandbox';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { isActive } from '../../semantics/pod/readiness.ts';
import { matchedOf } from '../../semantics/workloadspread/matched.ts';
import { cloneSet, createTestCluster, patchSpec, templateOf } from './stage.ts';

/** Which revision a pod has, a plan says; which subset, the WorkloadSpread. Neither may break what the other promises. */
const CAP = 2;
const REPLICAS = 5;
const OLD = 'web:1';
const NEW = 'web:2';

const zone = (name: string): JsonObject => ({
  matchExpressions: [{ key: 'zone', operator: 'In', values: [name] }],
});

const spread = {
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'WorkloadSpread',
  metadata: { name: 'spread', namespace: 'shop' },
  spec: {
    targetRef: { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'web' },
    subsets: [
      { name: 'a', maxReplicas: CAP, requiredNodeSelector: zone('a') },
      { name: 'b', requiredNodeSelector: zone('b') },
    ],
  },
};

/** A world whose zone a was never seen with more than its cap. */
async function createZones(strategy: JsonObject) {
  let most = 0;
  const pods = new Map<string, Pod>();
  const prepare = (world: World): void => {
    for (const name of ['a', 'b']) world.nodes.add(`node-${name}`, { labels: { zone: name } });
    world.onCommit(({ resource, type, object }) => {
      if (resource !== 'pods') return;
      if (type === 'DELETED') pods.delete(object.metadata.uid ?? '');
      else pods.set(object.metadata.uid ?? '', object as Pod);
      most = Math.max(most, inA([...pods.values()]));
    });
    void world.cluster('user').create(resources.WorkloadSpread, spread);
  };
  const target = cloneSet('web', OLD, { replicas: REPLICAS }, strategy);
  const stage = await createTestCluster(target, { world: { nodes: 0 }, prepare });
  return { stage, most: () => most, inA: async () => inA(await stage.pods()) };
}

const inA = (pods: readonly Pod[]): number =>
  pods.filter((pod) => isActive(pod) && matchedOf(pod)?.subset === 'a').length;

const surges: JsonObject[] = [
  { maxSurge: 0, maxUnavailable: '100%' },
  { maxSurge: 1, maxUnavailable: 0 },
  { maxSurge: 2, maxUnavailable: 1 },
];
const strategies = ['InPlaceIfPossible', 'ReCreate'].flatMap((podUpdatePolicy) =>
  surges.map((surge): JsonObject => ({ podUpdatePolicy, ...surge })),
);

test.each(strategies)('zone a keeps its cap and the canary its number with %j', async (strategy) => {
  const { stage, most, inA: ofA } = await createZones(strategy);
  expect(await ofA()).toBe(CAP);
  const steps = [
    { id: 'canary', update: { to: 1 } },
    { id: 'look', approve: {} },
    { id: 'all', update: { to: '100%' } },
  ];
  await stage.change(NEW, { steps });
  await stage.until('AwaitingApproval');
  await stage.clock.advance(60_000);
  expect(await stage.images()).toEqual({ [OLD]: REPLICAS - 1, [NEW]: 1 });
  // One of the old revision is lost: another one takes its place in revision and cap.
  const old = (await stage.pods()).find(
    (pod) => matchedOf(pod)?.subset === 'a' && pod.spec.containers[0]?.image === OLD,
  );
  expect(old).toBeDefined();
  await stage.user.delete(resources.Pod, { namespace: 'shop', name: old?.metadata.name ?? '' });
  await stage.clock.advance(300_000);
  expect(await stage.images()).toEqual({ [OLD]: REPLICAS - 1, [NEW]: 1 });
  expect(await ofA()).toBe(CAP);
  // The way back.
  await patchSpec(stage, 'web', { template: templateOf('web', OLD) });
  await stage.until('Reverted');
  await stage.clock.advance(60_000);
  expect(await stage.images()).toEqual({ [OLD]: REPLICAS });
  expect(most()).toBe(CAP);
  expect(stage.errors).toEqual([]);
  await stage.stop();
});

test('a CloneSet that is paused grows, shrinks and replaces pods within the caps, and on its revision', async () => {
  const strategy = { podUpdatePolicy: 'ReCreate', maxUnavailable: '100%' };
  const { stage, most, inA: ofA } = await createZones({ ...strategy, paused: true });
  await stage.change(NEW, { steps: [{ id: 'all', update: { to: '100%' } }] });
  await stage.clock.advance(60_000);
  await patchSpec(stage, 'web', { replicas: REPLICAS + 2 });
  await stage.clock.advance(60_000);
  expect([await stage.images(), await ofA()]).toEqual([{ [OLD]: REPLICAS + 2 }, CAP]);
  const lost = (await stage.pods()).find((pod) => matchedOf(pod)?.subset === 'a');
  await stage.user.delete(resources.Pod, { namespace: 'shop', name: lost?.metadata.name ?? '' });
  await stage.clock.advance(300_000);
  expect([await stage.images(), await ofA()]).toEqual([{ [OLD]: REPLICAS + 2 }, CAP]);
  await patchSpec(stage, 'web', { replicas: CAP });
  await stage.clock.advance(60_000);
  expect([await stage.images(), await ofA()]).toEqual([{ [OLD]: CAP }, CAP]);
  expect(most()).toBe(CAP);
  expect(stage.errors).toEqual([]);
  await stage.stop();
});
