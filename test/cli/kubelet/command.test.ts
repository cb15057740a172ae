import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWallClock, createWorld, type World } from 'kruise-sandbox';
import { type Front, serve } from 'kruise-sandbox/http';
import { conditionOf } from '../../../schemas/pods/pod.ts';
import type { Cluster } from '../../../schemas/wire/cluster.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import { bundleKruise } from '../world/bundle.ts';
import { pod, readPod } from '../../fixtures/widgets.ts';
import { until } from '../../until.ts';

const folder = mkdtempSync(join(tmpdir(), 'kruise-kubelet-'));
const children = new Set<ChildProcess>();
let program = '';
let world: World;
let front: Front;
let alice: Cluster;

beforeAll(async () => {
  program = await bundleKruise(join(folder, 'program'));
  const clock = createWallClock();
  world = createWorld({ clock, nodes: 0, kubeletsByHand: false, bootstrapped: true });
  front = await serve(world, { tokens: new Map([['secret', 'kubernetes-admin']]) });
  alice = world.cluster('alice');
  writeKubeconfig('kubeconfig', `http://kubelet:secret@127.0.0.1:${front.port}`);
  writeKubeconfig('expired', `http://kubelet:other@127.0.0.1:${front.port}`);
  writeKubeconfig('nobody', 'http://127.0.0.1:9');
}, 60_000);

afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await front.close();
  world.stop();
  rmSync(folder, { recursive: true, force: true });
});

function writeKubeconfig(name: string, server: string): void {
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server } }],
    users: [{ name: 'u', user: {} }],
    contexts: [{ name: 'here', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'here',
  };
  writeFileSync(join(folder, name), JSON.stringify(config));
}

interface Running {
  child: ChildProcess;
  out(): string;
  error(): string;
  code: Promise<number | null>;
}

function kubelet(...words: string[]): Running {
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder };
  const child = spawn(process.execPath, [program, 'kubelet', '--pull-time', '50ms', ...words], {
    cwd: folder,
    env,
  });
  children.add(child);
  let [out, error] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (piece: string) => (out += piece));
  child.stderr.setEncoding('utf8').on('data', (piece: string) => (error += piece));
  const code = new Promise<number | null>((resolve) => {
    child.on('close', (value) => {
      children.delete(child);
      resolve(value);
    });
  });
  return { child, out: () => out, error: () => error, code };
}

const isReady = async (name: string): Promise<boolean> =>
  conditionOf(await readPod(alice, name), 'Ready')?.status === 'True';

describe('kruise kubelet', () => {
  it('runs pods; after a kill the next process continues with them; at a signal it exits, and cleans up if configured', async () => {
    const first = kubelet('--kubeconfig', 'kubeconfig', '--nodes', '2', '--no-scheduler');
    await until('ready', () => first.out() !== '');
    expect(first.out()).toBe(
      `kruise kubelet is ready: 2 nodes (node-1 … node-2) at 127.0.0.1:${front.port}\n`,
    );
    await alice.create(resources.Pod, pod('web'));
    await until('web is ready', async () => isReady('web'));
    const before = await readPod(alice, 'web');
    const another = kubelet('--kubeconfig', 'kubeconfig', '--nodes', '1', '--cleanup');
    await until('it waits', () => another.error().includes('node-1 was simulated a moment ago'));
    const renewTime = new Date(Date.now() + 5_000).toISOString().replace('Z', '000Z');
    const at = { namespace: 'kube-node-lease', name: 'node-1' };
    await alice.patch(resources.Lease, at, { type: 'merge', body: { spec: { renewTime } } });
    expect(await another.code).toBe(1);
    expect(another.error()).toMatch(
      /\nkruise kubelet: node-1 is simulated already, by process \d+ of \S+; stop that process, or .* --node-prefix\n$/,
    );
    expect(another.out()).toBe('');
    expect((await alice.list(resources.Node)).items).toHaveLength(2);
    first.child.kill('SIGKILL');
    await first.code;

    const second = kubelet('--kubeconfig', 'kubeconfig', '--nodes', '2', '--cleanup');
    await until('ready', () => second.out() !== '');
    await alice.create(resources.Pod, pod('late'));
    await until('late is ready', async () => isReady('late'));
    expect((await readPod(alice, 'web')).status).toEqual(before.status);
    second.child.kill('SIGTERM');
    expect(await second.code).toBe(0);
    expect(second.error()).toBe('');
    expect((await alice.list(resources.Node)).items).toEqual([]);
  }, 60_000);

  it('does not start in a cluster with real nodes, unless allowed', async () => {
    await alice.create(resources.Node, {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'machine' },
      status: { conditions: [{ type: 'Ready', status: 'True' }] },
    });
    const refused = kubelet('--kubeconfig', 'kubeconfig');
    expect(await refused.code).toBe(1);
    expect(refused.error()).toBe(
      'kruise kubelet: the server already has a node that runs pods: machine; this command is for an API server without real nodes; --beside-machines starts it anyway\n',
    );
    const started = kubelet('--kubeconfig', 'kubeconfig', '--nodes', '1', '--beside-machines', '--cleanup');
    await until('ready', () => started.out() !== '');
    started.child.kill('SIGINT');
    expect(await started.code).toBe(0);
  }, 60_000);

  it.each([
    [['--kubeconfig', 'missing'], /^kruise kubelet: .*missing.*; .*\n$/],
    [
      ['--kubeconfig', 'expired'],
      /^kruise kubelet: .* does not accept the credentials of .*; log in again.*\n$/,
    ],
    [
      ['--nodes', '0', '--node-prefix', 'Node', '--pull-time', 'soon', '--ready-time', '1', 'web'],
      /^(kruise kubelet: unexpected argument 'web'.*\n)(kruise kubelet: --nodes cannot be '0'.*\n)(kruise kubelet: --node-prefix cannot be 'Node'.*\n)(kruise kubelet: --pull-time cannot be 'soon'.*\n)(kruise kubelet: --ready-time cannot be '1'.*\n)$/,
    ],
  ])('%j is refused', async (words, error) => {
    const refused = kubelet(...words);
    expect(await refused.code).toBe(1);
    expect(refused.error()).toMatch(error);
    expect(refused.out()).toBe('');
  });

  it('waits for a server that is not there yet, and can be stopped', async () => {
    const waiting = kubelet('--kubeconfig', 'nobody');
    await until('it says so', () => waiting.error() !== '');
    expect(waiting.error()).toBe('kruise kubelet: retrying: nothing listens at 127.0.0.1:9\n');
    waiting.child.kill('SIGTERM');
    expect(await waiting.code).toBe(0);
  });
});
