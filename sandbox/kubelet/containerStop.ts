import {
  after,
  behaviorOf,
  cancelTimers,
  exited,
  isRunning,
  recordContainerEvent,
  type ContainerHost,
  type ContainerRun,
} from './containerRun.ts';
import type { ImageBehavior } from './images.ts';

/** The exit codes of a program that a signal ends: SIGKILL, SIGTERM. */
const KILLED = 137;
const TERMINATED = 143;

/** The duration of a hook: its sleep, or the time configured for the image (`otherMs`). */
export function hookTime(hook: { sleep?: { seconds?: number } } | undefined, otherMs = 0): number {
  return hook === undefined ? 0 : (hook.sleep?.seconds ?? 0) * 1000 || otherMs;
}

/** Whether a hook fails: one that only sleeps never does. */
export function doesHookFail(hook: { sleep?: { seconds?: number } } | undefined, fails = false): boolean {
  return fails && hook !== undefined && hook.sleep === undefined;
}

/**
 * Sends the stop signal if it runs, and calls `done` after the exit. Repeated calls can only shorten the grace
 * period.
 */
export function stopContainer(
  host: ContainerHost,
  run: ContainerRun,
  graceMs: number,
  done: () => void,
): void {
  if (!isRunning(run)) {
    cancelTimers(run);
    return done();
  }
  const behavior = behaviorOf(host, run, run.record.startedImage);
  const { preStop } = run.wanted.lifecycle ?? {};
  const hookMs = hookTime(preStop, behavior.preStopMs);
  const needs = hookMs + (behavior.stopMs ?? host.timings.stopMs);
  if (run.work === 'stop') {
    run.stopDone = [...(run.stopDone ?? []), done];
    if (host.now() + Math.min(needs, graceMs) >= run.stopsAt) return;
  } else run.stopDone = [done];
  // While stopping, it neither becomes ready nor exits for another reason.
  cancelTimers(run);
  run.work = 'stop';
  run.stopsAt = host.now() + Math.min(needs, graceMs);
  if (doesHookFail(preStop, behavior.preStopFails))
    after(host, run, Math.min(hookMs, graceMs), () =>
      recordContainerEvent(host, run, 'Warning', 'FailedPreStopHook', 'PreStopHook failed'),
    );
  after(host, run, Math.min(needs, graceMs), () => {
    if (needs > graceMs) exited(host, run, KILLED, 'Error');
    else ended(host, run, behavior);
    const waiting = run.stopDone ?? [];
    run.stopDone = undefined;
    for (const each of waiting) each();
  });
}

/** A program that was to end by itself has not done its work; others stop as servers do. */
function ended(host: ContainerHost, run: ContainerRun, { exitAfterMs }: ImageBehavior): void {
  if (exitAfterMs === undefined) exited(host, run, 0, 'Completed');
  else exited(host, run, TERMINATED, 'Error');
}

/** Its program is asked to end by another process: for the kubelet it exits by itself. */
export function terminate(host: ContainerHost, run: ContainerRun): void {
  if (!isRunning(run) || run.work === 'stop') return;
  const behavior = behaviorOf(host, run, run.record.startedImage);
  after(host, run, behavior.stopMs ?? host.timings.stopMs, () => {
    if (!isRunning(run) || run.work === 'stop') return;
    ended(host, run, behavior);
    host.changed(run.pod.uid);
  });
}

/** Stops and restarts it. */
export function restartContainer(host: ContainerHost, run: ContainerRun, graceMs: number, why: string): void {
  if (!isRunning(run) || run.work === 'stop') return;
  replaceContainer(host, run, graceMs, why);
}

/** Stops it to replace it with a container of the changed spec. */
export function replaceContainer(host: ContainerHost, run: ContainerRun, graceMs: number, why: string): void {
  run.replaced = true;
  recordContainerEvent(host, run, 'Normal', 'Killing', why);
  stopContainer(host, run, graceMs, () => host.changed(run.pod.uid));
}
