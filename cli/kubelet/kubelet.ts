import { hostname } from 'node:os';
import packageJson from '../../package.json' with { type: 'json' };
import type { Connection } from '../../runtime/api/connection.ts';
import { loadConnection } from '../../runtime/api/load-connection.ts';
import { explainFailure } from '../../runtime/api/explain.ts';
import { createHttpCluster } from '../../runtime/api/http-cluster.ts';
import { createReflector } from '../../runtime/observe/reflector.ts';
import { problemOf } from '../../runtime/problem.ts';
import { behaviorByTag, createClockScope, createWallClock, idsFrom } from 'kruise-sandbox';
import { createRemoteNodes, type RemoteNodes, SIMULATED_NODE } from 'kruise-sandbox/remote';
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
/** The same message is not repeated within this time. */
const SILENCE_MS = 10_000;

/** `kruise kubelet`: simulates nodes for an API server until a signal arrives. */
export const runKubelet: Run = async (host, operands, values) => {
  const options = readKubeletOptions(host, operands, values);
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
  return simulate({ host, machine, options, connection });
};

interface Simulate {
  host: Host;
  machine: Machine;
  options: KubeletOptions;
  connection: Connection;
}

async function simulate({ host, machine, options, connection }: Simulate): Promise<number> {
  // Cancels the timers when the command ends.
  const clock = createClockScope(createWallClock());
  const random = (): number => machine.random() / 2 ** 32;
  const userAgent = `kruise/${packageJson.version}`;
  const cluster = createHttpCluster({ connection, clock, random, userAgent });
  let stopped = false;
  const print = createErrorPrinter(host, clock);
  const report: ReportError = (about, error) => {
    if (!stopped) print(about, error);
  };
  let receive = (): void => {};
  const signal = new Promise<undefined>((resolve) => (receive = () => resolve(undefined)));
  const removeListener = machine.onSignal(receive);
  let nodes: RemoteNodes | undefined;
  let claim: NodeClaim | undefined;

  /** Starts the nodes. Rejects with the error that prevents it. */
  async function start(): Promise<Refusal | 'ready'> {
    const problem = await reachable(cluster, { options, connection, clock, report });
    if (problem !== undefined) return problem;
    const claimed = await claimNodes({
      cluster,
      clock,
      machine,
      hostname: hostname(),
      node: options.names[0] ?? '',
      onWait: (text) => report('waiting', new Error(text)),
    });
    if ('problem' in claimed) return claimed;
    claim = claimed;
    nodes = assemble({ cluster, clock, random, machine, options, report });
    await nodes.start();
    return 'ready';
  }

  try {
    const outcome = await Promise.race([
      signal,
      start().catch((error: unknown) => explainFailure(error, connection)),
    ]);
    if (outcome !== undefined && outcome !== 'ready') return refuse(host, outcome);
    if (outcome === 'ready') host.stdout(readyLine(options, connection));
    await signal;
    return exitCode.done;
  } finally {
    await nodes?.stop({ cleanup: options.cleanup }).catch((error: unknown) => report('the nodes', error));
    await claim?.release();
    stopped = true;
    cluster.close();
    clock.close();
    removeListener();
  }
}

type ReportError = (about: string, error: unknown) => void;

interface ReachableInput {
  options: KubeletOptions;
  connection: Connection;
  clock: Clock;
  report: ReportError;
}

/** Waits until the server lists its nodes. Returns a refusal that a retry does not fix, or one because of real nodes. */
async function reachable(
  cluster: Cluster,
  { options, connection, clock, report }: ReachableInput,
): Promise<Refusal | undefined> {
  for (let pauseMs = PAUSE_MS.first; ; pauseMs = Math.min(pauseMs * 2, PAUSE_MS.most)) {
    try {
      const { items } = await cluster.list(resources.Node);
      return options.allowRealNodes ? undefined : realNodesIn(items, options.names);
    } catch (error) {
      const explained = explainFailure(error, connection);
      if (problemOf(error, connection).isFinal) return explained;
      report('retrying', new Error(explained.problem));
      await new Promise<void>((resolve) => clock.after(pauseMs, resolve));
    }
  }
}

/** Refuses to run next to real nodes: the scheduler would put real pods on simulated nodes. */
function realNodesIn(nodes: readonly KubeObject[], names: readonly string[]): Refusal | undefined {
  const realNodes = nodes.filter(
    ({ metadata, ...node }) =>
      metadata.labels?.[SIMULATED_NODE] === undefined && !names.includes(metadata.name) && isReady(node),
  );
  const [first] = realNodes;
  if (first === undefined) return undefined;
  const more = realNodes.length === 1 ? '' : ` and ${realNodes.length - 1} more`;
  return {
    problem: `the server already has a node that runs pods: ${first.metadata.name}${more}`,
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
  report: ReportError;
}

function assemble({ cluster, clock, random, machine, options, report }: Assembly): RemoteNodes {
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
    onError: report,
    follow(resource, { onChange, onSync }) {
      const onError = (error: unknown): void => report(resource.plural, error);
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

/** Prints errors; repeats the same message only after a while. */
function createErrorPrinter(host: Host, clock: Clock): ReportError {
  const printedAt = new Map<string, number>();
  return (about, error) => {
    const text = error instanceof Error ? error.message : String(error);
    const now = clock.monotonic();
    if (now - (printedAt.get(text) ?? Number.NEGATIVE_INFINITY) < SILENCE_MS) return;
    if (printedAt.size > 100) printedAt.clear();
    printedAt.set(text, now);
    host.stderr(`kruise kubelet: ${forTerminal(shorten(`${about}: ${text}`, 400))}\n`);
  };
}

function refuse(host: Host, ...refusals: readonly Refusal[]): number {
  for (const refusal of refusals) reportRefusal(host, 'kubelet', refusal);
  return exitCode.error;
}
