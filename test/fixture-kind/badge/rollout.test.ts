import { afterEach, expect, test, vi } from 'vitest';
import { createVirtualClock, type VirtualClock, type World } from 'kruise-sandbox';
import { createRuntime, type Runtime } from '../../../runtime/runtime.ts';
import { crds } from '../../../schemas/generated/crds.ts';
import type { RolloutPlanSpec } from '../../../schemas/generated/types/rolloutplan.ts';
import type { Cluster, Resource } from '../../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import { planDigest } from '../../../semantics/plan/digest.ts';
import { templateHash } from '../../../semantics/template/canonical.ts';
import { injectingWorld } from '../../fixtures/injecting-world.ts';
import { badgeDefinitions } from './definitions.ts';
import { badge } from './manifests.ts';
import { badgeResource, specOf } from './spec.ts';

vi.mock('../../../semantics/registry/registered.ts', () => import('./registered.ts'));

const MINUTE = 60_000;
const AT = { name: 'name' };
const PLAN = { name: 'badge-name' };
const deployments: Resource = {
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  plural: 'deployments',
  namespaced: true,
};
const hashOf = (image: string): string => templateHash(specOf(badge(image)).template);

let scene: Scene | undefined;
afterEach(async () => {
  await scene?.stop();
  scene = undefined;
});

interface Scene {
  world: World;
  clock: VirtualClock;
  user: Cluster;
  errors: unknown[];
  /** How many pods wear each image. */
  worn(): Promise<Record<string, number>>;
  status(): Promise<JsonObject>;
  plan(): Promise<JsonObject>;
  change(image: string, from?: string): Promise<void>;
  scale(replicas: number): Promise<void>;
  approve(): Promise<void>;
  stop(): Promise<void>;
}

/** Five pods of a Deployment wear badge:1. */
async function fivePods(): Promise<Scene> {
  const clock = createVirtualClock(Date.UTC(2026, 0, 1));
  const world = injectingWorld(clock, { crds: [...crds, ...badgeDefinitions] });
  const errors: unknown[] = [];
  const runtime: Runtime = createRuntime({
    cluster: world.cluster('kruise'),
    clock,
    policy: 'Required',
    onError: (_key, error) => errors.push(error),
  });
  runtime.start();
  await clock.settle();
  const user = world.cluster('user');
  await user.create(badgeResource, badge('badge:1'));
  await clock.advance(MINUTE);
  await user.create(deployments, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'shop' },
    spec: {
      replicas: 5,
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: { containers: [{ name: 'main', image: 'web:1' }] },
      },
    },
  });
  await clock.advance(MINUTE);
  const statusOf = (object: KubeObject): JsonObject => (object['status'] ?? {}) as JsonObject;
  const planObject = (): Promise<KubeObject> => user.get(resources.ClusterRolloutPlan, PLAN);
  return {
    ...{ world, clock, user, errors },
    async worn() {
      const found: Record<string, number> = {};
      for (const pod of (await user.list(resources.Pod, { namespace: 'shop' })).items) {
        const { containers } = pod['spec'] as { containers: { name: string; image: string }[] };
        const image = containers.find(({ name }) => name === 'badge')?.image ?? 'none';
        found[image] = (found[image] ?? 0) + 1;
      }
      return found;
    },
    status: async () => statusOf(await user.get(badgeResource, AT)),
    plan: async () => statusOf(await planObject()),
    async change(image, from) {
      if (from !== undefined) await user.create(resources.ClusterRolloutPlan, planOf(from, image));
      const { spec } = badge(image) as KubeObject & { spec: JsonObject };
      await user.patch(badgeResource, AT, { type: 'merge', body: { spec } });
      await clock.advance(3 * MINUTE);
    },
    async scale(replicas) {
      const at = { namespace: 'shop', name: 'web' };
      await user.patch(deployments, at, { type: 'merge', body: { spec: { replicas } } });
      await clock.advance(MINUTE);
    },
    async approve() {
      const { digest } = (await planObject())['spec'] as RolloutPlanSpec;
      await user.create(resources.ClusterRolloutCommand, {
        apiVersion: 'plan.kruise.io/v1alpha1',
        kind: 'ClusterRolloutCommand',
        metadata: { name: 'yes' },
        spec: {
          target: { apiVersion: 'test.plan.kruise.io/v1', kind: 'Badge', name: AT.name },
          action: 'Approve',
          step: 'agree',
          digest,
          by: 'mona',
        },
      });
      await clock.advance(5 * MINUTE);
    },
    async stop() {
      void runtime.stop();
      world.stop();
      await clock.settle();
    },
  };
}

/** Two pods of five, an approval, the rest. */
function planOf(from: string, to: string): KubeObject {
  const spec: Omit<RolloutPlanSpec, 'digest'> = {
    format: '1',
    semantics: '1',
    target: { apiVersion: 'test.plan.kruise.io/v1', kind: 'Badge', name: AT.name },
    to: { hash: hashOf(to), bound: {} },
    from: [{ hash: hashOf(from), mode: 'InPlace' }],
    steps: [
      { id: 'some', update: { to: 2, window: { maxUnavailable: 1 } } },
      { id: 'agree', approve: {} },
      { id: 'rest', update: { to: '100%', window: { maxUnavailable: 1 } } },
    ],
  };
  return {
    apiVersion: 'plan.kruise.io/v1alpha1',
    kind: 'ClusterRolloutPlan',
    metadata: PLAN,
    spec: { ...spec, digest: planDigest(spec) },
  };
}

test('pods of others get it when they are created, and are held without a plan', async () => {
  scene = await fivePods();
  expect(await scene.worn()).toEqual({ 'badge:1': 5 });
  expect(await scene.status()).toMatchObject({ pods: 5, updatedReady: 5, missed: 0 });
  await scene.change('badge:2');
  expect(await scene.worn()).toEqual({ 'badge:1': 5 });
  expect(await scene.status()).toMatchObject({
    conditions: [{ type: 'plan.kruise.io/Held', reason: 'NoPlan' }],
  });
  expect(scene.errors).toEqual([]);
});

test('pods change step by step, and new ones get the stable revision until a step leads to all', async () => {
  scene = await fivePods();
  await scene.change('badge:2', 'badge:1');
  expect(await scene.plan()).toMatchObject({ phase: 'AwaitingApproval' });
  expect(await scene.worn()).toEqual({ 'badge:2': 2, 'badge:1': 3 });
  await scene.scale(6);
  expect(await scene.worn()).toEqual({ 'badge:2': 2, 'badge:1': 4 });
  await scene.approve();
  expect(await scene.plan()).toMatchObject({ phase: 'Succeeded' });
  expect(await scene.worn()).toEqual({ 'badge:2': 6 });
  await scene.scale(7);
  expect(await scene.worn()).toEqual({ 'badge:2': 7 });
  expect(scene.errors).toEqual([]);
});

test('pods go back where git does', async () => {
  scene = await fivePods();
  await scene.change('badge:2', 'badge:1');
  await scene.change('badge:1');
  expect(await scene.plan()).toMatchObject({ phase: 'Reverted' });
  expect(await scene.worn()).toEqual({ 'badge:1': 5 });
});
