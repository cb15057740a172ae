import packageJson from '../../package.json' with { type: 'json' };
import type { Connection } from '../../runtime/api/connection.ts';
import { loadConnection } from '../../runtime/api/load-connection.ts';
import { explainFailure } from '../../runtime/api/explain.ts';
import { createHttpCluster } from '../../runtime/api/http-cluster.ts';
import { createHostClock } from '../../runtime/host-clock.ts';
import type { Clock } from '../../schemas/wire/clock.ts';
import type { Cluster } from '../../schemas/wire/cluster.ts';
import { parseDuration } from '../../semantics/values/duration.ts';
import type { Refusal } from '../command/refusal.ts';
import type { Host } from '../host.ts';
import { forTerminal } from '../../compiler/text/escape.ts';
import { fromCwd } from '../../compiler/load/files.ts';
import type { Options } from '../command/command.ts';

/** A connected cluster, as commands use it. */
export interface ClusterAccess {
  cluster: Cluster;
  clock: Clock;
  /** The time by the clock of the server, milliseconds since 1970: objects have timestamps of that clock. */
  now(): number;
  /** The namespace of targets without one. */
  namespace: string;
  /** Explains a failed call to the user. */
  explain(error: unknown): Refusal;
  close(): void;
}

const AT_HAND: Connection = {
  server: 'http://localhost',
  namespace: undefined,
  user: 'this program',
  headers: () => Promise.resolve({}),
};

const SECOND_MS = 1_000;
/** Clocks that differ by no more count as equal. */
const SAME_MS = 2 * SECOND_MS;

/**
 * Connects to the cluster that the options and the environment select, or returns why that is not possible. Makes no
 * request yet.
 */
export async function connectCluster(host: Host, options: Options): Promise<ClusterAccess | Refusal> {
  const clock = host.clock ?? createHostClock();
  if (host.cluster !== undefined) {
    const explain = (error: unknown): Refusal => explainFailure(error, AT_HAND);
    return {
      cluster: host.cluster,
      clock,
      now: () => clock.now(),
      namespace: 'default',
      explain,
      close() {},
    };
  }
  const kubeconfig = textOf(options, 'kubeconfig');
  const context = textOf(options, 'context');
  const connection = await loadConnection({
    ...(kubeconfig !== undefined && { kubeconfig: fromCwd(host, kubeconfig) }),
    ...(context !== undefined && { context }),
    env: host.env,
    cwd: host.cwd,
  });
  if ('problem' in connection) return connection;
  const machine = host.machine ?? (await import('../machine/node-machine.ts')).nodeMachine();
  let isReported = false;
  let aheadMs = 0;
  const cluster = createHttpCluster({
    connection,
    clock,
    random: () => machine.random() / 2 ** 32,
    userAgent: `kruise/${packageJson.version}`,
    // A user waits, so an overloaded server gets less time than from a controller.
    limits: { callMs: 15_000, listMs: 30_000, patienceMs: 15_000 },
    onSlow() {
      if (!isReported)
        host.stderr(`${forTerminal(new URL(connection.server).host)} has not answered yet; still waiting\n`);
      isReported = true;
    },
    onDate(date) {
      const apart = date - clock.now();
      // The Date header is rounded to seconds, and the response takes time.
      aheadMs = Math.abs(apart) <= SAME_MS ? 0 : apart + SECOND_MS / 2;
    },
  });
  return {
    cluster,
    clock,
    now: () => clock.now() + aheadMs,
    namespace: connection.namespace ?? 'default',
    explain: (error) => explainFailure(error, connection),
    close: () => cluster.close(),
  };
}

/** The text of an option; undefined if it was not given. */
export function textOf(options: Options, name: string): string | undefined {
  const value = options[name];
  return typeof value === 'string' ? value : undefined;
}

/** Milliseconds of a duration option such as `--timeout 30s`; undefined if it was not given. */
export function durationOf(options: Options, name: string): number | Refusal | undefined {
  const text = textOf(options, name);
  if (text === undefined) return undefined;
  const ms = parseDuration(text);
  const help = 'write hours, minutes and seconds, such as 90s or 1h30m';
  return ms === undefined || ms === 0 ? { problem: `--${name} cannot be '${text}'`, help } : ms;
}

/** Resolves after so many milliseconds of the clock. */
export function pause(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => void clock.after(ms, resolve));
}

/** Runs a function now, and again `everyMs` after each time that it has finished or failed. Returns a function that stops it. */
export function repeat(clock: Clock, everyMs: number, run: () => Promise<void>): () => void {
  let stopped = false;
  let cancel = (): void => {};
  async function once(): Promise<void> {
    await run().catch(() => {});
    if (!stopped) cancel = clock.after(everyMs, () => void once());
  }
  void once();
  return () => {
    stopped = true;
    cancel();
  };
}
