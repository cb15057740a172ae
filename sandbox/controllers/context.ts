import type { Clock } from '../../schemas/wire/clock.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { ApiServer } from '../api/server.ts';
import type { Registry } from '../api/registry.ts';
import type { Store } from '../store/store.ts';

/** Durations of simulated operations, in milliseconds. */
export interface Timings {
  /** From pod creation to scheduling. */
  scheduleMs: number;
  pullMs: number;
  /** From a present image to a running container. */
  startMs: number;
  /** From running to ready. */
  readyMs: number;
  /** From the stop signal to the exit of the container. */
  stopMs: number;
  /** From running to the exit of a container of a pod that is not always restarted; infinite: it runs on. */
  runMs: number;
  /** The same of an init container that is no sidecar. */
  initRunMs: number;
  /** Delay of garbage collection and similar controllers. */
  collectMs: number;
  /** From a pending claim to its volume; also the time to expand and delete a volume. */
  provisionMs: number;
  /** From the last heartbeat of a kubelet to NotReady. */
  nodeLostMs: number;
}

export const defaultTimings: Timings = {
  scheduleMs: 100,
  pullMs: 2000,
  startMs: 200,
  readyMs: 1000,
  stopMs: 1000,
  runMs: 2000,
  initRunMs: 1000,
  collectMs: 50,
  provisionMs: 500,
  nodeLostMs: 40_000,
};

/** The writes of kubelets and the scheduler: to the local server, or forwarded to a remote one. */
export type ComponentWrites = Pick<ApiServer, 'create' | 'replace' | 'patch' | 'delete'>;

/** Records an Event about an object. `fieldPath` names a part of it: `spec.containers{web}`. */
export type RecordEvent = (
  about: KubeObject,
  type: 'Normal' | 'Warning',
  reason: string,
  message: string,
  fieldPath?: string,
) => void;

export interface EventSource {
  /** The event recorder of a component; `host` is its node. */
  recorder(user: string, component: string, host?: string): RecordEvent;
  /** Events of events.k8s.io with series, as the scheduler uses them. */
  seriesRecorder(user: string, component: string, action: string): RecordEvent;
}

/**
 * The dependencies of kubelets and the scheduler: they read the store like an informer and write through the API.
 */
export interface ComponentContext {
  store: Store;
  server: ComponentWrites;
  clock: Clock;
  timings: Timings;
  events: EventSource;
}

/** The dependencies of a controller. */
export interface ControllerContext extends ComponentContext {
  registry: Registry;
  server: ApiServer;
}
