import { describe, expect, test } from 'vitest';
import { createVirtualClock } from 'kruise-sandbox/clock';
import { createPage, isLoopback, type PageAnswer } from '../../../runtime/serve/page.ts';
import { serve } from '../../../runtime/serve/serve.ts';
import { ApiError, type Cluster, type Resource } from '../../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';

/** Who may list rollout plans where; '' is the cluster. */
const RIGHTS: Readonly<Record<string, readonly string[]>> = {
  mona: ['shop', ''],
  lisa: ['pay'],
  nobody: [],
  admin: ['*', ''],
  auditor: ['*'],
  last: ['n229'],
};

interface Setup {
  ask(headers: Record<string, string>, search?: string): Promise<PageAnswer>;
  /** The reviews that the server was asked, in order. */
  asked: string[];
  errors: unknown[];
  reads: () => number;
  clock: ReturnType<typeof createVirtualClock>;
}

function setup(address: string, more: { namespaces?: string[]; refuse?: ApiError } = {}): Setup {
  const clock = createVirtualClock(0);
  const asked: string[] = [];
  const errors: unknown[] = [];
  let reads = 0;
  const create = async (resource: Resource, body: KubeObject): Promise<KubeObject> => {
    if (more.refuse !== undefined) throw more.refuse;
    const spec = body['spec'] as {
      token?: string;
      user?: string;
      groups?: string[];
      resourceAttributes?: { namespace?: string; verb: string; group: string; resource: string };
    };
    if (resource.kind === 'TokenReview') {
      asked.push(`who is ${spec.token}`);
      const [, name = ''] = /^token-of-(\w+)$/.exec(spec.token ?? '') ?? [];
      const authenticated = Object.hasOwn(RIGHTS, name);
      return { ...body, status: { authenticated, user: { username: name, groups: ['team'], uid: 'u' } } };
    }
    const { namespace = '', verb, group, resource: plural } = spec.resourceAttributes ?? {};
    asked.push(`may ${spec.user} of ${spec.groups?.join()} ${verb} ${plural}.${group} in '${namespace}'`);
    const right = namespace === '' && plural === 'rolloutplans' ? '*' : namespace;
    const own = RIGHTS[spec.user ?? ''] ?? [];
    return { ...body, status: { allowed: own.includes(right) || (right !== '' && own.includes('*')) } };
  };
  const namespaces = more.namespaces ?? ['', 'pay', 'shop'];
  const page = createPage({
    cluster: { create } as unknown as Cluster,
    clock,
    namespace: undefined,
    address,
    onError: (error) => errors.push(error),
    read: () => {
      reads += 1;
      return Promise.resolve({
        namespaces,
        render: (visible, isCut) =>
          `[${namespaces.filter((each) => visible.has(each)).join()}]${isCut ? ' cut' : ''}`,
      });
    },
  });
  return { ask: (headers, search = '') => page(headers, search), asked, errors, reads: () => reads, clock };
}

const bearer = (name: string) => ({ authorization: `Bearer token-of-${name}` });

describe('on an address of this machine', () => {
  test.each(['localhost', 'localhost:8080', '127.0.0.1:8080', '[::1]:8080', '127.1.2.3'])(
    'everybody reads everything at %s',
    async (host) => {
      const { ask, asked } = setup('127.0.0.1');
      expect(await ask({ host })).toEqual({ code: 200, text: '[,pay,shop]' });
      expect(asked).toEqual([]);
    },
  );

  test.each(['evil.example', 'evil.example:8080', '127.0.0.1.evil.example', 'localhost.evil.example:80', ''])(
    'nobody reads anything through the name %s',
    async (host) => {
      const { ask, reads } = setup('127.0.0.1');
      expect((await ask({ host })).code).toBe(403);
      expect(reads()).toBe(0);
    },
  );
});

describe.each(['0.0.0.0', '10.0.0.7', '::', 'host.example'])('at %s', (address) => {
  test.each<[string, Record<string, string>]>([
    ['without a token', {}],
    ['from this machine without a token', { host: 'localhost:8080' }],
    ['with a token that the server does not know', bearer('eve')],
    ['with a password', { authorization: 'Basic bW9uYTp4' }],
    ['with a token that is none', { authorization: 'Bearer a b' }],
    ['with a token that is too long', { authorization: `Bearer ${'a'.repeat(9_000)}` }],
  ])('nobody reads %s', async (_how, headers) => {
    const { ask, reads } = setup(address);
    const answer = await ask(headers);
    expect([answer.code, answer.headers]).toEqual([401, { 'www-authenticate': 'Bearer' }]);
    expect(answer.text).not.toMatch(/shop|pay/);
    expect(reads()).toBe(0);
  });

  test('a reader gets the namespaces whose plans they may list', async () => {
    const { ask, asked } = setup(address);
    expect((await ask(bearer('mona'))).text).toBe('[,shop]');
    expect((await ask(bearer('lisa'))).text).toBe('[pay]');
    expect((await ask(bearer('nobody'))).text).toBe('[]');
    expect(asked.slice(0, 5)).toEqual([
      'who is token-of-mona',
      "may mona of team list rolloutplans.plan.kruise.io in ''",
      "may mona of team list clusterrolloutplans.plan.kruise.io in ''",
      "may mona of team list rolloutplans.plan.kruise.io in 'pay'",
      "may mona of team list rolloutplans.plan.kruise.io in 'shop'",
    ]);
  });

  test('who may list plans in all namespaces is asked about once, and about plans of the cluster', async () => {
    const { ask, asked } = setup(address);
    expect((await ask(bearer('admin'))).text).toBe('[,pay,shop]');
    expect((await ask(bearer('auditor'))).text).toBe('[pay,shop]');
    expect(asked).toHaveLength(6);
  });

  test.each([
    ['?namespace=shop', 'mona', '[shop]'],
    ['?namespace=pay', 'mona', '[]'],
    ['?namespace=nowhere', 'mona', '[]'],
    ['?namespace=nowhere', 'admin', '[]'],
    ['?namespace=pay', 'admin', '[pay]'],
    ['?other=pay', 'lisa', '[pay]'],
    ['?', 'lisa', '[pay]'],
  ])('%s has for %s the text %s', async (search, name, text) => {
    expect(await setup(address).ask(bearer(name), search)).toEqual({ code: 200, text });
  });
});

test('an answer of the server counts for a minute, and what was read for two seconds', async () => {
  const { ask, asked, reads, clock } = setup('0.0.0.0');
  const times = async (count: number): Promise<void> => {
    for (let n = 0; n < count; n++) await ask(bearer('mona'));
  };
  await times(5);
  expect([asked.length, reads()]).toEqual([5, 1]);
  await clock.advance(3_000);
  await times(5);
  expect([asked.length, reads()]).toEqual([5, 2]);
  await clock.advance(56_000);
  await times(1);
  expect([asked.length, reads()]).toEqual([5, 3]);
  await clock.advance(2_000);
  await times(1);
  expect([asked.length, reads()]).toEqual([10, 4]);
});

test('of many namespaces the server is asked about so many, and about any of them that is named', async () => {
  const namespaces = Array.from({ length: 230 }, (_, index) => `n${String(index).padStart(3, '0')}`);
  const { ask, asked } = setup('0.0.0.0', { namespaces });
  expect((await ask(bearer('last'))).text).toBe('[] cut');
  expect(asked).toHaveLength(202);
  expect((await ask(bearer('last'), '?namespace=n229')).text).toBe('[n229]');
  expect(asked).toHaveLength(203);
  expect((await ask(bearer('admin'))).text).toBe(`[${namespaces.join()}]`);
  expect(asked).toHaveLength(205);
});

describe.each<[string, Record<string, string>]>([
  ['127.0.0.1', { host: 'localhost' }],
  ['0.0.0.0', bearer('mona')],
])('at %s', (address, headers) => {
  test.each([
    ...['', 'Shop', 'a.b', '-a', 'a-', 'a b', '../x', '%00', '*', 'a'.repeat(64), 'a'.repeat(7_000)],
    'shop&namespace=pay',
  ])('?namespace=%s is refused, and nothing is read or asked', async (value) => {
    const { ask, asked, reads } = setup(address);
    const answer = await ask(headers, `?namespace=${value}`);
    expect([answer.code, asked.length, reads()]).toEqual([400, 0, 0]);
    expect(answer.text).toContain('?namespace=NAME');
  });
});

test('everybody on this machine may ask for one namespace', async () => {
  expect((await setup('127.0.0.1').ask({ host: 'localhost' }, '?namespace=pay')).text).toBe('[pay]');
});

test('a failure is no answer, names nothing, and is not remembered', async () => {
  const refuse = new ApiError({ code: 403, reason: 'Forbidden', message: 'tokenreviews of secret/name' });
  const { ask, errors } = setup('0.0.0.0', { refuse });
  for (const count of [1, 2]) {
    const { code, text } = await ask(bearer('mona'));
    expect([code, errors.length]).toEqual([503, count]);
    expect(text).not.toContain('secret');
  }
});

test.each([
  ['127.0.0.1', true],
  ['127.9.9.9', true],
  ['::1', true],
  ['localhost', true],
  ['0.0.0.0', false],
  ['::', false],
  ['10.0.0.1', false],
  ['127.0.0.1.example', false],
  ['', false],
])('%s is of this machine alone: %s', (address, is) => {
  expect(isLoopback(address)).toBe(is);
});

describe('over HTTP', () => {
  const parts = {
    port: 0,
    address: '127.0.0.1',
    readiness: () => ({ isReady: true, text: 'ok' }),
    metrics: () => '',
  };
  const answer: PageAnswer = { code: 200, text: '<!doctype html>' };

  test('the page gets what is behind the question mark', async () => {
    const got: string[] = [];
    const page = async (_: object, search: string): Promise<PageAnswer> => {
      got.push(search);
      return answer;
    };
    const { port, close } = await serve({ ...parts, clock: createVirtualClock(0), page });
    for (const search of ['', '?namespace=shop', '?a=b?c'])
      await fetch(`http://127.0.0.1:${port}/rollouts${search}`);
    await close();
    expect(got).toEqual(['', '?namespace=shop', '?a=b?c']);
  });

  test('nothing is served as shipped', async () => {
    const { port, close } = await serve({ ...parts, clock: createVirtualClock(0) });
    const { status } = await fetch(`http://127.0.0.1:${port}/rollouts`);
    await close();
    expect(status).toBe(404);
  });

  test.each([
    ['GET', 200],
    ['HEAD', 200],
    ['POST', 405],
    ['DELETE', 405],
  ])('%s is answered with %i', async (method, code) => {
    const page = (): Promise<PageAnswer> => Promise.resolve(answer);
    const { port, close } = await serve({ ...parts, clock: createVirtualClock(0), page });
    const { status, headers } = await fetch(`http://127.0.0.1:${port}/rollouts`, { method });
    await close();
    expect(status).toBe(code);
    if (code !== 200) return;
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': "frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
    });
    expect(headers.get('access-control-allow-origin')).toBeNull();
  });
});
