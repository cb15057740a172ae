import { parse } from 'yaml';
import { loadConnection } from '../../runtime/api/load-connection.ts';
import { createHttpCluster, type HttpCluster } from '../../runtime/api/http-cluster.ts';
import { createHostClock } from '../../runtime/host-clock.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { web } from '../stories/manifests.ts';
import type { Measured } from './runtime-processes.ts';
import type { Watcher } from './runtime-watch.ts';

/** One value of a row: `words` say what is allowed of it, or what it is made of. */
export type Report = (what: string, value: string, words?: string) => void;

export interface Bench {
  /** The built program. */
  kruise: string;
  /** Where files may be written. */
  folder: string;
  tell: Report;
}

export interface BenchSetup {
  /** Before each row: which server it is. */
  title: string;
  cluster: HttpCluster;
  namespace: string;
  runtime: Measured & { metrics(): Promise<string> };
  watcher: Watcher;
  tell: Report;
}

/** How many pods are made and updated at once. */
export const PODS = 1_000;

export async function connect(kubeconfig: string): Promise<HttpCluster> {
  const connection = await loadConnection({ kubeconfig, env: {}, cwd: process.cwd() });
  if ('problem' in connection) throw new Error(`${connection.problem}: ${connection.help}`);
  const clock = createHostClock();
  return createHttpCluster({ connection, clock, random: () => 0.5, userAgent: 'kruise-bench' });
}

export function cloneSet(namespace: string, parts: Parameters<typeof web>[0]): KubeObject {
  const object = parse(web(parts)) as KubeObject;
  return { ...object, metadata: { ...object.metadata, namespace } };
}

export interface Cost {
  ms: number;
  cpuSeconds: number;
  stallMs: number;
  stalls: number;
  peakKiB: number;
  calls: Calls;
  /** Writes to pods by anybody, as a watch tells of them. */
  changes: number;
}

/** Requests of the runtime. */
export interface Calls {
  writes: number;
  podWrites: number;
  conflicts: number;
  events: number;
  /** How often a target was reconciled. */
  passes: number;
}

export async function measured(scene: BenchSetup, run: () => Promise<void>): Promise<Cost> {
  const { runtime, watcher } = scene;
  const before = callsIn(await runtime.metrics());
  await runtime.read();
  const begun = performance.now();
  await run();
  const ms = performance.now() - begun;
  const { cpuSeconds, stallMs, stalls, peakKiB } = await runtime.read();
  const after = callsIn(await runtime.metrics());
  const calls: Calls = {
    writes: after.writes - before.writes,
    podWrites: after.podWrites - before.podWrites,
    conflicts: after.conflicts - before.conflicts,
    events: after.events - before.events,
    passes: after.passes - before.passes,
  };
  return { ms, cpuSeconds, stallMs, stalls, peakKiB, calls, changes: watcher.changes };
}

export function callsIn(metrics: string): Calls {
  const passes = Number(/^kruise_pass_duration_seconds_count (\d+)$/m.exec(metrics)?.[1] ?? 0);
  const calls: Calls = { writes: 0, podWrites: 0, conflicts: 0, events: 0, passes };
  for (const [, labels = '', value] of metrics.matchAll(/^kruise_api_requests_total\{(.*)\} (\d+)$/gm)) {
    const label = (name: string): string => new RegExp(`${name}="([^"]*)"`).exec(labels)?.[1] ?? '';
    if (['list', 'watch', 'get'].includes(label('verb'))) continue;
    const count = Number(value);
    calls.writes += count;
    if (label('resource') === 'pods') calls.podWrites += count;
    if (label('resource') === 'events') calls.events += count;
    if (label('code') === '409') calls.conflicts += count;
  }
  return calls;
}

export function costs({ title, tell }: BenchSetup, cost: Cost, what: string): void {
  const { calls } = cost;
  const share = ((100 * calls.conflicts) / Math.max(calls.writes, 1)).toFixed(2);
  const others = calls.writes - calls.podWrites - calls.events;
  tell(
    `${title}: pod writes a pod, ${what}`,
    (calls.podWrites / PODS).toFixed(2),
    `${(cost.changes / PODS).toFixed(2)} by all; ${calls.events} Events, ${others} other writes, conflicts ${share} %`,
  );
  tell(
    `${title}: CPU of the runtime, ${what}`,
    `${cost.cpuSeconds.toFixed(1)} s`,
    `6 allowed; peak ${mib(cost.peakKiB)} MiB; longest stall ${cost.stallMs.toFixed(0)} ms, ${cost.stalls} over 30`,
  );
}

export const seconds = (ms: number): string => (ms / 1000).toFixed(1);
export const mib = (kib: number): string => String(Math.round(kib / 1024));
