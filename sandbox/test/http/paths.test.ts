import { describe, expect, it } from 'vitest';
import { front } from './front.ts';

const notFound = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: 'the server could not find the requested resource',
  reason: 'NotFound',
  details: {},
  code: 404,
};
const notAllowed = {
  ...notFound,
  message: 'the server does not allow this method on the requested resource',
  reason: 'MethodNotAllowed',
  code: 405,
};
const namespaced = '/api/v1/namespaces/default';
const widgets = '/apis/test.example/v1';

describe('paths', () => {
  it.each([
    ['GET', '/api/v1/nope'],
    ['GET', '/api/v1//pods'],
    ['GET', '/api/v9/pods'],
    ['GET', '/apis/apps/v9'],
    ['GET', '/apis/apps/v9/x'],
    ['GET', '/api/v1/pods/x'],
    ['GET', `${namespaced}/nodes`],
    ['GET', `${namespaced}/pods/x/y/z`],
    ['GET', `${namespaced}/pods/a%2fb`],
    ['GET', '/api/v1/namespaces/default%2Fx/pods'],
    ['GET', '/api/v1/../v1/pods'],
    ['GET', '/apis/apps/v1/namespaces/default/deployments/x/nope'],
  ])('%s %s: nobody serves it, in a Status', async (method, path) => {
    const { ask } = await front();
    const answer = await ask(path, { method });
    expect(answer.json).toEqual(notFound);
    expect(answer.code).toBe(404);
  });

  it.each([
    '/nope',
    '//api/v1/pods',
    '/apis/nope/v1',
    '/apis/nope',
    '/apis/nope/v1/things',
    '/healthz/',
    '/healthz/nope',
    '/version/x',
    '/apis/test.example/v9',
    `${widgets}/gadgets`,
    `${widgets}/widgets/x`,
    '/openapi/v3/nope',
  ])('GET %s: no page, in plain text', async (path) => {
    const { ask } = await front();
    const answer = await ask(path);
    expect([answer.code, answer.text]).toEqual([404, '404 page not found\n']);
    expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8');
  });

  it.each([
    ['POST', '/version'],
    ['POST', '/api'],
    ['POST', '/api/v1'],
    ['PUT', '/api/v1/pods'],
    ['POST', '/api/v1/pods'],
    ['PATCH', '/api/v1/pods'],
    ['DELETE', '/api/v1/pods'],
    ['OPTIONS', '/api/v1/pods'],
    ['PATCH', `${namespaced}/configmaps`],
    ['POST', `${namespaced}/configmaps/a`],
    ['DELETE', '/api/v1/namespaces'],
    ['DELETE', `${namespaced}/pods/x/status`],
    ['GET', `${namespaced}/pods/x/eviction`],
    ['PUT', `${namespaced}/pods/x/binding`],
    ['GET', `${namespaced}/finalize`],
  ])('%s %s: not with this method', async (method, path) => {
    const { ask } = await front();
    expect((await ask(path, { method })).json).toEqual(notAllowed);
  });

  it('answers HEAD with 405 and no body', async () => {
    const { ask } = await front();
    const answer = await ask('/api/v1/pods', { method: 'HEAD' });
    expect([answer.code, answer.text]).toEqual([405, '']);
  });

  it.each([
    ['%2e%2e', 'Name parameter invalid: "..": may not be \'..\''],
    ['.', 'Name parameter invalid: ".": may not be \'.\''],
    ['x%25', 'Name parameter invalid: "x%": may not contain \'%\''],
  ])('refuses the name %s', async (name, message) => {
    const { ask } = await front();
    expect((await ask(`${namespaced}/pods/${name}`)).json).toMatchObject({
      code: 400,
      reason: 'BadRequest',
      message,
    });
  });

  it('accepts a slash at the end of a path', async () => {
    const { ask } = await front();
    expect((await ask('/api/v1/pods/')).json).toMatchObject({ kind: 'PodList', items: [] });
  });

  it('names the object that is missing, with its group where there is one', async () => {
    const { ask } = await front();
    const missing = await ask(`${namespaced}/pods/x`);
    expect(missing.json).toMatchObject({ code: 404, message: 'pods "x" not found' });
    expect((await ask(`${widgets}/namespaces/default/widgets/x/nope`)).json).toMatchObject({
      code: 404,
      message: 'widgets.test.example "x" not found',
    });
  });

  it.each(['attach', 'portforward', 'proxy'])('responds that %s of a pod is not served', async (part) => {
    const { ask } = await front();
    expect((await ask(`${namespaced}/pods/x/${part}`)).json).toMatchObject({ code: 404 });
    const body = { metadata: { name: 'x' }, spec: { containers: [{ name: 'a', image: 'b' }] } };
    await ask(`${namespaced}/pods`, { method: 'POST', body: { apiVersion: 'v1', kind: 'Pod', ...body } });
    expect((await ask(`${namespaced}/pods/x/${part}`)).json).toMatchObject({
      code: 501,
      reason: 'NotImplemented',
    });
  });

  it('serves its paths, version and health', async () => {
    const { ask } = await front();
    expect((await ask('/')).json).toMatchObject({
      paths: expect.arrayContaining(['/apis/apps/v1', '/version']),
    });
    expect((await ask('/version')).json).toMatchObject({ major: '1', minor: '35' });
    for (const path of ['/healthz', '/livez', '/readyz', '/healthz/ping'])
      expect((await ask(path)).text).toBe('ok');
    expect((await ask('/readyz?verbose')).text).toBe('[+]ping ok\nreadyz check passed\n');
  });
});

describe('who may ask', () => {
  const unauthorized = { code: 401, reason: 'Unauthorized', message: 'Unauthorized' };
  const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

  it.each(['Bearer wrong', 'Bearer', 'Basic x', basic('kubernetes-admin:wrong'), 'Digest secret', ''])(
    'not with %j',
    async (authorization) => {
      const { ask } = await front();
      expect((await ask('/api/v1/pods', { headers: { authorization } })).json).toMatchObject(unauthorized);
    },
  );

  it.each(['Bearer secret', 'bearer  secret', basic('kubernetes-admin:secret'), basic(':secret')])(
    'with %j',
    async (authorization) => {
      const { ask, world } = await front();
      expect((await ask('/api/v1/pods', { headers: { authorization } })).code).toBe(200);
      expect(world.log.at(-1)).toMatchObject({ user: 'kubernetes-admin', verb: 'list', resource: 'pods' });
    },
  );

  it('serves health and version without a token, and everything else only with one', async () => {
    const { raw } = await front();
    const line = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
    expect(await raw(line('/healthz'))).toMatch(/^HTTP\/1.1 200 /);
    expect(await raw(line('/version'))).toMatch(/^HTTP\/1.1 200 /);
    for (const path of ['/api/v1/pods', '/', '/apis', '/versions', '/nope'])
      expect(await raw(line(path))).toMatch(/^HTTP\/1.1 401 /);
  });
});
