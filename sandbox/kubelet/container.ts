import type { ContainerStatus, Probe } from '../kinds/pod.ts';
import { createContainerRecord, recordExit, recordStart, recordWait, statusOf } from './containerRecord.ts';
import type { ContainerHost, ContainerPlace, ContainerRun } from './containerRun.ts';
import { answersProbe, type ProbeKind } from './images.ts';
import { backoffIn, crashLoopText, firstBackoffMs, forgivenAfterMs, longestBackoffMs } from './backoff.ts';
import { startProbes } from './prober.ts';

const backoffShownAfterMs = 1000;

type Work = 'pull' | 'start' | 'stop' | 'backoff';

/** How long a hook takes: as long as it sleeps, or what its image says (`otherMs`). */
function hookTime(hook: { sleep?: { seconds?: number } } | undefined, otherMs = 0): number {
  return hook === undefined ? 0 : (hook.sleep?.seconds ?? 0) * 1000 || otherMs;
}

/**
 * A container that has not run, or, given the status that another kubelet left (`known`), one that goes on from there:
 * the same container, if it ran.
 */
export function createContainerRun(
  place: ContainerPlace,
  host: ContainerHost,
  known?: ContainerStatus,
): ContainerRun {
  const { podTitle, changed, say } = place;
  const { name } = place.container;
  let wanted = place.container;
  const record = createContainerRecord(known);
  // Nobody wrote down why a container was restarted: crashes are assumed.
  let crashes = known?.restartCount ?? 0;
  let backoffMs = 0;
  let pullBackoffMs = firstBackoffMs;
  let replaced = false;
  let work: Work | undefined;
  let stopsAt = 0;
  let stopDone: (() => void)[] = [];
  let cancels: (() => void)[] = [];
  /** A container taken over has to be watched again, once it is known what is wanted of it. */
  let unwatched = record.state.running !== undefined;

  function cancelTimers(): void {
    for (const cancel of cancels) cancel();
    cancels = [];
    work = undefined;
  }

  function after(delayMs: number, run: () => void): void {
    const cancel = host.later(Math.max(0, delayMs), () => {
      cancels = cancels.filter((each) => each !== cancel);
      run();
    });
    cancels.push(cancel);
  }

  function exited(exitCode: number, reason: string): void {
    cancelTimers();
    recordExit(record, exitCode, reason, host.now());
  }

  function setReady(value: boolean): void {
    if (record.ready === value) return;
    record.ready = value;
    changed();
  }

  function probed(kind: ProbeKind, probe: Probe, graceMs: number): void {
    say('Normal', 'Killing', `Container ${name} failed ${kind} probe, will be restarted`);
    const grace = probe.terminationGracePeriodSeconds;
    stop(grace === undefined ? graceMs : grace * 1000, changed);
  }

  /** Everything that will happen to a running container by itself. */
  function watchOver(graceMs: number): void {
    unwatched = false;
    const elapsedMs = host.now() - record.startedAt;
    const behaviour = host.images.of(record.startedImage);
    const { readinessProbe, livenessProbe, startupProbe } = wanted;
    if (readinessProbe ?? livenessProbe ?? startupProbe)
      cancels.push(
        startProbes({
          container: wanted,
          later: host.later,
          answers: (kind) =>
            answersProbe(host.images.of(record.startedImage), kind, host.now() - record.startedAt),
          started: record.started,
          firstMs: host.timings.readyMs,
          elapsedMs,
          podIP: place.podIP,
          onStarted() {
            record.started = true;
            record.ready = wanted.readinessProbe === undefined;
            changed();
          },
          onReady: setReady,
          onDead: (kind, probe) => probed(kind, probe, graceMs),
          onFailure: (message) => say('Warning', 'Unhealthy', message),
        }),
      );
    if (record.started) becomeReady(elapsedMs);
    const { crashAfterMs, times = Number.POSITIVE_INFINITY, exitAfterMs, exitCode = 0 } = behaviour;
    if (crashAfterMs !== undefined && crashes < times)
      after(crashAfterMs - elapsedMs, () => {
        crashes += 1;
        exited(1, 'Error');
        changed();
      });
    else if (exitAfterMs !== undefined)
      after(exitAfterMs - elapsedMs, () => {
        exited(exitCode, exitCode === 0 ? 'Completed' : 'Error');
        changed();
      });
  }

  /** Without a probe the image says when it is ready. */
  function becomeReady(elapsedMs: number): void {
    const behaviour = host.images.of(record.startedImage);
    if (record.ready || wanted.readinessProbe !== undefined || behaviour.neverReady === true) return;
    const needs = behaviour.readyMs ?? host.timings.readyMs;
    after(needs - elapsedMs, () => setReady(true));
  }

  function running(graceMs: number): void {
    cancelTimers();
    recordStart(record, {
      now: host.now(),
      containerID: host.newContainerId(),
      imageID: host.images.idOf(record.image),
      started: wanted.startupProbe === undefined,
    });
    replaced = false;
    say('Normal', 'Created', 'Container created');
    say('Normal', 'Started', 'Container started');
    watchOver(graceMs);
    changed();
  }

  function pullFailed(error: string): void {
    cancelTimers();
    recordWait(record, 'ErrImagePull', error);
    say('Warning', 'Failed', `Failed to pull image "${record.image}": ${error}`);
    say('Warning', 'Failed', 'Error: ErrImagePull');
    work = 'backoff';
    const delay = pullBackoffMs;
    pullBackoffMs = Math.min(pullBackoffMs * 2, longestBackoffMs);
    after(backoffShownAfterMs, () => {
      const message = `Back-off pulling image "${record.image}"`;
      recordWait(record, 'ImagePullBackOff', message);
      say('Normal', 'BackOff', message);
      say('Warning', 'Failed', 'Error: ImagePullBackOff');
      changed();
    });
    after(delay, () => {
      cancelTimers();
      changed();
    });
    changed();
  }

  function launch(graceMs: number): void {
    work = 'pull';
    let answered = false;
    let waits = false;
    const begun = host.now();
    const cancel = host.pull(record.image, (error, tookMs) => {
      answered = true;
      if (error !== undefined) return pullFailed(error);
      const inAll = (host.now() - begun) / 1000;
      say(
        'Normal',
        'Pulled',
        waits
          ? `Successfully pulled image "${record.image}" in ${Math.min((tookMs ?? 0) / 1000, inAll)}s (${inAll}s including waiting). Image size: ${host.images.sizeOf(record.image)} bytes.`
          : `Container image "${record.image}" already present on machine`,
      );
      pullBackoffMs = firstBackoffMs;
      cancelTimers();
      work = 'start';
      const behaviour = host.images.of(record.image);
      const hookMs = hookTime(wanted.lifecycle?.postStart, behaviour.postStartMs);
      after((behaviour.startMs ?? host.timings.startMs) + hookMs, () => running(graceMs));
    });
    if (answered) return;
    waits = true;
    say('Normal', 'Pulling', `Pulling image "${record.image}"`);
    cancels.push(cancel);
  }

  function backOff(delayMs: number, remainingMs: number, graceMs: number): void {
    work = 'backoff';
    say('Warning', 'BackOff', `Back-off restarting failed container ${name} in pod ${podTitle}`);
    backoffMs = Math.min(Math.max(delayMs * 2, firstBackoffMs), longestBackoffMs);
    after(remainingMs, () => {
      cancelTimers();
      launch(graceMs);
    });
  }

  /** After an exit: at once the first time, then after 10 s, doubling up to five minutes. */
  function restart(graceMs: number): void {
    if (record.startedAt > 0 && host.now() - record.startedAt >= forgivenAfterMs) backoffMs = 0;
    const delay = backoffMs;
    if (delay === 0) {
      backoffMs = firstBackoffMs;
      return launch(graceMs);
    }
    recordWait(record, 'CrashLoopBackOff', crashLoopText(delay, name, podTitle));
    backOff(delay, delay, graceMs);
  }

  /** Goes on waiting where the kubelet before this one was. */
  function waitOn(graceMs: number): void {
    const delay = backoffIn(record.state.waiting?.message);
    const finishedAt = Date.parse(record.lastState.terminated?.finishedAt ?? '');
    if (
      record.state.waiting?.reason !== 'CrashLoopBackOff' ||
      delay === undefined ||
      Number.isNaN(finishedAt)
    )
      return launch(graceMs);
    backOff(delay, finishedAt + delay - host.now(), graceMs);
  }

  function stop(graceMs: number, done: () => void): void {
    if (record.state.running === undefined) {
      cancelTimers();
      return done();
    }
    const behaviour = host.images.of(record.startedImage);
    const hookMs = hookTime(wanted.lifecycle?.preStop, behaviour.preStopMs);
    const needs = hookMs + (behaviour.stopMs ?? host.timings.stopMs);
    if (work === 'stop') {
      stopDone.push(done);
      if (host.now() + Math.min(needs, graceMs) >= stopsAt) return;
    } else stopDone = [done];
    // From here on it neither becomes ready nor exits for another reason.
    cancelTimers();
    work = 'stop';
    stopsAt = host.now() + Math.min(needs, graceMs);
    after(Math.min(needs, graceMs), () => {
      if (needs > graceMs) exited(137, 'Error');
      else exited(0, 'Completed');
      const waiting = stopDone;
      stopDone = [];
      for (const each of waiting) each();
    });
  }

  if (record.imageID !== '') host.hasImage(record.image);
  return {
    name,
    advance(next, restartPolicy, graceMs) {
      wanted = next;
      const wantedImage = next.image ?? '';
      if (work === 'stop') return false;
      if (unwatched) watchOver(graceMs);
      if (wantedImage !== record.image) {
        if (record.state.running !== undefined) {
          replaced = true;
          say('Normal', 'Killing', `Container ${name} definition changed, will be restarted`);
          stop(graceMs, changed);
          return false;
        }
        cancelTimers();
        record.image = wantedImage;
        crashes = 0;
        backoffMs = 0;
        pullBackoffMs = firstBackoffMs;
        // Another image is another container: it starts even where an exit would have been the end.
        launch(graceMs);
      } else if (work === undefined && record.state.terminated !== undefined) {
        const again =
          restartPolicy === 'Always' ||
          (restartPolicy === 'OnFailure' && record.state.terminated.exitCode !== 0);
        if (replaced) launch(graceMs);
        else if (again) restart(graceMs);
      } else if (work === undefined && record.state.waiting !== undefined) waitOn(graceMs);
      return work === 'pull' || work === 'start';
    },
    stop,
    restart(graceMs, why) {
      if (record.state.running === undefined || work === 'stop') return;
      replaced = true;
      say('Normal', 'Killing', why);
      stop(graceMs, changed);
    },
    discard: cancelTimers,
    isRunning: () => record.state.running !== undefined,
    isGivingWay: () => work === 'stop' && replaced,
    isStuck: () => /ImagePull/.test(record.state.waiting?.reason ?? ''),
    isStarted: () => record.state.running !== undefined && record.started,
    isOver: ({ image: wantedImage = '' }, restartPolicy) =>
      record.state.terminated !== undefined &&
      work === undefined &&
      !replaced &&
      wantedImage === record.image &&
      (restartPolicy === 'Never' ||
        (restartPolicy === 'OnFailure' && record.state.terminated.exitCode === 0)),
    isRestarting: () => record.starts > 0 && record.state.running === undefined && work !== undefined,
    status: () => statusOf(record, name),
  };
}
