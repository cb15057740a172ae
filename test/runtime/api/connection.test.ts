import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CredentialsError, type Connection, type Unconnected } from '../../../runtime/api/connection.ts';
import { loadConnection, type ConnectionOptions } from '../../../runtime/api/load-connection.ts';
import { afterwards } from './scripted.ts';

/** A folder of its own, gone after the test. */
function folder(files: Record<string, string> = {}): string {
  const path = mkdtempSync(join(tmpdir(), 'kruise-connection-'));
  afterwards(() => rmSync(path, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(path, name, '..'), { recursive: true });
    writeFileSync(join(path, name), text);
  }
  return path;
}

async function load(cwd: string, options: Partial<ConnectionOptions> = {}): Promise<Connection> {
  const found = await loadConnection({ env: {}, cwd, serviceAccount: join(cwd, 'none'), ...options });
  if ('problem' in found) throw new Error(`${found.problem}; ${found.help}`);
  return found;
}

async function refused(cwd: string, options: Partial<ConnectionOptions> = {}): Promise<Unconnected> {
  const found = await loadConnection({ env: {}, cwd, serviceAccount: join(cwd, 'none'), ...options });
  if (!('problem' in found)) throw new Error('it was not refused');
  return found;
}

const PEM = '-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n';
const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** A kubeconfig of one cluster, one user and one context, each called `name`. */
function kubeconfig(user: object, cluster: object = {}, name = 'a', current: string | null = name): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    ...(current === null ? {} : { 'current-context': current }),
    clusters: [{ name, cluster: { server: `https://${name}.example:6443`, ...cluster } }],
    users: [{ name, user }],
    contexts: [{ name, context: { cluster: name, user: name, namespace: `of-${name}` } }],
  });
}

describe('the source of a connection', () => {
  test('the given file; then KUBECONFIG; then, in a pod, its service account; then the home directory', async () => {
    const cwd = folder({
      named: kubeconfig({ token: 'n' }, {}, 'named'),
      listed: kubeconfig({ token: 'l' }, {}, 'listed'),
      'home/.kube/config': kubeconfig({ token: 'h' }, {}, 'home'),
      'account/token': 'pod-token\n',
      'account/ca.crt': PEM,
      'account/namespace': 'kruise-system',
    });
    const all = {
      kubeconfig: 'named',
      env: {
        KUBECONFIG: `${cwd}/none:${cwd}/listed`,
        KUBERNETES_SERVICE_HOST: 'fd00::1',
        KUBERNETES_SERVICE_PORT: '443',
        HOME: `${cwd}/home`,
      },
      serviceAccount: join(cwd, 'account'),
    };
    const { kubeconfig: _named, ...second } = all;
    const third = { ...second, env: { ...all.env, KUBECONFIG: '' } };
    const fourth = { ...third, env: { HOME: `${cwd}/home` } };
    const found: unknown[] = [];
    for (const options of [all, second, third, fourth]) {
      const { server, namespace, user, tls, headers } = await load(cwd, options);
      found.push([server, namespace, user, tls?.ca !== undefined, (await headers())['authorization']]);
    }
    expect(found).toEqual([
      ['https://named.example:6443', 'of-named', 'context named', false, 'Bearer n'],
      ['https://listed.example:6443', 'of-listed', 'context listed', false, 'Bearer l'],
      ['https://[fd00::1]:443', 'kruise-system', 'the service account of the pod', true, 'Bearer pod-token'],
      ['https://home.example:6443', 'of-home', 'context home', false, 'Bearer h'],
    ]);
  });

  test('of several files, the first entry of a name wins, and the first current context', async () => {
    const cwd = folder({
      one: kubeconfig({ token: 'one' }, {}, 'a', null),
      two: kubeconfig({ token: 'two' }, { server: 'https://two.example' }, 'a', null),
      three: kubeconfig({ token: 'three' }, {}, 'b'),
    });
    const env = { KUBECONFIG: ['one', 'two', 'three'].map((name) => join(cwd, name)).join(':') };
    const current = await load(cwd, { env });
    const chosen = await load(cwd, { env, context: 'a' });
    expect([current.server, chosen.server, (await chosen.headers())['authorization']]).toEqual([
      'https://b.example:6443',
      'https://a.example:6443',
      'Bearer one',
    ]);
  });

  test('YAML is read as well', async () => {
    const cwd = folder({
      k: 'clusters:\n- name: a\n  cluster: {server: "https://a.example/base/"}\ncontexts:\n- name: a\n  context: {cluster: a}\ncurrent-context: a\n',
    });
    const { server, namespace, tls, headers } = await load(cwd, { kubeconfig: 'k' });
    expect([server, namespace, tls, await headers()]).toEqual([
      'https://a.example/base',
      undefined,
      { rejectUnauthorized: true },
      {},
    ]);
  });
});

describe('TLS options', () => {
  test('certificates come from inline data, or from files relative to the kubeconfig', async () => {
    const cwd = folder({
      'ca.pem': PEM,
      'client.pem': PEM,
      'client.key': PEM,
      k: kubeconfig(
        {
          'client-certificate': 'client.pem',
          'client-key': 'client.key',
          'client-key-data': base64(`inner ${PEM}`),
        },
        { 'certificate-authority': 'ca.pem', 'tls-server-name': 'other.example' },
      ),
    });
    const { tls } = await load('/', { kubeconfig: join(cwd, 'k') });
    expect(tls).toEqual({
      ca: PEM,
      cert: PEM,
      key: `inner ${PEM}`,
      servername: 'other.example',
      rejectUnauthorized: true,
    });
  });

  test('certificates are not verified only if the kubeconfig says so', async () => {
    const cwd = folder({ k: kubeconfig({}, { 'insecure-skip-tls-verify': true }) });
    expect((await load(cwd, { kubeconfig: 'k' })).tls).toEqual({ rejectUnauthorized: false });
  });

  test('over plain HTTP only the credentials in the address are sent', async () => {
    const cwd = folder({
      k: kubeconfig({ token: 'secret' }, { server: 'http://kruise:tok%20en@127.0.0.1:1' }),
      bare: kubeconfig({ token: 'secret' }, { server: 'http://127.0.0.1:1' }),
    });
    expect(await (await load(cwd, { kubeconfig: 'k' })).headers()).toEqual({
      authorization: `Basic ${base64('kruise:tok en')}`,
    });
    expect(await (await load(cwd, { kubeconfig: 'bare' })).headers()).toEqual({});
  });
});

describe('the user', () => {
  test('a token file is read again after a change, and after a refusal', async () => {
    const cwd = folder({ token: 'one\n', k: kubeconfig({ token: 'never', tokenFile: 'token' }) });
    const { headers } = await load('/', { kubeconfig: join(cwd, 'k') });
    const first = await headers();
    expect(first).toEqual({ authorization: 'Bearer one' });
    expect(await headers()).toBe(first);
    writeFileSync(join(cwd, 'token'), 'another');
    expect(await headers()).toEqual({ authorization: 'Bearer another' });
    rmSync(join(cwd, 'token'));
    await expect(headers()).rejects.toBeInstanceOf(CredentialsError);
  });

  test('the same for the token of a service account', async () => {
    const cwd = folder({ 'a/token': 'one', 'a/ca.crt': PEM });
    const { headers, namespace } = await load(cwd, {
      serviceAccount: join(cwd, 'a'),
      env: { KUBERNETES_SERVICE_HOST: '10.0.0.1' },
    });
    writeFileSync(join(cwd, 'a/token'), 'another');
    expect([await headers(), namespace]).toEqual([{ authorization: 'Bearer another' }, undefined]);
  });

  test('impersonation', async () => {
    const as = { as: 'jane', 'as-uid': '7', 'as-groups': ['dev', 'ops'], 'as-user-extra': { Scope: ['x'] } };
    const cwd = folder({ k: kubeconfig({ token: 't', ...as }) });
    expect(await (await load(cwd, { kubeconfig: 'k' })).headers()).toEqual({
      authorization: 'Bearer t',
      'impersonate-user': 'jane',
      'impersonate-uid': '7',
      'impersonate-group': ['dev', 'ops'],
      'impersonate-extra-scope': ['x'],
    });
  });

  test('a changed kubeconfig is read again after its token was refused', async () => {
    const cwd = folder({ k: kubeconfig({ token: 'old' }) });
    const connection = await load(cwd, { kubeconfig: 'k' });
    const { tls } = connection;
    writeFileSync(
      join(cwd, 'k'),
      kubeconfig({ token: 'new', 'client-certificate-data': base64(PEM), 'client-key-data': base64(PEM) }),
    );
    expect(await connection.headers()).toEqual({ authorization: 'Bearer old' });
    expect(connection.tls).toBe(tls);
    expect(await connection.headers(true)).toEqual({ authorization: 'Bearer new' });
    expect(connection.tls).toMatchObject({ cert: PEM, key: PEM });
  });
});

describe('a credential plugin', () => {
  /** A plugin that counts how often it ran and shows what it was given. */
  function plugin(output: string, more: object = {}): { cwd: string; runs(): string } {
    const cwd = folder({ 'bin/plugin': `#!/bin/sh\necho "$1 $GREETING" >> "${'$'}{0}.log"\n${output}\n` });
    chmodSync(join(cwd, 'bin/plugin'), 0o755);
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: './bin/plugin',
      args: ['login'],
      env: [{ name: 'GREETING', value: 'hello' }],
      interactiveMode: 'Never',
      ...more,
    };
    writeFileSync(join(cwd, 'k'), kubeconfig({ exec }));
    return { cwd, runs: () => readFileSync(join(cwd, 'bin/plugin.log'), 'utf8') };
  }

  const credential = (status: object): string =>
    `printf '%s' '${JSON.stringify({ kind: 'ExecCredential', apiVersion: 'client.authentication.k8s.io/v1', status })}'`;

  test('with a path relative to the kubeconfig, is run once for many calls, and again after its token was refused', async () => {
    const { cwd, runs } = plugin(
      `n=$(wc -l < "$0.log" | tr -d ' ')\nprintf '{"status":{"token":"t%s"}}' "$n"`,
    );
    const { headers } = await load('/', { kubeconfig: join(cwd, 'k') });
    expect(await headers()).toEqual({ authorization: 'Bearer t1' });
    expect(await headers()).toEqual({ authorization: 'Bearer t1' });
    expect(runs()).toBe('login hello\n');
    expect(await headers(true)).toEqual({ authorization: 'Bearer t2' });
    expect(await headers()).toEqual({ authorization: 'Bearer t2' });
  });

  test('receives the cluster if provideClusterInfo is set', async () => {
    const { cwd } = plugin(
      `token=$(printf '%s' "$KUBERNETES_EXEC_INFO" | tr -d '"{}' )\nprintf '{"status":{"token":"%s"}}' "$token"`,
      { provideClusterInfo: true },
    );
    const { authorization } = await (await load('/', { kubeconfig: join(cwd, 'k') })).headers();
    expect(authorization).toContain('kind:ExecCredential');
    expect(authorization).toContain('server:https://a.example:6443');
  });

  test('may return a certificate instead of a token', async () => {
    const { cwd } = plugin(credential({ clientCertificateData: 'CERT', clientKeyData: 'KEY' }));
    const { tls, headers } = await load('/', { kubeconfig: join(cwd, 'k') });
    expect([tls, await headers()]).toEqual([{ cert: 'CERT', key: 'KEY', rejectUnauthorized: true }, {}]);
  });

  test.each<[what: string, output: string, more: object, problem: RegExp, help: RegExp]>([
    [
      'that fails',
      'echo "token expired, log in" >&2; exit 3',
      {},
      /"\.\/bin\/plugin" failed: token expired, log in$/,
      /by hand/,
    ],
    [
      'that is not there',
      '',
      { command: 'no-such-plugin-anywhere', installHint: 'install it from x' },
      /is not installed$/,
      /^install it from x$/,
    ],
    ['that prints no message', 'true', {}, /failed: /, /by hand/],
    ['that gives nothing', credential({}), {}, /returned neither a token nor a certificate$/, /by hand/],
  ])('%s: an explanation', async (_, output, more, problem, help) => {
    const { cwd } = plugin(output, more);
    const found = await refused('/', { kubeconfig: join(cwd, 'k') });
    expect(found.problem).toMatch(problem);
    expect(found.help).toMatch(help);
  });
});

describe('an auth-provider', () => {
  test('named oidc sends its token while it is valid', async () => {
    const payload = Buffer.from(JSON.stringify({ exp: 9_999_999_999 })).toString('base64url');
    const token = `e30.${payload}.c2ln`;
    const cwd = folder({
      k: kubeconfig({ 'auth-provider': { name: 'oidc', config: { 'id-token': token } } }),
    });
    const { headers } = await load('/', { kubeconfig: join(cwd, 'k') });
    expect(await headers()).toEqual({ authorization: `Bearer ${token}` });
  });

  test.each(['gcp', 'azure'])('named %s is refused: a plugin replaces it', async (name) => {
    const cwd = folder({ k: kubeconfig({ 'auth-provider': { name, config: { 'access-token': 't' } } }) });
    const found = await refused('/', { kubeconfig: join(cwd, 'k') });
    expect(found.problem).toMatch(`has the auth-provider "${name}", and only oidc is supported`);
    expect(found.help).toMatch(/^use the credential plugin/);
  });
});

describe('an invalid kubeconfig is refused with an explanation', () => {
  const user = { token: 't' };
  test.each<[what: string, text: string | undefined, options: Partial<ConnectionOptions>, problem: RegExp]>([
    [
      'a named file that is not there',
      undefined,
      { kubeconfig: 'none' },
      /^the kubeconfig none cannot be read: it does not exist$/,
    ],
    [
      'no file at all',
      undefined,
      { env: { HOME: '/nowhere' } },
      /^\/nowhere\/\.kube\/config does not exist$/,
    ],
    ['no home', undefined, {}, /^no kubeconfig was given/],
    ['a folder', undefined, { kubeconfig: '.' }, /cannot be read: it is a folder$/],
    ['broken YAML', 'a: [', {}, /^k is not a kubeconfig: /],
    ['a list', '[]', {}, /^k is not a kubeconfig/],
    ['a list that is none', '{"clusters": 3}', {}, /clusters is not a list$/],
    ['an entry without a name', '{"users": [{}]}', {}, /users\[0\] has no name/],
    ['an empty file', '', {}, /^k has no current context$/],
    ['no current context', kubeconfig(user, {}, 'a', null), {}, /^k has no current context$/],
    ['a context that is not there', kubeconfig(user), { context: 'b' }, /^k has no context 'b'$/],
    [
      'a cluster that is not there',
      '{"contexts":[{"name":"a","context":{"cluster":"x"}}]}',
      { context: 'a' },
      /names the cluster 'x'/,
    ],
    [
      'a user who is not there',
      JSON.stringify({ ...(JSON.parse(kubeconfig(user)) as object), users: [] }),
      {},
      /names the user 'a', which k does not have$/,
    ],
    ['a proxy', kubeconfig(user, { 'proxy-url': 'http://p:1' }), {}, /proxy-url/],
    ['no address', kubeconfig(user, { server: '' }), {}, /has no valid address/],
    ['an address of another kind', kubeconfig(user, { server: 'ftp://x' }), {}, /has no valid address/],
    ['a password', kubeconfig({ username: 'a', password: 'b' }), {}, /user name and a password/],
    ['half a certificate', kubeconfig({ 'client-key-data': base64(PEM) }), {}, /has only a client key$/],
    [
      'a certificate that is none',
      kubeconfig(user, { 'certificate-authority-data': base64('x') }),
      {},
      /is not PEM$/,
    ],
    [
      'a certificate that is not there',
      kubeconfig(user, { 'certificate-authority': 'ca.pem' }),
      {},
      /ca\.pem cannot be read: it does not exist$/,
    ],
    [
      'a token file that is not there',
      kubeconfig({ tokenFile: 'none' }),
      {},
      /none cannot be read: it does not exist$/,
    ],
    ['an empty token file', kubeconfig({ tokenFile: 'empty' }), {}, /is empty$/],
  ])('%s', async (_, text, options, problem) => {
    const cwd = folder({ empty: '', ...(text === undefined ? {} : { k: text }) });
    const found = await refused(cwd, { ...(text === undefined ? {} : { kubeconfig: 'k' }), ...options });
    expect(found.problem).toMatch(problem);
    expect(found.help).not.toBe('');
    expect(`${found.problem}${found.help}`).not.toContain('\n');
  });

  test('the message lists the contexts', async () => {
    const cwd = folder({ k: kubeconfig(user) });
    expect((await refused(cwd, { kubeconfig: 'k', context: 'b' })).help).toBe(
      "choose one with --context: it has 'a'",
    );
  });
});
