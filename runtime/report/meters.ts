import type { Clock } from '../../schemas/wire/clock.ts';
import type { ApiCall } from '../api/calls.ts';
import type { TargetKey } from '../observe/target-key.ts';
import type { Runtime, RuntimeOptions } from '../runtime.ts';
import type { SnapshotReport } from './snapshot.ts';
import { type MetricName, metrics } from './metrics.ts';
import { createRegistry } from './registry.ts';

/** Readings of the process itself. */
export interface HostReadings {
  cpuSeconds: number;
  residentBytes: number;
  startedAtSeconds: number;
  /** The maximum since the last reading. */
  loopLagSeconds: number;
}

/** Collects the values of the metrics. */
export interface Meters {
  /** The callbacks of a runtime, created for each one. */
  hooks(): Required<Pick<RuntimeOptions, 'onExecuted' | 'onRefused' | 'onSnapshot' | 'onNotice' | 'queue'>>;
  onCall(call: ApiCall): void;
  reconcileFailed(): void;
  /** A term of leadership began or ended: values observed in the term before are dropped. */
  leads(is: boolean): void;
  /** The body of /metrics; `runtime` is the running one. */
  render(runtime: Runtime | undefined): string;
}

/** The phases in which a step is in progress; in every other one it has ended. */
const IN_PROGRESS: ReadonlySet<string> = new Set(['Running', 'AwaitingApproval', 'Soaking', 'Checking']);

export function createMeters(options: {
  clock: Clock;
  version: string;
  /** Default: metrics of the process are omitted. */
  host?: (() => HostReadings) | undefined;
}): Meters {
  const { clock } = options;
  const registry = createRegistry<MetricName>(metrics);
  const snapshots = new Map<TargetKey, SnapshotReport>();
  const steps = new Map<TargetKey, { id: string; verb: string; since: number | undefined }>();
  /** Targets observed before: a step that is new in them began just now. */
  const observed = new Set<TargetKey>();
  let leading = false;

  function follow({ key, plan }: SnapshotReport): void {
    const known = steps.get(key);
    const ongoing = plan?.verb !== undefined && IN_PROGRESS.has(plan.phase) ? plan : undefined;
    const id = ongoing && `${ongoing.digest}/${ongoing.step}`;
    if (known?.id !== id) {
      if (known?.since !== undefined)
        registry.observe(
          'kruise_step_duration_seconds',
          [key.group, key.kind, known.verb],
          (clock.monotonic() - known.since) / 1000,
        );
      if (id === undefined) steps.delete(key);
      else
        steps.set(key, {
          id,
          verb: ongoing?.verb ?? '',
          since: observed.has(key) ? clock.monotonic() : undefined,
        });
    }
    observed.add(key);
  }

  function forget(): void {
    for (const values of [snapshots, steps, observed]) values.clear();
  }

  /** Keeps the longest time of each series, by its labels. */
  function noteLongest(
    longest: Map<string, { labels: string[]; seconds: number }>,
    labels: string[],
    since: number,
  ): void {
    const seconds = Math.max(clock.now() - since, 0) / 1000;
    const series = JSON.stringify(labels);
    longest.set(series, { labels, seconds: Math.max(seconds, longest.get(series)?.seconds ?? 0) });
  }

  function countTargets(): void {
    for (const name of [
      'kruise_plans',
      'kruise_held_targets',
      'kruise_held_seconds',
      'kruise_missed_pods',
      'kruise_gated_seconds',
    ] as const)
      registry.clear(name);
    /** The longest hold of each series, by its labels. */
    const longest = new Map<string, { labels: string[]; seconds: number }>();
    const gated = new Map<string, { labels: string[]; seconds: number }>();
    for (const { key, plan, held, missed, gatedSince } of snapshots.values()) {
      if (gatedSince !== undefined) noteLongest(gated, [key.group, key.kind], gatedSince);
      if (missed !== undefined) registry.add('kruise_missed_pods', [key.group, key.kind], missed);
      if (plan !== undefined) registry.add('kruise_plans', [key.group, key.kind, plan.phase]);
      if (held === undefined) continue;
      const labels = [key.group, key.kind, held.reason];
      registry.add('kruise_held_targets', labels);
      noteLongest(longest, labels, held.since);
    }
    for (const { labels, seconds } of gated.values()) registry.set('kruise_gated_seconds', labels, seconds);
    for (const { labels, seconds } of longest.values()) registry.set('kruise_held_seconds', labels, seconds);
  }

  function countCaches(runtime: Runtime | undefined): void {
    for (const name of ['kruise_cache_objects', 'kruise_cache_bytes', 'kruise_cache_synced'] as const)
      registry.clear(name);
    for (const { resource, objects, bytes, synced } of runtime?.cacheSizes() ?? []) {
      registry.set('kruise_cache_objects', [resource], objects);
      registry.set('kruise_cache_bytes', [resource], bytes);
      registry.set('kruise_cache_synced', [resource], synced ? 1 : 0);
    }
  }

  function countProcess(): void {
    const host = options.host?.();
    if (host === undefined) return;
    registry.set('process_cpu_seconds_total', [], host.cpuSeconds);
    registry.set('process_resident_memory_bytes', [], host.residentBytes);
    registry.set('process_start_time_seconds', [], host.startedAtSeconds);
    registry.set('nodejs_eventloop_lag_max_seconds', [], host.loopLagSeconds);
  }

  return {
    hooks: () => ({
      onExecuted: ({ verb, kind }) => registry.add('kruise_actions_total', [verb, kind]),
      onRefused: (_action, reason) => registry.add('kruise_refusals_total', [reason]),
      onSnapshot(report) {
        follow(report);
        const { plan, held, gatedSince } = report;
        if (plan === undefined && held === undefined && gatedSince === undefined)
          snapshots.delete(report.key);
        else snapshots.set(report.key, report);
        // Names of deleted targets are dropped: their number is unbounded.
        if (report.gone === true) observed.delete(report.key);
      },
      onNotice: (_key, event, outcome) => registry.add('kruise_webhook_attempts_total', [event, outcome]),
      queue: {
        onStart: (waitedMs) => registry.observe('kruise_queue_latency_seconds', [], waitedMs / 1000),
        onEnd: (tookMs) => registry.observe('kruise_pass_duration_seconds', [], tookMs / 1000),
        onBusy: (busyMs) => registry.observe('kruise_pass_busy_seconds', [], busyMs / 1000),
      },
    }),
    onCall({ verb, resource, code, ms, retried }) {
      registry.add('kruise_api_requests_total', [verb, resource, String(code)]);
      registry.observe('kruise_api_request_duration_seconds', [verb, resource], ms / 1000);
      if (retried > 0) registry.add('kruise_api_retries_total', [verb, resource], retried);
    },
    reconcileFailed: () => registry.add('kruise_pass_errors_total'),
    leads(is) {
      if (is !== leading) registry.add('kruise_leader_changes_total', [is ? 'leader' : 'standby']);
      leading = is;
      forget();
    },
    render(runtime) {
      registry.set('kruise_build_info', [options.version], 1);
      registry.set('kruise_leader', [], leading ? 1 : 0);
      registry.set('kruise_queue_depth', [], runtime?.queued ?? 0);
      registry.set('kruise_webhook_waiting', [], runtime?.notices ?? 0);
      countTargets();
      countCaches(runtime);
      countProcess();
      return registry.render();
    },
  };
}
