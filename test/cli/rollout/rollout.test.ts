import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { createWallClock } from 'kruise-sandbox/clock';
import { until } from '../../until.ts';
import { request } from '../world/sandbox-client.ts';
import { kruise } from '../world/at-sandbox.ts';
import { emptyFolder, endSandboxes, startReady } from '../world/sandbox-run.ts';

const example = join(dirname(fileURLToPath(import.meta.url)), '../../../examples/approval');
const WEB = '/apis/apps.kruise.io/v1alpha1/namespaces/shop/clonesets/web';
const PLAN = '/apis/plan.kruise.io/v1alpha1/namespaces/shop/rolloutplans/cloneset-web';
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';

afterEach(endSandboxes);

async function apply(folder: string, path: string, file: string): Promise<void> {
  const body = readFileSync(join(example, '2-nginx-1.27', file), 'utf8');
  const sent = { method: 'PATCH', body, contentType: 'application/apply-patch+yaml' };
  expect([200, 201]).toContain((await request(folder, `${path}?fieldManager=engine&force=true`, sent)).code);
}

/** The example in a sandbox with its change applied; with a runtime, until it waits for approval. */
async function example2(...args: string[]): Promise<string> {
  const folder = emptyFolder();
  await startReady(['--load', join(example, '1-nginx-1.25/manifests'), '--speed', '20', ...args], {
    folder,
  });
  const phase = async (): Promise<unknown> =>
    ((await request(folder, PLAN)).body['status'] as { phase?: string } | undefined)?.phase;
  const replicas = async (): Promise<unknown> =>
    ((await request(folder, WEB)).body['status'] as { readyReplicas?: number } | undefined)?.readyReplicas;
  const hasRuntime = !args.includes('--no-runtime');
  if (hasRuntime) await expect.poll(replicas, { timeout: 20_000 }).toBe(4);
  await apply(folder, WEB, 'manifests/web.yaml');
  await apply(folder, PLAN, 'plans/shop/cloneset-web/plan.yaml');
  if (hasRuntime) await expect.poll(phase, { timeout: 20_000 }).toBe('AwaitingApproval');
  return folder;
}

test('a rollout is approved from any folder and watched to its end, and refusals are explained', async () => {
  const folder = await example2();
  const table = await kruise(folder, ['status', '-A']);
  expect(table).toMatchObject({ code: 0, err: '' });
  expect(table.out).toMatch(/^NAMESPACE +TARGET +PHASE +STEP +UPDATED +READY +WAITING-ON +AGE +MESSAGE\n/);
  expect(table.out).toMatch(
    /\nshop +CloneSet\/web +AwaitingApproval +2\/\d+ +1\/4 +4\/4 .*kruise approve CloneSet\/web -n shop --step approve-1 --digest h1:[0-9a-f]{32}\n$/,
  );
  const tree = await kruise(folder, ['status', 'shop/cloneset/web']);
  expect(tree.out).toMatch(
    /^CloneSet\/web in shop: AwaitingApproval\n {2}waits for approval: kruise approve /,
  );
  expect(tree.out).toMatch(/\n {2}done +batch-1 +update to .*\n {2}now +approve-1 +wait for approval\n/);
  expect(tree.out).toMatch(/\nPods \(1 updated, 3 old\)\n(.* available.*\n){4}/);
  expect(tree.out).toContain('Held: AwaitingApproval');
  const { steps, pods, verdict } = JSON.parse(
    (await kruise(folder, ['status', 'web', '-n', 'shop', '-o', 'json'])).out,
  ) as { steps: { state: string }[]; pods: unknown[]; verdict: string };
  expect([steps[0]?.state, steps[1]?.state, pods.length, verdict]).toEqual(['done', 'now', 4, 'underway']);

  expect(await kruise(folder, ['approve', 'web'])).toEqual({
    code: 1,
    out: '',
    err: 'kruise approve: there is no web in namespace default; there is one in shop: choose it with -n\n',
  });
  expect((await kruise(folder, ['approve', 'wbe', '-n', 'shop'])).err).toContain(
    'did you mean CloneSet/web?',
  );
  const watched = kruise(folder, ['status', '-w', '--timeout', '10m', 'CloneSet/web', '-n', 'shop']);
  expect(await kruise(folder, ['approve', 'shop/CloneSet/web', '--by', 'mona'])).toEqual({
    code: 0,
    out: 'CloneSet/web in shop: accepted, mona approved approve-1\n',
    err: '',
  });
  const { code, out } = await watched;
  expect(code).toBe(0);
  expect(out).toMatch(/^\S+Z shop\/CloneSet\/web: AwaitingApproval 2\/\d+, 1\/4 updated/);
  expect(out).toMatch(/\n\S+Z shop\/CloneSet\/web: Succeeded .*4\/4 updated.*\n$/);

  const refused = await kruise(folder, ['revert', 'CloneSet/web', '-n', 'shop']);
  expect(refused).toMatchObject({ code: 1, out: '' });
  expect(refused.err).toMatch(
    /^kruise revert: CloneSet\/web in shop: refused, Revert by kubernetes-admin: it has no effect while the rollout is Succeeded: every step is done; to move the pods back, revert the commit in git; kruise status CloneSet\/web -n shop shows its state\n$/,
  );
}, 60_000);

test('a terminal is updated in place, and a failed rollout gives exit code 3', async () => {
  const folder = await example2();
  let interrupt = (): void => {};
  const { nodeMachine } = await import('../../../cli/machine/node-machine.ts');
  const machine = {
    ...nodeMachine(),
    onSignal(listener: () => void) {
      interrupt = listener;
      return () => {};
    },
  };
  let out = '';
  const draw = (text: string) => void (out += text);
  const tty = { stdoutIsTTY: true, screen: () => ({ columns: 60, rows: 8 }), machine };
  const table = kruise(folder, ['status', '-w', '-n', 'shop'], { ...tty, draw });
  // Two lines and the message with the command: the terminal wraps it, the program does not cut it.
  await until('the table is drawn anew', () => out.includes('\u001b[4A'));
  interrupt();
  const { code } = await table;
  expect(code).toBe(130);
  expect(out).toContain('\u001b[1mNAMESPACE');
  const shown = out.replace(/\u001b\[[0-9;]*[A-Za-z]/g, '').split(/[\r\n]+/);
  expect(shown).toContainEqual(
    expect.stringMatching(
      /^ {2}waits for approval: kruise approve CloneSet\/web -n shop --step .*[0-9a-f]{32}$/,
    ),
  );
  const rows = shown.filter((line) => !line.startsWith('  '));
  expect(Math.max(...rows.map((line) => line.length))).toBeLessThan(60);

  const tree = kruise(folder, ['status', '-w', '-n', 'shop', 'web'], tty);
  expect((await kruise(folder, ['abort', 'web', '-n', 'shop'])).code).toBe(0);
  const end = await tree;
  expect(end.code).toBe(3);
  expect(end.out).toContain('more lines');
  expect((await kruise(folder, ['status', '-A'])).code).toBe(3);
}, 60_000);

test('without an answer, it explains why', async () => {
  const folder = await example2('--no-runtime');
  const approve = ['approve', 'web', '-n', 'shop', '--step', 'approve-1', '--timeout', '1s'];
  const alone = await kruise(folder, approve);
  expect(alone).toMatchObject({ code: 1, out: '' });
  expect(alone.err).toMatch(
    /no runtime has answered web-approve-\w+ within 1s: none holds a Lease in this cluster \(one without leader election never does\); check whether kruise run is running; the command stays valid, to withdraw it: kubectl delete rolloutcommand web-approve-\w+ -n shop\n$/,
  );
  const lease = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'kruise', namespace: 'default' },
    spec: { holderIdentity: 'host-1', leaseDurationSeconds: 15, renewTime: '2026-01-01T00:00:00.000000Z' },
  };
  const sent = { method: 'POST', body: JSON.stringify(lease), contentType: 'application/json' };
  expect((await request(folder, LEASES, sent)).code).toBe(201);
  expect((await kruise(folder, approve)).err).toContain(
    'host-1 does not renew the Lease default/kruise, last at 2026-01-01T00:00:00Z',
  );
  const status = { phase: 'Pending', waitingOn: 'Unverified', message: 'its digest is another' };
  const patch = {
    method: 'PATCH',
    body: JSON.stringify({ status }),
    contentType: 'application/merge-patch+json',
  };
  expect((await request(folder, `${PLAN}/status`, patch)).code).toBe(200);
  const unverified = await kruise(folder, approve);
  expect(unverified.err).toContain(
    '; plan cloneset-web waits (Unverified): its digest is another; check whether',
  );
  const other = `h1:${'0'.repeat(32)}`;
  expect((await kruise(folder, [...approve, '--digest', other])).err).toContain(
    `; no plan of CloneSet/web in the cluster has digest ${other}; check whether`,
  );
  const waiting = await kruise(folder, ['status', '-w', '--timeout', '1s', 'web', '-n', 'shop']);
  expect(waiting.code).toBe(4);
  expect(waiting.err).toContain('neither succeeded nor failed within 1s');
  expect(await kruise(folder, [...approve, '--no-wait'])).toMatchObject({ code: 0, err: '' });
}, 30_000);

test('a server that accepts the connection but does not answer is reported after five seconds, once', async () => {
  const server = createServer((socket) => socket.on('error', () => {}));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const file = join(emptyFolder(), 'kubeconfig');
  const config = {
    clusters: [{ name: 'c', cluster: { server: `http://${host}` } }],
    contexts: [{ name: 'here', context: { cluster: 'c' } }],
    'current-context': 'here',
  };
  writeFileSync(file, JSON.stringify(config));
  const clock = createWallClock(100);
  const { code, out, err } = await kruise('', ['status', '--kubeconfig', file], { clock });
  server.close();
  expect({ code, out, err }).toEqual({
    code: 1,
    out: '',
    err: `${host} has not answered yet; still waiting\nkruise status: ${host} does not answer; check whether the network or the VPN to the cluster is connected, and whether a firewall blocks it\n`,
  });
});

test('a problem before the command is sent is one message', async () => {
  const folder = await example2('--no-runtime');
  const file = join(folder, 'kruise-sandbox.kubeconfig');
  const good = readFileSync(file, 'utf8');
  const write = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  const cases: [string[], RegExp][] = [
    [['--kubeconfig', join(folder, 'none')], /none/],
    [['--context', 'nowhere'], /nowhere/],
    [
      ['--kubeconfig', write('gone', good.replace(/127\.0\.0\.1:\d+/, '127.0.0.1:9'))],
      /nothing listens at 127/,
    ],
    [
      [
        '--kubeconfig',
        write(
          'old',
          good.replaceAll(/kruise:[^@]+@/g, 'kruise:expired@').replace(/token: .*\}/, 'token: expired }'),
        ),
      ],
      /does not accept the credentials/,
    ],
  ];
  for (const [args, expected] of cases) {
    for (const verb of [['status'], ['pause', 'CloneSet/web', '-n', 'shop']]) {
      const { code, out, err } = await kruise(folder, [...verb, ...args]);
      expect({ code, out, err }).toEqual({ code: 1, out: '', err: expect.stringMatching(expected) });
      expect(err.trim().split('\n')).toHaveLength(1);
      expect(err).not.toContain('sorry');
      if (verb[0] === 'pause' && args[1] !== file)
        expect(err.includes('-o yaml') || /listens|accept/.test(err)).toBe(true);
    }
  }
  const { code, err } = await kruise(folder, ['pause', 'CloneSet/web', '-n', 'shop'], {
    env: { HOME: folder },
  });
  expect([code, err]).toEqual([
    1,
    expect.stringMatching(/or print the object with -o yaml, for git or kubectl apply -f -\n$/),
  ]);
  const crd = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/rolloutplans.plan.kruise.io';
  expect(
    (await request(folder, crd, { method: 'DELETE', body: '', contentType: 'application/json' })).code,
  ).toBe(200);
  for (const args of [['status'], ['approve', 'CloneSet/web', '-n', 'shop']])
    expect((await kruise(folder, args)).err).toMatch(
      /^kruise \w+: \S+ does not serve workloads of apps.kruise.io and RolloutPlans in the versions that this release needs; install the CRDs of this version: kubectl apply --server-side -f deploy\/crds(, or print .*)?\n$/,
    );
}, 30_000);

test.each([
  [['status', 'a', 'b'], 'name one target at a time'],
  [['status', '-A', '-n', 'shop'], '-A and -n exclude each other'],
  [['status', '-A', 'web'], 'a target is in one namespace'],
  [['status', '-w', '-o', 'json'], '-w has only human output'],
  [['status', '--timeout', '5m'], '--timeout limits -w; add -w'],
  [['status', '-w', '--timeout', 'soon'], "--timeout cannot be 'soon'"],
  [['status', '--digest', 'h1:0'], '--digest needs a TARGET'],
  [['status', 'Web'], "'Web' is not a valid object name"],
  [['status', '-n', 'A'], "'A' is not a valid namespace"],
  [['pause', 'web', '--timeout', '0s'], "--timeout cannot be '0s'"],
])('%j', async (args, expected) => {
  const { code, out, err } = await kruise('/nowhere', args);
  expect({ code, out, err }).toEqual({ code: 1, out: '', err: expect.stringContaining(expected) });
});
