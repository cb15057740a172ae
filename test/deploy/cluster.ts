import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readBodyYaml } from '../../cli/files/body-yaml.ts';
import { createWallClock, createWorld, type World } from 'kruise-sandbox';
import { serve } from 'kruise-sandbox/http';
import type { Clock } from '../../schemas/wire/clock.ts';
import { start, words, type Answer } from '../e2e/run.ts';

/** The top of the repository: where a reader of the README stands. */
export const root = fileURLToPath(new URL('../../', import.meta.url));

const TOKEN = 'token-of-the-administrator';

/** A cluster without anything of ours in it, and a kubectl for it. */
export interface Cluster {
  world: World;
  clock: Clock;
  /** The administrator's way in. */
  url: string;
  /** Runs a command line in a folder: the repository, unless another is given. */
  kubectl(line: string, stdin?: string, cwd?: string): Promise<Answer>;
  /** Runs a command line of helm in the repository. */
  helm(line: string): Promise<Answer>;
  /** A folder of this cluster's own. */
  folder(name: string): string;
  close(): Promise<void>;
}

/**
 * @param speed how fast its time goes
 * @param helm the program that runs command lines of helm
 */
export async function startCluster(binary: string, speed = 1, helm = 'helm'): Promise<Cluster> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'kruise-deploy-')));
  const clock = createWallClock(speed);
  const world = createWorld({ clock, nodes: 2, crds: [], bootstrapped: true });
  const front = await serve(world, {
    tokens: new Map([[TOKEN, 'kubernetes-admin']]),
    readYaml: readBodyYaml,
  });
  const server = `http://admin:${TOKEN}@127.0.0.1:${front.port}`;
  const kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'c', cluster: { server } }],
      users: [{ name: 'u', user: {} }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    }),
  );
  const env = { HOME: folder, PATH: process.env['PATH'] ?? '', KUBECONFIG: kubeconfig };
  return {
    world,
    clock,
    url: front.url,
    kubectl: (line, stdin, cwd = root) => start({ path: binary, args: words(line), env, cwd, stdin }).done,
    helm: (line) => start({ path: helm, args: words(line), env, cwd: root, stdin: undefined }).done,
    folder(name) {
      const path = join(folder, name);
      mkdirSync(path, { recursive: true });
      return path;
    },
    async close() {
      await front.close();
      world.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
