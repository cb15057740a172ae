import { afterEach, expect, test } from 'vitest';
import { createRuntime } from '../../runtime/runtime.ts';
import { ApiError, type Cluster } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { textOf } from '../../semantics/values/read.ts';
import { command } from '../security/selection-steps.ts';
import { type SidecarWorld, sidecarWorld } from './sidecar-world.ts';

const MINUTE = 60_000;
const STEPS = [
  { id: 'one', update: { to: 1 } },
  { id: 'agree', approve: {} },
  { id: 'all', update: { to: '100%' } },
];

let cluster: SidecarWorld;
afterEach(async () => {
  await cluster.stop();
});

const inShop = (name: string): { namespace: string; name: string } => ({ namespace: 'shop', name });

async function annotate(name: string, annotations: Record<string, string>): Promise<void> {
  const body = { metadata: { annotations } };
  await cluster.user.patch(resources.Pod, inShop(name), { type: 'merge', body });
}

/** Pods whose write a policy of the server refuses. */
const refuse = (inner: Cluster): Cluster => ({
  ...inner,
  patch: async (resource, at, ...more) => {
    if (resource.plural === 'pods' && isRefused(at.name))
      throw new ApiError({ code: 403, reason: 'Forbidden', message: 'a policy says no' });
    return inner.patch(resource, at, ...more);
  },
});
let isRefused = (_name: string): boolean => false;

/** The names of the pods with this image of the sidecar. */
async function podsWith(image: string): Promise<string[]> {
  const pods = await cluster.pods();
  return pods
    .filter(({ spec }) => spec.containers.some((each) => each.image === image))
    .map(({ metadata }) => metadata.name)
    .sort();
}

/** Three pods, of which the first step updates one; `act` is what happens before the last step, to that pod and to the others. */
async function lastStep(
  act: (updated: string, others: readonly string[]) => Promise<void>,
  { gates = [], timeout }: Case = {},
): Promise<void> {
  isRefused = () => false;
  cluster = await sidecarWorld({
    start: (options) => createRuntime({ ...options, cluster: refuse(options.cluster) }),
  });
  cluster.world.images.set('main:unready', { neverReady: true });
  await cluster.set('log:1');
  for (const n of [0, 1, 2])
    await cluster.user.create(resources.Pod, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { ...inShop(`web-${n}`), labels: { app: 'web' } },
      spec: { containers: [{ name: 'main', image: 'main:1' }], ...(n === 0 && { readinessGates: gates }) },
    });
  await cluster.clock.advance(15_000);
  const steps = STEPS.map((step) =>
    step.id === 'all' && timeout !== undefined ? { ...step, timeout } : step,
  );
  await cluster.set('log:2', steps);
  await cluster.until('AwaitingApproval');
  const [updated = ''] = await podsWith('log:2');
  await act(updated, await podsWith('log:1'));
  await command(cluster, { action: 'Approve', step: 'agree' });
}

interface Case {
  gates?: JsonObject[];
  timeout?: string;
}

const record = JSON.stringify({
  log: { hash: 'x', sidecarSetName: 'log', sidecarList: ['log'], controllerRevision: 'log-none' },
});

const unready = async (name: string): Promise<void> => {
  const body = { spec: { containers: [{ name: 'main', image: 'main:unready' }] } };
  await cluster.user.patch(resources.Pod, inShop(name), { type: 'strategic', body });
  await cluster.clock.advance(15_000);
};

test.each<[what: string, act: Parameters<typeof lastStep>[0], text: RegExp, how?: Case]>([
  [
    'a container of its own that is not ready',
    unready,
    /^no pod became available for 10m in all: shop\/web-\d: container main is not ready \(main exited with code 0\), and uses up maxUnavailable$/,
  ],
  [
    'the same, at the time that the step states',
    unready,
    /: shop\/web-\d: container main is not ready \(main exited with code 0\), and uses up maxUnavailable$/,
    { timeout: '5m' },
  ],
  [
    'a readiness gate that nobody opens',
    async () => {},
    /^no pod .*: shop\/web-0: readiness gate example\.com\/open is not True, and uses up maxUnavailable$/,
    { gates: [{ conditionType: 'example.com/open' }] },
  ],
  [
    'a write that the server refuses',
    async (_updated, others) => {
      isRefused = (name) => others.includes(name);
    },
    /^no pod .* in all\. The server refused shop\/web-\d: a policy says no$/,
  ],
])('a plan that is halted in its last step by %s names the pod', async (_what, act, text, how) => {
  await lastStep(act, how);
  await cluster.until('Halted', 30 * MINUTE);
  const { message: found, conditions } = await cluster.plan();
  const message = textOf(found);
  expect(message).toMatch(text);
  expect(conditions).toContainEqual(expect.objectContaining({ type: 'Stalled', message }));
  const pod = /shop\/web-\d/.exec(message)?.[0] ?? 'none';
  expect((await cluster.condition('plan.kruise.io/Held'))?.message).toContain(pod);
  const events = (await cluster.user.list(resources.Event, {})).items;
  expect(events.map((each) => each['message'])).toContainEqual(expect.stringContaining(message));
});

test.each<[what: string, act: Parameters<typeof lastStep>[0], text: RegExp]>([
  [
    'a PodDisruptionBudget',
    async () => {
      await cluster.user.create(resources.PodDisruptionBudget, {
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata: inShop('none'),
        spec: { minAvailable: 9, selector: { matchLabels: { app: 'web' } } },
      });
    },
    /\(shop\/web-\d and 1 more: PodDisruptionBudget shop\/none allows 0 unavailable pods\)$/,
  ],
  [
    'records of no revision',
    async (_updated, others) => {
      for (const name of others) await annotate(name, { 'kruise.io/sidecarset-hash': record });
    },
    /^waits for 2 pods .*, such as shop\/web-\d, which names a revision that the set does not have$/,
  ],
  [
    'annotations that cannot be written',
    async (_updated, others) => {
      for (const name of others) await annotate(name, { 'kruise.io/sidecarset-hash-without-image': '[]' });
    },
    /^waits for 2 pods .*, such as shop\/web-\d, which has annotations that cannot be read, or are full$/,
  ],
])('a plan that is kept from its end by %s names the pod', async (_what, act, text) => {
  await lastStep(act);
  await cluster.clock.advance(30 * MINUTE);
  expect(await cluster.plan()).toMatchObject({ phase: 'Running', step: 'all' });
  expect((await cluster.plan())['message']).toMatch(text);
});
