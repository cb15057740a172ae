import { containerStatus } from '../pod/in-place.ts';
import { isActive, isReady } from '../pod/readiness.ts';
import { isImageChanged } from '../pod/sidecar-changes.ts';
import type { ContainerStatus, Pod } from '../pod/types.ts';
import { fullImageName } from '../values/image-name.ts';
import { isObject } from '../values/json-shape.ts';
import { setDefined } from '../values/set-defined.ts';
import {
  type ContainerFacts,
  containerNames,
  hotPairs,
  type HotState,
  hotState,
  workingContainer,
} from './hot-pair.ts';
import type { Sidecar } from './normalize.ts';
import { changeOf, type ChangeRecord, type PodRecord, recordOf, type RevisionRecord } from './pod-record.ts';
import { memberOf } from '../values/read.ts';

/** A pod that a set was injected into, as that set sees it: only its own containers count. */
export interface Unit {
  pod: Pod;
  record: PodRecord;
  /** The containers of the set. */
  names: readonly string[];
  /** The last change of its images is complete. */
  isConsistent: boolean;
  /** As OpenKruise counts it: the whole pod is ready, and idle halves run the empty image. */
  isReady: boolean;
  /** All containers of the set are ready, and their change is complete. */
  isServing: boolean;
  /** A container of the set is ready, and its change is not complete; or the change of a hot pair has to end first. */
  isBusy: boolean;
  /** Its hot pairs. */
  hot: HotState;
  /** The record that it goes back to if its hot upgrade fails; undefined: none is in progress, or another runtime began it. */
  from: RevisionRecord | undefined;
  /** The set has changed its images since the injection. */
  isChanged: boolean;
  /** It was not ready before the last of these changes, and none of them has taken it out of service. */
  wasUnready: boolean;
  /** Restarts of the containers of the set since their last change, which restarts each once. */
  restarts: number;
}

/** What identifies the containers of a set in its pods. */
export interface OwnContainers {
  set: string;
  containers: readonly Sidecar[];
}

interface Known {
  own: OwnContainers;
  unit: Unit | undefined;
}

/** On a pod, an entry for each set: an observed pod is immutable, and each of its sets asks for it again and again. */
const UNITS = Symbol('units');

/**
 * The pod as a unit of a set; undefined: the set does not match it (OpenKruise sidecarset, rule 6.7.1). It matches pods that
 * are active, were injected, and have every container of the set.
 *
 * @param sidecars those of the present set
 */
export function unitOf(pod: Pod, own: OwnContainers): Unit | undefined {
  const known = (pod as Pod & { [UNITS]?: readonly Known[] })[UNITS] ?? [];
  for (const each of known) if (each.own === own) return each.unit;
  const unit = readUnit(pod, own);
  setDefined(pod, UNITS, [...known.filter((each) => each.own.set !== own.set), { own, unit }]);
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
  const facts = factsOf(pod, change);
  const ordinary = sidecars.flatMap((each) => (each.emptyImage === undefined ? each.name : []));
  const hot = hotState(hotPairs(pod, sidecars), ordinary, facts);
  const isReset = !hot.isChanging && hot.isSettled;
  const runs = pod.status?.phase === 'Running';
  return {
    pod,
    record,
    names,
    isConsistent,
    isReady: runs && isReady(pod) && isReset,
    isServing: runs && allReady && isConsistent && isReset,
    isBusy:
      (!isConsistent && names.some((name) => facts.isReady(name) && !facts.isComplete([name]))) ||
      (hot.isChanging ? hot.isResetDue || !hot.canGoBack : !hot.isSettled),
    hot,
    from: change?.from,
    isChanged: change !== undefined,
    wasUnready: change?.wasUnready === true,
    restarts: names.reduce((sum, name) => sum + facts.restartsOf(name), 0),
  };
}

/** Whether a pod is ready, and the last change of its images is complete. */
export function isWhole({ isConsistent, isReady: is }: Unit): boolean {
  return isConsistent && is;
}

/**
 * Whether the set may have taken a pod out of service: it has changed its images while it was ready, and maybe again since. One that was
 * injected and never changed, or not ready before, is not ready for reasons of its own.
 */
export function mayHaveTaken({ isChanged, wasUnready }: Unit): boolean {
  return isChanged && !wasUnready;
}

function factsOf(pod: Pod, change: ChangeRecord | undefined): ContainerFacts {
  const status = (name: string): ContainerStatus | undefined => containerStatus(pod, name);
  return {
    isReady: (name) => status(name)?.ready === true,
    isRunning: (name) => isRunning(status(name)),
    isComplete: (names) => isComplete(pod, names, change),
    hasStarted: (name) => hasStarted(pod, name, change),
    isChanged: (name) => Object.hasOwn(change?.before ?? {}, name),
    restartsOf: (name) => restartsOf(pod, name, change),
  };
}

/** Where a status has no state, as in a forecast, the container runs. */
function isRunning(status: ContainerStatus | undefined): boolean {
  const state = status?.['state'];
  return status !== undefined && (state === undefined || (isObject(state) && state['running'] !== undefined));
}

/** Stricter than that a change is complete: what ran before must be known, or the status must have the image of the spec. */
function hasStarted(pod: Pod, name: string, change: ChangeRecord | undefined): boolean {
  if (!isComplete(pod, [name], change)) return false;
  return (memberOf(change?.before, name) ?? '') !== '' || isByDigest(pod, name) || runsImageOfSpec(pod, name);
}

function hasStructure(pod: Pod, sidecars: readonly Sidecar[]): boolean {
  const there = new Set(pod.spec.containers.map(({ name }) => name));
  return sidecars.every(
    (each) =>
      containerNames(each).every((name) => there.has(name)) &&
      (each.emptyImage === undefined || workingContainer(pod, each.name) !== undefined),
  );
}

/**
 * Whether the kubelet has acted on the last change (OpenKruise sidecarset, rule 6.9). Images by digest are compared with what
 * runs. Otherwise the image that runs is another one than before, or the status has the image of the spec.
 */
function isComplete(pod: Pod, names: readonly string[], change: ChangeRecord | undefined): boolean {
  const { containers } = pod.spec;
  if (containers.length !== (pod.status?.containerStatuses ?? []).length) return false;
  if (names.length > 0 && names.every((name) => isByDigest(pod, name)))
    return names.every((name) => isSameDigest(imageOf(pod, name), containerStatus(pod, name)?.imageID));
  // Whoever owns the pod can write the record. One that cannot be read says no more than none, and the next update replaces it.
  if (change?.before === undefined) return true;
  const { before } = change;
  return names.every((name) => {
    const status = containerStatus(pod, name) ?? { name };
    return !Object.hasOwn(before, name) || isImageChanged(imageOf(pod, name), status, before[name]);
  });
}

function imageOf(pod: Pod, name: string): string {
  return pod.spec.containers.find((each) => each.name === name)?.image ?? '';
}

/** An image by digest is compared with what runs. */
function isByDigest(pod: Pod, name: string): boolean {
  return imageOf(pod, name).includes('@');
}

function runsImageOfSpec(pod: Pod, name: string): boolean {
  const { image = '', imageID } = containerStatus(pod, name) ?? {};
  return (
    fullImageName(imageOf(pod, name)) === fullImageName(image) || isSameDigest(imageOf(pod, name), imageID)
  );
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

/** Restarts of a container of a set since the last change, without those that the change caused. */
export function restartsIn(pod: Pod, set: string, name: string): number {
  return restartsOf(pod, name, changeOf(pod, set));
}

function restartsOf(pod: Pod, name: string, change: ChangeRecord | undefined): number {
  const { restartCount = 0 } = containerStatus(pod, name) ?? {};
  if (change === undefined || restartCount === 0) return restartCount;
  const expected = (memberOf(change.restarts, name) ?? 0) + (change.changed.includes(name) ? 1 : 0);
  return Math.max(0, restartCount - expected);
}

/** These names distinguish the pods of several namespaces. */
export function nameOf({ metadata: { namespace = '', name } }: Pod): string {
  return `${namespace}/${name}`;
}
