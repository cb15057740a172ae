import type { JsonObject } from '../../schemas/wire/json.ts';
import type { Condition } from '../../schemas/wire/object.ts';
import type { InPlacePatch } from '../template/inplace-images.ts';
import type { InPlaceState } from './annotation-shapes.ts';
import { factsOf, START_REASON } from './facts.ts';
import { hasNextBatch, hasDeferred, inPlaceState, merged, renamed } from './in-place-state.ts';
import { firstBatch } from './launch-priority.ts';
import { condition, hasInPlaceGate } from './readiness.ts';
import { timestamp } from '../values/timestamp.ts';
import { carriedFinalizers } from './reserved-keys.ts';
import {
  type ContainerStatus,
  IN_PLACE_READY,
  IN_PLACE_STATE_ANNOTATION,
  type Pod,
  REVISION_LABEL,
  revisionLabel,
  SHORT_HASH_LABEL,
} from './types.ts';
import { unreadyBy } from './unready.ts';

/** Traffic was taken from the pod for an in-place update. */
export function isDrained(pod: Pod): boolean {
  return factsOf(pod).drained;
}

/**
 * The kubelet has made every recorded container anew (OpenKruise inplace-update, rule 6.5): its imageID changed, or
 * its status names the image that the spec asks for, or it was restarted since. Image names are compared as a runtime may
 * report them (with or without `docker.io/library/`, `:latest` for no tag); of one image with two tags it may report the
 * other one for ever, and then the restart tells. Readiness of the new container is not part of it.
 *
 * Where an update began before the last one was complete, the containers of that one must be seen to have settled. What
 * OpenKruise has put off is still to come.
 */
export function isInPlaceUpdateComplete(pod: Pod, now: number): boolean {
  return !hasDeferred(pod) && isBatchComplete(pod, now);
}

/** The same for as much of the update as has been written into the pod. */
export function isBatchComplete(pod: Pod, now: number): boolean {
  const state = inPlaceState(pod);
  if (!hasReadEnvironment(pod)) return false;
  if (!Object.keys(state?.unsettled ?? {}).every((name) => hasSettled(pod, name, now))) return false;
  for (const [name, before] of Object.entries(state?.lastContainerStatuses ?? {})) {
    const status = containerStatus(pod, name);
    if (status === undefined) return false;
    if (!runsWanted(pod, status, before) && !isMadeAnew(pod, status, now)) return false;
  }
  return true;
}

/**
 * Where the environment of containers follows labels or annotations that were changed, they must have been started since:
 * OpenKruise's node daemon does that, or whoever else restarts them.
 */
function hasReadEnvironment(pod: Pod): boolean {
  const state = inPlaceState(pod);
  if (state?.updateEnvFromMetadata !== true) return true;
  const since = Date.parse(state.updateTimestamp) || 0;
  const names = (state.containerBatchesRecord ?? []).flatMap(({ containers }) => containers);
  return names.every((name) => startedAt(containerStatus(pod, name)) >= since);
}

/** When a container that runs was started, milliseconds since 1970; 0: it does not run, or does not say. */
function startedAt(status: ContainerStatus | undefined): number {
  const { running } = (status?.['state'] ?? {}) as { running?: { startedAt?: string } };
  return Date.parse(running?.startedAt ?? '') || 0;
}

/** When a pod was last updated in place, milliseconds since 1970; undefined: never. */
export function updatedInPlaceAt(pod: Pod): number | undefined {
  const state = inPlaceState(pod);
  return state === undefined ? undefined : Date.parse(state.updateTimestamp) || 0;
}

/** A kubelet acts on a change of a pod within a few seconds, and stops a container within its grace period. */
const KUBELET_ACTS_MS = 10_000;
/** The clock of a node may be behind by so much. */
const CLOCKS_DIFFER_MS = 30_000;

/**
 * When it may be trusted that the kubelet has acted on an update, though it has not said so: of a pod that was taken back in
 * the middle of one, or whose container was restarted and runs the same image as before. Undefined: that is not asked.
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

/** The kubelet has stopped the containers of a change by then. */
function actsBy(pod: Pod, changedAt: string): number {
  const graceSeconds = Number(pod.spec['terminationGracePeriodSeconds'] ?? 30);
  return (Date.parse(changedAt) || 0) + graceSeconds * 1000 + KUBELET_ACTS_MS;
}

function lastBatchAt({ updateTimestamp, containerBatchesRecord }: InPlaceState): string {
  return containerBatchesRecord?.at(-1)?.timestamp ?? updateTimestamp;
}

/** By its image: another one than before, or the one that is wanted. */
function runsWanted(pod: Pod, status: ContainerStatus, before: { imageID: string }): boolean {
  if (status.imageID !== undefined && status.imageID !== before.imageID) return true;
  const spec = pod.spec.containers.find(({ name }) => name === status.name);
  return spec !== undefined && fullImageName(status.image ?? '') === fullImageName(spec.image);
}

/** More often than when the update began; undefined: nobody counted then, as in an update that OpenKruise began. */
function isRestarted({ restartCounts }: InPlaceState, status: ContainerStatus): boolean | undefined {
  const before = restartCounts?.[status.name];
  return before === undefined ? undefined : (status.restartCount ?? 0) > before;
}

/** It matters when its containers were started: of few pods, and that time tells each container from all others. */
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
 * A container that runs the image that it ran before, under whatever name, was made anew for the update: it was restarted,
 * and not by itself before the kubelet knew of the change. That it knows is not that it has acted: a container that keeps
 * crashing may have been started just before, and is still to be stopped.
 */
function isMadeAnew(pod: Pod, status: ContainerStatus, now: number): boolean {
  const state = inPlaceState(pod);
  if (state === undefined || !isRunning(status)) return false;
  const late = now >= actsBy(pod, lastBatchAt(state));
  const isFirstBatch = (state.containerBatchesRecord ?? []).length <= 1;
  const restarted = isRestarted(state, status);
  const begun = Date.parse(lastBatchAt(state)) || 0;
  // A kubelet that was down knows of the change, and has stopped nothing yet.
  if (restarted === undefined) return late && isSeen(pod) && startedAt(status) > begun - CLOCKS_DIFFER_MS;
  if (!restarted || late) return restarted;
  return isFirstBatch && isSeen(pod) && startedAt(status) > begun;
}

function isRunning(status: ContainerStatus): boolean {
  return (status['state'] as { running?: object } | undefined)?.running !== undefined;
}

/** The kubelet says that it knows the pod as it is. */
function isSeen({ status, metadata }: Pod): boolean {
  return Number(status?.['observedGeneration'] ?? -1) >= Number(metadata.generation ?? Infinity);
}

/**
 * A container whose image was changed twice in a row runs what is wanted when it has been restarted since, when the
 * kubelet says that it has seen the last change, or when it would have been stopped long ago.
 */
function hasSettled(pod: Pod, name: string, now: number): boolean {
  const status = containerStatus(pod, name);
  const spec = pod.spec.containers.find((container) => container.name === name);
  if (status === undefined || spec === undefined || !isRunning(status)) return false;
  const late = now >= actsBy(pod, inPlaceState(pod)?.updateTimestamp ?? '');
  const isWanted = fullImageName(status.image ?? '') === fullImageName(spec.image);
  if (!(isWanted || late)) return false;
  const restarted = (status.restartCount ?? 0) > (inPlaceState(pod)?.unsettled?.[name] ?? 0);
  return restarted || isSeen(pod) || late;
}

/** Containers that the last update of a pod may still be restarting, with their restarts now. */
function unsettledContainers(pod: Pod, now: number): Record<string, number> | undefined {
  const state = inPlaceState(pod);
  if (state === undefined || isInPlaceUpdateComplete(pod, now)) return undefined;
  const names = [...Object.keys(state.lastContainerStatuses ?? {}), ...Object.keys(state.unsettled ?? {})];
  return Object.fromEntries(
    [...new Set(names)].sort().map((name) => [name, containerStatus(pod, name)?.restartCount ?? 0]),
  );
}

/**
 * Restarts since the last update in place that it does not explain, over all containers of the pod: one restart is
 * expected of each container whose image it changed. Of a pod never updated, every restart.
 */
export function unexplainedRestarts(pod: Pod): number {
  let restarts = 0;
  for (const status of pod.status?.containerStatuses ?? []) restarts += unexplainedOf(pod, status);
  return restarts;
}

/** The same of one container. */
export function unexplainedOf(pod: Pod, { name, restartCount = 0 }: ContainerStatus): number {
  if (restartCount === 0) return 0;
  const state = inPlaceState(pod);
  if (state === undefined) return restartCount;
  const isChanged = [state.lastContainerStatuses, state.unsettled].some(
    (changed) => changed !== undefined && changed !== null && Object.hasOwn(changed, name),
  );
  return Math.max(0, restartCount - (state.restartCounts?.[name] ?? 0) - (isChanged ? 1 : 0));
}

/**
 * Takes traffic from the pod before its containers change (rule 6.3 step 2): the gate's condition turns False, and
 * Ready with it where the containers themselves are ready, so that endpoints follow without waiting for the kubelet.
 * A strategic merge patch of the status.
 */
export function drainPatch(pod: Pod, now: number): JsonObject {
  const shut = {
    type: IN_PLACE_READY,
    status: 'False',
    reason: START_REASON,
    lastTransitionTime: timestamp(now),
  };
  return withResourceVersion(pod, {
    status: { conditions: [shut, ...unreadyBy(pod, IN_PLACE_READY, now)] as JsonObject[] },
  });
}

/** The change itself: new revision labels, images and metadata, and the state that tells when it is complete. */
export function startPatch(
  pod: Pod,
  revision: { name: string; shortHash: string },
  change: InPlacePatch,
  now: number,
): JsonObject {
  const at = timestamp(now);
  // What an update before this one has put off is still to come, but for what this one changes again.
  const before = inPlaceState(pod);
  const images = { ...before?.nextContainerImages, ...change.images };
  const metadata = merged([...Object.values(before?.nextContainerRefMetadata ?? {}), change.metadata]);
  const awaited = awaitedContainers(pod, now);
  // Those that are waited for keep their place in the order, though they do not change again.
  const line = firstBatch(pod, [...new Set([...Object.keys(images), ...awaited])].sort());
  const containers = line.filter((name) => Object.hasOwn(images, name));
  const state: InPlaceState = { revision: revision.name, updateTimestamp: at, lastContainerStatuses: null };
  if (containers.length > 0) {
    state.lastContainerStatuses = {};
    for (const name of containers) {
      const status = containerStatus(pod, name);
      if (status?.imageID === undefined) continue;
      state.lastContainerStatuses[name] = { imageID: status.imageID };
    }
    state.updateImages = true;
  }
  deferRest(state, images, containers, line);
  if (Object.keys(before?.nextContainerResources ?? {}).length > 0)
    state.nextContainerResources = before?.nextContainerResources;
  state.restartCounts = Object.fromEntries(
    (pod.status?.containerStatuses ?? []).map((status) => [status.name, status.restartCount ?? 0]),
  );
  const unsettled = unsettledContainers(pod, now);
  if (unsettled !== undefined) state.unsettled = unsettled;
  state.containerBatchesRecord = [{ timestamp: at, containers }];
  const patch: JsonObject = {
    metadata: {
      labels: {
        ...(metadata['labels'] as JsonObject),
        [REVISION_LABEL]: revisionLabel(revision),
        [SHORT_HASH_LABEL]: revision.shortHash,
      },
      annotations: renamed(pod, {
        ...(metadata['annotations'] as Record<string, string | null>),
        [IN_PLACE_STATE_ANNOTATION]: JSON.stringify(state),
      }),
      ...(change.metadata.finalizers ? { finalizers: carriedFinalizers(change.metadata.finalizers) } : {}),
      ...(change.metadata.removedFinalizers
        ? { '$deleteFromPrimitiveList/finalizers': change.metadata.removedFinalizers }
        : {}),
    },
  };
  if (containers.length > 0) {
    patch['spec'] = { containers: containers.map((name) => ({ name, image: images[name] ?? '' })) };
  }
  return withResourceVersion(pod, patch);
}

/** Containers that the next batch of an update waits for: they are not ready yet, or not known to have been restarted. */
function awaitedContainers(pod: Pod, now: number): string[] {
  const state = inPlaceState(pod);
  if (!hasNextBatch(state)) return [];
  const required = state?.preCheckBeforeNext?.containersRequiredReady ?? [];
  const isComplete = isBatchComplete(pod, now);
  return required.filter((name) => !isComplete || containerStatus(pod, name)?.ready !== true);
}

/**
 * Leaves the containers that are not in this batch to later ones, which begin when those that come before them are ready
 * (rule 6.4 steps 3 and 6).
 *
 * @param first those that come before: this batch, and what one before it has left unfinished
 */
export function deferRest(
  state: InPlaceState,
  images: Readonly<Record<string, string>>,
  batch: readonly string[],
  first: readonly string[] = batch,
): void {
  const rest = Object.entries(images).filter(([name]) => !batch.includes(name));
  if (rest.length === 0) return;
  state.nextContainerImages = Object.fromEntries(rest.sort(([a], [b]) => (a < b ? -1 : 1)));
  state.preCheckBeforeNext = { containersRequiredReady: [...first].sort() };
}

/** The pod's gate is open: condition True without reason or message; Ready is left to the kubelet. */
export function openGate(now: number): Condition {
  return { type: IN_PLACE_READY, status: 'True', lastTransitionTime: timestamp(now) };
}

/**
 * Writes conditions as they are to be; a reason or message that one does not have is taken away. Scheduler and kubelet write
 * the status of a new pod several times in its first second, and nothing that they write decides about a gate that nobody
 * has written before: that patch is bound to the uid alone. Where it arrives after another runtime has drained the pod, the
 * next write of that one names the version that it drained, is refused, and the pod is drained again.
 */
export function conditionsPatch(pod: Pod, conditions: readonly Condition[]): JsonObject {
  const whole = conditions.map((each) => ({ reason: null, message: null, ...each }));
  const patch = { status: { conditions: whole } };
  const isFirst =
    inPlaceState(pod) === undefined && conditions.every(({ type }) => condition(pod, type) === undefined);
  const { uid } = pod.metadata;
  return isFirst && uid !== undefined ? { ...patch, metadata: { uid } } : withResourceVersion(pod, patch);
}

/** A pod whose gate is not yet (or not again) True although nothing of an update is left to wait for. */
export function needsReadyGate(pod: Pod, now: number): boolean {
  return (
    hasInPlaceGate(pod) &&
    condition(pod, IN_PLACE_READY)?.status !== 'True' &&
    isInPlaceUpdateComplete(pod, now)
  );
}

/** Binds a patch to exactly the pod it was decided on: another uid or a newer version answers 409. */
export function withResourceVersion(pod: Pod, patch: JsonObject): JsonObject {
  const metadata: JsonObject = {};
  if (pod.metadata.uid !== undefined) metadata['uid'] = pod.metadata.uid;
  if (pod.metadata.resourceVersion !== undefined) metadata['resourceVersion'] = pod.metadata.resourceVersion;
  return { ...patch, metadata: Object.assign(metadata, patch['metadata']) };
}

export function containerStatus(pod: Pod, name: string): ContainerStatus | undefined {
  return pod.status?.containerStatuses?.find((status) => status.name === name);
}

/** `nginx` → `docker.io/library/nginx:latest`; a port of a registry is no tag. */
function fullImageName(image: string): string {
  const [name = '', digest] = image.split('@');
  const slash = name.lastIndexOf('/');
  const tagged = digest !== undefined || name.includes(':', slash + 1) ? image : `${image}:latest`;
  const first = tagged.split('/')[0] ?? '';
  const hasRegistry = tagged.includes('/') && (/[.:]/.test(first) || first === 'localhost');
  if (hasRegistry) return tagged;
  return tagged.includes('/') ? `docker.io/${tagged}` : `docker.io/library/${tagged}`;
}
