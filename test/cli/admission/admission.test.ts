import { afterEach, describe, expect, test } from 'vitest';
import { createVirtualClock, createWorld, type World, type WebhookClient } from 'kruise-sandbox';
import { main } from '../../../cli/dispatch.ts';
import { reviewPod } from '../../../runtime/admit/review.ts';
import { crds } from '../../../schemas/generated/crds.ts';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import { podInjectors } from '../../../semantics/registry/pod-injectors.ts';
import { hasty } from '../../fixtures/hasty-clock.ts';
import { memoryHost } from '../world/memory-host.ts';

const CA = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';
const set: KubeObject = {
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'SidecarSet',
  metadata: { name: 'mesh' },
  spec: { selector: { matchLabels: { app: 'web' } }, containers: [{ name: 'proxy', image: 'proxy:1' }] },
};

let world: World;
/** The namespace in which the webhook looks for revisions; undefined: it has none. */
let records: string | undefined;
/** Whether the webhook answers. */
let isUp = true;
/** How often the one before answers in its place. */
let late = 0;
const asked: string[] = [];

function begin(): void {
  const webhooks: WebhookClient = (target, review) => {
    asked.push(target.url);
    if (!isUp && late-- <= 0) return { fault: 'connection refused' };
    const sets = world.server.list('admin', resources.SidecarSet).items;
    const sources = {
      injectors: podInjectors,
      now: 0,
      sets: () => sets,
      revisions: () =>
        records === undefined
          ? []
          : world.server.list('admin', resources.ControllerRevision, { namespace: records }).items,
      isRequired: () => false,
    };
    return { body: reviewPod(review, { ...sources, namespace: (name) => ({ name, labels: {} }) }) };
  };
  asked.length = 0;
  isUp = true;
  late = 0;
  records = undefined;
  world = createWorld({
    clock: createVirtualClock(0),
    namespaces: ['default', 'shop', 'kruise-system'],
    nodes: 0,
    crds: [...crds],
    webhooks,
  });
}

afterEach(() => world.stop());

async function kruise(...args: string[]): Promise<string> {
  const files = { 'ca.crt': CA, 'both.pem': `${CA}-----BEGIN PRIVATE KEY-----`, 'empty.crt': '' };
  const host = Object.assign(memoryHost(files, { cluster: world.cluster('admin') }), { clock: hasty });
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
  // Nobody answers at its Service: pods of budgets could not be deleted.
  const silent = await kruise('install', '--ca', 'ca.crt', '--exact-budgets', '-n', 'shop');
  expect(silent).toMatch(
    /^1 .*the webhook does not answer: .*; so API servers are not told to ask it about pods of budgets, which they would not delete/s,
  );
  expect([reviewed(), asked]).toEqual([[], []]);
  const url = ['--url', 'https://hook.example.com/pods'];
  expect(await kruise('install', '--ca', 'ca.crt', '--exact-budgets', ...url)).toMatch(/^0 /);
  expect(reviewed()).toEqual([
    [
      expect.objectContaining({ name: 'pods.podunavailablebudgets.policy.kruise.io', failurePolicy: 'Fail' }),
      expect.objectContaining({ failurePolicy: 'Ignore' }),
    ],
  ]);
  expect(JSON.stringify(reviewed())).toContain('pub.kruise.io/related-pub');
  // A new authority is not written where it is not the one that answers: reviews go on by the old one.
  isUp = false;
  const before = JSON.stringify(reviewed());
  expect(await kruise('install', '--ca', 'ca.crt', '--exact-budgets', ...url)).toMatch(/^1 /);
  expect(JSON.stringify(reviewed())).toBe(before);
  // For a moment API servers ask the one before, which answers.
  late = 2;
  const other = ['--url', 'https://other.example.com/pods'];
  expect(await kruise('install', '--ca', 'ca.crt', '--exact-budgets', ...other)).toMatch(/^1 /);
  expect(JSON.stringify(reviewed())).toBe(before);
  // So they may after an install that was broken off, of which this one is a repetition.
  late = 2;
  expect(await kruise('install', '--ca', 'ca.crt', '--exact-budgets', ...other)).toMatch(/^1 /);
  expect(JSON.stringify(reviewed())).toBe(before);
  isUp = true;
  expect(await kruise('install', '--ca', 'ca.crt', '--exact-budgets', ...other)).toMatch(/^0 /);
  expect(JSON.stringify(reviewed())).not.toBe(before);
  // A renewal of the authority does not end it in passing.
  expect(await kruise('install', '--ca', 'ca.crt')).toMatch(
    /^1 .*there is a ValidatingWebhookConfiguration kruise-admission, .*--no-exact-budgets to remove it/s,
  );
  expect(reviewed()).toHaveLength(1);
  expect(await kruise('install', '--ca', 'ca.crt', '--no-exact-budgets')).toMatch(
    /^0 .*; the ValidatingWebhookConfiguration was removed: API servers no longer ask about pods of budgets$/,
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

test('check tells that it is asked where pods go, and a removal what is no longer asked', async () => {
  begin();
  const install = ['install', '--ca', 'ca.crt', '--url', 'https://hook.example.com/pods'];
  await kruise(...install, '--spreads');
  expect(await kruise('check', '-n', 'shop')).toMatch(
    /^0 the webhook answers: .*; whether it places pods is not known: no WorkloadSpread in shop is for it$/,
  );
  expect(await kruise(...install, '--no-spreads')).toMatch(
    /was removed: API servers no longer ask where new pods of spread workloads go$/,
  );
  expect(await kruise('check', '-n', 'shop')).not.toContain('places pods');
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
  // Where a sidecar is missing, an order is asked for, too.
  expect(asked).toHaveLength(5);
  expect(world.server.list('admin', resources.Pod).items).toEqual([]);
});

/** A revision of a set that new pods get, in this namespace. */
async function recorded(to: KubeObject, image: string, namespace: string, name = 'mesh-1'): Promise<void> {
  const admin = world.cluster('admin');
  const { uid } = to.metadata;
  const spec = { ...(to['spec'] as JsonObject), containers: [{ name: 'proxy', image }] };
  await admin.create(resources.ControllerRevision, {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name,
      namespace,
      labels: { 'kruise.io/sidecarset-name': 'mesh' },
      annotations: { 'plan.kruise.io/complete': '1', 'plan.kruise.io/new-pods': 'true' },
      ownerReferences: [
        {
          apiVersion: 'apps.kruise.io/v1alpha1',
          kind: 'SidecarSet',
          name: 'mesh',
          uid: uid ?? '',
          controller: true,
        },
      ],
    },
    data: { spec },
    revision: 1,
  });
  await admin.patch(
    resources.SidecarSet,
    { name: 'mesh' },
    {
      type: 'merge',
      body: { status: { matchedPods: 1, updatedPods: 1, readyPods: 1, latestRevision: name } },
    },
    { subresource: 'status' },
  );
}

describe('check, of sets that are on record', () => {
  const url = 'https://hook.example.com/pods';
  async function installed(spec: JsonObject = {}): Promise<KubeObject> {
    begin();
    await kruise('install', '--ca', 'ca.crt', '--url', url);
    return world
      .cluster('admin')
      .create(resources.SidecarSet, { ...set, spec: { ...(set['spec'] as JsonObject), ...spec } });
  }

  test('a webhook that has the records answers', async () => {
    const made = await installed();
    await recorded(made, 'proxy:0', 'kruise-system');
    records = 'kruise-system';
    expect(await kruise('check', '-n', 'shop')).toBe(
      '0 the webhook answers: a pod in shop gets proxy of mesh',
    );
  });

  test('one that looks elsewhere gives another revision, and is told where they are', async () => {
    const made = await installed();
    await recorded(made, 'proxy:0', 'kruise-system');
    records = 'default';
    expect(await kruise('check', '-n', 'shop')).toMatch(
      /^1 .*a pod in shop gets another revision of mesh than is on record.*--lease-namespace of the runtime: the revisions are in kruise-system$/s,
    );
  });

  test('one that looks elsewhere refuses pods of a pinned revision, with the advice for the admission', async () => {
    const made = await installed({ injectionStrategy: { revision: { revisionName: 'mesh-1' } } });
    await recorded(made, 'proxy:0', 'kruise-system');
    records = 'default';
    const answered = await kruise('check', '-n', 'shop');
    expect(answered).toMatch(/^1 .*the webhook refuses a pod in shop that would get proxy of mesh/s);
    expect(answered).toContain('--lease-namespace of the runtime');
    expect(answered).not.toContain('remove the field');
  });

  test('a set that the check cannot find on record proves nothing', async () => {
    const made = await installed();
    await recorded(made, 'proxy:0', 'default');
    records = 'default';
    expect(await kruise('check', '-n', 'shop')).toMatch(
      /^1 .*the revisions of SidecarSet mesh are not in the namespace kruise-system.*--system/s,
    );
    expect(await kruise('check', '-n', 'shop', '--system', 'default')).toMatch(/^0 the webhook answers/);
  });

  test('each set is asked about: the first one by name may be well', async () => {
    const made = await installed();
    const first = { selector: { matchLabels: { app: 'a' } }, containers: [{ name: 'a', image: 'a:1' }] };
    await world
      .cluster('admin')
      .create(resources.SidecarSet, { ...set, metadata: { name: 'a' }, spec: first });
    await recorded(made, 'proxy:0', 'kruise-system');
    records = 'default';
    expect(await kruise('check', '-n', 'shop')).toMatch(/^1 .*another revision of mesh/s);
  });
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
