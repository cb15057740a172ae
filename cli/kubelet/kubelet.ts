import { hostname } from 'node:os';
import packageJson from '../../package.json' with { type: 'json' };
import type { Connection } from '../../runtime/api/connection.ts';
import { loadConnection } from '../../runtime/api/load-connection.ts';
import { explainFailure } from '../../runtime/api/explain.ts';
import { createHttpCluster } from '../../runtime/api/http-cluster.ts';
import { createReflector } from '../../runtime/observe/reflector.ts';
import { problemOf } from '../../runtime/problem.ts';
import { createClockScope } from '../../sandbox/clock/scope.ts';
import { createWallClock } from '../../sandbox/clock/wall.ts';
import { behaviorByTag } from '../../sandbox/kubelet/images.ts';
import { createRemoteNodes, SIMULATED_NODE, type RemoteNodes } from '../../sandbox/remote/remoteNodes.ts';
import { idsFrom } from '../../sandbox/store/ids.ts';
import type { Clock } from '../../schemas/wire/clock.ts';
import type { Cluster } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { Refusal } from '../command/refusal.ts';
import type { Host, Machine } from '../host.ts';
import { forTerminal, shorten } from '../../compiler/text/escape.ts';
import { exitCode, type Run } from '../command/command.ts';
import { claimNodes, type NodeClaim } from './claim.ts';
import { readKubeletOptions, type KubeletOptions } from './options.ts';
import { reportRefusal } from '../command/report.ts';

const PAUSE_MS = { first: 1_000, most: 30_000 };
/** The same words are not said again so soon. */
const SILENCE_MS = 10_000;

/** `kruise kubelet`: plays nodes for an API server until a signal comes. */
export const runKubelet: Run = async (host, operands, words) => {
  const options = readKubeletOptions(host, operands, words);
  if (Array.isArray(options)) return refuse(host, ...options);
  const { kubeconfig, context } = options;
  const connection = await loadConnection({
    ...(kubeconfig !== undefined && { kubeconfig }),
    ...(context !== undefined && { context }),
    env: host.env,
    cwd: host.cwd,
  });
  if ('problem' in connection) return refuse(host, connection);
  const machine = host.machine ?? (await import('../machine/node-machine.ts')).nodeMachine();
  return play({ host, machine, options, connection });
};

interface Play {
  host: Host;
  machine: Machine;
  options: KubeletOptions;
  connection: Connection;
}

async function play({ host, machine, options, connection }: Play): Promise<number> {
  // What waits for its time ends with the command.
  const clock = createClockScope(createWallClock());
  const random = (): number => machine.random() / 2 ** 32;
  const userAgent = `kruise/${packageJson.version}`;
  const cluster = createHttpCluster({ connection, clock, random, userAgent });
  let over = false;
  const told = teller(host, clock);
  const tell: Tell = (about, error) => {
    if (!over) told(about, error);
  };
  let hear = (): void => {};
  const signal = new Promise<undefined>((resolve) => (hear = () => resolve(undefined)));
  const unlisten = machine.onSignal(hear);
  let nodes: RemoteNodes | undefined;
  let claim: NodeClaim | undefined;

  /** Rejects with what is in the way of the nodes. */
  async function begin(): Promise<Refusal | 'ready'> {
    const obstacle = await reachable(cluster, { options, connection, clock, tell });
    if (obstacle !== undefined) return obstacle;
    const claimed = await claimNodes({
      cluster,
      clock,
      machine,
      hostname: hostname(),
      node: options.names[0] ?? '',
      onWait: (text) => tell('it waits', new Error(text)),
    });
    if ('problem' in claimed) return claimed;
    claim = claimed;
    nodes = assemble({ cluster, clock, random, machine, options, tell });
    await nodes.start();
    return 'ready';
  }

  try {
    const begun = await Promise.race([
      signal,
      begin().catch((error: unknown) => explainFailure(error, connection)),
    ]);
    if (begun !== undefined && begun !== 'ready') return refuse(host, begun);
    if (begun === 'ready') host.stdout(readyLine(options, connection));
    await signal;
    return exitCode.done;
  } finally {
    await nodes?.stop({ cleanup: options.cleanup }).catch((error: unknown) => tell('the nodes', error));
    await claim?.release();
    over = true;
    cluster.close();
    clock.close();
    unlisten();
  }
}

type Tell = (about: string, error: unknown) => void;

interface Reaching {
  options: KubeletOptions;
  connection: Connection;
  clock: Clock;
  tell: Tell;
}

/** Waits until the server can be asked for its nodes; what is in the way for good is returned. */
async function reachable(
  cluster: Cluster,
  { options, connection, clock, tell }: Reaching,
): Promise<Refusal | undefined> {
  for (let pauseMs = PAUSE_MS.first; ; pauseMs = Math.min(pauseMs * 2, PAUSE_MS.most)) {
    try {
      const { items } = await cluster.list(resources.Node);
      return options.besideMachines ? undefined : machinesIn(items, options.names);
    } catch (error) {
      const explained = explainFailure(error, connection);
      if (problemOf(error, connection).isFinal) return explained;
      tell('it is tried again', new Error(explained.problem));
      await new Promise<void>((resolve) => clock.after(pauseMs, resolve));
    }
  }
}

/** What machines run must not land on nodes where nothing runs. */
function machinesIn(nodes: readonly KubeObject[], names: readonly string[]): Refusal | undefined {
  const others = nodes.filter(
    ({ metadata, ...node }) =>
      metadata.labels?.[SIMULATED_NODE] === undefined && !names.includes(metadata.name) && isReady(node),
  );
  const [first] = others;
  if (first === undefined) return undefined;
  const more = others.length === 1 ? '' : ` and ${others.length - 1} more`;
  return {
    problem: `the server has a node that runs pods already: ${first.metadata.name}${more}`,
    help: 'this command is for an API server without real nodes; --beside-machines starts it anyway',
  };
}

function isReady(node: Record<string, unknown>): boolean {
  const { conditions = [] } = (node['status'] ?? {}) as { conditions?: { type: string; status: string }[] };
  return conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
}

interface Assembly {
  cluster: Cluster;
  clock: Clock;
  random: () => number;
  machine: Machine;
  options: KubeletOptions;
  tell: Tell;
}

function assemble({ cluster, clock, random, machine, options, tell }: Assembly): RemoteNodes {
  const ids = idsFrom(machine.random, machine.random);
  return createRemoteNodes({
    cluster,
    clock,
    random,
    newUid: () => ids.uid(),
    names: options.names,
    timings: { pullMs: options.pullMs, readyMs: options.readyMs },
    images: behaviorByTag,
    schedules: options.schedules,
    events: options.events,
    onError: tell,
    follow(resource, { onChange, onSync }) {
      const onError = (error: unknown): void => tell(resource.plural, error);
      const reflector = createReflector({ cluster, clock, resource, random, onChange, onSync, onError });
      reflector.start();
      return () => reflector.stop();
    },
  });
}

function readyLine({ names }: KubeletOptions, { server }: Connection): string {
  const [first = ''] = names;
  const last = names.at(-1) ?? '';
  const which = names.length === 1 ? `1 node (${first})` : `${names.length} nodes (${first} … ${last})`;
  return `kruise kubelet is ready: ${forTerminal(`${which} at ${new URL(server).host}`)}\n`;
}

/** Tells of what failed, the same thing once in a while. */
function teller(host: Host, clock: Clock): Tell {
  const said = new Map<string, number>();
  return (about, error) => {
    const text = error instanceof Error ? error.message : String(error);
    const now = clock.monotonic();
    if (now - (said.get(text) ?? Number.NEGATIVE_INFINITY) < SILENCE_MS) return;
    if (said.size > 100) said.clear();
    said.set(text, now);
    host.stderr(`kruise kubelet: ${forTerminal(shorten(`${about}: ${text}`, 400))}\n`);
  };
}

function refuse(host: Host, ...refusals: readonly Refusal[]): number {
  for (const refusal of refusals) reportRefusal(host, 'kubelet', refusal);
  return exitCode.error;
}
