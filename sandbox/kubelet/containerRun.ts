import type { Container, ContainerStatus } from '../kinds/pod.ts';
import { createContainerRecord, recordExit, type ContainerRecord } from './containerRecord.ts';
import { firstBackoffMs } from './backoff.ts';
import type { Images } from './images.ts';

/** What a kubelet gives to the containers it runs. */
export interface ContainerHost {
  now(): number;
  /** A timer that, when the kubelet is down, runs once it is up again. Returns the cancellation. */
  later(delayMs: number, run: () => void): () => void;
  images: Images;
  /** Brings an image onto the node: at once when it is there, shared when it is under way. */
  pull(image: string, done: (error: string | undefined, tookMs?: number) => void): () => void;
  /** An image that a container of this node runs is on the node. */
  hasImage(image: string): void;
  newContainerId(): string;
  timings: { startMs: number; readyMs: number; stopMs: number };
  /** There is something new to do for a pod, or to report of it. */
  changed(uid: string): void;
  /** Tells the world, as an Event about a pod or about the part of it at `fieldPath`. */
  recordEvent(
    uid: string,
    type: 'Normal' | 'Warning',
    reason: string,
    message: string,
    fieldPath: string | undefined,
  ): void;
}

/** What a container has of its pod. */
export interface ContainerPod {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  podIP: string | undefined;
}

/**
 * One container of one pod, through all its restarts: what its kubelet keeps of it. There are many of them for a long
 * time, so this is data alone, without a function of its own.
 */
export interface ContainerRun {
  readonly pod: ContainerPod;
  readonly name: string;
  /** Where the spec has it. */
  readonly list: 'containers' | 'initContainers';
  readonly record: ContainerRecord;
  wanted: Container;
  crashes: number;
  backoffMs: number;
  pullBackoffMs: number;
  /** It is stopped, or has been, to make room for another in its place. */
  replaced: boolean;
  work: 'pull' | 'start' | 'stop' | 'backoff' | undefined;
  /** When the stop under way is over at the latest; meaningful with work `stop`. */
  stopsAt: number;
  stopDone: (() => void)[] | undefined;
  /** Timers under way. */
  cancels: readonly (() => void)[];
  /** A container taken over has to be watched again, once it is known what is wanted of it. */
  unwatched: boolean;
}

const none: readonly (() => void)[] = [];

/**
 * A container that has not run, or, given the status that another kubelet left (`known`), one that goes on from there:
 * the same container, if it ran.
 */
export function newContainerRun(
  pod: ContainerPod,
  wanted: Container,
  list: ContainerRun['list'],
  known: ContainerStatus | undefined,
): ContainerRun {
  const record = createContainerRecord(known);
  return {
    pod,
    name: wanted.name,
    list,
    record,
    wanted,
    // Nobody wrote down why a container was restarted: crashes are assumed.
    crashes: known?.restartCount ?? 0,
    backoffMs: 0,
    pullBackoffMs: firstBackoffMs,
    replaced: false,
    work: undefined,
    stopsAt: 0,
    stopDone: undefined,
    cancels: none,
    unwatched: record.state.running !== undefined,
  };
}

export function recordContainerEvent(
  host: ContainerHost,
  run: ContainerRun,
  type: 'Normal' | 'Warning',
  reason: string,
  message: string,
): void {
  host.recordEvent(run.pod.uid, type, reason, message, `spec.${run.list}{${run.name}}`);
}

/** Nothing that was under way goes on. */
export function cancelTimers(run: ContainerRun): void {
  for (const cancel of run.cancels) cancel();
  run.cancels = none;
  run.work = undefined;
}

export function after(host: ContainerHost, run: ContainerRun, delayMs: number, then: () => void): void {
  const cancel = host.later(Math.max(0, delayMs), () => {
    const others = run.cancels.filter((each) => each !== cancel);
    run.cancels = others.length === 0 ? none : others;
    then();
  });
  run.cancels = [...run.cancels, cancel];
}

export function exited(host: ContainerHost, run: ContainerRun, exitCode: number, reason: string): void {
  cancelTimers(run);
  recordExit(run.record, exitCode, reason, host.now());
}

export function isRunning({ record }: ContainerRun): boolean {
  return record.state.running !== undefined;
}

/** It is being stopped to make room for another in its place. */
export function isBeingReplaced({ work, replaced }: ContainerRun): boolean {
  return work === 'stop' && replaced;
}

/** Its image cannot be had. */
export function isStuck({ record }: ContainerRun): boolean {
  return /ImagePull/.test(record.state.waiting?.reason ?? '');
}

/** It runs, and its startup probe, if any, has succeeded. */
export function isStarted(run: ContainerRun): boolean {
  return isRunning(run) && run.record.started;
}

/** It has ended, and nothing will start it again. */
export function isOver(
  { record, work, replaced }: ContainerRun,
  { image: wantedImage = '' }: Container,
  restartPolicy: string,
): boolean {
  return (
    record.state.terminated !== undefined &&
    work === undefined &&
    !replaced &&
    wantedImage === record.image &&
    (restartPolicy === 'Never' || (restartPolicy === 'OnFailure' && record.state.terminated.exitCode === 0))
  );
}

/** It ran, and will again. */
export function isRestarting(run: ContainerRun): boolean {
  return run.record.starts > 0 && !isRunning(run) && run.work !== undefined;
}
