import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readBodyYaml } from '../../cli/files/body-yaml.ts';
import type { World } from 'kruise-sandbox';
import { serve } from 'kruise-sandbox/http';

const TOKEN = 'token-of-the-demo';

/** A kubectl connected to the in-memory cluster over HTTP. */
export interface Kubectl {
  /** Runs a command in a folder; returns its output. Rejects with its error output. */
  run(args: readonly string[], cwd: string): Promise<string>;
  close(): Promise<void>;
}

/** Serves the cluster on a free local port for this kubectl only. `home`: a folder for its files. */
export async function kubectlFor(path: string, world: World, home: string): Promise<Kubectl> {
  const front = await serve(world, {
    tokens: new Map([[TOKEN, 'kubernetes-admin']]),
    readYaml: readBodyYaml,
  });
  mkdirSync(home, { recursive: true });
  const kubeconfig = join(home, 'kubeconfig');
  const server = front.url.replace('//', `//demo:${TOKEN}@`);
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'demo', cluster: { server } }],
      users: [{ name: 'demo', user: {} }],
      contexts: [{ name: 'demo', context: { cluster: 'demo', user: 'demo', namespace: 'shop' } }],
      'current-context': 'demo',
    }),
    { mode: 0o600 },
  );
  return {
    run: (args, cwd) =>
      new Promise((resolve, reject) => {
        const env = { HOME: home, PATH: process.env['PATH'] ?? '', KUBECONFIG: kubeconfig };
        const child = spawn(path, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
        let out = '';
        let complaint = '';
        child.stdout.setEncoding('utf8').on('data', (piece: string) => (out += piece));
        child.stderr.setEncoding('utf8').on('data', (piece: string) => (complaint += piece));
        child.on('error', reject);
        child.on('close', (code) => {
          if (code === 0) resolve(out);
          else reject(new Error(`kubectl ${args.join(' ')}: ${complaint}`));
        });
      }),
    close: () => front.close(),
  };
}
