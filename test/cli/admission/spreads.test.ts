import { afterEach, expect, test } from 'vitest';
import { createVirtualClock, createWorld, type WebhookClient, type World } from 'kruise-sandbox';
import { main } from '../../../cli/dispatch.ts';
import { createReviews } from '../../../runtime/admit/reviews.ts';
import { crds } from '../../../schemas/generated/crds.ts';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import { kinds } from '../../../semantics/registry/registry.ts';
import { hasty } from '../../fixtures/hasty-clock.ts';
import { memoryHost } from '../world/memory-host.ts';

const CA = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';

let world: World | undefined;
afterEach(() => world?.stop());

interface Case {
  targetRef?: JsonObject;
  spec?: JsonObject;
  annotations?: Record<string, string>;
  /** Whether the program has the option, too. */
  isUp?: boolean;
}

/** A server that asks about spread pods, a program that answers, and what the check says of a WorkloadSpread in `shop`. */
async function checked({ targetRef, spec, annotations = {}, isUp = true }: Case = {}): Promise<string> {
  const clock = createVirtualClock(0);
  const webhooks: WebhookClient = async ({ url }, review) => {
    const server = world?.server;
    const reviews = createReviews({
      kinds: kinds.filter(({ id }) => isUp || id.kind !== 'WorkloadSpread'),
      caches: {
        pending: undefined,
        isEnding: () => false,
        objects: ({ resource }, namespace) =>
          resource.plural === 'workloadspreads'
            ? (server?.list('admin', resource, { namespace }).items ?? [])
            : [],
        sources: () => ({
          injectors: [],
          now: 0,
          sets: () => [],
          revisions: () => [],
          namespace: (name) => ({ name, labels: {} }),
          isRequired: () => false,
        }),
      },
      cluster: world?.cluster('admin') ?? (undefined as never),
      clock,
      random: () => 0.5,
      accounts: [],
      onReviewed() {},
      onDisruption() {},
      onUnrecorded() {},
    });
    const answer = await reviews.get(new URL(url).pathname)?.(review as unknown as JsonObject);
    return answer === undefined ? { fault: 'not found' } : { body: answer };
  };
  world = createWorld({
    clock,
    namespaces: ['default', 'shop', 'kruise-system'],
    nodes: 0,
    crds: [...crds],
    webhooks,
  });
  const cluster = world.cluster('admin');
  await cluster.create(resources.WorkloadSpread, {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'WorkloadSpread',
    metadata: { name: 'web', namespace: 'shop', annotations },
    spec: {
      targetRef: targetRef ?? { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      subsets: [{ name: 'a', maxReplicas: 2 }, { name: 'b' }],
      ...spec,
    },
  });
  const kruise = async (...args: string[]): Promise<string> => {
    const host = Object.assign(memoryHost({ 'ca.crt': CA }, { cluster }), { clock: hasty });
    const code = await main(host, ['admission', ...args]);
    return `${code} ${host.out}${host.err}`.trim();
  };
  const url = ['--url', 'https://hook.example.com/pods'];
  expect(await kruise('install', '--ca', 'ca.crt', ...url, '--spreads')).toMatch(/^0 /);
  const found = await kruise('check', '-n', 'shop');
  // A dry run takes no place.
  const { status } = await cluster.get(resources.WorkloadSpread, { namespace: 'shop', name: 'web' });
  expect(status).toBeUndefined();
  expect((await cluster.list(resources.Pod, {})).items).toEqual([]);
  return found;
}

const byWebhook = { 'plan.kruise.io/spread-by': 'webhook' };
const selector = {
  matchLabels: { app: 'web' },
  matchExpressions: [{ key: 'tier', operator: 'In', values: ['x'] }],
};

test.each<[string, Case]>([
  ['a Deployment whose pods have no gate', {}],
  ['a Deployment', { annotations: byWebhook, spec: { targetFilter: { selector } } }],
  ['a ReplicaSet', { targetRef: { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web' } }],
  ['a StatefulSet', { targetRef: { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web' } }],
  [
    'a Job without room',
    {
      targetRef: { apiVersion: 'batch/v1', kind: 'Job', name: 'web' },
      spec: { subsets: [{ name: 'a', maxReplicas: 0 }] },
    },
  ],
  [
    'a custom workload',
    { annotations: byWebhook, targetRef: { apiVersion: 'kubeflow.org/v1', kind: 'TFJob', name: 'web' } },
  ],
])('check sends a pod of %s', async (_, asked) => {
  expect(await checked(asked)).toMatch(/^0 the webhook answers: .*; it places a pod of WorkloadSpread web$/);
});

test('check finds that the program lacks the option by which API servers ask it', async () => {
  expect(await checked({ isUp: false })).toMatch(
    /^1 .*the webhook does not answer where it places pods: a pod of WorkloadSpread shop\/web stays as it is/s,
  );
});

test.each<[string, Case]>([
  [
    'the runtime itself places',
    { targetRef: { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'web' } },
  ],
  ['nobody places', { targetRef: { apiVersion: 'kubeflow.org/v1', kind: 'TFJob', name: 'web' } }],
])('check sends no pod that %s', async (_, asked) => {
  expect(await checked(asked)).toMatch(
    /; whether it places pods is not known: no WorkloadSpread in shop is for it$/,
  );
});
