import { describe, expect, test, vi } from 'vitest';
import { TransportError } from '../../runtime/api/transport-error.ts';
import { CredentialsError } from '../../runtime/api/connection.ts';
import { inNamespace } from '../../runtime/observe/one-namespace.ts';
import { preflight } from '../../runtime/preflight.ts';
import { type Call, createVirtualClock, createWorld, intercepting, isWrite } from 'kruise-sandbox';
import { crds } from '../../schemas/generated/crds.ts';
import { ApiError, type Cluster } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { connectionTo } from './process-world.ts';

/** With several kinds, the missing definition of one only disables that: preflight-kinds.test.ts. */
vi.mock('../../semantics/registry/registered.ts', async (original) => {
  const { registered } = await original<{ registered: readonly unknown[] }>();
  return { registered: registered.slice(0, 1) };
});

const connection = connectionTo('https://10.0.0.1:6443');
const lease = { namespace: 'kruise-system', name: 'kruise' };
type Definition = KubeObject & {
  spec: { versions: { name: string; served: boolean; schema: { openAPIV3Schema: object } }[] };
};

/** The preflight on a world with these definitions, for a user whom `refuse` refuses calls. */
async function runPreflight(
  definitions: readonly KubeObject[] = crds,
  refuse: (call: Call) => Error | undefined = () => undefined,
  namespace?: string,
) {
  const clock = createVirtualClock(0);
  const world = createWorld({ clock, crds: [...definitions], namespaces: ['default', 'shop'] });
  await clock.settle();
  const asked: Call[] = [];
  const received: Cluster = intercepting(world.cluster('kruise'), {
    async request(call, send) {
      asked.push(call);
      const error = refuse(call);
      if (error !== undefined) throw error;
      return send();
    },
    watch: (_call, open, sink) => open(sink),
  });
  const cluster = namespace === undefined ? received : inNamespace(received, clock, namespace);
  const { problem } = await preflight(cluster, { connection, namespace, lease });
  world.stop();
  // A review is a create that stores nothing, and whether pods are resized is asked by a dry run.
  const stores = ({ resource, subresource }: Call): boolean =>
    resource !== resources.SelfSubjectAccessReview && subresource !== 'resize';
  expect(asked.filter((call) => isWrite(call) && stores(call))).toEqual([]);
  return problem;
}

const refusal = (code: number, reason: string, message: string): ApiError =>
  new ApiError({ code, reason, message, details: {} });
const forbidden = (plural: string) => (call: Call) =>
  call.resource.plural === plural ? refusal(403, 'Forbidden', `${plural} is forbidden`) : undefined;
const always = (error: Error) => () => error;
const definition = (name: string): Definition =>
  structuredClone(crds.find((crd) => crd.metadata.name === name) as unknown as Definition);

test('there is no problem if everything is present', async () => {
  expect(await runPreflight()).toBeUndefined();
  expect(await runPreflight(crds, () => undefined, 'shop')).toBeUndefined();
});

test('a missing right to get definitions is no problem', async () => {
  expect(await runPreflight(crds, forbidden('customresourcedefinitions'))).toBeUndefined();
});

describe('final problems', () => {
  test.each([
    [
      'pods that it may not list',
      forbidden('pods'),
      /does not allow this to the tester: pods is forbidden$/,
      /^bind the ClusterRole of deploy\/ to it, or .*--namespace$/,
    ],
    ['a Lease that it may not see', forbidden('leases'), /leases is forbidden$/, /ClusterRole/],
    [
      'an expired token',
      always(refusal(401, 'Unauthorized', 'Unauthorized')),
      /does not accept the credentials of the tester: they have expired/,
      /log in again/,
    ],
    [
      'a certificate of another authority',
      always(new TransportError('tls', 'x', { code: 'SELF_SIGNED_CERT_IN_CHAIN' })),
      /certificate of 10.0.0.1:6443 is not signed by/,
      /certificate-authority/,
    ],
    [
      'http where https is spoken',
      always(refusal(400, 'BadRequest', 'Client sent an HTTP request to an HTTPS server.')),
      /is an http address, but the server requires https$/,
      /^use https:\/\/ in the server of the kubeconfig$/,
    ],
    [
      'no API server at all',
      always(new ApiError({ code: 404, reason: '', message: '<html>' })),
      /it is not a Kubernetes API server$/,
      /port and path/,
    ],
    [
      'a plugin for credentials that fails',
      always(new CredentialsError({ problem: 'aws ended with 1', help: 'log in' })),
      /^aws ended with 1$/,
      /^log in$/,
    ],
  ])('%s', async (_, refuse, problem, help) => {
    const found = await runPreflight(crds, refuse);
    expect(found).toMatchObject({ isFinal: true });
    expect(found?.problem).toMatch(problem);
    expect(found?.help).toMatch(help);
  });

  test('a namespace that it may not get', async () => {
    const found = await runPreflight(crds, forbidden('pods'), 'shop');
    expect(found).toMatchObject({ isFinal: true, help: 'bind the Role of deploy/ to it in namespace shop' });
  });
});

describe('problems that are retried', () => {
  test.each([
    ['refused', /^nothing listens at 10.0.0.1:6443$/],
    ['timeout', /^10.0.0.1:6443 does not answer$/],
    ['dns', /^the host name 10.0.0.1 does not resolve$/],
    ['reset', /^10.0.0.1:6443 closed the connection/],
  ] as const)('a server that cannot be reached: %s', async (kind, problem) => {
    const found = await runPreflight(crds, always(new TransportError(kind, 'x')));
    expect(found).toMatchObject({ isFinal: false });
    expect(found?.problem).toMatch(problem);
  });

  test.each([500, 503, 429])('a server that responds with %i', async (code) => {
    expect(await runPreflight(crds, always(refusal(code, 'InternalError', 'not now')))).toMatchObject({
      isFinal: false,
    });
  });

  test('a namespace that does not exist', async () => {
    expect(await runPreflight(crds, () => undefined, 'nowhere')).toEqual({
      problem: 'namespace nowhere does not exist',
      help: 'create it, or name another one',
      isFinal: false,
    });
  });

  test.each(crds.map(({ metadata }) => metadata.name).filter((name) => /^clonesets|^rollout/.test(name)))(
    'the definition of %s that is missing',
    async (name) => {
      const rest = crds.filter((crd) => crd.metadata.name !== name);
      const wanted = {
        problem: `the cluster does not know ${name}`,
        help: 'install the CRDs of this version: kubectl apply --server-side -f deploy/crds',
        isFinal: false,
      };
      expect(await runPreflight(rest)).toEqual(wanted);
      // Who may not see definitions learns it from the lists.
      expect(await runPreflight(rest, forbidden('customresourcedefinitions'))).toEqual(wanted);
    },
  );

  test('a definition that lacks a field', async () => {
    const old = definition('rolloutplans.plan.kruise.io');
    for (const { schema } of old.spec.versions) {
      const { properties } = schema.openAPIV3Schema as {
        properties: { spec: { properties: { steps: { items: { properties: Record<string, object> } } } } };
      };
      delete properties.spec.properties.steps.items.properties['soak'];
    }
    const all = crds.map((crd) => (crd.metadata.name === old.metadata.name ? old : crd));
    expect(await runPreflight(all)).toEqual({
      problem:
        'the definition of rolloutplans.plan.kruise.io is older than this program: it lacks the field spec.steps[].soak in version v1alpha1',
      help: 'install the CRDs of this version: kubectl apply --server-side -f deploy/crds',
      isFinal: false,
    });
  });

  test('a definition whose objects a webhook of OpenKruise converts', async () => {
    const old = definition('clonesets.apps.kruise.io');
    const service = { namespace: 'kruise-system', name: 'kruise-webhook-service', path: '/convert' };
    const webhook = { conversionReviewVersions: ['v1'], clientConfig: { service } };
    const spec = { ...old.spec, conversion: { strategy: 'Webhook', webhook } };
    const all = crds.map((crd) => (crd.metadata.name === old.metadata.name ? { ...old, spec } : crd));
    expect((await runPreflight(all))?.problem).toBe(
      'the definition of clonesets.apps.kruise.io still uses the conversion webhook of OpenKruise',
    );
  });

  test('a definition that does not serve a version', async () => {
    const old = definition('clonesets.apps.kruise.io');
    for (const version of old.spec.versions) if (version.name === 'v1beta1') version.served = false;
    const all = crds.map((crd) => (crd.metadata.name === old.metadata.name ? old : crd));
    expect((await runPreflight(all))?.problem).toBe(
      'the definition of clonesets.apps.kruise.io is older than this program: it lacks version v1beta1',
    );
  });
});

describe('the namespace of a single-namespace runtime', () => {
  test('is read by name, and polled', async () => {
    const clock = createVirtualClock(0);
    const world = createWorld({ clock, namespaces: ['default', 'shop'] });
    const cluster = inNamespace(world.cluster('kruise'), clock, 'shop');
    const { items, metadata } = await cluster.list(resources.Namespace);
    expect(items.map((each) => each.metadata.name)).toEqual(['shop']);
    const received: string[] = [];
    const watch = cluster.watch(
      resources.Namespace,
      { resourceVersion: metadata.resourceVersion },
      {
        onOpen: () => received.push('open'),
        onEvent: (event) => received.push(event.type),
        onEnd: (error) => received.push(String(error)),
      },
    );
    expect(received).toEqual([]);
    await clock.advance(61_000);
    expect(received).toEqual(['open']);
    const annotations = { 'plan.kruise.io/policy': 'Auto' };
    await world
      .cluster('user')
      .patch(resources.Namespace, { name: 'shop' }, { type: 'merge', body: { metadata: { annotations } } });
    await clock.advance(31_000);
    expect(received).toEqual(['open', 'MODIFIED']);
    expect(
      world.log.filter(
        ({ user, resource, verb }) => user === 'kruise' && resource === 'namespaces' && verb !== 'get',
      ),
    ).toEqual([]);
    watch.stop();
    await clock.advance(60_000);
    expect(received).toEqual(['open', 'MODIFIED']);
    world.stop();
  });
});
