import { describe, expect, test } from 'vitest';
import { front } from './http/front.ts';
import { readRows } from './rows.ts';
import { applied, container, merge, send, strategic } from './requests.ts';

const deployments = '/apis/apps/v1/namespaces/default/deployments';

describe('the stored form of a body', () => {
  /** The object, then its stored form and the owned fields at one path each. */
  const cases: [string, string, object, string, unknown, string, unknown][] = readRows('stored-forms');

  const at = (value: unknown, path: string): unknown => {
    const steps = path.match(/k:\{[^}]*\}|[^.]+/g) ?? [];
    return steps.reduce<unknown>((found, step) => (found as Record<string, unknown>)[step], value);
  };

  test.each(cases)('%s', async (_title, path, body, place, stored, ownedPlace, owned) => {
    const server = await front();
    const { metadata = {}, ...rest } = body as { metadata?: object };
    const made = await send(server, 'POST', `${path}?fieldManager=m`, {
      ...rest,
      metadata: { ...metadata, name: 'a' },
    });
    expect(made.code).toBe(201);
    expect(at(made.body, place)).toEqual(stored);
    const entry = made.body.metadata.managedFields?.[0]?.fieldsV1;
    expect(ownedPlace === '' ? entry : at(entry, ownedPlace)).toEqual(owned ?? undefined);
    const again = await send(server, 'PUT', `${path}/a?fieldManager=n`, {
      ...rest,
      metadata: { ...metadata, name: 'a', resourceVersion: made.body.metadata['resourceVersion'] },
    });
    expect(again.body.metadata.managedFields).toEqual(made.body.metadata.managedFields);
    expect(again.body.metadata['resourceVersion']).toBe(made.body.metadata['resourceVersion']);
  });
});

describe('writes of the same values in another form', () => {
  const deployment = (resources: object, extra: object = {}) => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'a' },
    spec: {
      ...extra,
      selector: { matchLabels: { a: 'b' } },
      template: {
        metadata: { labels: { a: 'b' } },
        spec: { containers: [{ ...container, resources }] },
      },
    },
  });

  test('an apply owns its zeros, and the same apply again leaves its time', async () => {
    const server = await front();
    const config = deployment({ limits: { memory: '1024Mi' } }, { paused: false });
    const path = `${deployments}/a?fieldManager=m`;
    const made = await send(server, 'PATCH', path, config, applied);
    expect(made.body['spec']).not.toHaveProperty('paused');
    expect(made.body.metadata.managedFields?.[0]?.fieldsV1).toMatchObject({ 'f:spec': { 'f:paused': {} } });
    await server.clock.advance(5000);
    const again = await send(server, 'PATCH', path, config, applied);
    expect(again.body.metadata).toEqual(made.body.metadata);
  });

  test.each([
    ['a strategic merge patch', strategic, { spec: { paused: false } }],
    ['a merge patch', merge, { spec: { paused: false, template: { spec: { hostNetwork: false } } } }],
    [
      'a JSON patch',
      'application/json-patch+json',
      [
        {
          op: 'add',
          path: '/spec/template/spec/containers/0/resources/limits',
          value: { memory: '1024Mi' },
        },
      ],
    ],
  ])('%s commits nothing', async (_title, type, body) => {
    const server = await front();
    const made = await send(server, 'POST', deployments, deployment({ limits: { memory: '1Gi' } }));
    const { code, body: patched } = await send(server, 'PATCH', `${deployments}/a`, body, type);
    expect(code).toBe(200);
    expect(patched).toEqual(made.body);
  });
});

test('a custom resource is stored as written', async () => {
  const server = await front();
  const made = await send(server, 'POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    metadata: { name: 'bars.test.io' },
    spec: {
      group: 'test.io',
      scope: 'Namespaced',
      names: { plural: 'bars', kind: 'Bar' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      ],
    },
  });
  expect(made.code).toBe(201);
  const spec = { paused: false, memory: '1024Mi', text: '', list: [] };
  const bar = { apiVersion: 'test.io/v1', kind: 'Bar', metadata: { name: 'a', labels: {} }, spec };
  const { body } = await send(server, 'POST', '/apis/test.io/v1/namespaces/default/bars', bar);
  expect(body['spec']).toEqual(spec);
  expect(body.metadata).not.toHaveProperty('labels');
  const finalizers = ['plain', 'with.dot', 'a.b/c', 'orphan'];
  const patched = await send(
    server,
    'PATCH',
    '/apis/test.io/v1/namespaces/default/bars/a',
    { metadata: { finalizers } },
    merge,
  );
  expect(patched.warning).toBe(
    '299 - "metadata.finalizers: \\"plain\\": prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers", ' +
      '299 - "metadata.finalizers: \\"with.dot\\": prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts with other finalizer writers"',
  );
});
