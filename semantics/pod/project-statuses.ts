import { LOST_REASON } from './failure.ts';
import { type Intern, keyOf } from './intern.ts';
import { runEnd, type RunEnd, STARTING, waitMessage } from './last-failure.ts';
import { isAboutBarrier } from './launching.ts';
import { readResources } from './resize.ts';
import type { ContainerStatus } from './types.ts';
import { objectOf } from '../values/read.ts';

/** The start times of a container make each status unique. They are kept only if the rules need them. */
export function containerStatusOf(
  status: ContainerStatus,
  pod: string,
  { startsMatter, resized }: { startsMatter: boolean; resized: boolean },
  intern: Intern,
): ContainerStatus {
  const { name, ready, restartCount, image, imageID } = status;
  const state = status['state'] as
    | {
        running?: { startedAt?: string };
        waiting?: { reason?: string; message?: string };
        terminated?: { reason?: string };
      }
    | undefined;
  const end = runEnd(state?.terminated);
  const startedAt = startsMatter ? state?.running?.startedAt : undefined;
  const isLost = state?.terminated?.reason === LOST_REASON;
  const reason = isLost ? LOST_REASON : state?.waiting?.reason;
  // Words of a failure are few pods' own.
  const message = isAboutBarrier(pod, state?.waiting?.message)
    ? state?.waiting?.message
    : waitMessage(state?.waiting);
  const last = lastStateOf(status, startsMatter);
  const resources = resized ? readResources(status['resources']) : undefined;
  const how = state && (state.running ? 'running' : state.waiting ? 'waiting' : 'terminated');
  const reduced = (): ContainerStatus => ({
    name,
    ...(ready !== undefined && { ready }),
    ...(restartCount !== undefined && { restartCount }),
    ...(image !== undefined && { image }),
    ...(imageID !== undefined && { imageID }),
    ...(how !== undefined && {
      state: {
        [how]: {
          ...end,
          ...(reason !== undefined && { reason }),
          ...(message !== undefined && { message }),
          ...(startedAt !== undefined && { startedAt }),
        },
      },
    }),
    ...(last !== undefined && { lastState: { terminated: last } }),
    ...(resources !== undefined && { resources }),
  });
  // Such a message has the name of the pod, as its barriers have, or is of one failure.
  if (message !== undefined || end?.message !== undefined || last?.message !== undefined) return reduced();
  const key = keyOf(
    'status',
    name,
    ready,
    restartCount,
    image,
    imageID,
    how,
    reason,
    end,
    startedAt,
    last,
    resources,
  );
  return intern.value(key, reduced);
}

/** How the run before ended, and, where the rules read them, its times; undefined: there is none that they read. */
function lastStateOf(
  status: ContainerStatus,
  startsMatter: boolean,
): (Partial<RunEnd> & { startedAt?: string; finishedAt?: string }) | undefined {
  const { terminated } = objectOf(status['lastState']);
  const end = (status.restartCount ?? 0) > 0 ? runEnd(terminated) : undefined;
  const { startedAt, finishedAt } = objectOf(terminated);
  const hasTimes = startsMatter && typeof startedAt === 'string' && typeof finishedAt === 'string';
  return end === undefined && !hasTimes ? undefined : { ...end, ...(hasTimes && { startedAt, finishedAt }) };
}

/** The restarts of sidecars, and how other init containers fail: while one of them does, no container says why. */
export function initStatusesOf(
  statuses: readonly ContainerStatus[] | undefined,
  sidecars: readonly string[] | undefined,
): ContainerStatus[] | undefined {
  let kept: ContainerStatus[] | undefined;
  for (const { name, restartCount, ...status } of statuses ?? []) {
    const isSidecarStatus = sidecars?.includes(name) === true;
    const failing = failingState(status);
    if (isSidecarStatus || failing !== undefined)
      (kept ??= []).push({ name, ...(isSidecarStatus && { restartCount }), ...failing });
  }
  return kept ?? (sidecars && statuses && []);
}

/** The states of a container that waits with a problem, or has failed; undefined: it has not. */
function failingState(status: Record<string, unknown>): Pick<ContainerStatus, string> | undefined {
  const { waiting, terminated } = objectOf(status['state']);
  const { reason } = objectOf(waiting);
  const end = runEnd(terminated);
  if (end !== undefined && end.exitCode !== 0) return { state: { terminated: end } };
  if (typeof reason !== 'string' || STARTING.has(reason)) return undefined;
  const message = waitMessage(waiting);
  const before = runEnd(objectOf(status['lastState'])['terminated']);
  return {
    state: { waiting: { reason, ...(message !== undefined && { message }) } },
    ...(before !== undefined && { lastState: { terminated: before } }),
  };
}
