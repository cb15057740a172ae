import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../schemas/wire/cluster.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import { configMap, configMaps, pod, widget } from '../world.ts';
import { front, json } from './front.ts';

const namespace = '/api/v1/namespaces/default';
const path = `${namespace}/configmaps`;
const widgets = '/apis/test.example/v1/namespaces/default/widgets';
const merge = { 'content-type': 'application/merge-patch+json' };

describe('writes', () => {
  it('creates (201), replaces (200), patches (200) and reads', async () => {
    const { ask } = await front();
    const created = await ask(path, { method: 'POST', body: configMap('a') });
    expect([created.code, created.json]).toMatchObject([201, { kind: 'ConfigMap', metadata: { name: 'a' } }]);
    const replaced = await ask(`${path}/a`, { method: 'PUT', body: configMap('a', {}, { k: 'v' }) });
    expect([replaced.code, replaced.json]).toMatchObject([200, { data: { k: 'v' } }]);
    const patched = await ask(`${path}/a`, { method: 'PATCH', body: { data: { l: 'w' } }, headers: merge });
    expect([patched.code, patched.json]).toMatchObject([200, { data: { k: 'v', l: 'w' } }]);
    expect((await ask(`${path}/a`)).json).toEqual(patched.json);
  });

  it.each([
    ['application/json-patch+json', [{ op: 'add', path: '/data', value: { k: 'j' } }], 'j'],
    ['application/merge-patch+json', { data: { k: 'm' } }, 'm'],
    ['application/strategic-merge-patch+json', { data: { k: 's' } }, 's'],
    ['application/merge-patch+json; charset=utf-8', { data: { k: 'c' } }, 'c'],
  ])('patches with %s', async (type, body, value) => {
    const { ask } = await front();
    await ask(path, { method: 'POST', body: configMap('a') });
    const headers = { 'content-type': type };
    expect((await ask(`${path}/a`, { method: 'PATCH', body, headers })).json).toMatchObject({
      data: { k: value },
    });
  });

  it('creates by apply with 201, changes by apply with 200', async () => {
    const { ask } = await front();
    const body = JSON.stringify(configMap('a', {}, { k: 'v' }));
    const headers = { 'content-type': 'application/apply-patch+yaml' };
    const apply = async () => ask(`${path}/a?fieldManager=me`, { method: 'PATCH', body, headers });
    expect((await apply()).code).toBe(201);
    expect((await apply()).code).toBe(200);
  });

  it.each(['text/plain', 'application/json', 'application/strategic-merge-patch+json', ''])(
    'refuses a patch of a custom resource of type %j with 415, and says what it takes',
    async (type) => {
      const { ask } = await front();
      const headers = { 'content-type': type };
      expect((await ask(`${widgets}/w`, { method: 'PATCH', body: '{}', headers })).json).toMatchObject({
        code: 415,
        reason: 'UnsupportedMediaType',
        message:
          'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
      });
    },
  );

  it.each(['text/plain', 'application/json', ''])(
    'refuses a patch of a built-in kind of type %j',
    async (type) => {
      const { ask } = await front();
      const headers = { 'content-type': type };
      expect((await ask(`${path}/a`, { method: 'PATCH', body: '{}', headers })).json).toMatchObject({
        code: 415,
        reason: 'UnsupportedMediaType',
        message: '415: Unsupported Media Type',
        details: {},
      });
    },
  );

  it('defaults the namespace of a body to that of the path, and refuses another one', async () => {
    const { ask } = await front();
    const { namespace: _none, ...metadata } = configMap('a').metadata;
    const made = await ask(path, { method: 'POST', body: { ...configMap('a'), metadata } });
    expect(made.json).toMatchObject({ metadata: { namespace: 'default' } });
    const other = await ask(path, { method: 'POST', body: configMap('b', { namespace: 'other' }) });
    expect(other.json).toMatchObject({
      code: 400,
      message: 'the namespace of the provided object does not match the namespace sent on the request',
    });
  });

  it('stores nothing under dryRun=All', async () => {
    const { ask } = await front();
    expect((await ask(`${path}?dryRun=All`, { method: 'POST', body: configMap('a') })).code).toBe(201);
    expect((await ask(`${path}/a`)).code).toBe(404);
  });

  it('reads YAML', async () => {
    const { ask } = await front();
    const body = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {k: v}\n';
    const headers = { 'content-type': 'application/yaml' };
    expect((await ask(path, { method: 'POST', body, headers })).json).toMatchObject({ data: { k: 'v' } });
  });

  it('reports unknown fields in Warning headers, with any characters', async () => {
    const { ask } = await front();
    const body = { ...widget('w'), 'sp"éc': 1 };
    const answer = await ask(widgets, { method: 'POST', body });
    expect(answer.code).toBe(201);
    expect(Buffer.from(String(answer.headers.warning), 'latin1').toString()).toBe(
      '299 - "unknown field \\"sp\\"éc\\""',
    );
  });

  it('warns who is refused, too', async () => {
    const { ask } = await front();
    const body = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 's' },
      spec: { bogus: 1, ports: [] },
    };
    const answer = await ask(`${namespace}/services`, { method: 'POST', body });
    expect(answer.code).toBe(422);
    expect(answer.headers.warning).toBe('299 - "unknown field \\"spec.bogus\\""');
  });

  it('shows and changes the scale, the status, and binds a pod', async () => {
    const { ask } = await front({ nodes: 0 });
    await ask(widgets, { method: 'POST', body: widget('w') });
    const body = { spec: { replicas: 3 } };
    expect((await ask(`${widgets}/w/scale`, { method: 'PATCH', body, headers: merge })).json).toMatchObject({
      kind: 'Scale',
      spec: { replicas: 3 },
    });
    const status = { status: { note: 'x' } };
    await ask(`${widgets}/w/status`, { method: 'PATCH', body: status, headers: merge });
    expect((await ask(`${widgets}/w`)).json).toMatchObject({ spec: { replicas: 3 }, ...status });
    await ask(`${namespace}/pods`, { method: 'POST', body: pod('p') });
    const binding = {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name: 'p', namespace: 'default' },
      target: { name: 'n' },
    };
    const bound = await ask(`${namespace}/pods/p/binding`, { method: 'POST', body: binding });
    expect(bound.json).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      code: 201,
    });
    expect((await ask(`${namespace}/pods/p`)).json).toMatchObject({ spec: { nodeName: 'n' } });
  });

  it('warns of a kind that is on its way out', async () => {
    const { ask } = await front();
    expect((await ask(`${namespace}/endpoints`)).headers.warning).toBe(
      '299 - "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"',
    );
    expect((await ask(path)).headers.warning).toBeUndefined();
  });
});

describe('deletions', () => {
  it('responds with a Status that names the removed object', async () => {
    const { ask, alice } = await front();
    const { metadata } = await alice.create(configMaps, configMap('a'));
    const answer = await ask(`${path}/a`, { method: 'DELETE' });
    expect(answer.json).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      details: { name: 'a', kind: 'configmaps', uid: metadata.uid },
    });
  });

  it('responds with the object if it is only marked, and for some kinds also after removal', async () => {
    const { ask, alice } = await front();
    await alice.create(configMaps, configMap('a', { finalizers: ['x.y/z'] }));
    expect((await ask(`${path}/a`, { method: 'DELETE' })).json).toMatchObject({
      kind: 'ConfigMap',
      metadata: { deletionTimestamp: expect.any(String) },
    });
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 's' } };
    await ask(`${namespace}/serviceaccounts`, { method: 'POST', body: account });
    const gone = await ask(`${namespace}/serviceaccounts/s`, { method: 'DELETE' });
    expect(gone.json).toMatchObject({ kind: 'ServiceAccount', metadata: { name: 's' } });
    expect((await ask(`${namespace}/serviceaccounts/s`)).code).toBe(404);
  });

  it.each<[string, string | object, Record<string, string>, string]>([
    ['a body', { propagationPolicy: 'Orphan' }, json, ''],
    ['a body of YAML', 'propagationPolicy: Orphan', { 'content-type': 'application/yaml' }, ''],
    ['the query', '', {}, '?propagationPolicy=Orphan'],
    ['the old word', '', {}, '?orphanDependents=true'],
    [
      'a body, which counts before the query',
      { propagationPolicy: 'Orphan' },
      json,
      '?propagationPolicy=Foreground',
    ],
  ])('takes its options from %s', async (_from, body, headers, query) => {
    const { ask, alice, world } = await front();
    await alice.create(configMaps, configMap('a'));
    const marks: unknown[] = [];
    world.onCommit(({ object }) => marks.push(object.metadata.finalizers));
    await ask(`${path}/a${query}`, { method: 'DELETE', body, headers });
    expect(marks[0]).toEqual(['orphan']);
  });

  it('supports preconditions and dryRun', async () => {
    const { ask, alice } = await front();
    await alice.create(configMaps, configMap('a'));
    const remove = async (body: object) => ask(`${path}/a`, { method: 'DELETE', body });
    expect(await remove({ preconditions: { uid: 'x' } })).toMatchObject({ code: 409 });
    expect(await remove({ preconditions: { resourceVersion: '1' } })).toMatchObject({ code: 409 });
    expect(await remove({ dryRun: ['All'] })).toMatchObject({ code: 200 });
    expect((await ask(`${path}/a`)).code).toBe(200);
  });

  it.each([
    [
      { kind: 'Foo', apiVersion: 'v1' },
      'no kind "Foo" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"',
    ],
    [
      { gracePeriodSeconds: 'x' },
      'json: cannot unmarshal string into Go struct field DeleteOptions.gracePeriodSeconds of type int64',
    ],
    [
      { dryRun: [1] },
      'json: cannot unmarshal array into Go struct field DeleteOptions.dryRun of type string',
    ],
  ])('refuses options %j', async (body, message) => {
    const { ask } = await front();
    expect((await ask(`${path}/a`, { method: 'DELETE', body })).json).toMatchObject({ code: 400, message });
  });

  it('deletes the selected objects of a collection, and returns them', async () => {
    const { ask } = await front();
    for (const name of ['a', 'b'])
      await ask(path, { method: 'POST', body: configMap(name, { labels: { name } }) });
    const answer = await ask(`${path}?labelSelector=name%3Da`, { method: 'DELETE' });
    expect(answer.json).toMatchObject({ kind: 'ConfigMapList', items: [{ metadata: { name: 'a' } }] });
    expect((await ask(path)).json).toMatchObject({ items: [{ metadata: { name: 'b' } }] });
  });

  it('lets a namespace go when its finalizers are taken', async () => {
    const { ask, alice, clock } = await front();
    await alice.create(resources.Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' } });
    await alice.create(configMaps, configMap('a', { namespace: 'n', finalizers: ['x.y/z'] }));
    expect((await ask('/api/v1/namespaces/n', { method: 'DELETE' })).json).toMatchObject({
      kind: 'Namespace',
    });
    await clock.advance(1000);
    const body = {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'n' },
      spec: { finalizers: ['kubernetes'] },
    };
    await ask('/api/v1/namespaces/n/finalize', { method: 'PUT', body });
    expect((await ask('/api/v1/namespaces/n')).code).toBe(200);
    await ask('/api/v1/namespaces/n/finalize', { method: 'PUT', body: { ...body, spec: {} } });
    expect((await ask('/api/v1/namespaces/n')).code).toBe(404);
  });
});

describe('failures', () => {
  it('responds with 500 to unexpected errors, and reports them to the error hook', async () => {
    const { ask, world, errors } = await front();
    world.server.list = () => {
      throw new TypeError('boom');
    };
    const answer = await ask(path);
    expect(answer.json).toMatchObject({
      code: 500,
      reason: 'InternalError',
      message: 'Internal error occurred: boom',
      details: { causes: [{ message: 'boom' }] },
    });
    expect(errors).toEqual([new TypeError('boom')]);
  });

  it('sends the retry time in a header', async () => {
    const { ask, world } = await front();
    world.server.list = () => {
      throw new ApiError({
        code: 429,
        reason: 'TooManyRequests',
        message: 'later',
        details: { retryAfterSeconds: 7 },
      });
    };
    const answer = await ask(path);
    expect([answer.code, answer.headers['retry-after']]).toEqual([429, '7']);
    expect(answer.json).toMatchObject({ details: { retryAfterSeconds: 7 } });
  });
});
