import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createAddressRules } from '../../../runtime/check/addresses.ts';
import { createChecks } from '../../../runtime/check/checks.ts';
import { readRuntimeConfig } from '../../../runtime/check/config.ts';
import type { Get } from '../../../runtime/check/get.ts';
import { createHttpGet } from '../../../runtime/check/http-get.ts';
import { createWallClock } from 'kruise-sandbox/clock';
import type { CheckResult } from '../../../semantics/plan/rollout-context.ts';

let server: Server | undefined;

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

interface Asked {
  check: object;
  args?: Record<string, string>;
  answers: RequestListener;
  addresses?: string[];
  /** Instead of the 5 s of a check. */
  timeoutMs?: number;
}

/** The first result of a check, all of it real: the configuration, sockets, and a server at `127.0.0.1:PORT`. */
async function resultOf({
  check,
  args = {},
  answers,
  addresses = ['127.0.0.0/8'],
  timeoutMs,
}: Asked): Promise<Pick<CheckResult, 'is' | 'message' | 'value'>> {
  server = createServer(answers);
  await new Promise<void>((listening) => server?.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const read = readRuntimeConfig(
    JSON.parse(
      JSON.stringify({ checks: [{ name: 'a', ...check }], addresses }).replaceAll('PORT', String(port)),
    ),
  );
  if ('problems' in read) throw new Error(read.problems.join('\n'));
  const clock = createWallClock();
  const http = createHttpGet({
    clock,
    addresses: createAddressRules(read.config.addresses ?? []),
    resolve: async () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]),
  });
  const get: Get = async (url, options) =>
    http(url, { ...options, timeoutMs: timeoutMs ?? options.timeoutMs });
  return new Promise((resolve) => {
    const checks = createChecks({
      config: read.config,
      clock,
      get,
      onResult(_key, { is, message, value }) {
        checks.stop();
        resolve({ is, message, ...(value !== undefined && { value }) });
      },
    });
    checks.want('a', { digest: 'h1:a', step: 's', use: 'a', args, namespace: 'shop' });
  });
}

const says =
  (status: number, body: string, headers: Record<string, string> = {}): RequestListener =>
  (_request, response) =>
    void response.writeHead(status, headers).end(body);
const alive = { http: { url: 'http://127.0.0.1:PORT/healthz' } };
const depth = { http: { url: 'http://127.0.0.1:PORT/', json: '/depth' }, pass: { atMost: 5 } };

describe('a web server', () => {
  it.each<[string, object, RequestListener, object]>([
    ['passes', alive, says(200, 'fine'), { is: 'pass', message: 'answered 200' }],
    ['fails', alive, says(500, 'secret'), { is: 'fail', message: 'answered 500' }],
    [
      'passes with a number',
      depth,
      says(200, '{"depth":5}'),
      { is: 'pass', message: '5 is at most 5', value: 5 },
    ],
    [
      'fails with a number',
      depth,
      says(200, '{"depth":6}'),
      { is: 'fail', message: '6 is not at most 5', value: 6 },
    ],
    ['sends no JSON', depth, says(200, '{"depth"'), { is: 'unknown', message: 'answered 200, not JSON' }],
    [
      'sends no number',
      depth,
      says(200, '{}'),
      { is: 'unknown', message: 'answered 200, no number at /depth' },
    ],
    [
      'sends elsewhere',
      alive,
      says(302, '', { location: 'http://169.254.169.254/' }),
      { is: 'unknown', message: 'the answer is a redirect (302), and redirects are not followed' },
    ],
    [
      'sends too much',
      depth,
      says(200, `{"depth":1${' '.repeat(1024 * 1024)}}`),
      { is: 'unknown', message: 'no answer: more than 1048576 bytes' },
    ],
  ])('%s', async (_name, check, answers, result) => {
    expect(await resultOf({ check, answers })).toEqual(result);
  });

  it('takes too long', async () => {
    const answers: RequestListener = (_request, response) => void response.write('{');
    const result = await resultOf({ check: depth, answers, timeoutMs: 80 });
    expect(result).toEqual({ is: 'unknown', message: 'no answer: no complete response within 0.08 s' });
  });

  it('receives requests for the host of the arguments', async () => {
    const check = {
      http: { url: 'http://{service}.{namespace}.svc:PORT/a/{service}' },
      args: { service: {} },
    };
    const answers: RequestListener = ({ headers, url }, response) => {
      const right = headers.host?.startsWith('web.shop.svc:') === true && url === '/a/web';
      response.writeHead(right ? 200 : 400).end();
    };
    const asked = { check, args: { service: 'web' }, answers };
    expect(await resultOf(asked)).toEqual({ is: 'pass', message: 'answered 200' });
    server?.close();
    const refused = {
      is: 'unknown',
      message: 'no answer: the host is a loopback address, which is not allowed',
    };
    expect(await resultOf({ ...asked, addresses: [] })).toEqual(refused);
  });
});

describe('Prometheus', () => {
  const check = {
    prometheus: { address: 'http://127.0.0.1:PORT/tenant/', query: 'errors{service="{service}"} > 0' },
    pass: { below: 0.05 },
    args: { service: {} },
  };
  /** Answers the one query that the check is to make; anything else is a bad request. */
  const knows =
    (data: unknown): RequestListener =>
    ({ method, url = '' }, response) => {
      const asked = new URL(url, 'http://prometheus');
      const right = asked.searchParams.get('query') === 'errors{service="web"} > 0' && method === 'GET';
      response.statusCode = right && asked.pathname === '/tenant/api/v1/query' ? 200 : 400;
      response.end(JSON.stringify({ status: 'success', data }));
    };
  const sample = (value: string): object => ({ metric: {}, value: [1, value] });
  it.each<[string, unknown, object]>([
    [
      'passes',
      { resultType: 'vector', result: [sample('0.01')] },
      { is: 'pass', message: '0.01 is below 0.05', value: 0.01 },
    ],
    [
      'fails',
      { resultType: 'scalar', result: [1, '0.5'] },
      { is: 'fail', message: '0.5 is not below 0.05', value: 0.5 },
    ],
    [
      'has two samples',
      { resultType: 'vector', result: [sample('0'), sample('0')] },
      { is: 'unknown', message: 'the result of the query has 2 samples instead of one' },
    ],
    [
      'has none',
      { resultType: 'vector', result: [] },
      { is: 'unknown', message: 'the result of the query is empty' },
    ],
    [
      'has no number',
      { resultType: 'vector', result: [sample('NaN')] },
      { is: 'unknown', message: 'the result of the query is NaN' },
    ],
  ])('%s', async (_name, data, result) => {
    expect(await resultOf({ check, args: { service: 'web' }, answers: knows(data) })).toEqual(result);
  });
});
