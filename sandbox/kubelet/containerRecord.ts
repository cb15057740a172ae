import { timestamp } from '../api/metadata.ts';
import type { ContainerState, ContainerStatus } from '../kinds/pod.ts';

/** What a kubelet keeps of one container in a pod: what it is now, and what it was before its last restart. */
export interface ContainerRecord {
  /** The image that the next container gets. */
  image: string;
  /** The image of the latest container, which differs from the next one's until that has started. */
  startedImage: string;
  imageID: string;
  containerID: string | undefined;
  state: ContainerState;
  lastState: ContainerState;
  ready: boolean;
  started: boolean;
  /** In milliseconds since 1970; 0 before the first start. */
  startedAt: number;
  starts: number;
}

/** The record of a container that has not run, or that goes on from the status that another kubelet left. */
export function createContainerRecord(known?: ContainerStatus): ContainerRecord {
  const image = known?.image ?? '';
  const containerID = known?.containerID;
  const state: ContainerState = known?.state ?? { waiting: { reason: 'ContainerCreating' } };
  return {
    image,
    startedImage: image,
    imageID: known?.imageID ?? '',
    containerID,
    state,
    lastState: known?.lastState ?? {},
    ready: known?.ready ?? false,
    started: known?.started ?? false,
    startedAt: Date.parse(state.running?.startedAt ?? '') || 0,
    starts: containerID === undefined ? 0 : (known?.restartCount ?? 0) + 1,
  };
}

/** A container that is no longer shown as the present one becomes the last one. */
function retire(record: ContainerRecord): void {
  if (record.state.terminated !== undefined) record.lastState = { terminated: record.state.terminated };
}

export function recordWait(record: ContainerRecord, reason: string, message?: string): void {
  retire(record);
  record.state = { waiting: { reason, ...(message === undefined ? {} : { message }) } };
}

/** A new container of the record's image runs, from now on. */
export function recordStart(
  record: ContainerRecord,
  {
    now,
    containerID,
    imageID,
    started,
  }: { now: number; containerID: string; imageID: string; started: boolean },
): void {
  retire(record);
  record.starts += 1;
  record.startedAt = now;
  record.containerID = containerID;
  record.startedImage = record.image;
  record.imageID = imageID;
  record.state = { running: { startedAt: timestamp(now) } };
  record.started = started;
}

export function recordExit(record: ContainerRecord, exitCode: number, reason: string, now: number): void {
  record.ready = false;
  record.started = false;
  record.state = {
    terminated: {
      exitCode,
      reason,
      startedAt: timestamp(record.startedAt),
      finishedAt: timestamp(now),
      containerID: record.containerID ?? '',
    },
  };
}

/** What the pod's status says about it. */
export function statusOf(record: ContainerRecord, name: string): ContainerStatus {
  const { image, startedImage, imageID, containerID, ready, started, starts, state, lastState } = record;
  return {
    name,
    image: starts === 0 ? image : startedImage,
    imageID,
    ...(containerID === undefined ? {} : { containerID }),
    ready,
    started,
    restartCount: Math.max(0, starts - 1),
    state,
    lastState,
  };
}
