import type { CreateAction } from '../decision.ts';
import { withResourceVersion } from '../pod/in-place.ts';
import { earliestOf } from '../pod/next-change.ts';
import type { ContainerStatus, Pod } from '../pod/types.ts';
import { timeOf, timestamp } from '../values/timestamp.ts';
import { barrierName, barrierOf, barrierPriorities } from './barrier.ts';

/** The lowest priority of a pod whose containers may start, as its ConfigMap has it. */
export const RELEASED_ANNOTATION = 'plan.kruise.io/launch-priority';
/** When that ConfigMap was written last. */
export const RELEASED_AT_ANNOTATION = 'plan.kruise.io/launch-released';
/** Nothing is left to release. OpenKruise has the same annotation. */
export const LAUNCHED_ANNOTATION = 'apps.kruise.io/container-launch-priority-completed';

/**
 * How long the status of a pod may show a lack that is mended, milliseconds: until its kubelet has tried again. Where the
 * kubelet never does, as on a lost node, its ConfigMap is read once in this time.
 */
const TRIED_AGAIN_MS = 60_000;

/** Whether a pod has containers that wait for their priority, or for a part of its ConfigMap that is gone. */
export function isLaunching(pod: Pod): boolean {
  if (pod.metadata.deletionTimestamp !== undefined || isOver(pod)) return false;
  const priorities = barrierPriorities(pod);
  if (priorities.size === 0) return false;
  return pod.metadata.annotations?.[LAUNCHED_ANNOTATION] !== 'true' || lackOf(pod, priorities) !== undefined;
}

/**
 * The writes that let the next containers of pods start (OpenKruise container-launch-priority, rule 6b): those of a priority once
 * all containers of higher priorities are ready at this moment. First the key is written, then the pod has it on record; the
 * write of the pod makes its kubelet try again at once. Both may be repeated: after a crash nothing is lost. What somebody has
 * deleted of a ConfigMap is restored in the same way.
 *
 * @param pods of one target
 * @param busy names of pods that are written anyway: they wait for the next reconcile
 * @returns `requeueAt`: when to decide again even if nothing changes, milliseconds since 1970
 */
export function releases(
  pods: readonly Pod[],
  busy: ReadonlySet<string>,
  now: number,
): { actions: CreateAction[]; requeueAt: number | undefined } {
  const found = pods.flatMap((pod) =>
    isLaunching(pod) && !busy.has(pod.metadata.name) ? (releaseOf(pod, now) ?? []) : [],
  );
  return {
    actions: found.filter((each) => typeof each !== 'number'),
    requeueAt: earliestOf(found.filter((each) => typeof each === 'number')),
  };
}

/** The writes about one pod, or from when on there are some. */
function releaseOf(pod: Pod, now: number): CreateAction | number | undefined {
  const priorities = barrierPriorities(pod);
  const all = [...priorities.values()];
  const lowest = Math.min(...all);
  const recorded = recordedOn(pod, priorities);
  const outstanding = outstandingOf(pod, priorities);
  const next = outstanding.length === 0 ? lowest : Math.max(...outstanding);
  // What is released stays released, whatever happens to the containers before.
  const to = Math.min(next, recorded ?? next);
  const lack = lackOf(pod, priorities);
  if (to === recorded) {
    if (lack === undefined) return undefined;
    const until = timeOf(pod.metadata.annotations?.[RELEASED_AT_ANNOTATION]) + TRIED_AGAIN_MS;
    if (until > now) return until;
  }
  const { apiVersion, kind, metadata } = pod;
  const owner = { apiVersion, kind, name: metadata.name, uid: metadata.uid ?? '' };
  const reason = lack ?? reasonOf(priorities, to);
  const annotations = {
    [RELEASED_ANNOTATION]: String(to),
    [RELEASED_AT_ANNOTATION]: timestamp(now),
    ...(to === lowest ? { [LAUNCHED_ANNOTATION]: 'true' } : {}),
  };
  return {
    do: 'create',
    kind: 'ConfigMap',
    verb: 'release containers',
    object: barrierOf(
      pod,
      owner,
      all.filter((priority) => priority >= to),
    ),
    reason,
    next: {
      do: 'patch',
      kind: 'Pod',
      verb: 'record released containers',
      name: metadata.name,
      body: withResourceVersion(pod, { metadata: { annotations } }),
      reason,
    },
  };
}

function reasonOf(priorities: ReadonlyMap<string, number>, to: number): string {
  const now = [...priorities].filter(([, priority]) => priority === to).map(([container]) => container);
  const isFirst = to === Math.max(...priorities.values());
  const why = isFirst ? 'no container has a higher priority' : 'all containers of higher priority are ready';
  return `${now.join(', ')}: ${why}`;
}

/** The lowest priority that a pod has on record as released; undefined: none, or one that it does not have. */
function recordedOn(
  { metadata: { annotations = {} } }: Pod,
  priorities: ReadonlyMap<string, number>,
): number | undefined {
  const all = [...priorities.values()];
  if (annotations[LAUNCHED_ANNOTATION] === 'true') return Math.min(...all);
  const text = annotations[RELEASED_ANNOTATION];
  const recorded = text !== undefined && /^-?[0-9]+$/.test(text) ? Number(text) : undefined;
  return all.find((priority) => priority === recorded);
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

/**
 * What a container that may start lacks of the ConfigMap of its pod, as the kubelet says: somebody has deleted it. As a clause;
 * undefined: nothing.
 */
function lackOf(pod: Pod, priorities: ReadonlyMap<string, number>): string | undefined {
  const recorded = recordedOn(pod, priorities) ?? Infinity;
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
