import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { generate } from 'selfsigned';
import { describe, expect, test } from 'vitest';
import type { Connection, TlsOptions } from '../../../runtime/api/connection.ts';
import { CredentialsError } from '../../../runtime/api/connection.ts';
import { explainFailure } from '../../../runtime/api/explain.ts';
import {
  afterwards,
  clientOf,
  configMap,
  configMaps,
  connectionTo,
  failureOf,
  json,
  scripted,
  statusBody,
} from './scripted.ts';

const at = { namespace: 'shop', name: 'a' };
const DAY = 24 * 3_600_000;

interface Identity {
  key: string;
  cert: string;
}

async function identity(name: string, options: { days?: number; ip?: string } = {}): Promise<Identity> {
  const now = Date.now();
  const { private: key, cert } = await generate([{ name: 'commonName', value: name }], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    notBeforeDate: new Date(now - 10 * DAY),
    notAfterDate: new Date(now + (options.days ?? 10) * DAY),
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'subjectAltName', altNames: [{ type: 7, ip: options.ip ?? '127.0.0.1' }] },
    ],
  });
  return { key, cert };
}

/** A server that responds with the name of the client's certificate, and with 401 to `turnedDown`. */
async function secure(own: Identity, clients: Identity[] = [], turnedDown = ''): Promise<string> {
  const server: Server = createServer(
    {
      key: own.key,
      cert: own.cert,
      ...(clients.length === 0
        ? {}
        : { requestCert: true, rejectUnauthorized: false, ca: clients.map(({ cert }) => cert) }),
    },
    (request, response) => {
      const socket = request.socket as TLSSocket;
      const name = socket.authorized ? String(socket.getPeerCertificate().subject.CN) : 'nobody';
      if (name === turnedDown) json(response, 401, statusBody(401, 'Unauthorized'));
      else json(response, 200, configMap(name, '1'));
    },
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterwards(() => {
    server.closeAllConnections();
    server.close();
  });
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function secured(server: string, tls: Partial<TlsOptions>): Connection {
  return { ...connectionTo(server), tls: { rejectUnauthorized: true, ...tls } };
}

async function clientName(connection: Connection): Promise<string> {
  const { cluster } = clientOf(connection);
  return (await cluster.get(configMaps, at)).metadata.name;
}

/** The explanation of a failed call. */
async function problemText(connection: Connection): Promise<string> {
  const { cluster } = clientOf(connection);
  const { problem, help } = explainFailure(await failureOf(cluster.get(configMaps, at)), connection);
  expect(`${problem}${help}`).not.toMatch(/\n|undefined/);
  expect(help).not.toBe('');
  return problem.replace(/127\.0\.0\.1:\d+/g, 'HOST');
}

describe('a secured connection', () => {
  test('with the certificate authority of the kubeconfig, with a client certificate, and without either', async () => {
    const [server, client] = await Promise.all([identity('server'), identity('jane')]);
    const url = await secure(server, [client]);
    const ca = server.cert;
    expect(await clientName(secured(url, { ca, cert: client.cert, key: client.key }))).toBe('jane');
    expect(await clientName(secured(url, { ca }))).toBe('nobody');
    expect(await clientName(secured(url, { rejectUnauthorized: false }))).toBe('nobody');
  });

  test('a renewed client certificate is used for new connections', async () => {
    const [server, old, renewed] = await Promise.all([identity('server'), identity('old'), identity('new')]);
    const url = await secure(server, [old, renewed], 'old');
    let tls: TlsOptions = { ca: server.cert, ...old, rejectUnauthorized: true };
    const connection: Connection = {
      ...connectionTo(url),
      get tls() {
        return tls;
      },
      async headers(refresh) {
        if (refresh === true) tls = { ...tls, ...renewed };
        return {};
      },
    };
    expect(await clientName(connection)).toBe('new');
  });
});

describe('explanations of failures', () => {
  test('certificates: not trusted, by the kubeconfig or by the machine; expired; for another name', async () => {
    const [server, other, expired, elsewhere] = await Promise.all([
      identity('server'),
      identity('other'),
      identity('server', { days: -1 }),
      identity('server', { ip: '127.0.0.2' }),
    ]);
    const url = await secure(server);
    expect(await problemText(secured(url, { ca: other.cert }))).toBe(
      'the certificate of HOST is not signed by the authority of the kubeconfig',
    );
    expect(await problemText(secured(url, {}))).toBe(
      'the certificate of HOST is not signed by an authority that this machine trusts',
    );
    expect(await problemText(secured(await secure(expired), { ca: expired.cert }))).toBe(
      'the certificate of HOST has expired',
    );
    expect(await problemText(secured(await secure(elsewhere), { ca: elsewhere.cert }))).toBe(
      'the certificate of HOST is not valid for 127.0.0.1',
    );
  });

  test('https to an http server, and http to an https server', async () => {
    const plain = await scripted((response) => {
      response.writeHead(400);
      response.end('Client sent an HTTP request to an HTTPS server.\n');
    });
    expect(await problemText(secured(plain.url.replace('http:', 'https:'), {}))).toBe(
      'HOST does not speak TLS',
    );
    expect(await problemText(connectionTo(plain.url))).toBe(
      'http://HOST is an http address, but the server requires https',
    );
  });

  test('connection refused, and an unknown host name', async () => {
    const server = await scripted(() => {});
    server.close();
    expect(await problemText(connectionTo(server.url))).toBe('nothing listens at HOST');
    expect(await problemText(connectionTo('https://no-such-host.invalid:6443'))).toBe(
      'the host name no-such-host.invalid does not resolve',
    );
  });

  test.each<[what: string, code: number, body: object | string, problem: string]>([
    [
      'an expired token',
      401,
      statusBody(401, 'Unauthorized'),
      'http://HOST does not accept the credentials of context test: they have expired or belong to another cluster',
    ],
    [
      'a right that is missing',
      403,
      statusBody(403, 'Forbidden', { message: 'pods is forbidden: User "x" cannot list' }),
      'http://HOST does not allow this to context test: pods is forbidden: User "x" cannot list',
    ],
    [
      'a kind that is not known',
      404,
      '404 page not found\n',
      'http://HOST does not serve workloads of apps.kruise.io and RolloutPlans in the versions that this release needs',
    ],
    ['a page', 200, '<html>hello</html>', 'http://HOST answers, but it is not a Kubernetes API server'],
    [
      'a page that is not there',
      404,
      '<html>404</html>',
      'http://HOST answers, but it is not a Kubernetes API server',
    ],
    [
      'no object of that name',
      404,
      statusBody(404, 'NotFound', { details: { name: 'a' } }),
      'it is NotFound',
    ],
    [
      'a server that has no time',
      503,
      statusBody(503, 'ServiceUnavailable'),
      'http://HOST is overloaded or not ready: it is ServiceUnavailable',
    ],
    ['an error of the server', 500, statusBody(500, 'InternalError'), 'it is InternalError'],
  ])('%s', async (_, code, body, problem) => {
    const server = await scripted((response) => {
      response.writeHead(code);
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    });
    expect(await problemText(connectionTo(server.url))).toBe(problem);
  });

  test('a password in the address is not shown', async () => {
    const server = await scripted((response) => json(response, 401, statusBody(401, 'Unauthorized')));
    const connection = connectionTo(server.url.replace('://', '://kruise:secret@'));
    expect(await problemText(connection)).not.toContain('secret');
  });

  test('credentials that cannot be read, and unexpected errors', () => {
    const connection = connectionTo('https://a.example');
    const error = new CredentialsError({ problem: 'the plugin failed', help: 'log in' });
    expect(explainFailure(error, connection)).toEqual({ problem: 'the plugin failed', help: 'log in' });
    expect(explainFailure(new Error('odd'), connection).problem).toBe(
      'the request to https://a.example failed: odd',
    );
  });
});
