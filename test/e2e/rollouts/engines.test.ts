import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, inject, test } from 'vitest';
import { createHttpCluster, type HttpCluster } from '../../../runtime/api/http-cluster.ts';
import { loadConnection } from '../../../runtime/api/load-connection.ts';
import { createHostClock } from '../../../runtime/host-clock.ts';
import { isKubectlShipped } from '../../../examples/demo/kubectl-binary.ts';
import { STYLES } from '../../deploy/engines/engine.ts';
import { plays } from '../../deploy/engines/plays.ts';
import { createScene } from '../../deploy/engines/scene.ts';
import type { Stage } from '../../deploy/engines/stage.ts';
import { isFull, sampled } from '../../lanes.ts';
import { findBinaries } from '../binaries.ts';
import { ENGINE, startWorld, type World } from './world.ts';

const patience = 240_000;
const kubectl = findBinaries().at(-1);
const isElsewhere = process.env['KRUISE_E2E_KUBECONFIG'] !== undefined;

const all = plays.flatMap(({ title, play }) =>
  STYLES.map((style) => ({ title: `${title}, applied by ${style}`, style, play })),
);
/** Each play is played in process in each style; here in one, and all of them on another server. */
const cases = isElsewhere ? all : sampled('engines end to end', all, 3, plays.length);

let world: World | undefined;
let user: HttpCluster | undefined;
let engine: HttpCluster | undefined;
const played = { ran: 0, differing: [] as string[], notRun: [] as string[] };

/** A client of the administrator, or of somebody whom the administrator impersonates. */
async function clientOf({ folder, server }: World, impersonated?: string): Promise<HttpCluster> {
  const path = join(folder, 'engines.kubeconfig');
  writeFileSync(path, server.kubeconfig, { mode: 0o600 });
  const connection = await loadConnection({ kubeconfig: path, env: {}, cwd: folder });
  if (!('server' in connection)) throw new Error('the kubeconfig connects to nothing');
  return createHttpCluster({
    connection:
      impersonated === undefined
        ? connection
        : {
            ...connection,
            headers: async (refresh) => ({
              ...(await connection.headers(refresh)),
              'impersonate-user': impersonated,
            }),
          },
    clock: createHostClock(),
    random: Math.random,
    userAgent: 'engines',
  });
}

describe.skipIf(kubectl === undefined && !isKubectlShipped).concurrent('the plays of engines', () => {
  beforeAll(async () => {
    if (kubectl === undefined) throw new Error('there is no kubectl');
    world = await startWorld(kubectl);
    [user, engine] = await Promise.all([clientOf(world), clientOf(world, ENGINE)]);
    await world.startRuntime({ args: ['--policy', 'Required'] });
  }, patience);

  afterAll(async () => {
    const record = { ...played, world: world?.name ?? 'no server', version: world?.server.version ?? '' };
    appendFileSync(inject('e2eRecords'), `${JSON.stringify({ rollouts: record })}\n`);
    user?.close();
    engine?.close();
    await world?.close();
  }, patience);

  for (const [number, { title, style, play }] of cases.entries())
    test(title, { timeout: patience }, async () => {
      if (world === undefined || user === undefined || engine === undefined) throw new Error('no server');
      const namespace = `e2e-engines-${number}-${process.pid}`;
      const metadata = { name: namespace };
      await world.server.rest('POST', '/api/v1/namespaces', {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata,
      });
      played.ran += 1;
      try {
        await play(createScene(stageIn(world, namespace, user, engine), style));
      } catch (error) {
        played.differing.push(title);
        throw error;
      } finally {
        await world.server.rest('DELETE', `/api/v1/namespaces/${namespace}`).catch(() => undefined);
      }
    });
});

/** A namespace of the server, whose clock is this machine's; limits leave room for a busy one. */
function stageIn(here: World, namespace: string, person: HttpCluster, by: HttpCluster): Stage {
  return {
    namespace,
    engine: by,
    user: person,
    userName: here.user,
    now: Date.now,
    pass: (ms) => new Promise((resolve) => void setTimeout(resolve, ms)),
    reachMs: isFull ? 120_000 : 60_000,
    restMs: 3_000,
    // A clock of a step is written each half minute.
    gateMs: isFull ? 45_000 : 3_000,
    collectsGarbage: here.hasControllers,
    close: () => Promise.resolve(),
  };
}
