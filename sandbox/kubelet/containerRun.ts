import type { Container, ContainerStatus } from '../kinds/pod.ts';
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
}

/** What a container has of its pod. */
export interface ContainerPlace {
  container: Container;
  /** `name_namespace(uid)`. */
  podTitle: string;
  podIP(): string;
  /** Called whenever there is something new to do or to report. */
  changed(): void;
  /** Tells the world, as an Event about this container. */
  say(type: 'Normal' | 'Warning', reason: string, message: string): void;
}

/** One container of one pod, through all its restarts. */
export interface ContainerRun {
  readonly name: string;
  /** Works towards the container the spec wants. True while containers after it have to wait. */
  advance(wanted: Container, restartPolicy: string, graceMs: number): boolean;
  /** Sends the signal to stop, if it runs; `done` once it does not. A later call can only shorten the wait. */
  stop(graceMs: number, done: () => void): void;
  /** Stops it, and starts it anew. */
  restart(graceMs: number, why: string): void;
  /** Forgets the container: nothing of it happens any more. */
  discard(): void;
  isRunning(): boolean;
  /** It is being stopped to make room for another in its place. */
  isGivingWay(): boolean;
  /** Its image cannot be had. */
  isStuck(): boolean;
  /** It runs, and its startup probe, if any, has succeeded. */
  isStarted(): boolean;
  /** It has ended, and nothing will start it again. */
  isOver(wanted: Container, restartPolicy: string): boolean;
  /** It ran, and will again. */
  isRestarting(): boolean;
  status(): ContainerStatus;
}
