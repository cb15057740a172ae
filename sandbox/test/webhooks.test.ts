import { expect, test } from 'vitest';
import { createVirtualClock } from '../clock/virtual.ts';
import type { Answer, WebhookClient } from '../webhooks/answers.ts';
import type { Target } from '../webhooks/target.ts';
import { createWorld, type World } from '../world.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Resource } from '../../schemas/wire/cluster.ts';

const configurations: Resource = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  plural: 'mutatingwebhookconfigurations',
  kind: 'MutatingWebhookConfiguration',
  namespaced: false,
};
const services: Resource = {
  group: '',
  version: 'v1',
  plural: 'services',
  kind: 'Service',
  namespaced: true,
};
const configMaps: Resource = { ...services, plural: 'configmaps', kind: 'ConfigMap' };

type Review = { request: { uid: string; object: KubeObject } };

const patching = (review: object, ...patch: object[]): Answer => ({
  body: {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: {
      uid: (review as Review).request.uid,
      allowed: true,
      patchType: 'JSONPatch',
      patch: Buffer.from(JSON.stringify(patch)).toString('base64'),
    },
  },
});

const sidecar = { op: 'add', path: '/spec/containers/-', value: { name: 'sidecar', image: 'sidecar:1' } };

/** A world with one webhook for these resources. */
async function worldWith(
  client: WebhookClient,
  plurals: string[],
  clientConfig: object = { url: 'https://hook/' },
) {
  const clock = createVirtualClock(Date.UTC(2026, 0, 1));
  const world = createWorld({ clock, workloads: true, podEvents: true, webhooks: client });
  const user = world.cluster('kubernetes-admin');
  const rule = { apiGroups: ['*'], apiVersions: ['*'], operations: ['CREATE', 'UPDATE'], resources: plurals };
  const webhook = {
    name: 'hook.example.com',
    clientConfig,
    rules: [rule],
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
  };
  await user.create(configurations, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: 'hook' },
    webhooks: [webhook],
  });
  return { clock, world, user };
}

const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'default' },
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'main', image: 'nginx:1' }] },
    },
  },
};

async function podsOf(world: World): Promise<string[]> {
  const { items } = await world.cluster('kubernetes-admin').list(resources.Pod, { namespace: 'default' });
  return items.map((pod) =>
    (pod['spec'] as { containers: { name: string }[] }).containers.map(({ name }) => name).join(','),
  );
}

const settled = () => new Promise((resolve) => void setTimeout(resolve, 5));

test.each(['at once', 'later'])('pods of a controller go through a webhook that answers %s', async (when) => {
  const client: WebhookClient = (_target, review) => {
    const answer = patching(review, sidecar);
    return when === 'at once' ? answer : settled().then(() => answer);
  };
  const { clock, world, user } = await worldWith(client, ['pods']);
  await user.create({ ...services, group: 'apps', plural: 'deployments', kind: 'Deployment' }, deployment);
  for (let second = 0; second < 10; second += 1) {
    await clock.advance(1000);
    await settled();
  }
  expect(await podsOf(world)).toEqual(Array.from({ length: 3 }, () => 'main,sidecar'));
  const { items } = await user.list({ ...services, plural: 'events', kind: 'Event' });
  expect(items.map(({ reason }) => reason)).not.toContain('FailedCreate');
  world.stop();
});

test('a write that waited is decided anew: another writer was faster', async () => {
  let answer = (): void => {};
  const client: WebhookClient = (_target, review) => {
    const { object } = (review as Review).request;
    const data = object['data'] as { slow?: string } | undefined;
    if (data === undefined) return patching(review, { op: 'add', path: '/data', value: { seen: 'yes' } });
    if (data.slow === undefined) return patching(review);
    return new Promise<Answer>((resolve) => {
      answer = () => resolve(patching(review, { op: 'add', path: '/data/seen', value: 'late' }));
    });
  };
  const { world, user } = await worldWith(client, ['configmaps']);
  const made = await user.create(configMaps, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', namespace: 'default' },
  });
  expect(made['data']).toEqual({ seen: 'yes' });
  const slow = user.replace(configMaps, { ...made, data: { slow: 'yes' } });
  const fast = await user.replace(configMaps, { ...made, data: { fast: 'yes' } });
  expect(fast['data']).toEqual({ fast: 'yes' });
  answer();
  await expect(slow).rejects.toMatchObject({ status: { code: 409 } });
  // In the log it is one request.
  expect(world.log.filter(({ verb }) => verb === 'update').map(({ code }) => code)).toEqual([200, 409]);
  world.stop();
});

test.each<[string, object, Partial<Target> | string]>([
  [
    'an annotation says where it listens',
    { metadata: { annotations: { 'sandbox/address': '127.0.0.1:9876' } } },
    { host: '127.0.0.1', port: 9876, serverName: 'hook.default.svc' },
  ],
  [
    'it has an external name',
    { spec: { type: 'ExternalName', externalName: 'localhost' } },
    { host: 'localhost', port: 8443 },
  ],
  ['nothing listens in the sandbox', {}, 'the sandbox runs no programs in its pods'],
])('a Service is called: %s', async (_how, parts, expected) => {
  const targets: Target[] = [];
  const client: WebhookClient = (target, review) => {
    targets.push(target);
    return patching(review);
  };
  const service = { namespace: 'default', name: 'hook', path: '/mutate', port: 8443 };
  const { world, user } = await worldWith(client, ['configmaps'], { service });
  const { metadata = {}, spec = {} } = parts as { metadata?: object; spec?: object };
  await user.create(services, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'hook', namespace: 'default', ...metadata },
    spec: { ports: [{ port: 8443 }], ...spec },
  });
  const write = user.create(configMaps, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', namespace: 'default' },
  });
  if (typeof expected === 'string') await expect(write).rejects.toThrow(expected);
  else {
    await write;
    expect(targets).toMatchObject([{ ...expected, path: '/mutate?timeout=10s' }]);
  }
  world.stop();
});

test.each(['at once', 'later'])(
  'each creation has a review of its own, which is answered %s',
  async (when) => {
    const uids: string[] = [];
    const { clock, user, world } = await worldWith(
      (_target, review) => {
        uids.push((review as Review).request.uid);
        const answer = patching(review);
        return when === 'at once' ? answer : settled().then(() => answer);
      },
      ['pods'],
    );
    await user.create({ ...services, group: 'apps', plural: 'deployments', kind: 'Deployment' }, deployment);
    for (let second = 0; second < 10; second += 1) {
      await clock.advance(1000);
      await settled();
    }
    expect(uids.length).toBeGreaterThanOrEqual(3);
    expect(new Set(uids).size).toBe(uids.length);
    world.stop();
  },
);

test('the review of a deletion shows the grace period that it asks for', async () => {
  const shown: unknown[] = [];
  const client: WebhookClient = (_target, review) => {
    shown.push((review as unknown as { request: { options: object } }).request.options);
    return patching(review);
  };
  const { world, user } = await worldWith(client, ['configmaps']);
  const webhooks = [{ op: 'replace' as const, path: '/webhooks/0/rules/0/operations', value: ['DELETE'] }];
  await user.patch(configurations, { name: 'hook' }, { type: 'json', body: webhooks });
  for (const [name, options] of [
    ['a', { gracePeriodSeconds: 0 }],
    ['b', {}],
  ] as const) {
    const metadata = { name, namespace: 'default' };
    await user.create(configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
    await user.delete(configMaps, metadata, options);
  }
  const common = { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1' };
  expect(shown).toEqual([{ ...common, gracePeriodSeconds: 0 }, common]);
  world.stop();
});
