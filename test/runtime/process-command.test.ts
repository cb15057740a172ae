import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { resources } from '../../schemas/wire/resources.ts';
import { bundleKruise } from '../compiler/world/bundle.ts';
import { createSite, type Site } from './process-world.ts';
import { cloneSet, planOf, templateOf } from './stage.ts';

const folder = mkdtempSync(join(tmpdir(), 'kruise-run-'));
const kubeconfig = join(folder, 'kubeconfig');
let program = '';
let site: Site;
const children = new Set<{ kill(signal: 'SIGKILL'): void }>();

beforeAll(async () => {
  program = await bundleKruise(join(folder, 'program'));
  site = await createSite(10);
  const token = (await site.connection.headers())['authorization']?.toString().replace('Bearer ', '') ?? '';
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      // Over plain HTTP no token is sent but this one, as with kubectl.
      clusters: [
        { name: 'c', cluster: { server: site.connection.server.replace('//', `//kruise:${token}@`) } },
      ],
      users: [{ name: 'u', user: {} }],
      contexts: [{ name: 'here', context: { cluster: 'c', user: 'u', namespace: 'shop' } }],
      'current-context': 'here',
    }),
  );
}, 60_000);

afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await site.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Started {
  stop(): void;
  out: () => string;
  error: () => string;
  ended: Promise<{ code: number | null; ms: number }>;
}

/** `kruise run` in a process of its own. `ms`: from the signal, or from the start, to its end. */
function run(...words: string[]): Started {
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder };
  const child = spawn(process.execPath, [program, 'run', ...words], { cwd: folder, env });
  children.add(child);
  let began = Date.now();
  let [out, error] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (piece: string) => (out += piece));
  child.stderr.setEncoding('utf8').on('data', (piece: string) => (error += piece));
  return {
    stop() {
      began = Date.now();
      child.kill('SIGTERM');
    },
    out: () => out,
    error: () => error,
    ended: new Promise((resolve) => {
      child.on('close', (code) => {
        children.delete(child);
        resolve({ code, ms: Date.now() - began });
      });
    }),
  };
}

test(
  'SIGTERM in the middle of a roll-out: 0 within five seconds, the Lease is free, another one finishes',
  { timeout: 90_000 },
  async () => {
    const user = site.world.cluster('user');
    const images = async (): Promise<string[]> => {
      const { items } = await user.list(resources.Pod, { namespace: 'shop' });
      return items.map(
        (pod) => (pod['spec'] as { containers: { image: string }[] }).containers[0]?.image ?? '',
      );
    };
    const holder = async (): Promise<unknown> => {
      const lease = await user
        .get(resources.Lease, { namespace: 'shop', name: 'kruise' })
        .catch(() => undefined);
      return (lease?.['spec'] as { holderIdentity?: string } | undefined)?.holderIdentity;
    };
    const first = run('--kubeconfig', kubeconfig, '--port', '0');
    await user.create(resources.CloneSet, cloneSet('web', 'web:1', { replicas: 10 }));
    await site.until('ten pods', async () => (await images()).length === 10, 40_000);
    await site.until('readiness', async () => {
      const { status } = await user.get(resources.CloneSet, { namespace: 'shop', name: 'web' });
      return (status as { availableReplicas?: number } | undefined)?.availableReplicas === 10;
    });
    expect(await holder()).toBeTruthy();
    await user.create(resources.RolloutPlan, planOf('web', 'web:1', 'web:2'));
    const body = { spec: { template: templateOf('web', 'web:2') } };
    await user.patch(resources.CloneSet, { namespace: 'shop', name: 'web' }, { type: 'merge', body });
    await site.until('the middle of the roll-out', async () => (await images()).includes('web:2'));
    first.stop();
    const { code, ms } = await first.ended;
    expect([code, first.error()]).toEqual([0, '']);
    expect(ms).toBeLessThan(5_000);
    expect(await holder()).toBe('');
    expect(await images()).toContain('web:1');
    for (const line of first.out().trim().split('\n')) expect(JSON.parse(line)).toHaveProperty('msg');

    const second = run('--kubeconfig', kubeconfig, '--port', '0', '--log', 'text');
    await site.until('the end', async () => (await images()).every((image) => image === 'web:2'), 40_000);
    second.stop();
    expect((await second.ended).code).toBe(0);
    expect(second.out()).toMatch(/^\d\d:\d\d:\d\d {2}update in place: .*\(shop\/web, step all, plan h1:/m);
  },
);

describe('what it cannot begin with is said in a sentence, and ends with 1', () => {
  const config = join(folder, 'checks.yaml');
  writeFileSync(
    config,
    'checks:\n  - name: errors\n    http: {url: "http://127.0.0.1/"}\n  - name: errors\n',
  );

  test.each([
    ['no cluster', [], /^kruise run: [^\n]+\n$/],
    ['a kubeconfig that is not there', ['--kubeconfig', 'nowhere'], /nowhere/],
    ['a context that is not there', ['--kubeconfig', kubeconfig, '--context', 'prod'], /prod/],
    ['a namespace that cannot be one', ['--namespace', 'A b'], /--namespace cannot be 'A b'/],
    ['a port that is none', ['--port', '99999'], /--port cannot be '99999'/],
    ['a policy that is none', ['--policy', 'auto'], /--policy cannot be 'auto'; did you mean Auto/],
    ['an operand', ['CloneSet/web'], /there is no place for 'CloneSet\/web'/],
    [
      'a configuration that is not there',
      ['--config', 'none.yaml'],
      /none.yaml cannot be read: it does not exist/,
    ],
    ['a configuration that is wrong', ['--config', config], /checks.yaml: checks\.\d/],
    [
      'an address of another machine',
      ['--kubeconfig', kubeconfig, '--address', '192.0.2.1'],
      /192.0.2.1 is no address of this machine/,
    ],
  ])('%s', { timeout: 30_000 }, async (_, words, message) => {
    const started = run(...words);
    expect((await started.ended).code).toBe(1);
    expect(started.error()).toMatch(message);
    expect(started.error()).not.toMatch(/at .*:\d+:\d+|sorry/);
    expect(started.out()).toBe('');
  });

  test('a port that is taken', { timeout: 30_000 }, async () => {
    const other = createServer();
    await new Promise<void>((resolve) => void other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as { port: number };
    const started = run('--kubeconfig', kubeconfig, '--port', String(port));
    expect((await started.ended).code).toBe(1);
    expect(started.error()).toContain(`port ${port} of 127.0.0.1 is in use; --port N takes another one`);
    other.close();
  });
});
