import { describe, expect, test } from 'vitest';
import type { Connection } from '../../../runtime/api/connection.ts';
import type { ApiError } from '../../../schemas/wire/cluster.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import {
  clientOf,
  configMap,
  configMaps,
  connectionTo,
  failureOf,
  json,
  listBody,
  scripted,
  settled,
  shown,
  statusBody,
  until,
} from './scripted.ts';

const at = { namespace: 'shop', name: 'a' };
const patch = { type: 'merge', body: { data: {} } } as const;

describe('requests', () => {
  test('path, query, headers and body of every verb', async () => {
    const server = await scripted((response) => json(response, 200, { ...configMap('a', '1'), items: [] }));
    const { cluster } = clientOf(server.url);
    const leases = resources.Lease;
    await cluster.list(configMaps, { labelSelector: 'app in (a,b)', limit: 5, continue: 'x=' });
    await cluster.list(resources.Node, { resourceVersion: '0', resourceVersionMatch: 'NotOlderThan' });
    await cluster.get(configMaps, at);
    await cluster.create(configMaps, configMap('a', '1'), {
      dryRun: true,
      fieldManager: 'm',
      fieldValidation: 'Strict',
    });
    await cluster.replace(leases, { ...configMap('a', '1'), kind: 'Lease' }, { subresource: 'status' });
    await cluster.patch(
      configMaps,
      { namespace: 'shop', name: 'a/b' },
      { type: 'apply', body: {}, force: true },
      { fieldManager: 'm' },
    );
    await cluster.patch(configMaps, at, { type: 'json', body: [] });
    await cluster.patch(configMaps, at, { type: 'strategic', body: {} });
    await cluster.delete(configMaps, at, {
      uid: 'u',
      gracePeriodSeconds: 0,
      propagationPolicy: 'Orphan',
      dryRun: true,
    });
    await cluster.delete(configMaps, at);
    expect(
      server.requests.map(({ method, url, headers, body }) => [method, url, headers['content-type'], body]),
    ).toEqual([
      ['GET', '/api/v1/configmaps?labelSelector=app%20in%20(a%2Cb)&limit=5&continue=x%3D', undefined, ''],
      ['GET', '/api/v1/nodes?resourceVersion=0&resourceVersionMatch=NotOlderThan', undefined, ''],
      ['GET', '/api/v1/namespaces/shop/configmaps/a', undefined, ''],
      [
        'POST',
        '/api/v1/namespaces/shop/configmaps?fieldManager=m&fieldValidation=Strict&dryRun=All',
        'application/json',
        JSON.stringify(configMap('a', '1')),
      ],
      [
        'PUT',
        '/apis/coordination.k8s.io/v1/namespaces/shop/leases/a/status',
        'application/json',
        JSON.stringify({ ...configMap('a', '1'), kind: 'Lease' }),
      ],
      [
        'PATCH',
        '/api/v1/namespaces/shop/configmaps/a%2Fb?fieldManager=m&force=true',
        'application/apply-patch+yaml',
        '{}',
      ],
      ['PATCH', '/api/v1/namespaces/shop/configmaps/a', 'application/json-patch+json', '[]'],
      ['PATCH', '/api/v1/namespaces/shop/configmaps/a', 'application/strategic-merge-patch+json', '{}'],
      [
        'DELETE',
        '/api/v1/namespaces/shop/configmaps/a',
        'application/json',
        '{"kind":"DeleteOptions","apiVersion":"v1","preconditions":{"uid":"u"},"gracePeriodSeconds":0,"propagationPolicy":"Orphan","dryRun":["All"]}',
      ],
      ['DELETE', '/api/v1/namespaces/shop/configmaps/a', undefined, ''],
    ]);
    for (const { headers } of server.requests)
      expect(headers).toMatchObject({
        accept: 'application/json',
        authorization: 'Bearer secret',
        'user-agent': 'kruise/test',
      });
  });

  test('a create and a patch that need only metadata request that, and accept whole objects as well', async () => {
    const server = await scripted((response) => json(response, 200, configMap('a', '8')));
    const { cluster } = clientOf(server.url);
    const body = { data: { a: 'b' } };
    const made = await cluster.create(configMaps, configMap('a', ''), { answer: 'metadata' });
    const patched = await cluster.patch(configMaps, at, { type: 'merge', body }, { answer: 'metadata' });
    expect([made, patched].map(({ metadata }) => metadata.resourceVersion)).toEqual(['8', '8']);
    await cluster.patch(configMaps, at, { type: 'merge', body });
    expect(server.requests.map(({ headers }) => headers.accept)).toEqual([
      'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json',
      'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json',
      'application/json',
    ]);
  });

  test('so does a list, and its items are of their kind whatever the server answers', async () => {
    const { metadata } = configMap('a', '8');
    const partial = { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata', metadata };
    const server = await scripted((response) =>
      json(response, 200, { metadata: { resourceVersion: '8' }, items: [partial, { metadata }] }),
    );
    const { items } = await clientOf(server.url).cluster.list(configMaps, { answer: 'metadata' });
    const ofKind = { apiVersion: 'v1', kind: 'ConfigMap', metadata };
    expect(items).toEqual([ofKind, ofKind]);
    expect(server.requests.map(({ headers }) => headers.accept)).toEqual([
      'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json',
    ]);
  });

  test('consecutive calls share one connection; a server address may have a path', async () => {
    const server = await scripted((response) => json(response, 200, configMap('a', '1')));
    const { cluster } = clientOf(`${server.url}/clusters/one`);
    for (let index = 0; index < 20; index++) await cluster.get(configMaps, at);
    expect([server.connections(), server.requests.at(-1)?.url]).toEqual([
      1,
      '/clusters/one/api/v1/namespaces/shop/configmaps/a',
    ]);
  });

  test('a call without a name or a namespace is refused: its path would address many objects', async () => {
    const server = await scripted((response) => json(response, 200, {}));
    const { cluster } = clientOf(server.url);
    const refusals = [
      cluster.delete(configMaps, { namespace: 'shop', name: '' }),
      cluster.get(configMaps, { name: 'a' }),
      cluster.create(configMaps, { ...configMap('a', ''), metadata: { name: 'a' } }),
    ];
    for (const refusal of refusals) expect(shown(await failureOf(refusal))).toEqual([400, 'BadRequest']);
    expect(server.requests).toEqual([]);
  });
});

describe('responses', () => {
  test('items of a list have kind and apiVersion, even if the server omits them', async () => {
    const bare = { metadata: { name: 'a', namespace: 'shop' } };
    const server = await scripted((response) => json(response, 200, { ...listBody('7'), items: [bare] }));
    const { cluster } = clientOf(server.url);
    const { items, metadata } = await cluster.list(configMaps);
    expect([items[0]?.kind, items[0]?.apiVersion, metadata.resourceVersion]).toEqual([
      'ConfigMap',
      'v1',
      '7',
    ]);
  });

  test.each<[what: string, answer: object, left: boolean]>([
    ['a Status', { kind: 'Status', status: 'Success' }, false],
    ['an object that is not marked', configMap('a', '1'), false],
    ['one marked, with time left', marked({ deletionGracePeriodSeconds: 30 }), true],
    ['one marked, without time and without finalizers', marked({ deletionGracePeriodSeconds: 0 }), false],
    [
      'one marked, that waits for finalizers',
      marked({ deletionGracePeriodSeconds: 0, finalizers: ['x/y'] }),
      true,
    ],
  ])('DELETE: %s', async (_, answer, left) => {
    const server = await scripted((response) => json(response, 200, answer));
    const { cluster } = clientOf(server.url);
    expect((await cluster.delete(configMaps, at)) !== undefined).toBe(left);
  });

  test('409 and 422 with all fields of their Status', async () => {
    const details = {
      name: 'a',
      kind: 'configmaps',
      causes: [{ field: 'metadata.uid', reason: 'FieldValueInvalid' }],
    };
    const server = await scripted((response, _, index) =>
      index === 0
        ? json(response, 409, statusBody(409, 'Conflict'))
        : json(response, 422, statusBody(422, 'Invalid', { details })),
    );
    const { cluster, calls } = clientOf(server.url);
    expect(((await failureOf(cluster.patch(configMaps, at, patch))) as ApiError).status).toEqual({
      code: 409,
      reason: 'Conflict',
      message: 'it is Conflict',
    });
    expect(((await failureOf(cluster.patch(configMaps, at, patch))) as ApiError).status.details).toEqual(
      details,
    );
    expect(calls).toEqual(['patch configmaps 409 0', 'patch configmaps 422 0']);
  });

  test('a refusal without a Status: the code, and the text of the page without tags and control characters', async () => {
    const server = await scripted((response) => {
      response.writeHead(502, { 'content-type': 'text/html' });
      response.end(
        '<html><style>p{}</style><h1>502 Bad\u001b[31m\nGateway</h1><script>alert(1)</script></html>',
      );
    });
    const { cluster } = clientOf(server.url);
    expect(((await failureOf(cluster.get(configMaps, at))) as ApiError).status).toEqual({
      code: 502,
      reason: 'InternalError',
      message: 'the server answered 502: 502 Bad [31m Gateway',
    });
  });

  test.each<[what: string, code: number, body: string, headers: Record<string, string>, unknown: boolean]>([
    ['a page with 200', 200, '<html>log in</html>', {}, true],
    ['half an object', 200, '{"kind":"ConfigMap","metad', {}, true],
    ['JSON that is no object', 200, '[]', {}, true],
    ['a redirect', 302, '', { location: 'https://login.example/' }, false],
  ])('%s is an error, and is not followed', async (_, code, body, headers, unknown) => {
    const server = await scripted((response) => {
      response.writeHead(code, headers);
      response.end(body);
    });
    const { cluster } = clientOf(server.url);
    expect(shown(await failureOf(cluster.patch(configMaps, at, patch)))).toEqual(['garbled', unknown]);
    expect(shown(await failureOf(cluster.get(configMaps, at)))).toEqual(['garbled', false]);
    expect(server.requests).toHaveLength(2);
  });

  test('an object of 20 MB', async () => {
    const server = await scripted((response) =>
      json(response, 200, configMap('a', '1', { big: 'x'.repeat(20_000_000) })),
    );
    const { cluster } = clientOf(server.url);
    const { big } = (await cluster.get(configMaps, at))['data'] as { big: string };
    expect(big.length).toBe(20_000_000);
  });
});

function marked(metadata: object): object {
  return {
    ...configMap('a', '1'),
    metadata: { name: 'a', deletionTimestamp: '2026-01-01T00:00:00Z', ...metadata },
  };
}

describe('an overloaded server', () => {
  test.each([429, 503])(
    '%i with Retry-After is retried with jitter, and reported as one call',
    async (code) => {
      const server = await scripted((response, _, index) =>
        index < 2
          ? json(response, code, statusBody(code, 'TooManyRequests'), { 'retry-after': '3' })
          : json(response, 200, configMap('a', '1')),
      );
      const { cluster, clock, calls } = clientOf(server.url, { random: () => 0.5 });
      const patching = cluster.patch(configMaps, at, patch);
      await until(() => server.requests.length === 1);
      await settled();
      await clock.advance(3_499);
      await settled();
      expect(server.requests).toHaveLength(1);
      await clock.advance(1);
      await until(() => server.requests.length === 2);
      await settled();
      await clock.advance(3_500);
      await patching;
      expect([server.requests.length, calls]).toEqual([3, ['patch configmaps 200 2']]);
    },
  );

  test('retries take a minute in all; then the refusal is thrown', async () => {
    const server = await scripted((response) =>
      json(response, 429, statusBody(429, 'TooManyRequests'), { 'retry-after': '25' }),
    );
    const { cluster, clock } = clientOf(server.url);
    const failing = failureOf(cluster.patch(configMaps, at, patch));
    for (const sent of [1, 2]) {
      await until(() => server.requests.length === sent);
      await settled();
      await clock.advance(25_000);
    }
    const error = (await failing) as ApiError;
    expect([shown(error), error.status.details?.retryAfterSeconds, server.requests.length]).toEqual([
      [429, 'TooManyRequests'],
      25,
      3,
    ]);
  });

  test.each<[what: string, code: number, subresource: 'eviction' | undefined]>([
    ['a 503 that does not say when to come again', 503, undefined],
    ['a 500', 500, undefined],
    ['an eviction for which a budget has none to spare', 429, 'eviction'],
  ])('%s is thrown at once', async (_, code, subresource) => {
    const server = await scripted((response) => json(response, code, statusBody(code, 'No')));
    const { cluster } = clientOf(server.url);
    const options = subresource === undefined ? {} : { subresource };
    expect(shown(await failureOf(cluster.create(configMaps, configMap('a', ''), options)))).toEqual([
      code,
      'No',
    ]);
    expect(server.requests).toHaveLength(1);
  });

  test('closing cancels the retry', async () => {
    const server = await scripted((response) =>
      json(response, 429, statusBody(429, 'TooManyRequests'), { 'retry-after': '10' }),
    );
    const { cluster, clock } = clientOf(server.url);
    const failing = failureOf(cluster.patch(configMaps, at, patch));
    await until(() => server.requests.length === 1);
    await settled();
    cluster.close();
    expect(shown(await failing)).toEqual(['closed', false]);
    await clock.advance(60_000);
    expect(server.requests).toHaveLength(1);
  });

  test('beforeWrite is called before every attempt of a write', async () => {
    const server = await scripted((response) =>
      json(response, 429, statusBody(429, 'TooManyRequests'), { 'retry-after': '1' }),
    );
    let mayWrite = true;
    const { cluster, clock } = clientOf(server.url, {
      beforeWrite() {
        if (!mayWrite) throw new Error('not leading');
      },
    });
    const failing = failureOf(cluster.patch(configMaps, at, patch));
    await until(() => server.requests.length === 1);
    await settled();
    mayWrite = false;
    await clock.advance(1_000);
    expect(String(await failing)).toBe('Error: not leading');
    expect(server.requests).toHaveLength(1);
  });
});

describe('refused credentials', () => {
  function rotating(): Connection & { renewals: number } {
    let headers = { authorization: 'Bearer old' };
    return {
      ...connectionTo('http://unset'),
      renewals: 0,
      async headers(refresh) {
        if (refresh === true) {
          this.renewals += 1;
          await settled();
          headers = { authorization: 'Bearer new' };
        }
        return headers;
      },
    };
  }

  test('are renewed once for all concurrent calls, which then succeed', async () => {
    const server = await scripted((response, { headers }) =>
      headers.authorization === 'Bearer new'
        ? json(response, 200, configMap('a', '1'))
        : json(response, 401, statusBody(401, 'Unauthorized')),
    );
    const connection = Object.assign(rotating(), { server: server.url });
    const { cluster, calls } = clientOf(connection);
    await Promise.all([1, 2, 3].map(async () => cluster.patch(configMaps, at, patch)));
    await cluster.get(configMaps, at);
    expect(connection.renewals).toBe(1);
    expect(calls).toEqual([...Array<string>(3).fill('patch configmaps 200 1'), 'get configmaps 200 0']);
  });

  test('refused twice: the refusal is thrown', async () => {
    const server = await scripted((response) => json(response, 401, statusBody(401, 'Unauthorized')));
    const { cluster } = clientOf(Object.assign(rotating(), { server: server.url }));
    expect(shown(await failureOf(cluster.get(configMaps, at)))).toEqual([401, 'Unauthorized']);
    expect(server.requests).toHaveLength(2);
  });
});
