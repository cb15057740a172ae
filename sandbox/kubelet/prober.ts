import type { Container, Probe } from '../../schemas/pods/pod.ts';
import type { ProbeKind } from './images.ts';

/** The inputs of the probes of a running container. */
export interface ProberOptions {
  container: Container;
  later(delayMs: number, run: () => void): () => void;
  /** Whether a probe of this kind would succeed now. */
  answers(kind: ProbeKind): boolean;
  /** Whether the startup probe has succeeded already. */
  started: boolean;
  /** The minimum delay of the first probe. */
  firstMs: number;
  /** The time since the container started. */
  elapsedMs: number;
  podIP(): string;
  onStarted(): void;
  onReady(ready: boolean): void;
  /** A liveness or startup probe reached its failure threshold: the container must be restarted. */
  onDead(kind: ProbeKind, probe: Probe): void;
  onFailure(message: string): void;
}

const titles: Readonly<Record<ProbeKind, string>> = {
  startup: 'Startup',
  readiness: 'Readiness',
  liveness: 'Liveness',
};

function failureText(probe: Probe, podIP: string): string {
  if (probe.httpGet !== undefined) return 'HTTP probe failed with statuscode: 503';
  if (probe.tcpSocket !== undefined)
    return `dial tcp ${podIP}:${probe.tcpSocket.port ?? ''}: connect: connection refused`;
  if (probe.grpc !== undefined) return 'service unhealthy (responded with "NOT_SERVING")';
  return 'command exited with status 1';
}

/**
 * Runs the probes of a container: the startup probe alone until it succeeds, then readiness and liveness, with
 * their periods and thresholds. Returns a function that stops them.
 */
export function startProbes(options: ProberOptions): () => void {
  const { container, later, elapsedMs } = options;
  const timers = new Map<ProbeKind, () => void>();
  let over = false;

  function every(
    kind: ProbeKind,
    probe: Probe,
    firstMs: number,
    onVerdict: (healthy: boolean) => void,
  ): void {
    const periodMs = (probe.periodSeconds ?? 10) * 1000;
    let healthy: boolean | undefined;
    let streak = 0;
    function check(): void {
      const answer = options.answers(kind);
      streak = answer === healthy ? streak + 1 : 1;
      healthy = answer;
      timers.set(kind, later(periodMs, check));
      if (!answer) options.onFailure(`${titles[kind]} probe failed: ${failureText(probe, options.podIP())}`);
      const threshold = answer ? (probe.successThreshold ?? 1) : (probe.failureThreshold ?? 3);
      if (streak >= threshold) onVerdict(answer);
    }
    timers.set(kind, later(firstMs, check));
  }

  function firstOf(probe: Probe): number {
    return Math.max(0, Math.max((probe.initialDelaySeconds ?? 0) * 1000, options.firstMs) - elapsedMs);
  }

  function watchHealth(first: (probe: Probe) => number): void {
    const { readinessProbe, livenessProbe } = container;
    if (readinessProbe !== undefined)
      every('readiness', readinessProbe, first(readinessProbe), options.onReady);
    if (livenessProbe !== undefined)
      every('liveness', livenessProbe, first(livenessProbe), (healthy) => {
        if (!healthy) options.onDead('liveness', livenessProbe);
      });
  }

  const { startupProbe } = container;
  if (startupProbe === undefined || options.started) watchHealth(firstOf);
  else
    every('startup', startupProbe, firstOf(startupProbe), (healthy) => {
      if (!healthy) return options.onDead('startup', startupProbe);
      timers.get('startup')?.();
      timers.delete('startup');
      options.onStarted();
      if (!over) watchHealth(() => 0);
    });

  return () => {
    over = true;
    for (const cancel of timers.values()) cancel();
    timers.clear();
  };
}
