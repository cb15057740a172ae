import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, inject, test } from 'vitest';
import { expectGolden } from '../golden.ts';
import { isFull } from '../lanes.ts';
import { start } from './run.ts';
import { startServer } from './server.ts';
import type { TestServer } from './test-server.ts';

const source = new URL('go-client/', import.meta.url);
const hasGo = spawnSync('go', ['version']).status === 0;
/** Its modules are downloaded where they are not there yet. */
const canBuild =
  isFull && hasGo && spawnSync('go', ['mod', 'download'], { cwd: source, timeout: 120_000 }).status === 0;

describe.skipIf(!isFull)('a controller written with client-go', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kruise-go-'));
  const namespace = `go-client-${process.pid}`;
  let server: TestServer | undefined;

  beforeAll(async () => {
    const why = hasGo ? 'the modules of Go could not be downloaded' : 'there is no Go here';
    const record = (line: object) => appendFileSync(inject('e2eRecords'), `${JSON.stringify(line)}\n`);
    // A first build takes minutes, in which this process answers and hears nothing: no connection is open meanwhile.
    if (canBuild) execFileSync('go', ['build', '-o', join(folder, 'client'), '.'], { cwd: source });
    server = await startServer({ nodes: 0, workloads: false });
    record({
      name: 'go-client',
      server: `${server.name} (Kubernetes ${server.version})`,
      kubectls: [],
      ran: canBuild ? 1 : 0,
      notRun: canBuild ? [] : [`a controller written with client-go: ${why}`],
    });
  }, 300_000);

  afterAll(async () => {
    await server?.rest('DELETE', `/api/v1/namespaces/${namespace}`).catch(() => undefined);
    await server?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test.skipIf(!canBuild)('its protobuf is read, for every built-in kind', { timeout: 120_000 }, async () => {
    if (server === undefined) throw new Error('there is no server');
    const kubeconfig = join(folder, 'kubeconfig');
    writeFileSync(kubeconfig, server.kubeconfig);
    const metadata = { name: namespace };
    await server.rest('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata });
    const env = { HOME: folder, KUBECONFIG: kubeconfig };
    const client = async (...args: string[]): Promise<string> => {
      const { code, out, err } = await start({ path: join(folder, 'client'), args, env, cwd: folder }).done;
      return `${out}${code === 0 ? '' : err}`;
    };
    const uid = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g;
    const text = (await client(namespace)).replaceAll(namespace, 'NAMESPACE').replaceAll(uid, 'UID');
    expectGolden('../sandbox/test/golden/go-client.txt', text);
    // What it sends is played without Go, too.
    expectGolden('../sandbox/test/golden/go-client-bodies.txt', await client('shop', 'bodies'));
  });
});
