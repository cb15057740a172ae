import type { JsonObject } from '../../schemas/wire/json.ts';
import type { Condition } from '../../schemas/wire/object.ts';
import type { InPlaceState } from './annotation-shapes.ts';
import { factsOf } from './facts.ts';
import { RESIZABLE } from '../template/amounts.ts';
import { restartsFor } from '../template/resize.ts';
import { hasDeferred, inPlaceState } from './in-place-state.ts';
import { condition, hasInPlaceGate } from './readiness.ts';
import { requestedRestarts } from './recreated.ts';
import { hasResources, isResized } from './resize.ts';
import { timeOf, timestamp } from '../values/timestamp.ts';
import { type ContainerStatus, IN_PLACE_READY, type Pod } from './types.ts';
import { fullImageName, isDigestOf } from '../values/image-name.ts';
import { memberOf } from '../values/read.ts';

/** Whether the pod was drained for an in-place update. */
export function isDrained(pod: Pod): boolean {
  return factsOf(pod).drained;
}

/**
 * Whether the kubelet has restarted every changed container with its new image (OpenKruise inplace-update, rule 6.5): its
 * imageID changed, or its status has the image of the spec, or it was restarted since. Image names are compared as container
 * runtimes report them (with or without `docker.io/library/`, `:latest` for no tag). If one image has two tags, a runtime may
 * keep reporting the other one; then the restart counts. Readiness of the new container does not matter.
 *
 * If an update started before the previous one was complete, the containers of that one must have settled, too. A deferred
 * change is not complete.
 */
export function isInPlaceUpdateComplete(pod: Pod, now: number): boolean {
  return !hasDeferred(pod) && isBatchComplete(pod, now);
}

/** Whether the part of the update that has been written into the pod is complete. */
export function isBatchComplete(pod: Pod, now: number): boolean {
  const state = inPlaceState(pod);
  if (!hasReadEnvironment(pod)) return false;
  if (!Object.keys(state?.unsettled ?? {}).every((name) => hasSettled(pod, name, now))) return false;
  if (isResized(pod) && !hasResources(pod, changedContainers(pod))) return false;
  for (const [name, before] of Object.entries(state?.lastContainerStatuses ?? {})) {
    const status = containerStatus(pod, name);
    if (status === undefined) return false;
    if (!runsWanted(pod, status, before) && !wasRestartedForUpdate(pod, status, now)) return false;
  }
  return true;
}

/**
 * Whether containers whose environment refers to changed labels or annotations were started since the change. OpenKruise's
 * node daemon restarts them.
 */
function hasReadEnvironment(pod: Pod): boolean {
  const state = inPlaceState(pod);
  if (state?.updateEnvFromMetadata !== true) return true;
  const since = timeOf(state.updateTimestamp);
  return changedContainers(pod).every((name) => startedAt(containerStatus(pod, name)) >= since);
}

/** The containers that the last update has changed so far. */
function changedContainers(pod: Pod): string[] {
  return (inPlaceState(pod)?.containerBatchesRecord ?? []).flatMap(({ containers }) => containers);
}

/** When a running container was started, milliseconds since 1970; 0: it does not run, or the time is missing. */
function startedAt(status: ContainerStatus | undefined): number {
  const { running } = (status?.['state'] ?? {}) as { running?: { startedAt?: string } };
  return timeOf(running?.startedAt);
}

/** When a pod was last updated in place, milliseconds since 1970; undefined: never. */
export function updatedInPlaceAt(pod: Pod): number | undefined {
  const state = inPlaceState(pod);
  return state === undefined ? undefined : timeOf(state.updateTimestamp);
}

/** Milliseconds in which a kubelet reacts to a change of a pod. It then stops containers within their grace period. */
const KUBELET_ACTS_MS = 10_000;
/** Milliseconds by which the clock of a node may be behind. */
const CLOCKS_DIFFER_MS = 30_000;

/**
 * When the kubelet must have completed an update that its status does not prove, milliseconds since 1970: of a pod that was
 * reverted during an update, or whose container was restarted with the same image as before. Undefined: the status is enough.
 */
export function settlesAt(pod: Pod): number | undefined {
  const state = inPlaceState(pod);
  if (state === undefined) return undefined;
  const isSame = Object.entries(state.lastContainerStatuses ?? {}).some(([name, before]) => {
    const status = containerStatus(pod, name);
    return status !== undefined && !runsWanted(pod, status, before) && isRestarted(state, status) !== false;
  });
  if (isSame) return actsBy(pod, lastBatchAt(state));
  return state.unsettled === undefined ? undefined : actsBy(pod, state.updateTimestamp);
}

/** When the kubelet must have stopped the containers of a change, milliseconds since 1970. */
function actsBy(pod: Pod, changedAt: string): number {
  const graceSeconds = Number(pod.spec['terminationGracePeriodSeconds'] ?? 30);
  return timeOf(changedAt) + graceSeconds * 1000 + KUBELET_ACTS_MS;
}

function lastBatchAt({ updateTimestamp, containerBatchesRecord }: InPlaceState): string {
  return containerBatchesRecord?.at(-1)?.timestamp ?? updateTimestamp;
}

/** Whether the image of a container is another one than before, or the wanted one. */
function runsWanted(pod: Pod, status: ContainerStatus, before: { imageID: string }): boolean {
  if (status.imageID !== undefined && status.imageID !== before.imageID) return true;
  const spec = pod.spec.containers.find(({ name }) => name === status.name);
  if (spec === undefined) return false;
  return (
    fullImageName(status.image ?? '') === fullImageName(spec.image) || isDigestOf(spec.image, status.imageID)
  );
}

/** Whether a container has restarted since the update started; undefined: unknown, as OpenKruise does not record restarts. */
function isRestarted({ restartCounts }: InPlaceState, status: ContainerStatus): boolean | undefined {
  const before = memberOf(restartCounts, status.name);
  return before === undefined ? undefined : (status.restartCount ?? 0) > before;
}

/** Whether the rules need the start times of its containers. Few pods need them, and they cannot be shared in memory. */
export function restartsRequested(pod: Pod): boolean {
  const state = inPlaceState(pod);
  if (state === undefined) return false;
  if (state.updateEnvFromMetadata === true) return true;
  return Object.entries(state.lastContainerStatuses ?? {}).some(([name, before]) => {
    const status = containerStatus(pod, name);
    return status?.imageID === before.imageID && isRestarted(state, status) !== false;
  });
}

/**
 * Whether a container that runs the same image as before, under any name, was restarted for the update, and not by a crash
 * before the kubelet observed the change. That the kubelet has observed the change does not prove that it has acted: a
 * container that keeps crashing may have started just before, and is still to be stopped.
 */
function wasRestartedForUpdate(pod: Pod, status: ContainerStatus, now: number): boolean {
  const state = inPlaceState(pod);
  if (state === undefined || !isRunning(status)) return false;
  const isOverdue = now >= actsBy(pod, lastBatchAt(state));
  const isFirstBatch = (state.containerBatchesRecord ?? []).length <= 1;
  const restarted = isRestarted(state, status);
  const startedAtMs = timeOf(lastBatchAt(state));
  // A kubelet that was down may have observed the change, and not have stopped any container yet.
  if (restarted === undefined)
    return isOverdue && isObservedByKubelet(pod) && startedAt(status) > startedAtMs - CLOCKS_DIFFER_MS;
  if (!restarted || isOverdue) return restarted;
  return isFirstBatch && isObservedByKubelet(pod) && startedAt(status) > startedAtMs;
}

function isRunning(status: ContainerStatus): boolean {
  return (status['state'] as { running?: object } | undefined)?.running !== undefined;
}

/** Whether the kubelet has observed the present generation of the pod. */
function isObservedByKubelet({ status, metadata }: Pod): boolean {
  return Number(status?.['observedGeneration'] ?? -1) >= Number(metadata.generation ?? Infinity);
}

/**
 * Whether a container whose image changed twice in a row runs the wanted image: it was restarted since, or the kubelet has
 * observed the last change, or the time to stop it has passed.
 */
function hasSettled(pod: Pod, name: string, now: number): boolean {
  const status = containerStatus(pod, name);
  const spec = pod.spec.containers.find((container) => container.name === name);
  if (status === undefined || spec === undefined || !isRunning(status)) return false;
  const isOverdue = now >= actsBy(pod, inPlaceState(pod)?.updateTimestamp ?? '');
  const isWanted =
    fullImageName(status.image ?? '') === fullImageName(spec.image) || isDigestOf(spec.image, status.imageID);
  if (!(isWanted || isOverdue)) return false;
  const restarted = (status.restartCount ?? 0) > (memberOf(inPlaceState(pod)?.unsettled, name) ?? 0);
  return restarted || isObservedByKubelet(pod) || isOverdue;
}

/** Containers that the last update of a pod may still restart, with their restart counts. */
export function unsettledContainers(pod: Pod, now: number): Record<string, number> | undefined {
  const state = inPlaceState(pod);
  if (state === undefined || isInPlaceUpdateComplete(pod, now)) return undefined;
  const names = [
    ...Object.keys(state.lastContainerStatuses ?? {}),
    ...Object.keys(state.unsettled ?? {}),
    ...restartedByResize(pod, state),
  ];
  return Object.fromEntries(
    [...new Set(names)].sort().map((name) => [name, containerStatus(pod, name)?.restartCount ?? 0]),
  );
}

/**
 * The containers that the kubelet restarts because of a resize. Of one that is only on record, the request may have been sent
 * by a process that ended before it noted that.
 */
function restartedByResize(pod: Pod, state: InPlaceState): string[] {
  if (state.updateResources !== true) return [];
  const resized = new Set([...changedContainers(pod), ...Object.keys(state.nextContainerResources ?? {})]);
  return pod.spec.containers
    .filter((each) => resized.has(each.name) && RESIZABLE.some((resource) => restartsFor(each, resource)))
    .map(({ name }) => name);
}

/**
 * Restarts of all containers of a pod since its last in-place update, except one restart of each container whose image that
 * changed, and one of each that it resized. For a pod that was never updated, all restarts.
 *
 * @param declared the containers of its template; those that others have added are theirs to judge. Default: all count
 */
export function unexplainedRestarts(pod: Pod, declared?: ReadonlySet<string>): number {
  let restarts = 0;
  for (const status of pod.status?.containerStatuses ?? [])
    if (declared?.has(status.name) !== false) restarts += unexplainedOf(pod, status);
  return restarts;
}

/** Restarts of one container since the last in-place update, except the restarts by that update, and those that somebody asked for. */
export function unexplainedOf(pod: Pod, { name, restartCount = 0 }: ContainerStatus): number {
  if (restartCount === 0) return 0;
  const state = inPlaceState(pod);
  const since = memberOf(state?.restartCounts, name) ?? 0;
  const requested = requestedRestarts(pod, { name, restartCount }, since);
  if (state === undefined) return restartCount - requested;
  const isChanged = [state.lastContainerStatuses, state.unsettled].some(
    (changed) => changed !== undefined && changed !== null && Object.hasOwn(changed, name),
  );
  const isGiven = state.updateResources === true && changedContainers(pod).includes(name);
  const explained = (isChanged ? 1 : 0) + (isGiven ? 1 : 0) + requested;
  return Math.max(0, restartCount - since - explained);
}

/** The condition of an open gate: True, without reason or message. The kubelet then sets Ready. */
export function openGate(now: number): Condition {
  return { type: IN_PLACE_READY, status: 'True', lastTransitionTime: timestamp(now) };
}

/**
 * The status patch that sets conditions, and removes a reason or message that a condition does not have.
 *
 * The first patch of a gate is bound to the uid of the pod alone: scheduler and kubelet write the status of a new pod several
 * times in its first second, and none of that affects the gate. If another runtime has drained the pod meanwhile, its next
 * write is bound to the drained version and gets a conflict, and the pod is drained again.
 */
export function conditionsPatch(pod: Pod, conditions: readonly Condition[]): JsonObject {
  const whole = conditions.map((each) => ({ reason: null, message: null, ...each }));
  const patch = { status: { conditions: whole } };
  const isFirst =
    inPlaceState(pod) === undefined && conditions.every(({ type }) => condition(pod, type) === undefined);
  const { uid } = pod.metadata;
  return isFirst && uid !== undefined ? { ...patch, metadata: { uid } } : withResourceVersion(pod, patch);
}

/** Whether the gate of a pod is closed, or not set yet, although no update is in progress. */
export function needsReadyGate(pod: Pod, now: number): boolean {
  return (
    hasInPlaceGate(pod) &&
    condition(pod, IN_PLACE_READY)?.status !== 'True' &&
    isInPlaceUpdateComplete(pod, now)
  );
}

/** Binds a patch to the pod as observed: if uid or version have changed, the server returns 409. */
export function withResourceVersion(pod: Pod, patch: JsonObject): JsonObject {
  const metadata: JsonObject = {};
  if (pod.metadata.uid !== undefined) metadata['uid'] = pod.metadata.uid;
  if (pod.metadata.resourceVersion !== undefined) metadata['resourceVersion'] = pod.metadata.resourceVersion;
  // Not by a spread, for speed: hundreds of patches are made in one decision.
  return Object.assign({}, patch, { metadata: Object.assign(metadata, patch['metadata']) });
}

export function containerStatus(pod: Pod, name: string): ContainerStatus | undefined {
  return pod.status?.containerStatuses?.find((status) => status.name === name);
}
