import { containerStatus } from '../pod/in-place.ts';
import { recordOf } from '../pod/recreated.ts';
import type { ContainerStatus, Pod } from '../pod/types.ts';
import { objectOf, textOf } from '../values/read.ts';
import { timeOf } from '../values/timestamp.ts';
import type { Instance, NormalRequest } from './normalize.ts';

/** What became of one container (OpenKruise container-recreate-request, section 3). */
export interface ContainerState {
  name: string;
  phase: 'Pending' | 'Recreating' | 'Succeeded' | 'Failed';
  isKilled?: boolean;
  message?: string;
}

/** A container that has started since the request was created. */
export interface StatusSnapshot {
  name: string;
  ready: boolean;
  restartCount: number;
  containerID: string;
}

/** What the states are computed from. */
export interface StateInput {
  request: NormalRequest;
  uid: string;
  pod: Pod;
  /** The containers as they were when the request was taken up. */
  context: ReadonlyMap<string, Instance>;
  /** What the status has. */
  recorded: readonly ContainerState[];
  snapshot: readonly StatusSnapshot[];
  now: number;
}

const NOT_FOUND = 'not found container on Node';
/** How the message of a container begins that cannot be stopped. */
export const KILL_ERROR = 'kill container error: ';
const UNENDED = 'it still runs: its process may ignore SIGTERM, or none has arrived';

/**
 * The running containers of a request that have started since it was created, to the second (OpenKruise container-recreate-request,
 * section 3). An empty list replaces none.
 */
export function snapshotOf(
  pod: Pod,
  names: readonly string[],
  createdAt: number,
  before: readonly StatusSnapshot[],
): readonly StatusSnapshot[] {
  const found = names.flatMap((name): StatusSnapshot[] => {
    const status = containerStatus(pod, name);
    const startedAt = startOf(status);
    if (status === undefined || startedAt === 0 || toSeconds(startedAt) < toSeconds(createdAt)) return [];
    const { ready = false, restartCount = 0, containerID = '' } = status;
    return [{ name, ready, restartCount, containerID }];
  });
  return found.length === 0 ? before : found;
}

/** The state of each container, in the order of the request. The first rule that matches applies (rule 6c). */
export function statesOf(input: StateInput): ContainerState[] {
  return input.request.containers.map((name) => stateOf(input, name));
}

function stateOf(
  { request, uid, pod, context, recorded, snapshot, now }: StateInput,
  name: string,
): ContainerState {
  const before = recorded.find((each) => each.name === name);
  if (before?.phase === 'Failed' || before?.phase === 'Succeeded') return before;
  const record = recordOf(pod, name);
  const own = record?.by === uid ? record : undefined;
  const isKilled = before?.isKilled === true || own !== undefined;
  const carried = isKilled ? { isKilled } : {};
  const status = containerStatus(pod, name);
  if (status === undefined) return { name, phase: 'Pending', ...carried, message: NOT_FOUND };
  const state = objectOf(status['state']);
  if (state['running'] === undefined) return { name, phase: 'Recreating', ...carried, ...waitingFor(state) };
  if (request.isForced && !isKilled) return { name, phase: 'Pending' };
  if (isAnother(status, own, context.get(name))) {
    const entry = snapshot.find((each) => each.name === name);
    const isBack =
      entry?.containerID === status.containerID &&
      entry?.ready === true &&
      now - startOf(status) > request.minStarted * 1000;
    return { name, phase: isBack ? 'Succeeded' : 'Recreating', ...carried };
  }
  // Nothing forces it to end.
  if (own?.until !== undefined && now >= own.until)
    return { name, phase: 'Failed', message: KILL_ERROR + UNENDED };
  // It was asked to stop, and the status does not show that yet.
  if (own !== undefined) return { name, phase: 'Recreating', isKilled };
  return { name, phase: 'Pending', ...carried };
}

/** Whether the container that runs is none of those before: that of the beginning, and the one that was stopped. */
function isAnother(
  { containerID, restartCount = 0 }: ContainerStatus,
  stopped: { containerID: string } | undefined,
  first: Instance | undefined,
): boolean {
  if (stopped !== undefined) return containerID !== stopped.containerID;
  return first !== undefined && (containerID !== first.containerID || restartCount > first.restartCount);
}

/** Why a container that is to come back does not, while it waits for an image or a pause. */
function waitingFor(state: Readonly<Record<string, unknown>>): { message?: string } {
  const reason = textOf(objectOf(state['waiting'])['reason']);
  return reason === '' || reason === 'ContainerCreating' ? {} : { message: reason };
}

/** When the last container that is back has run for long enough, milliseconds since 1970; undefined: none waits for that. */
export function ripeAt({ request, pod }: StateInput, states: readonly ContainerState[]): number | undefined {
  const times = states.flatMap(({ name, phase }) => {
    const startedAt = startOf(containerStatus(pod, name));
    return phase === 'Recreating' && startedAt > 0 ? [startedAt + request.minStarted * 1000 + 1] : [];
  });
  return times.length === 0 ? undefined : Math.min(...times);
}

/** When a running container was started, milliseconds since 1970; 0: it does not run. */
function startOf(status: ContainerStatus | undefined): number {
  const { startedAt } = objectOf(objectOf(status?.['state'])['running']);
  return timeOf(textOf(startedAt) || undefined);
}

const toSeconds = (ms: number): number => Math.floor(ms / 1000);
