import { containerStatus } from '../pod/in-place.ts';
import { isActive, isReady } from '../pod/readiness.ts';
import type { Pod } from '../pod/types.ts';
import { fullImageName } from '../values/image-name.ts';
import { isObject, parsedJson } from '../values/json-shape.ts';
import type { Sidecar } from './normalize.ts';
import { changeOf, type ChangeRecord, type PodRecord, recordOf } from './pod-record.ts';
import { WORKING_ANNOTATION } from './resource.ts';

/** A pod that a set was injected into, as that set sees it: only its own containers count. */
export interface Unit {
  pod: Pod;
  record: PodRecord;
  /** The last change of its images is complete. */
  isConsistent: boolean;
  /** As OpenKruise counts it: the whole pod is ready, and idle halves run the empty image. */
  isReady: boolean;
  /** All containers of the set are ready, and their change is complete. */
  isServing: boolean;
  /** Some container of the set is ready, and its change is not complete. */
  isBusy: boolean;
  /** The set has changed its images since the injection. */
  isChanged: boolean;
  /** Restarts of the containers of the set since their last change, which restarts each once. */
  restarts: number;
}

/** What identifies the containers of a set in its pods. */
export interface OwnContainers {
  set: string;
  containers: readonly Sidecar[];
}

/** Cached by pod: an observed pod is immutable, and one set asks for it again and again. */
const units = new WeakMap<Pod, { own: OwnContainers; unit: Unit | undefined }>();

/**
 * The pod as a unit of a set; undefined: the set does not match it (OpenKruise sidecarset, rule 6.7.1). It matches pods that
 * are active, were injected, and have every container of the set.
 *
 * @param sidecars those of the present set
 */
export function unitOf(pod: Pod, own: OwnContainers): Unit | undefined {
  const known = units.get(pod);
  if (known?.own === own) return known.unit;
  const unit = readUnit(pod, own);
  units.set(pod, { own, unit });
  return unit;
}

function readUnit(pod: Pod, { set, containers: sidecars }: OwnContainers): Unit | undefined {
  const record = isActive(pod) ? recordOf(pod, set) : undefined;
  if (record === undefined || !hasStructure(pod, sidecars)) return undefined;
  const names = sidecars.flatMap(containerNames);
  const change = changeOf(pod, set);
  const isConsistent = isComplete(pod, names, change);
  const statuses = names.map((name) => containerStatus(pod, name));
  const allReady = statuses.every((status) => status?.ready === true);
  const isReset = sidecars.every((each) => runsEmptyImage(pod, each));
  const isRunning = pod.status?.phase === 'Running';
  return {
    pod,
    record,
    isConsistent,
    isReady: isRunning && isReady(pod) && isReset,
    isServing: isRunning && allReady && isConsistent && isReset,
    isBusy: !isConsistent && statuses.some((status) => status?.ready === true),
    isChanged: change !== undefined,
    restarts: names.reduce((sum, name) => sum + restartsOf(pod, name, change), 0),
  };
}

/** The names of the containers that a sidecar has in a pod: one, or the two halves of a hot pair. */
export function containerNames({ name, emptyImage }: Sidecar): string[] {
  return emptyImage === undefined ? [name] : [`${name}-1`, `${name}-2`];
}

function hasStructure(pod: Pod, sidecars: readonly Sidecar[]): boolean {
  const there = new Set(pod.spec.containers.map(({ name }) => name));
  return sidecars.every(
    (each) =>
      containerNames(each).every((name) => there.has(name)) &&
      (each.emptyImage === undefined || workingHalf(pod, each.name) !== undefined),
  );
}

/** The half of a hot pair that works; undefined: it is not on record. */
function workingHalf(pod: Pod, name: string): string | undefined {
  const working = parsedJson(pod.metadata.annotations?.[WORKING_ANNOTATION] ?? '');
  if (!isObject(working) || !Object.hasOwn(working, name)) return undefined;
  return working[name] === `${name}-1` ? `${name}-1` : `${name}-2`;
}

function runsEmptyImage(pod: Pod, sidecar: Sidecar): boolean {
  if (sidecar.emptyImage === undefined) return true;
  const working = workingHalf(pod, sidecar.name);
  const idle = containerNames(sidecar).find((name) => name !== working);
  return pod.spec.containers.find(({ name }) => name === idle)?.image === sidecar.emptyImage;
}

/**
 * Whether the kubelet has acted on the last change (OpenKruise sidecarset, rule 6.9). Images by digest are compared with what
 * runs. Otherwise the image that runs is another one than before, or the status has the image of the spec.
 */
function isComplete(pod: Pod, names: readonly string[], change: ChangeRecord | undefined): boolean {
  const { containers } = pod.spec;
  if (containers.length !== (pod.status?.containerStatuses ?? []).length) return false;
  const images = names.map((name) => containers.find((each) => each.name === name)?.image ?? '');
  if (images.length > 0 && images.every((image) => image.includes('@'))) {
    return names.every((name, index) =>
      isSameDigest(images[index] ?? '', containerStatus(pod, name)?.imageID),
    );
  }
  if (change === undefined) return true;
  const { before } = change;
  if (before === undefined) return false;
  return names.every((name, index) => {
    const status = containerStatus(pod, name);
    const isUnchanged = Object.hasOwn(before, name) && before[name] === status?.imageID;
    return !isUnchanged || fullImageName(images[index] ?? '') === fullImageName(status?.image ?? '');
  });
}

/** Whether a runtime reports this image: names are compared as runtimes report them, which OpenKruise does not do. */
function isSameDigest(image: string, imageID = ''): boolean {
  const scheme = imageID.indexOf('://');
  const [running, wanted] = [scheme === -1 ? imageID : imageID.slice(scheme + 3), image].map((each) => {
    const [name = '', digest = ''] = each.split('@');
    return { repository: fullImageName(`${withoutTag(name)}@${digest}`), digest };
  });
  return running?.digest !== '' && running?.repository === wanted?.repository;
}

function withoutTag(name: string): string {
  const colon = name.indexOf(':', name.lastIndexOf('/') + 1);
  return colon === -1 ? name : name.slice(0, colon);
}

function restartsOf(pod: Pod, name: string, change: ChangeRecord | undefined): number {
  const { restartCount = 0 } = containerStatus(pod, name) ?? {};
  if (change === undefined || restartCount === 0) return restartCount;
  const expected = (change.restarts[name] ?? 0) + (change.changed.includes(name) ? 1 : 0);
  return Math.max(0, restartCount - expected);
}
