import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Connection } from '../../runtime/api/connection.ts';
import { bundleKruise } from '../cli/world/bundle.ts';

/** The shipped command line, in processes of its own. */
export interface Program {
  /** The working directory of the processes, with `kubeconfig` in it; `close` deletes it. */
  folder: string;
  start(...words: string[]): Started;
  close(): void;
}

/** One process. `ms`: from the signal, or from the start, to its end. */
export interface Started {
  /** Ends it with SIGTERM. */
  stop(): void;
  /** Closes the other end of its standard output. */
  closeOutput(): void;
  out: () => string;
  error: () => string;
  ended: Promise<{ code: number | null; ms: number }>;
}

/** @param namespace the one of the kubeconfig's context */
export async function createProgram(connection: Connection, namespace: string): Promise<Program> {
  const folder = mkdtempSync(join(tmpdir(), 'kruise-program-'));
  const main = await bundleKruise(join(folder, 'program'));
  const token = (await connection.headers())['authorization']?.toString().replace('Bearer ', '') ?? '';
  // Over plain HTTP no token is sent but this one, as with kubectl.
  const server = connection.server.replace('//', `//kruise:${token}@`);
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server } }],
    users: [{ name: 'u', user: {} }],
    contexts: [{ name: 'here', context: { cluster: 'c', user: 'u', namespace } }],
    'current-context': 'here',
  };
  writeFileSync(join(folder, 'kubeconfig'), JSON.stringify(config));
  const children = new Set<{ kill(signal: 'SIGKILL'): void }>();

  function start(...words: string[]): Started {
    const env = { PATH: process.env['PATH'] ?? '', HOME: folder };
    const child = spawn(process.execPath, [main, ...words], { cwd: folder, env });
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
      closeOutput() {
        began = Date.now();
        child.stdout.destroy();
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

  return {
    folder,
    start,
    close() {
      for (const child of children) child.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
