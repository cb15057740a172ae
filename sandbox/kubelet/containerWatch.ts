import type { Probe } from '../../schemas/pods/pod.ts';
import {
  after,
  behaviorOf,
  exited,
  recordContainerEvent,
  type ContainerHost,
  type ContainerRun,
} from './containerRun.ts';
import { stopContainer } from './containerStop.ts';
import { answersProbe, type ProbeKind } from './images.ts';
import { startProbes } from './prober.ts';

function setReady(host: ContainerHost, run: ContainerRun, value: boolean): void {
  if (run.record.ready === value) return;
  run.record.ready = value;
  host.changed(run.pod.uid);
}

function failed(
  host: ContainerHost,
  run: ContainerRun,
  kind: ProbeKind,
  { terminationGracePeriodSeconds: grace }: Probe,
  graceMs: number,
): void {
  recordContainerEvent(
    host,
    run,
    'Normal',
    'Killing',
    `Container ${run.name} failed ${kind} probe, will be restarted`,
  );
  stopContainer(host, run, grace === undefined ? graceMs : grace * 1000, () => host.changed(run.pod.uid));
}

function probe(host: ContainerHost, run: ContainerRun, elapsedMs: number, graceMs: number): () => void {
  const { record } = run;
  return startProbes({
    container: run.wanted,
    later: host.later,
    answers: (kind) =>
      answersProbe(behaviorOf(host, run, record.startedImage), kind, host.now() - record.startedAt),
    started: record.started,
    firstMs: host.timings.readyMs,
    elapsedMs,
    podIP: () => run.pod.podIP ?? '',
    onStarted() {
      record.started = true;
      record.ready = run.wanted.readinessProbe === undefined;
      host.changed(run.pod.uid);
    },
    onReady: (ready) => setReady(host, run, ready),
    onDead: (kind, dead) => failed(host, run, kind, dead, graceMs),
    onFailure: (message) => recordContainerEvent(host, run, 'Warning', 'Unhealthy', message),
  });
}

/** Without a probe, the configuration of the image determines when it is ready. */
function becomeReady(host: ContainerHost, run: ContainerRun, elapsedMs: number): void {
  const behavior = behaviorOf(host, run, run.record.startedImage);
  if (run.record.ready || run.wanted.readinessProbe !== undefined || behavior.neverReady === true) return;
  const needs = behavior.readyMs ?? host.timings.readyMs;
  // Immediate results are reported together with the start.
  if (needs === 0) run.record.ready = true;
  else after(host, run, needs - elapsedMs, () => setReady(host, run, true));
}

/** Schedules the events of a running container: readiness, crashes, probes. */
export function watchOver(host: ContainerHost, run: ContainerRun, graceMs: number): void {
  const { record } = run;
  run.unwatched = false;
  const elapsedMs = host.now() - record.startedAt;
  const { readinessProbe, livenessProbe, startupProbe } = run.wanted;
  if (readinessProbe ?? livenessProbe ?? startupProbe)
    run.cancels = [...run.cancels, probe(host, run, elapsedMs, graceMs)];
  if (record.started) becomeReady(host, run, elapsedMs);
  const behavior = behaviorOf(host, run, record.startedImage);
  const { crashAfterMs, times = Number.POSITIVE_INFINITY, exitAfterMs, exitCode = 0 } = behavior;
  if (crashAfterMs !== undefined && run.crashes < times)
    after(host, run, crashAfterMs - elapsedMs, () => {
      run.crashes += 1;
      exited(host, run, 1, 'Error');
      host.changed(run.pod.uid);
    });
  else if (exitAfterMs !== undefined)
    after(host, run, exitAfterMs - elapsedMs, () => {
      exited(host, run, exitCode, exitCode === 0 ? 'Completed' : 'Error');
      host.changed(run.pod.uid);
    });
}
