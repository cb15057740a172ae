import { parse } from 'yaml';
import { loadConnection } from '../../runtime/api/load-connection.ts';
import { createHttpCluster, type HttpCluster } from '../../runtime/api/http-cluster.ts';
import { createHostClock } from '../../runtime/host-clock.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { web } from '../stories/manifests.ts';
import type { Measured } from './runtime-processes.ts';
import type { Watcher } from './runtime-watch.ts';

/** Prints one value; `note`: its limit, or its parts. */
export type Report = (what: string, value: string, note?: string) => void;

export interface Bench {
  /** The built program. */
  kruise: string;
  /** Where files may be written. */
  folder: string;
  report: Report;
}

export interface BenchSetup {
  /** The prefix of each row: the server. */
  title: string;
  cluster: HttpCluster;
  namespace: string;
  runtime: Measured & { metrics(): Promise<string> };
  watcher: Watcher;
  report: Report;
}

/** How many pods are created and updated. */
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

/** The StatefulSet of the same pods: `Parallel`, updated in place. */
export function statefulSet(namespace: string, parts: Parameters<typeof web>[0]): KubeObject {
  const { metadata, spec } = cloneSet(namespace, parts) as KubeObject & { spec: Record<string, unknown> };
  return {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'StatefulSet',
    metadata,
    spec: {
      ...spec,
      serviceName: metadata.name,
      podManagementPolicy: 'Parallel',
      updateStrategy: {
        type: 'RollingUpdate',
        rollingUpdate: {
          podUpdatePolicy: 'InPlaceIfPossible',
          maxUnavailable: parts?.maxUnavailable ?? 1,
        },
      },
      template: gated(spec['template'] as Template),
    },
  };
}

/** The UnitedDeployment of the same pods, in three subsets. */
export function unitedDeployment(namespace: string, parts: Parameters<typeof web>[0]): KubeObject {
  const { metadata, spec } = cloneSet(namespace, parts) as KubeObject & { spec: Record<string, unknown> };
  const { replicas, selector, updateStrategy, template } = spec;
  return {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'UnitedDeployment',
    metadata,
    spec: {
      replicas,
      selector,
      topology: { subsets: ['a', 'b', 'c'].map((name) => ({ name })) },
      template: { cloneSetTemplate: { spec: { selector, updateStrategy, template } } },
    },
  };
}

/** So many pods of each of its subsets stay as they are. */
export const RETAINED = { a: 30, b: 30, c: 40 };

/** The same with partitions of its subsets. */
export function partitioned(namespace: string, parts: Parameters<typeof web>[0]): KubeObject {
  const whole = unitedDeployment(namespace, parts);
  const spec = { ...(whole['spec'] as object), updateStrategy: { manualUpdate: { partitions: RETAINED } } };
  return { ...whole, spec };
}

/** The DaemonSet of the same pods, updated in place: as many as there are nodes. */
export function daemonSet(namespace: string, parts: Parameters<typeof web>[0]): KubeObject {
  const { metadata, spec } = cloneSet(namespace, parts) as KubeObject & { spec: Record<string, unknown> };
  const maxUnavailable = parts?.maxUnavailable ?? 1;
  return {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'DaemonSet',
    metadata,
    spec: {
      selector: spec['selector'],
      template: spec['template'],
      burstReplicas: PODS,
      updateStrategy: {
        type: 'RollingUpdate',
        rollingUpdate: { rollingUpdateType: 'InPlaceIfPossible', maxUnavailable },
      },
    },
  };
}

type Template = { spec: Record<string, unknown> };

/** StatefulSets of OpenKruise are updated in place only with this gate. */
const gated = (template: Template): Template => ({
  ...template,
  spec: { ...template.spec, readinessGates: [{ conditionType: 'InPlaceUpdateReady' }] },
});

export interface Cost {
  ms: number;
  cpuSeconds: number;
  stallMs: number;
  stalls: number;
  peakKiB: number;
  calls: Calls;
  /** Writes to pods by any client, counted by a watch. */
  changes: number;
}

/** Requests of the runtime. */
export interface Calls {
  writes: number;
  podWrites: number;
  conflicts: number;
  events: number;
  /** How often a target was reconciled. */
  reconciles: number;
}

export async function measured(setup: BenchSetup, run: () => Promise<void>): Promise<Cost> {
  const { runtime, watcher } = setup;
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
    reconciles: after.reconciles - before.reconciles,
  };
  return { ms, cpuSeconds, stallMs, stalls, peakKiB, calls, changes: watcher.changes };
}

export function callsIn(metrics: string): Calls {
  const reconciles = Number(/^kruise_pass_duration_seconds_count (\d+)$/m.exec(metrics)?.[1] ?? 0);
  const calls: Calls = { writes: 0, podWrites: 0, conflicts: 0, events: 0, reconciles };
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

export function costs({ title, report }: BenchSetup, cost: Cost, what: string): void {
  const { calls } = cost;
  const share = ((100 * calls.conflicts) / Math.max(calls.writes, 1)).toFixed(2);
  const otherWrites = calls.writes - calls.podWrites - calls.events;
  report(
    `${title}: pod writes a pod, ${what}`,
    (calls.podWrites / PODS).toFixed(2),
    `${(cost.changes / PODS).toFixed(2)} by all; ${calls.events} Events, ${otherWrites} other writes, conflicts ${share} %`,
  );
  report(
    `${title}: CPU of the runtime, ${what}`,
    `${cost.cpuSeconds.toFixed(1)} s`,
    `6 allowed; peak ${mib(cost.peakKiB)} MiB; longest stall ${cost.stallMs.toFixed(0)} ms, ${cost.stalls} over 30`,
  );
}

export const seconds = (ms: number): string => (ms / 1000).toFixed(1);
export const mib = (kib: number): string => String(Math.round(kib / 1024));
