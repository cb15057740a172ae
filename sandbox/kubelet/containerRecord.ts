import { timestamp } from '../api/metadata.ts';
import type { ContainerState, ContainerStatus } from '../../schemas/pods/pod.ts';

/** The kubelet's record of a container: the current state and the last one. */
export interface ContainerRecord {
  /** The image of the next start. */
  image: string;
  /** The image of the running container, which can differ until the next start. */
  startedImage: string;
  imageID: string;
  containerID: string | undefined;
  state: ContainerState;
  lastState: ContainerState;
  ready: boolean;
  started: boolean;
  /** Milliseconds since 1970; 0 before the first start. */
  startedAt: number;
  starts: number;
}

/** The record of a new container, or one restored from the status of an earlier kubelet. */
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

/** When a new container starts, the previous state becomes lastState. */
function retire(record: ContainerRecord): void {
  if (record.state.terminated !== undefined) record.lastState = { terminated: record.state.terminated };
}

export function recordWait(record: ContainerRecord, reason: string, message?: string): void {
  retire(record);
  record.state = { waiting: { reason, ...(message === undefined ? {} : { message }) } };
}

/** Starts a container with the record's image at this time. */
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

/** The container status. */
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
