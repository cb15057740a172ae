import { mkdirSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { makeIdentity } from 'kruise-sandbox/http';
import { start } from '../run.ts';
import { eventually, type Program, startProgram } from './programs.ts';
import type { World } from './world.ts';

/** The admission as processes of its own, each by its service account, behind one address as behind a Service. */
export interface Webhook {
  /** So many connections each replica has got. */
  connections(): readonly number[];
  output(): string;
  /** What `kruise admission check` says of pods in a namespace. */
  check(namespace: string): Promise<string>;
  /** Ends the replicas; the API servers are still told to ask. */
  kill(): Promise<void>;
  /** Takes the configurations away, too. */
  close(): Promise<void>;
}

const SYSTEM = 'kruise-system';

/** Runs a command of kruise as the administrator; rejects where it fails. */
async function administered({ kruise, folder }: World, ...args: string[]): Promise<string> {
  const all = [kruise, ...args, '--kubeconfig', join(folder, 'admin.kubeconfig')];
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder };
  const { code, out, err } = await start({ path: process.execPath, args: all, env, cwd: folder }).done;
  if (code !== 0) throw new Error(`kruise ${args.join(' ')}: ${err}`);
  return out;
}

/** Passes each connection on to the next of these ports. */
async function balance(ports: readonly number[]): Promise<{
  port: number;
  counts: number[];
  close(): Promise<void>;
}> {
  const counts = ports.map(() => 0);
  const open = new Set<Socket>();
  let turn = 0;
  const server = createServer((from) => {
    const at = turn++ % ports.length;
    counts[at] = (counts[at] ?? 0) + 1;
    const to = connect(ports[at] ?? 0, '127.0.0.1');
    for (const [one, other] of [
      [from, to],
      [to, from],
    ] as const) {
      open.add(one);
      one.pipe(other);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        open.delete(one);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    counts,
    async close() {
      for (const each of open) each.destroy();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}

/**
 * Starts it, and tells the API servers to ask it. The world has the component `admission`.
 *
 * @param options of the command, such as `--exact-budgets`, which the configuration gets, too
 * @param own options of the command alone
 */
export async function startWebhook(
  world: World,
  replicas: number,
  options: readonly string[] = [],
  own: readonly string[] = [],
): Promise<Webhook> {
  const { kruise, folder } = world;
  const { key, certificate } = await makeIdentity();
  const certificates = join(folder, 'certificates');
  mkdirSync(certificates, { recursive: true });
  writeFileSync(join(certificates, 'tls.key'), key, { mode: 0o600 });
  writeFileSync(join(certificates, 'tls.crt'), certificate);
  const kubeconfig = await world.accountIn(SYSTEM, 'kruise-admission');
  const args = ['run', '--admission', '--certificates', certificates, '--admission-port', '0'];
  // Where the revisions of cluster-scoped objects are, as in a pod of that namespace.
  const where = ['--kubeconfig', kubeconfig, '--lease-namespace', SYSTEM];
  const access = [...where, '--port', '0', '--log', 'text'];
  const programs: Program[] = Array.from({ length: replicas }, () =>
    startProgram({ kruise, args: [...args, ...access, ...options, ...own], cwd: folder }),
  );
  const output = (): string => programs.map((program) => program.output()).join('\n');
  const kill = async (): Promise<void> => {
    await Promise.all(programs.map((program) => program.kill()));
  };
  try {
    const ports = await Promise.all(
      programs.map((program) =>
        eventually(
          'the port of reviews',
          () => {
            const port = /answered on port (\d+)/.exec(program.output())?.[1];
            return port === undefined ? undefined : Number(port);
          },
          { context: output },
        ),
      ),
    );
    const balanced = await balance(ports);
    const install = ['admission', 'install', '--ca', join(certificates, 'tls.crt')];
    const url = `https://127.0.0.1:${balanced.port}/pods`;
    await administered(world, ...install, '--url', url, ...options);
    await eventually(
      'the webhook answers',
      async () => (await administered(world, 'admission', 'check')).startsWith('the webhook answers'),
      { context: output },
    );
    return {
      connections: () => balanced.counts,
      output,
      check: (namespace) => administered(world, 'admission', 'check', '--namespace', namespace),
      kill,
      async close() {
        for (const kind of ['mutatingwebhookconfiguration', 'validatingwebhookconfiguration'])
          await world.administer(`delete ${kind} kruise-admission --ignore-not-found`);
        await kill();
        await balanced.close();
      },
    };
  } catch (error) {
    await kill();
    throw error;
  }
}
