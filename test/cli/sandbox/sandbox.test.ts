import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { parse } from 'yaml';
import { afterEach, describe, expect, it, test } from 'vitest';
import { accessOf, request, KUBECONFIG, namesAt } from '../world/sandbox-client.ts';
import { cloneSet } from '../world/sandbox-manifests.ts';
import { emptyFolder, endSandboxes, onceThrough, startReady } from '../world/sandbox-run.ts';

afterEach(endSandboxes);

describe('kruise sandbox', () => {
  it('reports that it is ready, answers requests, and leaves nothing behind', async () => {
    const run = await startReady([]);
    const { url } = accessOf(run.folder);
    expect(run.out).toBe(
      [
        `kruise sandbox is ready: ${url}`,
        '  3 nodes; the runtime reconciles workloads of apps.kruise.io (policy Auto); clock: real time.',
        '',
        'In another terminal:',
        '',
        `  export KUBECONFIG=${run.folder}/${KUBECONFIG}`,
        '  kubectl get nodes',
        '  kubectl apply -f YOUR-MANIFESTS/',
        '  kruise status -A',
        '  kubectl get rolloutplans -A',
        '',
        'Ctrl-C stops it.',
        '',
      ].join('\n'),
    );
    expect(run.err).toBe('');
    expect(await namesAt(run.folder, '/api/v1/nodes')).toEqual(['node-1', 'node-2', 'node-3']);
    expect(statSync(join(run.folder, KUBECONFIG)).mode & 0o777).toBe(0o600);
    run.stop();
    expect(await run.code).toBe(0);
    expect(readdirSync(run.folder)).toEqual([]);
    await expect(fetch(url)).rejects.toThrow('fetch failed');
  });

  it('refuses requests without its token', async () => {
    const { folder } = await startReady([]);
    const { url, token } = accessOf(folder);
    const code = async (authorization?: string): Promise<number> =>
      (await fetch(`${url}/api/v1/nodes`, { headers: authorization === undefined ? {} : { authorization } }))
        .status;
    expect(await code()).toBe(401);
    expect(await code(`Bearer ${token.slice(1)}`)).toBe(401);
    expect(await code(`Basic ${Buffer.from('kruise:wrong').toString('base64')}`)).toBe(401);
    // kubectl sends no bearer token without TLS, but the credentials of the URL.
    expect(await code(`Basic ${Buffer.from(`kruise:${token}`).toString('base64')}`)).toBe(200);
    expect(await code(`Bearer ${token}`)).toBe(200);
  });

  it('has the requested number of nodes and port', async () => {
    const { port } = await freePort();
    const { folder, out } = await startReady([
      '--port',
      String(port),
      '--nodes',
      '0',
      '--no-runtime',
      '--speed',
      '2.5',
    ]);
    expect(out).toContain(`kruise sandbox is ready: http://127.0.0.1:${port}\n`);
    expect(out).toContain(
      '  0 nodes; no controller reconciles workloads of apps.kruise.io (--no-runtime); clock: 2.5 times as fast.\n  Without nodes every pod stays Pending.\n',
    );
    expect(await namesAt(folder, '/api/v1/nodes')).toEqual([]);
  });

  it('serves MutatingAdmissionPolicies only where it is asked to', async () => {
    const path = '/apis/admissionregistration.k8s.io/v1beta1/mutatingadmissionpolicies';
    for (const [args, status] of [
      [[], 404],
      [['--mutating-policies'], 200],
    ] as const) {
      const { folder } = await startReady([...args, '--no-runtime', '--nodes', '0']);
      const { url, token } = accessOf(folder);
      const answer = await fetch(url + path, { headers: { authorization: `Bearer ${token}` } });
      expect(answer.status).toBe(status);
    }
  });

  it('rolls out a CloneSet, and reports it on standard error unless it is quiet', async () => {
    for (const quiet of [false, true]) {
      const folder = emptyFolder();
      writeFileSync(join(folder, 'web.yaml'), cloneSet('web'));
      const run = await startReady(
        ['--load', 'web.yaml', '--speed', '100', '--pull-time', '1s', ...(quiet ? ['-q'] : [])],
        { folder },
      );
      await expect
        .poll(async () => (await request(folder, '/api/v1/namespaces/default/pods')).body['items'], {
          timeout: 5_000,
        })
        .toMatchObject([{ status: { phase: 'Running' } }, { status: { phase: 'Running' } }]);
      if (quiet) expect(run.err).toBe('');
      else expect(run.err).toMatch(/^\d\d:\d\d:\d\d {2}default\/web {2}create web-\w{5} web-\w{5} \(/m);
      run.stop();
      await run.code;
    }
  });
});

test('its runtime goes on under the policies of deploy/policy', async () => {
  const folder = emptyFolder();
  writeFileSync(join(folder, 'web.yaml'), cloneSet('web'));
  const shipped = new URL('../../../deploy/policy/', import.meta.url).pathname;
  const policies = readdirSync(shipped).filter((name) => name !== 'kustomization.yaml');
  expect(policies.length).toBeGreaterThan(4);
  const loads = [...policies.map((name) => join(shipped, name)), 'web.yaml'];
  await startReady([...loads.flatMap((file) => ['--load', file]), '--speed', '100', '--pull-time', '1s'], {
    folder,
  });
  await expect
    .poll(async () => (await request(folder, '/api/v1/namespaces/default/pods')).body['items'], {
      timeout: 5_000,
    })
    .toMatchObject([{ status: { phase: 'Running' } }, { status: { phase: 'Running' } }]);
});

test.each([
  [['--port', '0'], "--port cannot be '0'; it is a whole number from 1 to 65535, for example 6443"],
  [['--port', 'http'], "--port cannot be 'http'; it is a whole number from 1 to 65535, for example 6443"],
  [['--nodes', '-1'], "--nodes cannot be '-1'; it is a whole number from 0 to 5000, for example 3"],
  [['--nodes', '1e3'], "--nodes cannot be '1e3'; it is a whole number from 0 to 5000, for example 3"],
  [
    ['--speed', '0'],
    "--speed cannot be '0'; it is a number from 0.01 to 100; 10 lets a minute pass in 6 seconds",
  ],
  [['--speed', '1e9'], "--speed cannot be '1e9'; it is a number from 0.01 to 100"],
  [['--speed', '1000'], "--speed cannot be '1000'; it is a number from 0.01 to 100"],
  [['--pull-time', '2'], "--pull-time cannot be '2'; it is a time such as 500ms, 2s or 1m"],
  [
    ['--max-running', '0'],
    "--max-running cannot be '0'; it is a whole number from 1 to 1000, for example 10",
  ],
  [['--state', ''], '--state needs a value'],
  [['--kubeconfig='], '--kubeconfig needs a value'],
  [['--load', ' '], '--load is empty; name a file or a folder'],
  [['--state', KUBECONFIG], '--state and --kubeconfig are the same file; give each its own'],
  [['web.yaml'], "unexpected argument 'web.yaml'; name manifests with --load PATH"],
  [['--noruntime'], 'unknown option --noruntime; did you mean --no-runtime?'],
  [['--state', '/'], '/ is not a file; use another file with --state'],
  [['--kubeconfig', '/'], '/ is not a file; use another file with --kubeconfig'],
  [
    ['--state', 'no/where'],
    'no/where cannot be used: there is no folder no; create it, or use another file with --state',
  ],
  [
    ['--kubeconfig', 'no/where'],
    'no/where cannot be used: there is no folder no; create it, or use another file with --kubeconfig',
  ],
])('%j is refused with an explanation, and nothing is left behind', async (args, sentence) => {
  const run = await onceThrough(args);
  expect(await run.code).toBe(1);
  expect(run.err).toContain(`kruise sandbox: ${sentence}`);
  expect(run.out).toBe('');
  expect(readdirSync(run.folder)).toEqual([]);
});

it('reports all invalid options at once', async () => {
  const run = await onceThrough(['--port', 'x', '--nodes', 'x', '--speed', 'x', '--pull-time', 'x']);
  expect(run.err.match(/^kruise sandbox: --[a-z-]+ cannot be 'x'/gm)).toHaveLength(4);
});

describe('the port', () => {
  it('that is in use is reported, and no file is left behind', async () => {
    const { port, close } = await takenPort();
    const run = await onceThrough(['--port', String(port), '--state', 'state']);
    await close();
    expect(run.err).toBe(`kruise sandbox: port ${port} is in use; omit --port to use a free port\n`);
    expect(await run.code).toBe(1);
    expect(readdirSync(run.folder)).toEqual([]);
  });
});

describe('the kubeconfig', () => {
  it('never overwrites another file', async () => {
    const folder = emptyFolder();
    for (const text of [
      '',
      'apiVersion: v1\nkind: Config\nclusters: []\n',
      'clusters: [{name: kruise-sandbox}]',
      '{{',
    ]) {
      writeFileSync(join(folder, 'config'), text);
      const run = await onceThrough(['--kubeconfig', 'config'], { folder });
      expect(run.err).toBe(
        'kruise sandbox: config exists and is not a kubeconfig of a sandbox; use another file with --kubeconfig\n',
      );
      expect(readFileSync(join(folder, 'config'), 'utf8')).toBe(text);
    }
  });

  it('of a killed sandbox is replaced, and of a running one is not', async () => {
    const folder = emptyFolder();
    // The first one is never stopped; for the second its process either runs or does not.
    const first = await startReady([], { folder, machine: { pid: 4_000_001 } });
    const other = (alive: boolean) => ({ folder, machine: { pid: 4_000_002, isAlive: () => alive } });
    const refused = await onceThrough([], other(true));
    expect(refused.err).toBe(
      `kruise sandbox: ${KUBECONFIG} belongs to a running sandbox (process 4000001); use another file with --kubeconfig\n`,
    );
    const before = accessOf(folder);
    const second = await startReady([], other(false));
    expect(second.err).toBe('');
    expect(accessOf(folder)).not.toEqual(before);
    first.stop();
    await first.code;
    // The end of the first must not remove the file of the second.
    expect(await namesAt(folder, '/api/v1/nodes')).toHaveLength(3);
  });

  it('is recognized after kubectl has rewritten it, and removed', async () => {
    const { folder, stop, code } = await startReady([]);
    const config = parse(readFileSync(join(folder, KUBECONFIG), 'utf8')) as {
      contexts: { context: object }[];
    };
    Object.assign(config.contexts[0]?.context ?? {}, { namespace: 'shop' });
    writeFileSync(join(folder, KUBECONFIG), JSON.stringify(config));
    stop();
    await code;
    expect(readdirSync(folder)).toEqual([]);
  });

  it('that was replaced by another program is not removed at the end', async () => {
    const { folder, stop, code } = await startReady([]);
    writeFileSync(join(folder, KUBECONFIG), 'mine');
    stop();
    expect(await code).toBe(0);
    expect(readFileSync(join(folder, KUBECONFIG), 'utf8')).toBe('mine');
  });
});

async function takenPort(): Promise<{ port: number; close: () => Promise<void> }> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { port, close: () => new Promise((resolve) => void server.close(() => resolve())) };
}

async function freePort(): Promise<{ port: number }> {
  const { port, close } = await takenPort();
  await close();
  return { port };
}
