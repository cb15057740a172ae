import type { Connection } from '../../../runtime/api/connection.ts';
import { loadConnection } from '../../../runtime/api/load-connection.ts';
import { createHttpCluster, type HttpCluster } from '../../../runtime/api/http-cluster.ts';
import { createWallClock, createWorld } from 'kruise-sandbox';
import { serve } from 'kruise-sandbox/http';
import type { Clock } from '../../../schemas/wire/clock.ts';
import type { Cluster } from '../../../schemas/wire/cluster.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import { randomOf } from '../../random.ts';

/** A server over HTTP without other simulated nodes: the sandbox's, or that of KRUISE_E2E_KUBECONFIG. */
export interface RemoteServer {
  /** `the sandbox`, or the address of another server. */
  name: string;
  isSandbox: boolean;
  clock: Clock;
  /** The client of the simulated nodes. */
  cluster: Cluster;
  /** The client of the test. */
  user: Cluster;
  /** A namespace of its own. */
  namespace: string;
  close(): Promise<void>;
}

export async function remoteServer(): Promise<RemoteServer> {
  const clock = createWallClock();
  const namespace = `outside-${clock.now().toString(36)}`;
  const path = process.env['KRUISE_E2E_KUBECONFIG'];
  if (!path) return sandbox(clock, namespace);
  const connection = await loadConnection({ kubeconfig: path, env: {}, cwd: '/' });
  if ('problem' in connection) throw new Error(connection.problem);
  return opened({ name: connection.server, connection, clock, namespace }, () => Promise.resolve());
}

async function sandbox(clock: Clock, namespace: string): Promise<RemoteServer> {
  const world = createWorld({ clock, nodes: 0, kubeletsByHand: false, bootstrapped: true });
  const front = await serve(world, { tokens: new Map([['secret', 'kubernetes-admin']]) });
  const connection: Connection = {
    server: front.url,
    namespace: undefined,
    user: 'the tester',
    headers: () => Promise.resolve({ authorization: 'Bearer secret' }),
  };
  return opened({ name: 'the sandbox', connection, clock, namespace }, async () => {
    await front.close();
    world.stop();
  });
}

interface Opening {
  name: string;
  connection: Connection;
  clock: Clock;
  namespace: string;
}

async function opened(
  { name, connection, clock, namespace }: Opening,
  end: () => Promise<void>,
): Promise<RemoteServer> {
  const client = (): HttpCluster =>
    createHttpCluster({ connection, clock, random: randomOf(clock.now()), userAgent: 'test' });
  const cluster = client();
  const user = client();
  await user.create(resources.Namespace, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: namespace },
  });
  return {
    name,
    isSandbox: name === 'the sandbox',
    clock,
    cluster,
    user,
    namespace,
    async close() {
      cluster.close();
      user.close();
      await end();
    },
  };
}
