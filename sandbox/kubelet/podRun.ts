import type { ComponentWrites } from '../controllers/context.ts';
import type { Container, ContainerStatus, Pod } from '../../schemas/pods/pod.ts';
import type { Store } from '../store/store.ts';
import { newContainerRun, type ContainerHost, type ContainerPod, type ContainerRun } from './containerRun.ts';
import type { Deadline } from './deadline.ts';
import type { PodAllocation } from './allocation.ts';
import type { NodeCapacity } from './resources.ts';

/** The services that a kubelet provides to its pods. */
export interface PodHost extends ContainerHost {
  user: string;
  server: ComponentWrites;
  store: Store;
  hostIP: string;
  newPodIP(): string;
  isUp(): boolean;
  /** The node's capacity as available to this pod. */
  capacity(uid: string): NodeCapacity;
}

/** Why a pod terminates without being deleted. */
export interface Termination {
  reason: string;
  message: string;
}

/**
 * The kubelet's record of one pod. Plain data without methods, because there are many of them and they live long.
 */
export interface PodRun extends ContainerPod {
  containers: readonly ContainerRun[];
  readonly allocation: PodAllocation;
  /** The status when this kubelet took over the pod. */
  readonly known: readonly ContainerStatus[];
  startTime: string | undefined;
  initialized: boolean;
  /** The pod generation that the kubelet acts on. */
  generation: number | undefined;
  termination: Termination | undefined;
  deadline: Deadline | undefined;
  stopping: boolean;
  stopped: boolean;
  /** The pod was removed from the API. */
  dropped: boolean;
}

export function present({ store }: PodHost, { uid }: ContainerPod): Pod | undefined {
  return store.byUid(uid) as Pod | undefined;
}

/** The grace period in milliseconds. */
export function graceOf({ metadata, spec }: Pod): number {
  return (metadata.deletionGracePeriodSeconds ?? spec.terminationGracePeriodSeconds ?? 30) * 1000;
}

/** The run of a container of the spec, created on first use. */
export function runOf(host: PodHost, run: PodRun, pod: Pod, wanted: Container): ContainerRun {
  const { name } = wanted;
  const there = runNamed(run, name);
  if (there !== undefined) return there;
  const list = pod.spec.containers.includes(wanted) ? 'containers' : 'initContainers';
  const known = run.known.findLast((status) => status.name === name);
  const made = newContainerRun(run, wanted, list, known);
  if (made.record.imageID !== '') host.cache.add(made.record.image);
  // Arrays that grew by push keep spare capacity.
  run.containers = [...run.containers, made];
  return made;
}

export function runNamed({ containers }: PodRun, name: string): ContainerRun | undefined {
  return containers.find((each) => each.name === name);
}
