import { afterEach, expect, test } from 'vitest';
import { createVirtualClock, createWorld, type World, type WebhookClient } from 'kruise-sandbox';
import { main } from '../../../cli/dispatch.ts';
import { reviewPod } from '../../../runtime/admit/review.ts';
import { crds } from '../../../schemas/generated/crds.ts';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import { podInjectors } from '../../../semantics/registry/pod-injectors.ts';
import { memoryHost } from '../world/memory-host.ts';

const CA = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';
const set: KubeObject = {
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'SidecarSet',
  metadata: { name: 'mesh' },
  spec: { selector: { matchLabels: { app: 'web' } }, containers: [{ name: 'proxy', image: 'proxy:1' }] },
};

let world: World;
/** Whether the webhook answers. */
let isUp = true;
const asked: string[] = [];

function begin(): void {
  const webhooks: WebhookClient = (target, review) => {
    asked.push(target.url);
    if (!isUp) return { fault: 'connection refused' };
    const sets = world.server.list('admin', resources.SidecarSet).items;
    const sources = {
      injectors: podInjectors,
      now: 0,
      sets: () => sets,
      revisions: () => [],
      isRequired: () => false,
    };
    return { body: reviewPod(review, { ...sources, namespace: (name) => ({ name, labels: {} }) }) };
  };
  asked.length = 0;
  isUp = true;
  world = createWorld({
    clock: createVirtualClock(0),
    namespaces: ['default', 'shop'],
    nodes: 0,
    crds: [...crds],
    webhooks,
  });
}

afterEach(() => world.stop());

async function kruise(...args: string[]): Promise<string> {
  const files = { 'ca.crt': CA, 'both.pem': `${CA}-----BEGIN PRIVATE KEY-----`, 'empty.crt': '' };
  const host = memoryHost(files, { cluster: world.cluster('admin') });
  const code = await main(host, ['admission', ...args]);
  return `${code} ${host.out}${host.err}`.trim();
}

const MUTATING = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  plural: 'mutatingwebhookconfigurations',
};
const configuration = (): KubeObject => world.server.get('admin', MUTATING, { name: 'kruise-admission' });

test('install writes the configuration with the authority, and again with another one', async () => {
  begin();
  expect(await kruise('install', '--ca', 'ca.crt')).toMatch(/^0 kruise-admission is installed/);
  const [webhook] = configuration()['webhooks'] as {
    clientConfig: { caBundle: string; service: object };
    namespaceSelector: unknown;
    failurePolicy: string;
    timeoutSeconds: number;
  }[];
  expect(Buffer.from(webhook?.clientConfig.caBundle ?? '', 'base64').toString()).toBe(CA);
  expect(webhook?.clientConfig.service).toEqual({
    name: 'kruise-admission',
    namespace: 'kruise-system',
    path: '/pods',
    port: 443,
  });
  expect(webhook).toMatchObject({ failurePolicy: 'Ignore', timeoutSeconds: 3 });
  expect(JSON.stringify(webhook?.namespaceSelector)).toContain(
    '"NotIn","values":["kube-system","argocd","flux-system","kruise-system"]',
  );
  expect(await kruise('install', '--ca', 'ca.crt', '--system', 'ops')).toMatch(/^0 /);
  expect(JSON.stringify(configuration())).toContain('"namespace":"ops"');
});

test('install asks about pods of budgets where that is wanted, and no longer where it is not', async () => {
  begin();
  const validating = { ...MUTATING, plural: 'validatingwebhookconfigurations' };
  const reviewed = (): unknown =>
    world.server.list('admin', validating).items.map((each) => each['webhooks']);
  expect(await kruise('install', '--ca', 'ca.crt')).toMatch(/^0 .*answers$/);
  expect(reviewed()).toEqual([]);
  expect(await kruise('install', '--ca', 'ca.crt', '--exact-budgets')).toMatch(/^0 /);
  expect(reviewed()).toEqual([
    [
      expect.objectContaining({ name: 'pods.podunavailablebudgets.policy.kruise.io', failurePolicy: 'Fail' }),
      expect.objectContaining({ failurePolicy: 'Ignore' }),
    ],
  ]);
  expect(JSON.stringify(reviewed())).toContain('pub.kruise.io/related-pub');
  // It asks for the one webhook alone, whose Service is not there.
  expect(await kruise('check', '-n', 'shop')).toContain('the containers of a pod in shop have no order');
  // A renewal of the authority does not end it in passing.
  expect(await kruise('install', '--ca', 'ca.crt')).toMatch(
    /^1 .*there is a ValidatingWebhookConfiguration kruise-admission, .*--no-exact-budgets to remove it/s,
  );
  expect(reviewed()).toHaveLength(1);
  expect(await kruise('install', '--ca', 'ca.crt', '--no-exact-budgets')).toMatch(
    /^0 .*; the ValidatingWebhookConfiguration was removed: pods of budgets are deleted without a review$/,
  );
  expect(reviewed()).toEqual([]);
});

test('check tells that it is asked about pods of budgets, and when it cannot answer that', async () => {
  begin();
  const url = 'https://hook.example.com/pods';
  await kruise('install', '--ca', 'ca.crt', '--url', url, '--exact-budgets');
  expect(await kruise('check', '-n', 'shop')).toMatch(
    /^0 the webhook answers: .*; it is also asked about pods of budgets, which are not deleted while it is down$/,
  );
  await world.cluster('admin').patch(
    {
      ...MUTATING,
      plural: 'validatingwebhookconfigurations',
      kind: 'ValidatingWebhookConfiguration',
      namespaced: false,
    },
    { name: 'kruise-admission' },
    {
      type: 'json',
      body: [{ op: 'replace', path: '/webhooks/0/clientConfig/caBundle', value: btoa(`${CA}${CA}`) }],
    },
  );
  expect(await kruise('check', '-n', 'shop')).toMatch(
    /^1 .*asks another address or trusts another authority than the MutatingWebhookConfiguration/s,
  );
});

test('install with an address outside of the cluster, and back to the Service', async () => {
  begin();
  const clientOf = (): object =>
    (configuration()['webhooks'] as { clientConfig: object }[])[0]?.clientConfig ?? {};
  const url = 'https://10.0.0.5:9443/pods';
  expect(await kruise('install', '--ca', 'ca.crt', '--url', url)).toMatch(/^0 /);
  expect(clientOf()).toEqual({ url, caBundle: expect.any(String) as string });
  // What another writer has there goes: with both the server would refuse it.
  expect(await kruise('install', '--ca', 'ca.crt')).toMatch(/^0 /);
  expect(Object.keys(clientOf()).sort()).toEqual(['caBundle', 'service']);
});

test('check compares what a dry run brings back with what the sets give', async () => {
  begin();
  expect(await kruise('check')).toMatch(/^1 .*there is no MutatingWebhookConfiguration kruise-admission/s);
  await kruise('install', '--ca', 'ca.crt');
  expect(await kruise('check', '-n', 'kube-system')).toMatch(/^1 .*nothing can be checked in kube-system/s);
  isUp = false;
  expect(await kruise('check', '-n', 'shop')).toMatch(
    /^1 .*the webhook does not answer: the containers of a pod in shop have no order/s,
  );
  isUp = true;
  world.server.patch(
    'admin',
    { group: 'admissionregistration.k8s.io', version: 'v1', plural: 'mutatingwebhookconfigurations' },
    { name: 'kruise-admission' },
    {
      type: 'json',
      body: [
        { op: 'replace', path: '/webhooks/0/clientConfig', value: { url: 'https://hook.example.com/pods' } },
      ],
    },
  );
  expect(await kruise('check', '-n', 'shop')).toBe(
    '0 the webhook answers: the containers of a pod in shop start in their order, and no set adds a container to it',
  );
  await world.cluster('admin').create(resources.SidecarSet, set);
  expect(await kruise('check', '-n', 'shop')).toBe('0 the webhook answers: a pod in shop gets proxy of mesh');
  const containers = [{ name: 'shipper', image: 'logs:1' }];
  const logs = { ...set, metadata: { name: 'logs' }, spec: { ...(set['spec'] as JsonObject), containers } };
  await world.cluster('admin').create(resources.SidecarSet, logs);
  expect(await kruise('check', '-n', 'shop')).toBe(
    '0 the webhook answers: a pod in shop gets shipper and proxy of logs and mesh',
  );
  isUp = false;
  expect(await kruise('check', '-n', 'shop')).toMatch(
    /^1 .*the webhook does not answer: a pod in shop lacks shipper and proxy of logs and mesh/s,
  );
  expect(asked).toHaveLength(4);
  expect(world.server.list('admin', resources.Pod).items).toEqual([]);
});

test.each([
  [[], 'say what to do'],
  [['install'], 'install needs --ca FILE'],
  [['install', '--ca', 'none.crt'], 'none.crt cannot be read'],
  [['install', '--ca', 'empty.crt'], 'empty.crt is no certificate in PEM'],
  [['install', '--ca', 'both.pem'], 'has a private key beside it'],
  [['install', '--ca', 'ca.crt', '--url', 'http://10.0.0.5:9443/pods'], '--url cannot be'],
  [['install', '--ca', 'ca.crt', '--url', 'https://10.0.0.5:9443/'], '--url cannot be'],
  [['install', '--ca', 'ca.crt', '--url', 'https://me@10.0.0.5:9443/pods'], '--url cannot be'],
  [['install', '--ca', 'ca.crt', '--exact-budgets', '--no-exact-budgets'], 'excludes --no-exact-budgets'],
  [['instal'], "unknown word 'instal'; did you mean install?"],
  [
    ['remove'],
    "unknown word 'remove'; say what to do: kruise admission install --ca FILE, or kruise admission check",
  ],
  [['check', 'twice'], "unknown word 'twice'"],
])('kruise admission %j is refused', async (args, problem) => {
  begin();
  const answered = await kruise(...args);
  expect(answered).toMatch(/^1 /);
  expect(answered).toContain(problem);
});
