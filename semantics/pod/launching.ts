import { barrierKeyOf, LAUNCH_BARRIER_ENV, priorityOfKey, variableOf } from './launch-priority.ts';
import { objectOf } from '../values/read.ts';
import type { ContainerStatus, Pod } from './types.ts';

/** The lowest priority of a pod whose containers may start, as its ConfigMap has it. */
export const RELEASED_ANNOTATION = 'plan.kruise.io/launch-priority';
/** Nothing is left to release. OpenKruise has the same annotation. */
export const LAUNCHED_ANNOTATION = 'apps.kruise.io/container-launch-priority-completed';

/**
 * The name of the ConfigMap that holds the containers of a pod back (OpenKruise container-launch-priority, section 5). It has a
 * key for each priority whose containers may start.
 */
export function barrierName(pod: string): string {
  return `${pod}-barrier`;
}

/** The priorities of the containers that the ConfigMap of their pod holds back, by name. Other barriers are not ours. */
export function barrierPriorities({ metadata, spec }: Pod): ReadonlyMap<string, number> {
  const name = barrierName(metadata.name);
  const found = new Map<string, number>();
  for (const container of spec.containers) {
    const barrier = variableOf(container, LAUNCH_BARRIER_ENV);
    if (barrier === undefined || barrier.valueFrom?.configMapKeyRef?.name !== name) continue;
    const priority = priorityOfKey(barrierKeyOf(barrier));
    if (priority !== undefined) found.set(container.name, priority);
  }
  return found;
}

/** Whether a pod has containers that wait for their priority, or for a part of its ConfigMap that is gone. */
export function isLaunching(pod: Pod): boolean {
  if (pod.metadata.deletionTimestamp !== undefined || isOver(pod)) return false;
  const priorities = barrierPriorities(pod);
  if (priorities.size === 0) return false;
  return (
    pod.metadata.annotations?.[LAUNCHED_ANNOTATION] !== 'true' || lackOfBarrier(pod, priorities) !== undefined
  );
}

/** The lowest priority that a pod has on record as released; undefined: none, or one that it does not have. */
export function releasedPriority(
  { metadata: { annotations = {} } }: Pod,
  priorities: ReadonlyMap<string, number>,
): number | undefined {
  const all = [...priorities.values()];
  if (annotations[LAUNCHED_ANNOTATION] === 'true') return Math.min(...all);
  const text = annotations[RELEASED_ANNOTATION];
  const recorded = text !== undefined && /^-?[0-9]+$/.test(text) ? Number(text) : undefined;
  return all.find((priority) => priority === recorded);
}

/** The priorities of the containers that others wait for. */
export function unreadyPriorities(pod: Pod, priorities: ReadonlyMap<string, number>): number[] {
  return [...priorities].flatMap(([name, priority]) => (isAwaited(pod, name) ? [priority] : []));
}

/**
 * Whether a container is not ready. One that has ended well, and is not started again, was ready: nobody waits for it, even if
 * nothing was observed meanwhile.
 */
function isAwaited(pod: Pod, container: string): boolean {
  const status = statusOf(pod, container);
  const { exitCode } = objectOf(objectOf(status?.['state'])['terminated']);
  const hasDone = exitCode === 0 && (pod.spec['restartPolicy'] ?? 'Always') !== 'Always';
  return status?.ready !== true && !hasDone;
}

/**
 * The containers that one waits for by its launch priority: those of higher ones that are not ready; undefined: it may start.
 */
export function awaitedBy(pod: Pod, container: string): string[] | undefined {
  const priorities = barrierPriorities(pod);
  const own = priorities.get(container);
  if (own === undefined || pod.metadata.annotations?.[LAUNCHED_ANNOTATION] === 'true') return undefined;
  const before = [...priorities].filter(([, priority]) => priority > own).map(([name]) => name);
  const awaited = before.filter((name) => isAwaited(pod, name));
  return awaited.length === 0 ? undefined : awaited;
}

/**
 * What a container that may start lacks of the ConfigMap of its pod, as the kubelet says: somebody has deleted it. As a clause;
 * undefined: nothing.
 */
export function lackOfBarrier(pod: Pod, priorities: ReadonlyMap<string, number>): string | undefined {
  const recorded = releasedPriority(pod, priorities) ?? Infinity;
  const { name } = pod.metadata;
  for (const status of pod.status?.containerStatuses ?? []) {
    const message = messageOf(status);
    if (!isAboutBarrier(name, message)) continue;
    if (message?.includes(NOT_FOUND) === true) return 'it is gone, and containers of its pod need it';
    if ((priorities.get(status.name) ?? -Infinity) >= recorded)
      return `it lacks a key that ${status.name} needs to start`;
  }
  return undefined;
}

function messageOf(status: ContainerStatus): string | undefined {
  const { waiting } = (status['state'] ?? {}) as { waiting?: { message?: string } };
  return waiting?.message;
}

const NOT_FOUND = 'not found';

/** Whether the rules read the message of a container that waits: the ConfigMap of its pod, or a key in it, is not there. */
export function isAboutBarrier(pod: string, message: string | undefined): boolean {
  if (message === undefined) return false;
  const name = barrierName(pod);
  return message.includes(`"${name}" ${NOT_FOUND}`) || message.endsWith(`/${name}`);
}

function statusOf(pod: Pod, name: string): ContainerStatus | undefined {
  return pod.status?.containerStatuses?.find((status) => status.name === name);
}

function isOver({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}
