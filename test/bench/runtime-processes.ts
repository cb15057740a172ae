import { type ChildProcess, fork } from 'node:child_process';
import { openSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { bundled } from './bundle.ts';
import type { Reading } from './runtime-probe.ts';

/** A program under measurement, in a process of its own. */
export interface Measured {
  /** What it cost since the last reading. */
  read(): Promise<Reading>;
  /** Ends it with SIGTERM, or by force after fifteen seconds. */
  stop(): Promise<void>;
}

export interface Programs {
  /** `kruise run` of one namespace, or of the whole cluster, ready; `metrics` is the text at /metrics. */
  runtime(namespace?: string): Promise<Measured & { metrics(): Promise<string> }>;
  /** `kruise run --admission` with the certificate of a folder, ready. */
  admission(certificates: string): Promise<Measured & { url: string }>;
  /** `kruise kubelet`, ready. */
  kubelet(options: { nodes: number; prefix: string; schedules: boolean }): Promise<Measured>;
}

const PATIENCE_MS = 60_000;
/** The options of Node that the Deployment gives the runtime. */
const installedWith =
  /name: NODE_OPTIONS\s+value: (.+)/.exec(
    readFileSync(new URL('../../deploy/runtime/deployment.yaml', import.meta.url), 'utf8'),
  )?.[1] ?? '';
if (installedWith === '') throw new Error('deploy/runtime/deployment.yaml sets NODE_OPTIONS');

/**
 * A sandbox of its own; `kubeconfig` leads to it. `crowd`: it makes so many pods, and CloneSets of `each` that own them,
 * before it is ready. With `sets`, ReplicaSets own the pods, and that many SidecarSets were injected.
 */
export async function startSandbox(
  folder: string,
  crowd?: { pods: number; each: number; sets?: number },
): Promise<{ kubeconfig: string; stop(): void }> {
  const words =
    crowd === undefined
      ? ['server']
      : ['crowd', ...[crowd.pods, crowd.each, crowd.sets].filter((each) => each !== undefined).map(String)];
  const child = fork(bundled(new URL('sandbox-server.ts', import.meta.url), folder), words);
  const { port } = await message<{ port: number }>(child, 'the sandbox');
  const kubeconfig = join(folder, `kubeconfig-${port}`);
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'bench', cluster: { server: `http://bench:bench@127.0.0.1:${port}` } }],
      users: [{ name: 'bench', user: { token: 'bench' } }],
      contexts: [{ name: 'bench', context: { cluster: 'bench', user: 'bench' } }],
      'current-context': 'bench',
    }),
  );
  return { kubeconfig, stop: () => child.kill() };
}

/**
 * The programs as users have them, each in a process of its own, at the server of a kubeconfig. `profiles`: a folder for
 * CPU profiles of the runtime.
 */
export function programs(options: {
  kruise: string;
  folder: string;
  kubeconfig: string;
  profiles: string | undefined;
}): Programs {
  const { kruise, folder, kubeconfig, profiles } = options;
  const probe = bundled(new URL('runtime-probe.ts', import.meta.url), folder);

  function start(words: string[], flags: string[], env: Record<string, string> = {}) {
    const log = join(folder, `${words[0]}-${process.hrtime.bigint()}.log`);
    const output = openSync(log, 'w');
    const child = fork(kruise, [...words, '--kubeconfig', kubeconfig], {
      execArgv: ['--import', probe, ...flags],
      env: { ...process.env, ...env },
      stdio: ['ignore', output, output, 'ipc'],
    });
    const said = (): string => readFileSync(log, 'utf8');
    const measured: Measured = {
      async read() {
        const reading = message<Reading>(child, words[0] ?? '');
        child.send('read');
        return reading;
      },
      stop: async () => ended(child),
    };
    async function until(isReady: () => boolean | Promise<boolean>): Promise<void> {
      for (const begun = performance.now(); !(await isReady()); await pause(50)) {
        if (child.exitCode !== null || performance.now() - begun > PATIENCE_MS)
          throw new Error(`kruise ${words.join(' ')} did not get ready:\n${said().slice(-2_000)}`);
      }
    }
    return { measured, said, until };
  }

  return {
    async runtime(namespace) {
      const port = await freePort();
      const where = namespace === undefined ? [] : ['--namespace', namespace];
      const words = ['run', ...where, '--policy', 'Auto', '--no-leader-election'];
      const flags = profiles === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profiles}`];
      const { measured, until } = start([...words, '--port', String(port), '--log', 'json'], flags, {
        NODE_OPTIONS: installedWith,
      });
      const at = `http://127.0.0.1:${port}`;
      await until(async () => (await fetch(`${at}/readyz`).catch(() => undefined))?.ok === true);
      return { ...measured, metrics: async () => (await fetch(`${at}/metrics`)).text() };
    },
    async admission(certificates) {
      const [port, reviews] = [await freePort(), await freePort()];
      const words = ['run', '--admission', '--certificates', certificates];
      const ports = ['--port', String(port), '--admission-port', String(reviews)];
      const { measured, until } = start([...words, ...ports], [], { NODE_OPTIONS: installedWith });
      const at = `http://127.0.0.1:${port}/readyz`;
      await until(async () => (await fetch(at).catch(() => undefined))?.ok === true);
      return { ...measured, url: `https://127.0.0.1:${reviews}/pods` };
    },
    async kubelet({ nodes, prefix, schedules }) {
      // A container without probes is ready as soon as it runs.
      const times = ['--pull-time', '100ms', '--ready-time', '0ms'];
      const words = ['kubelet', '--nodes', String(nodes), '--node-prefix', prefix, ...times];
      const flags = [
        '--no-events',
        '--beside-machines',
        '--cleanup',
        ...(schedules ? [] : ['--no-scheduler']),
      ];
      const { measured, said, until } = start([...words, ...flags], []);
      await until(() => said().includes('is ready'));
      return measured;
    },
  };
}

export async function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** The next message of a child; rejects when it ends instead. */
async function message<Said>(child: ChildProcess, what: string): Promise<Said> {
  return new Promise((resolve, reject) => {
    const lost = (code: number | null): void => reject(new Error(`${what} ended with ${code}`));
    child.once('exit', lost);
    child.once('message', (said) => {
      child.off('exit', lost);
      resolve(said as Said);
    });
  });
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGTERM');
  const force = setTimeout(() => child.kill('SIGKILL'), 15_000);
  await exit;
  clearTimeout(force);
}

async function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
