import type { Container, ContainerStatus } from '../../schemas/pods/pod.ts';
import { createContainerRecord, recordExit, type ContainerRecord } from './containerRecord.ts';
import { firstBackoffMs } from './backoff.ts';
import type { ImageCache } from './imageCache.ts';
import type { ImageBehavior, Images } from './images.ts';

/** The services that a kubelet provides to its containers. */
export interface ContainerHost {
  now(): number;
  /** Sets a timer; if the kubelet is down when it fires, it runs after the restart. Returns the cancellation. */
  later(delayMs: number, run: () => void): () => void;
  images: Images;
  /** What the pod says that its container does. */
  scriptOf(uid: string, container: string): ImageBehavior | undefined;
  /** Why a container of the pod cannot be created; undefined: it can. */
  missingConfig(uid: string, wanted: Container): string | undefined;
  /** Whether the pod has credentials for the registry of an image. */
  hasCredentials(uid: string, image: string): boolean;
  /** The images of the node. */
  cache: ImageCache;
  newContainerId(): string;
  /** The restart policy of the pod; undefined: the pod is gone. */
  restartPolicyOf(uid: string): string | undefined;
  timings: { startMs: number; readyMs: number; stopMs: number; runMs: number; initRunMs: number };
  /** Requests a sync of the pod. */
  changed(uid: string): void;
  /** Records an Event about the pod, or about its part at `fieldPath`. */
  recordEvent(
    uid: string,
    type: 'Normal' | 'Warning',
    reason: string,
    message: string,
    fieldPath: string | undefined,
  ): void;
}

/** The identity of the container's pod. */
export interface ContainerPod {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  podIP: string | undefined;
}

/**
 * One container of a pod across restarts: the kubelet's record. Plain data without methods, because there are many
 * of them and they live long.
 */
export interface ContainerRun {
  readonly pod: ContainerPod;
  readonly name: string;
  /** The container in the spec. */
  readonly list: 'containers' | 'initContainers';
  readonly record: ContainerRecord;
  wanted: Container;
  crashes: number;
  backoffMs: number;
  pullBackoffMs: number;
  /** It is being stopped, or was, to be replaced by a container with a changed spec. */
  replaced: boolean;
  work: 'pull' | 'start' | 'stop' | 'backoff' | undefined;
  /** The deadline of the current stop; only valid while work is `stop`. */
  stopsAt: number;
  stopDone: (() => void)[] | undefined;
  /** Active timers. */
  cancels: readonly (() => void)[];
  /** A restored container needs new probes and timers once its spec is known. */
  unwatched: boolean;
}

const none: readonly (() => void)[] = [];

/**
 * The record of a new container; with `known` (the status from an earlier kubelet) one that continues the same
 * container.
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
    // The reason of earlier restarts is unknown: crashes are assumed.
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

/** What a container does: as its pod says, else as its image does, else as its place in the pod lets expect. */
export function behaviorOf(host: ContainerHost, run: ContainerRun, image: string): ImageBehavior {
  const script = host.scriptOf(run.pod.uid, run.name);
  const behavior = script === undefined ? host.images.of(image) : { ...host.images.of(image), ...script };
  const exitAfterMs = behavior.exitAfterMs ?? lifetimeMs(host, run, behavior);
  return exitAfterMs === undefined ? behavior : { ...behavior, exitAfterMs };
}

/**
 * How long a container runs by default, in milliseconds: programs of pods that are not always restarted, and init
 * containers that are no sidecars, come to an end. Undefined: it runs until it is stopped, as whatever reports that it is
 * ready, or never gets ready.
 */
function lifetimeMs(
  host: ContainerHost,
  { pod, list, wanted }: ContainerRun,
  { keepsRunning = false, neverReady = false }: ImageBehavior,
): number | undefined {
  if (keepsRunning || neverReady || wanted.readinessProbe !== undefined) return undefined;
  const { runMs, initRunMs } = host.timings;
  const policy =
    list === 'containers' ? (host.restartPolicyOf(pod.uid) ?? 'Always') : (wanted.restartPolicy ?? 'Never');
  if (policy === 'Always') return undefined;
  const ms = list === 'containers' ? runMs : initRunMs;
  return Number.isFinite(ms) ? ms : undefined;
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

/** Cancels all work in progress. */
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

/** Whether it is being stopped to be replaced. */
export function isBeingReplaced({ work, replaced }: ContainerRun): boolean {
  return work === 'stop' && replaced;
}

/** Whether it cannot be created: its image cannot be pulled, or a variable has no value. */
export function isStuck({ record }: ContainerRun): boolean {
  return /Image(?:Never)?Pull|CreateContainerConfigError/.test(record.state.waiting?.reason ?? '');
}

/** Whether it runs and its startup probe, if any, has succeeded. */
export function isStarted(run: ContainerRun): boolean {
  return isRunning(run) && run.record.started;
}

/** Whether it has terminated for good. */
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

/** Whether it has run and will be restarted. */
export function isRestarting(run: ContainerRun): boolean {
  return run.record.starts > 0 && !isRunning(run) && run.work !== undefined;
}
