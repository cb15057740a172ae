import type { ComponentWrites } from '../controllers/context.ts';
import type { Container, ContainerStatus, Pod } from '../kinds/pod.ts';
import type { Store } from '../store/store.ts';
import { newContainerRun, type ContainerHost, type ContainerPod, type ContainerRun } from './containerRun.ts';
import type { Deadline } from './deadline.ts';
import type { PodAllocation } from './allocation.ts';
import type { NodeCapacity } from './resources.ts';

/** What a kubelet lends to the pods it runs. */
export interface PodHost extends ContainerHost {
  user: string;
  server: ComponentWrites;
  store: Store;
  hostIP: string;
  newPodIP(): string;
  isUp(): boolean;
  /** The node as this pod finds it. */
  capacity(uid: string): NodeCapacity;
}

/** Why a pod ends though nobody deletes it. */
export interface Termination {
  reason: string;
  message: string;
}

/** One pod of a node: what its kubelet keeps of it. Data alone, as there are many of them for a long time. */
export interface PodRun extends ContainerPod {
  containers: readonly ContainerRun[];
  readonly allocation: PodAllocation;
  /** What the status said when this kubelet took the pod over. */
  readonly known: readonly ContainerStatus[];
  startTime: string | undefined;
  initialized: boolean;
  /** The one that the kubelet acts on. */
  generation: number | undefined;
  termination: Termination | undefined;
  deadline: Deadline | undefined;
  stopping: boolean;
  stopped: boolean;
  /** It is gone from the API. */
  dropped: boolean;
}

export function present({ store }: PodHost, { uid }: ContainerPod): Pod | undefined {
  return store.byUid(uid) as Pod | undefined;
}

/** How long its containers may take to stop, in milliseconds. */
export function graceOf({ metadata, spec }: Pod): number {
  return (metadata.deletionGracePeriodSeconds ?? spec.terminationGracePeriodSeconds ?? 30) * 1000;
}

/** What runs of a container of the spec; from the first call on there is something. */
export function runOf(host: PodHost, run: PodRun, pod: Pod, wanted: Container): ContainerRun {
  const { name } = wanted;
  const there = runNamed(run, name);
  if (there !== undefined) return there;
  const list = pod.spec.containers.includes(wanted) ? 'containers' : 'initContainers';
  const known = run.known.findLast((status) => status.name === name);
  const made = newContainerRun(run, wanted, list, known);
  if (made.record.imageID !== '') host.hasImage(made.record.image);
  // An array that was pushed to keeps room for more.
  run.containers = [...run.containers, made];
  return made;
}

export function runNamed({ containers }: PodRun, name: string): ContainerRun | undefined {
  return containers.find((each) => each.name === name);
}
