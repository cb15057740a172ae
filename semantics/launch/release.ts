import type { CreateAction } from '../decision.ts';
import { withResourceVersion } from '../pod/in-place.ts';
import type { ContainerStatus, Pod } from '../pod/types.ts';
import { barrierName, barrierOf, barrierPriorities } from './barrier.ts';

/** The lowest priority of a pod whose containers may start, as its ConfigMap has it. */
export const RELEASED_ANNOTATION = 'plan.kruise.io/launch-priority';
/** Nothing is left to release. OpenKruise has the same annotation. */
export const LAUNCHED_ANNOTATION = 'apps.kruise.io/container-launch-priority-completed';

/** Whether a pod has containers that wait for their priority, or for a ConfigMap that is gone. */
export function isLaunching(pod: Pod): boolean {
  if (pod.metadata.deletionTimestamp !== undefined || isOver(pod)) return false;
  if (barrierPriorities(pod).size === 0) return false;
  return pod.metadata.annotations?.[LAUNCHED_ANNOTATION] !== 'true' || lacksBarrier(pod);
}

/**
 * The writes that let the next containers of pods start (OpenKruise container-launch-priority, rule 6b): those of a priority once
 * all containers of higher priorities are ready at this moment. First the key is written, then the pod has it on record; the
 * write of the pod makes its kubelet try again at once. Both may be repeated: after a crash nothing is lost.
 *
 * @param pods of one target
 * @param busy names of pods that are written anyway: they wait for the next reconcile
 */
export function releases(pods: readonly Pod[], busy: ReadonlySet<string>): CreateAction[] {
  return pods.flatMap((pod) =>
    isLaunching(pod) && !busy.has(pod.metadata.name) ? (releaseOf(pod) ?? []) : [],
  );
}

function releaseOf(pod: Pod): CreateAction | undefined {
  const priorities = barrierPriorities(pod);
  const all = [...priorities.values()];
  const lowest = Math.min(...all);
  const recorded = all.find((priority) => priority === recordedOn(pod));
  const outstanding = outstandingOf(pod, priorities);
  const next = outstanding.length === 0 ? lowest : Math.max(...outstanding);
  // What is released stays released, whatever happens to the containers before.
  const to = Math.min(next, recorded ?? next);
  if (to === recorded && !lacksBarrier(pod)) return undefined;
  const { apiVersion, kind, metadata } = pod;
  const owner = { apiVersion, kind, name: metadata.name, uid: metadata.uid ?? '' };
  const write: CreateAction = {
    do: 'create',
    kind: 'ConfigMap',
    verb: 'release containers',
    object: barrierOf(
      pod,
      owner,
      all.filter((priority) => priority >= to),
    ),
    reason: reasonOf(pod, priorities, to),
  };
  if (to === recorded) return write;
  const annotations = {
    [RELEASED_ANNOTATION]: String(to),
    ...(to === lowest ? { [LAUNCHED_ANNOTATION]: 'true' } : {}),
  };
  return {
    ...write,
    next: {
      do: 'patch',
      kind: 'Pod',
      verb: 'record released containers',
      name: metadata.name,
      body: withResourceVersion(pod, { metadata: { annotations } }),
      reason: write.reason,
    },
  };
}

function reasonOf(pod: Pod, priorities: ReadonlyMap<string, number>, to: number): string {
  if (lacksBarrier(pod)) return 'it is gone, and containers of its pod need it';
  const now = [...priorities].filter(([, priority]) => priority === to).map(([container]) => container);
  const isFirst = to === Math.max(...priorities.values());
  const why = isFirst ? 'no container has a higher priority' : 'all containers of higher priority are ready';
  return `${now.join(', ')}: ${why}`;
}

/** The lowest priority that a pod has on record as released; undefined: none. */
function recordedOn({ metadata }: Pod): number | undefined {
  const text = metadata.annotations?.[RELEASED_ANNOTATION];
  return text !== undefined && /^-?[0-9]+$/.test(text) ? Number(text) : undefined;
}

/** The priorities of the containers that are not ready. */
function outstandingOf(pod: Pod, priorities: ReadonlyMap<string, number>): number[] {
  return [...priorities].flatMap(([name, priority]) =>
    statusOf(pod, name)?.ready === true ? [] : [priority],
  );
}

/**
 * The containers that one waits for by its launch priority: those of higher ones that are not ready; undefined: it may start.
 */
export function awaitedBy(pod: Pod, container: string): string[] | undefined {
  const priorities = barrierPriorities(pod);
  const own = priorities.get(container);
  if (own === undefined || pod.metadata.annotations?.[LAUNCHED_ANNOTATION] === 'true') return undefined;
  const before = [...priorities].filter(([, priority]) => priority > own).map(([name]) => name);
  const awaited = before.filter((name) => statusOf(pod, name)?.ready !== true);
  return awaited.length === 0 ? undefined : awaited;
}

/** Whether the kubelet says that the ConfigMap of a pod does not exist: somebody has deleted it. */
function lacksBarrier({ metadata, status }: Pod): boolean {
  return status?.containerStatuses?.some((each) => isAboutBarrier(metadata.name, messageOf(each))) === true;
}

function messageOf(status: ContainerStatus): string | undefined {
  const { waiting } = (status['state'] ?? {}) as { waiting?: { message?: string } };
  return waiting?.message;
}

/** Whether the rules read the message of a container that waits: it says that the ConfigMap of its pod is gone. */
export function isAboutBarrier(pod: string, message: string | undefined): boolean {
  return message?.includes(`"${barrierName(pod)}" not found`) === true;
}

function statusOf(pod: Pod, name: string): ContainerStatus | undefined {
  return pod.status?.containerStatuses?.find((status) => status.name === name);
}

function isOver({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}
