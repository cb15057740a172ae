import { createVirtualClock, createWorld, intercepting, type VirtualClock, type World } from 'kruise-sandbox';
import { afterEach, describe, expect, test } from 'vitest';
import { createRuntime, type Runtime, type RuntimeOptions } from '../../runtime/runtime.ts';
import { crds } from '../../schemas/generated/crds.ts';
import type { Cluster, WatchSink } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { objectOf } from '../../semantics/values/read.ts';

const OPS = 'ops';
const SECOND = 1_000;
const at = { namespace: OPS, name: 'log' };

interface Stage {
  world: World;
  clock: VirtualClock;
  user: Cluster;
  runtime: Runtime;
  status(): Promise<JsonObject>;
  change(spec: JsonObject): Promise<void>;
}

let stage: Stage | undefined;
afterEach(async () => {
  if (stage === undefined) return;
  const { world, clock, runtime } = stage;
  stage = undefined;
  await Promise.all([runtime.stop(), clock.settle()]);
  world.stop();
  await clock.settle();
});

/** How many nodes have a pod that pulls an image. */
async function pulling({ user }: Stage): Promise<number> {
  const { items } = await user.list(resources.Pod, { namespace: OPS });
  const pulls = items.filter(({ metadata }) => metadata.labels?.['plan.kruise.io/pull'] !== undefined);
  return new Set(pulls.map(({ metadata }) => metadata.annotations?.['plan.kruise.io/pull-node'])).size;
}

const templateOf = (image: string): JsonObject => ({
  metadata: { labels: { app: 'log' } },
  spec: { containers: [{ name: 'main', image }] },
});

/** A DaemonSet on three nodes, in Auto, whose pods are all available. */
async function started(
  options: Partial<RuntimeOptions> = {},
  seen = (cluster: Cluster) => cluster,
): Promise<Stage> {
  const clock = createVirtualClock(Date.UTC(2026, 0, 1));
  const world = createWorld({ clock, namespaces: ['default', OPS], nodes: 0, crds: [...crds] });
  for (const name of ['node-1', 'node-2', 'node-3']) world.nodes.add(name, { labels: {} });
  const runtime = createRuntime({
    cluster: seen(world.cluster('kruise')),
    clock,
    policy: 'Auto',
    onError: () => {},
    ...options,
  });
  const user = world.cluster('user');
  stage = {
    world,
    clock,
    user,
    runtime,
    status: async () => objectOf((await user.get(resources.DaemonSet, at))['status']),
    change: async (spec) => {
      await user.patch(resources.DaemonSet, at, { type: 'merge', body: { spec } });
    },
  };
  runtime.start();
  await clock.advance(60 * SECOND);
  await user.create(resources.DaemonSet, {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'DaemonSet',
    metadata: at,
    spec: { selector: { matchLabels: { app: 'log' } }, template: templateOf('log:1') },
  });
  await clock.advance(120 * SECOND);
  expect(await stage.status()).toMatchObject({ observedGeneration: 1, numberAvailable: 3 });
  return stage;
}

describe('a DaemonSet in a cluster', () => {
  test('heartbeats of nodes cause no reconcile (DS-56)', async () => {
    let reconciles = 0;
    const { user, clock } = await started({ onSnapshot: () => (reconciles += 1) });
    await clock.advance(600 * SECOND);
    const before = reconciles;
    for (let beat = 1; beat <= 5; beat += 1) {
      for (const { metadata, ...node } of (await user.list(resources.Node, {})).items) {
        const { conditions = [] } = node['status'] as { conditions?: { type: string }[] };
        const lastHeartbeatTime = new Date(clock.now()).toISOString();
        const body = { status: { conditions: conditions.map((each) => ({ ...each, lastHeartbeatTime })) } };
        await user.patch(
          resources.Node,
          { name: metadata.name },
          { type: 'merge', body },
          { subresource: 'status' },
        );
      }
      await clock.advance(10 * SECOND);
    }
    expect(reconciles).toBe(before);
    const spec = { taints: [{ key: 'down', effect: 'NoExecute' }] };
    await user.patch(resources.Node, { name: 'node-1' }, { type: 'merge', body: { spec } });
    await clock.advance(10 * SECOND);
    expect(reconciles, 'a change that matters causes one').toBeGreaterThan(before);
  });

  test('images are pulled ahead until all nodes are updated, and no pod of that is left (DS-53)', async () => {
    const here = await started();
    const { user, clock, world, status, change } = here;
    const annotations = { 'plan.kruise.io/image-predownload': 'true' };
    await user.patch(resources.DaemonSet, at, { type: 'merge', body: { metadata: { annotations } } });
    world.images.set('log:2', { pullMs: 5 * SECOND, readyMs: 20 * SECOND });
    await change({ template: templateOf('log:2') });
    await clock.advance(SECOND);
    expect(await pulling(here)).toBe(1);
    await clock.advance(300 * SECOND);
    expect(await status()).toMatchObject({ updatedNumberScheduled: 3, numberAvailable: 3 });
    expect(await pulling(here)).toBe(0);
  });

  test('while its own writes are not observed, observedGeneration stays as it is (DS-50)', async () => {
    let isLate = false;
    const late: (() => void)[] = [];
    const delayed = (cluster: Cluster): Cluster =>
      intercepting(cluster, {
        request: (_call, send) => send(),
        watch(call, open, sink: WatchSink) {
          if (call.resource.plural !== 'pods') return open(sink);
          return open({
            onOpen: () => sink.onOpen?.(),
            onEvent: (event) => (isLate ? void late.push(() => sink.onEvent(event)) : sink.onEvent(event)),
            onEnd: (error) => sink.onEnd(error),
          });
        },
      });
    const { clock, status, change } = await started({}, delayed);
    isLate = true;
    await change({ template: templateOf('log:2') });
    await clock.advance(SECOND);
    // A pod was deleted, which is not observed.
    expect(await status()).toMatchObject({ observedGeneration: 2 });
    await change({ minReadySeconds: 1 });
    await clock.advance(2 * SECOND);
    expect(await status()).toMatchObject({ observedGeneration: 2 });
    isLate = false;
    for (const deliver of late) deliver();
    await clock.advance(2 * SECOND);
    expect(await status()).toMatchObject({ observedGeneration: 3 });
    await clock.advance(300 * SECOND);
    expect(await status()).toMatchObject({ updatedNumberScheduled: 3, numberAvailable: 3 });
  });
});
