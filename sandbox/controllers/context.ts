import type { Clock } from '../../schemas/wire/clock.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { ApiServer } from '../api/server.ts';
import type { Registry } from '../api/registry.ts';
import type { Store } from '../store/store.ts';

/** How long the parts of the world take, in milliseconds. */
export interface Timings {
  /** From a pod's creation to its node. */
  scheduleMs: number;
  pullMs: number;
  /** From an image at hand to a running container. */
  startMs: number;
  /** From running to ready. */
  readyMs: number;
  /** From the signal to stop to the container's exit. */
  stopMs: number;
  /** From an owner's deletion to its dependents', and the like. */
  collectMs: number;
  /** From a claim that wants a volume to the volume; also how long one takes to grow, and to go. */
  provisionMs: number;
  /** From a kubelet's last word to its node being NotReady. */
  nodeLostMs: number;
}

export const defaultTimings: Timings = {
  scheduleMs: 100,
  pullMs: 2000,
  startMs: 200,
  readyMs: 1000,
  stopMs: 1000,
  collectMs: 50,
  provisionMs: 500,
  nodeLostMs: 40_000,
};

/** What kubelets and the scheduler write through: the server at hand, or what carries their writes to another one. */
export type ComponentWrites = Pick<ApiServer, 'create' | 'replace' | 'patch' | 'delete'>;

/** Writes an Event about an object. `fieldPath` names a part of it: `spec.containers{web}`. */
export type RecordEvent = (
  about: KubeObject,
  type: 'Normal' | 'Warning',
  reason: string,
  message: string,
  fieldPath?: string,
) => void;

export interface EventSource {
  /** The recorder of one component; `host` is the node it runs on. */
  recorder(user: string, component: string, host?: string): RecordEvent;
  /** Events of the newer form, which counts a series instead of occurrences: the scheduler's. */
  seriesRecorder(user: string, component: string, action: string): RecordEvent;
}

/** What kubelets and the scheduler work with: they read the store, as an informer would, and write through the API. */
export interface ComponentContext {
  store: Store;
  server: ComponentWrites;
  clock: Clock;
  timings: Timings;
  events: EventSource;
}

/** What a part of the control plane works with. */
export interface ControllerContext extends ComponentContext {
  registry: Registry;
  server: ApiServer;
}
