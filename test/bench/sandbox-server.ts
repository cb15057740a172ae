import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { createVirtualClock, createWallClock, createWorld, type State } from 'kruise-sandbox';
import { serve } from 'kruise-sandbox/http';
import { createRuntime } from '../../runtime/runtime.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { parse } from 'yaml';
import { web } from '../stories/manifests.ts';
import { sidecarCrowd } from './sidecar-crowd.ts';

/**
 * One of the servers that `sandbox.ts` measures, in a process of its own: `bare` reads each body and answers with JSON
 * of the length that the query asks for; `world NODES [events]` is a sandbox, `server` one whose nodes are played elsewhere, and
 * `crowd PODS EACH` one where CloneSets of so many pods each have so many ready pods already, on nodes of its own; with SETS besides, SidecarSets were injected
 * into the pods, and ReplicaSets own them. Says its port, and its peak memory when asked.
 */
const [what, nodes = '0', detail, sets] = process.argv.slice(2);

/** How a cluster ends up whose CloneSets have so many pods in all: made by runtime and kubelets, as fast as they can. */
async function crowd(pods: number, each: number): Promise<State> {
  const clock = createVirtualClock(Date.now() - 3_600_000);
  const namespaces = ['default', 'shop'];
  const world = createWorld({ clock, nodes: Math.ceil(pods / 100), namespaces, logSize: 10 });
  const runtime = createRuntime({ cluster: world.cluster('kruise'), clock, policy: 'Auto' });
  runtime.start();
  const cluster = world.cluster('bench');
  const cloneSets = { ...resources.CloneSet, version: 'v1alpha1' };
  for (let made = 0; made < pods; made += each) {
    const name = `web-${made / each}`;
    const object = parse(web({ name, image: 'nginx:1.25', env: '"info"', replicas: each })) as KubeObject;
    await cluster.create(cloneSets, object);
    const isThere = (): boolean => {
      const { status } = world.server.get('bench', cloneSets, { namespace: 'shop', name }) as {
        status?: Record<string, unknown>;
      };
      return status?.['updatedAvailableReplicas'] === each;
    };
    await clock.runUntil(isThere, { what: name });
  }
  await runtime.stop();
  const state = world.state();
  world.stop();
  return state;
}

function ready(port: number): void {
  process.send?.({ port });
  process.on('message', () => process.send?.({ peakKiB: process.resourceUsage().maxRSS }));
  process.on('disconnect', () => process.exit(0));
}

if (what === 'bare') {
  const texts = new Map<string, string>();
  const server = createServer((message, response) => {
    const chunks: Buffer[] = [];
    message.on('data', (chunk: Buffer) => chunks.push(chunk));
    message.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      if (body !== '') JSON.parse(body);
      const length = message.url?.split('?')[1] ?? '2';
      let text = texts.get(length);
      if (text === undefined) texts.set(length, (text = JSON.stringify('x'.repeat(Number(length) - 2))));
      response.setHeader('Content-Type', 'application/json');
      response.setHeader('Content-Length', Buffer.byteLength(text));
      response.end(text);
    });
  });
  server.listen(0, '127.0.0.1', () => ready((server.address() as AddressInfo).port));
} else {
  // As `kruise sandbox` does.
  setFlagsFromString('--heap-growing-percent=45');
  const clock = createWallClock();
  const common = { logSize: 1_000, podEvents: detail === 'events' };
  const [pods, each] = [Number(nodes), Number(detail)];
  const restored = sets === undefined ? crowd : async () => sidecarCrowd(pods, each, Number(sets));
  const world =
    what === 'crowd'
      ? createWorld({ ...common, clock, seed: 2, restored: await restored(pods, each) })
      : createWorld({ ...common, clock, nodes: Number(nodes), kubeletsByHand: what === 'world' });
  void serve(world, { tokens: new Map([['bench', 'bench']]) }).then(({ port }) => ready(port));
}
