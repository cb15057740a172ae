import { timestamp } from '../api/metadata.ts';
import type { Container, ContainerState, ContainerStatus } from '../kinds/pod.ts';
import type { Images } from './images.ts';

/** What a kubelet gives to the containers it runs. */
export interface ContainerHost {
  now(): number;
  /** A timer that, when the kubelet is down, runs once it is up again. Returns the cancellation. */
  later(delayMs: number, run: () => void): () => void;
  images: Images;
  /** Brings an image onto the node: at once when it is there, shared when it is under way. */
  pull(image: string, done: (error: string | undefined) => void): () => void;
  newContainerId(): string;
  timings: { startMs: number; readyMs: number; stopMs: number };
}

/** One container of one pod, through all its restarts. */
export interface ContainerRun {
  readonly name: string;
  /** Works towards the container the spec wants. True while containers after it have to wait. */
  advance(wanted: Container, restartPolicy: string): boolean;
  /** Sends the signal to stop, if it runs; `done` once it does not. */
  stop(graceMs: number, done: () => void): void;
  /** Forgets the container: nothing of it happens any more. */
  discard(): void;
  isRunning(): boolean;
  /** It ran, and will again. */
  isRestarting(): boolean;
  status(): ContainerStatus;
}

const firstBackoffMs = 10_000;
const longestBackoffMs = 300_000;
/** Running this long forgives earlier crashes. */
const forgivenAfterMs = 2 * longestBackoffMs;
const backoffShownAfterMs = 1000;

type Work = 'pull' | 'start' | 'stop' | 'backoff';

/** `changed` is called whenever there is something new to do or to report. */
export function createContainerRun(
  name: string,
  podTitle: string,
  host: ContainerHost,
  changed: () => void,
): ContainerRun {
  let image = '';
  /** The image of the latest container, which differs from the wanted one until that has started. */
  let startedImage = '';
  let imageID = '';
  let containerID: string | undefined;
  let state: ContainerState = { waiting: { reason: 'ContainerCreating' } };
  let lastState: ContainerState = {};
  let ready = false;
  let startedAt = 0;
  let starts = 0;
  let crashes = 0;
  let backoffMs = 0;
  let pullBackoffMs = firstBackoffMs;
  let replaced = false;
  let work: Work | undefined;
  let cancels: (() => void)[] = [];

  function cancelTimers(): void {
    for (const cancel of cancels) cancel();
    cancels = [];
    work = undefined;
  }

  function after(delayMs: number, run: () => void): void {
    cancels.push(host.later(delayMs, run));
  }

  /** A container that is no longer shown as the present one becomes the last one. */
  function wait(reason: string, message?: string): void {
    if (state.terminated !== undefined) lastState = { terminated: state.terminated };
    state = { waiting: { reason, ...(message === undefined ? {} : { message }) } };
  }

  function exited(exitCode: number, reason: string): void {
    cancelTimers();
    ready = false;
    state = {
      terminated: {
        exitCode,
        reason,
        startedAt: timestamp(startedAt),
        finishedAt: timestamp(host.now()),
        containerID: containerID ?? '',
      },
    };
  }

  function running(): void {
    cancelTimers();
    if (state.terminated !== undefined) lastState = { terminated: state.terminated };
    starts += 1;
    startedAt = host.now();
    containerID = host.newContainerId();
    startedImage = image;
    imageID = host.images.idOf(image);
    state = { running: { startedAt: timestamp(startedAt) } };
    replaced = false;
    const behaviour = host.images.of(image);
    if (behaviour.neverReady !== true)
      after(behaviour.readyMs ?? host.timings.readyMs, () => {
        ready = true;
        changed();
      });
    const { crashAfterMs, times = Number.POSITIVE_INFINITY, exitAfterMs, exitCode = 0 } = behaviour;
    if (crashAfterMs !== undefined && crashes < times)
      after(crashAfterMs, () => {
        crashes += 1;
        exited(1, 'Error');
        changed();
      });
    else if (exitAfterMs !== undefined)
      after(exitAfterMs, () => {
        exited(exitCode, exitCode === 0 ? 'Completed' : 'Error');
        changed();
      });
    changed();
  }

  function pullFailed(error: string): void {
    cancelTimers();
    wait('ErrImagePull', error);
    work = 'backoff';
    const delay = pullBackoffMs;
    pullBackoffMs = Math.min(pullBackoffMs * 2, longestBackoffMs);
    after(backoffShownAfterMs, () => {
      wait('ImagePullBackOff', `Back-off pulling image "${image}"`);
      changed();
    });
    after(delay, () => {
      cancelTimers();
      changed();
    });
    changed();
  }

  function launch(): void {
    work = 'pull';
    let answered = false;
    const cancel = host.pull(image, (error) => {
      answered = true;
      if (error !== undefined) return pullFailed(error);
      pullBackoffMs = firstBackoffMs;
      cancelTimers();
      work = 'start';
      after(host.images.of(image).startMs ?? host.timings.startMs, running);
    });
    if (!answered) cancels.push(cancel);
  }

  /** After an exit: at once the first time, then after 10 s, doubling up to five minutes. */
  function restart(): void {
    if (startedAt > 0 && host.now() - startedAt >= forgivenAfterMs) backoffMs = 0;
    const delay = backoffMs;
    backoffMs = Math.min(Math.max(backoffMs * 2, firstBackoffMs), longestBackoffMs);
    if (delay === 0) return launch();
    wait(
      'CrashLoopBackOff',
      `back-off ${delay >= 60_000 ? `${Math.floor(delay / 60_000)}m${(delay % 60_000) / 1000}s` : `${delay / 1000}s`} restarting failed container=${name} pod=${podTitle}`,
    );
    work = 'backoff';
    after(delay, () => {
      cancelTimers();
      launch();
    });
  }

  function stop(graceMs: number, done: () => void): void {
    if (state.running === undefined) {
      cancelTimers();
      return done();
    }
    if (work === 'stop') return;
    // From here on it neither becomes ready nor exits for another reason.
    cancelTimers();
    work = 'stop';
    const needs = host.images.of(image).stopMs ?? host.timings.stopMs;
    after(Math.min(needs, graceMs), () => {
      if (needs > graceMs) exited(137, 'Error');
      else exited(0, 'Completed');
      done();
    });
  }

  return {
    name,
    advance(wanted, restartPolicy) {
      const wantedImage = wanted.image ?? '';
      if (work === 'stop') return false;
      if (wantedImage !== image) {
        if (state.running !== undefined) {
          replaced = true;
          stop(Number.POSITIVE_INFINITY, changed);
          return false;
        }
        cancelTimers();
        image = wantedImage;
        crashes = 0;
        backoffMs = 0;
        pullBackoffMs = firstBackoffMs;
        // Another image is another container: it starts even where an exit would have been the end.
        launch();
      } else if (work === undefined && state.terminated !== undefined) {
        const again =
          restartPolicy === 'Always' || (restartPolicy === 'OnFailure' && state.terminated.exitCode !== 0);
        if (replaced) launch();
        else if (again) restart();
      } else if (work === undefined && state.waiting !== undefined) launch();
      return work === 'pull' || work === 'start';
    },
    stop,
    discard: cancelTimers,
    isRunning: () => state.running !== undefined,
    isRestarting: () => starts > 0 && state.running === undefined && work !== undefined,
    status: () => ({
      name,
      image: starts === 0 ? image : startedImage,
      imageID,
      ...(containerID === undefined ? {} : { containerID }),
      ready,
      started: state.running !== undefined,
      restartCount: Math.max(0, starts - 1),
      state,
      lastState,
    }),
  };
}
