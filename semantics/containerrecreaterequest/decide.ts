import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Action, Decision, Explanation } from '../decision.ts';
import type { ObservedObjects } from '../kinds/kind.ts';
import { isInPlaceUpdateComplete } from '../pod/in-place.ts';
import { hasUnfinishedSidecarChange } from '../pod/sidecar-changes.ts';
import { podIn, serverMessageIn } from '../plan/refused-text.ts';
import type { Pod } from '../pod/types.ts';
import { objectOf } from '../values/read.ts';
import { soonest } from '../values/soonest.ts';
import { timeOf } from '../values/timestamp.ts';
import { admitted } from './admit.ts';
import { drain, markRequest, release } from './drain.ts';
import { type Limited, limitOn } from './limits.ts';
import { contextOf, normalizeRequest } from './normalize.ts';
import { firstOf, isOver } from './queue.ts';
import {
  ACTIVE_LABEL,
  CONTEXT_ANNOTATION,
  DEADLINE,
  GONE,
  NODE_LABEL,
  NOT_RESPONDED,
  POD_UID_LABEL,
  requestResource,
} from './resource.ts';
import { type ContainerState, KILL_ERROR, ripeAt, snapshotOf, type StateInput, statesOf } from './states.ts';
import { signalBy } from './signal.ts';
import { recordedIn, type RequestStatus, statusWith } from './status.ts';
import { stopAction, type Stopping, stoppingOf, takeBack, unendedBy, withinRecord } from './stop.ts';

type Held = { reason: string; message: string } | undefined;

/** What a decision about a request is made from. */
export type ObservedRequest = Pick<
  ObservedObjects,
  'target' | 'pods' | 'siblings' | 'named' | 'owners' | 'disruptionBudgets' | 'reserved' | 'mayExec' | 'now'
>;

/** A request that nobody has taken up for so long is not begun: whoever asked expects nothing any more (rule 6a.4). */
const TAKEN_UP_MS = 60_000;
/** How soon a pod is looked at again that must not be unavailable now, and how late. */
const AGAIN_MS = { least: 3_000, most: 60_000 } as const;
/** A request that has waited for long is looked at less often: there may be thousands of them. */
const AGAIN_SHARE = 0.1;

/** Decides about one request (OpenKruise container-recreate-request, rules 6a to 6c). */
export function decideRequest(observed: ObservedRequest, held: Held): Decision<RequestStatus> {
  const { target, now } = observed;
  if (isOver(target)) return ended(observed, held);
  const pod = podOf(observed);
  const context = contextOf(target);
  if (context === undefined) return begun(observed, pod, held);
  if (pod === undefined || pod.metadata.deletionTimestamp !== undefined)
    return completed(observed, held, GONE);
  const { deadline } = normalizeRequest(target);
  const endsAt = deadline === undefined ? Infinity : createdAt(target) + deadline * 1000;
  if (now >= endsAt) return overdue(observed, pod, inputOf(observed, pod, context), held);
  const first = firstOf([target, ...(observed.siblings ?? [])]);
  const decision =
    first?.metadata.uid === target.metadata.uid
      ? executed(observed, pod, inputOf(observed, pod, context), held)
      : waits(observed, `${first?.metadata.name ?? 'another request'} of the same pod is first`, held);
  return { ...decision, ...soonest(decision.requeueAt, endsAt) };
}

/** What is undone before a request that is being deleted goes. */
export function releasedRequest(observed: ObservedRequest): Action[] {
  return release(observed.target, podOf(observed), observed.now);
}

/** The pod that the request was taken up for; before that the one of its name. Another pod of that name is none. */
function podOf({ target, pods }: ObservedRequest): Pod | undefined {
  const { podName } = normalizeRequest(target);
  const uid = contextOf(target) === undefined ? undefined : target.metadata.labels?.[POD_UID_LABEL];
  return pods.find(
    ({ metadata }) => metadata.name === podName && (uid === undefined || metadata.uid === uid),
  );
}

function createdAt({ metadata }: KubeObject): number {
  return timeOf(metadata.creationTimestamp);
}

/** Takes a request up, as OpenKruise's webhook does, or refuses it with the message of that. */
function begun(observed: ObservedRequest, pod: Pod | undefined, held: Held): Decision<RequestStatus> {
  const { target, now } = observed;
  if (now - createdAt(target) >= TAKEN_UP_MS) return completed(observed, held, NOT_RESPONDED);
  const found = admitted(target, pod);
  if ('refused' in found) return completed(observed, held, found.refused);
  const mark = markRequest(target, 'take up', `it is about pod ${pod?.metadata.name ?? ''}`, {
    labels: {
      [POD_UID_LABEL]: pod?.metadata.uid ?? '',
      [NODE_LABEL]: pod?.spec.nodeName ?? '',
      [ACTIVE_LABEL]: 'true',
    },
    annotations: { [CONTEXT_ANNOTATION]: JSON.stringify(found.context) },
  });
  // The status is of the version that this write ends.
  return { actions: [mark], explanations: [], status: currentStatus(target) };
}

function currentStatus({ status }: KubeObject): RequestStatus {
  return objectOf(status);
}

function completed(
  { target, now }: ObservedRequest,
  held: Held,
  message: string | undefined,
  states?: readonly ContainerState[],
): Decision<RequestStatus> {
  const parts = { ...(message !== undefined && { message }), ...(states !== undefined && { states }) };
  return {
    actions: [],
    explanations: [],
    status: statusWith(target, { phase: 'Completed', ...parts }, held, now),
  };
}

/** What is left to do after the end (rule 6a.2): the pod is given back, and the request deleted when its time is over. */
function ended(observed: ObservedRequest, held: Held): Decision<RequestStatus> {
  const { target, now } = observed;
  const { completedAt } = recordedIn(target);
  const { ttl } = normalizeRequest(target);
  const status = { ...currentStatus(target), ...statusOfEnd(target, held, now) };
  const decision = { explanations: [], status };
  const releases = release(target, podOf(observed), now);
  if (releases.length > 0) return { ...decision, actions: releases };
  if (target.metadata.labels?.[ACTIVE_LABEL] !== undefined)
    return {
      ...decision,
      actions: [markRequest(target, 'end', 'it is over', { labels: { [ACTIVE_LABEL]: null } })],
    };
  if (ttl === undefined) return { ...decision, actions: [] };
  const expiresAt = completedAt + ttl * 1000;
  return now < expiresAt
    ? { ...decision, actions: [], requeueAt: expiresAt }
    : { ...decision, actions: [expire(target)] };
}

/** Only that it is held may still change. */
function statusOfEnd(target: KubeObject, held: Held, now: number): Pick<RequestStatus, 'conditions'> {
  const { conditions } = statusWith(target, { phase: 'Completed' }, held, now);
  return { ...(conditions !== undefined && { conditions }) };
}

function expire({ metadata }: KubeObject): Action {
  const { name, uid = '', resourceVersion = '' } = metadata;
  return {
    ...{ do: 'delete', kind: 'Target', resource: requestResource, verb: 'delete after its TTL' },
    ...{ name, uid, resourceVersion, reason: 'it is over, and ttlSecondsAfterFinished have passed' },
  };
}

function waits(
  { target, now }: ObservedRequest,
  reason: string,
  held: Held,
  parts: { phase?: 'Recreating'; states?: readonly ContainerState[]; message?: string } = {},
): Decision<RequestStatus> {
  const about: Explanation = { about: target.metadata.name, reason: `waits: ${reason}` };
  return {
    actions: [],
    explanations: [about],
    status: statusWith(target, { phase: 'Pending', ...parts }, held, now),
  };
}

function inputOf({ target, now }: ObservedRequest, pod: Pod, context: StateInput['context']): StateInput {
  const request = normalizeRequest(target);
  const { states, snapshot } = recordedIn(target);
  return {
    ...{ request, uid: target.metadata.uid ?? '', pod, context, recorded: states, now },
    snapshot: snapshotOf(pod, request.containers, createdAt(target), snapshot),
  };
}

/** The request has had its time. What was asked to end by a signal may never do so: the pod is not about to restart any more. */
function overdue(
  observed: ObservedRequest,
  pod: Pod,
  input: StateInput,
  held: Held,
): Decision<RequestStatus> {
  const states = killedStates(input);
  const back = takeBack(pod, unendedBy(pod, input.uid, input.request.containers));
  if (back.length > 0 && held === undefined)
    return { ...still(currentStatus(observed.target)), actions: back };
  // Where that may be what is refused, it is tried once, and the request ends all the same.
  return { ...completed(observed, undefined, DEADLINE, states), actions: back };
}

/** Containers that are on their way count as stopped, whoever has stopped them (rule 6b.6). */
function killedStates(input: StateInput): ContainerState[] {
  return statesOf(input).map((each) => (each.phase === 'Recreating' ? { ...each, isKilled: true } : each));
}

/** The request has its turn. */
function executed(
  observed: ObservedRequest,
  pod: Pod,
  input: StateInput,
  held: Held,
): Decision<RequestStatus> {
  const { target, now } = observed;
  const { request, snapshot } = input;
  const { drainedAt } = recordedIn(target);
  const begin = { phase: 'Recreating', snapshot } as const;
  const report = (states: readonly ContainerState[]): RequestStatus =>
    statusWith(target, { ...begin, states }, held, now);
  const states = withAnswer(killedStates(input), pod, input.uid, held);
  const back = takeBack(pod, unended(pod, input.uid, states));
  const isTold = JSON.stringify(states) === JSON.stringify(input.recorded);
  if (back.length > 0 && (!isTold || held === undefined)) return { ...still(report(states)), actions: back };
  const recording = { grace: request.grace, now };
  const possible = stoppingOf(pod, request, states, observed.mayExec === true);
  const stopping = withinRecord(target, pod, possible, recording);
  // What is to be refused is, before any container is stopped or the pod leaves traffic. While the pod is changed, nobody knows that.
  const isNext = stopping.next.size + stopping.refused.size > 0;
  const changing = isNext ? inProgress(pod, now) : undefined;
  if (changing !== undefined)
    return waitsForPod(observed, { reason: changing, limit: changing }, held, states);
  const known = withRefused(states, stopping.refused);
  if (isDone(known, request.failsAtOnce)) return ending(observed, input, known, held);
  const limit = stopping.next.size > 0 ? limitOn(pod, observed) : undefined;
  if (limit !== undefined) return waitsForPod(observed, limit, held, known);
  // The message about the limit stays until the caches show the write of the pod: to remove it before costs each request one write more.
  const { message } = currentStatus(target);
  const isLast = stopping.next.size > 0 && held === undefined && message !== undefined;
  const status = statusWith(target, { ...begin, states: known, ...(isLast && { message }) }, held, now);
  if (request.unreadyGrace !== undefined) {
    if (drainedAt === undefined) {
      const next = drain(target, pod, now);
      if (next === 'done')
        return still(statusWith(target, { ...begin, states: known, isDrained: true }, held, now));
      // The status is of the version that a write of the request itself ends.
      return { ...still(next.kind === 'Target' ? currentStatus(target) : status), actions: [next] };
    }
    const until = drainedAt + request.unreadyGrace * 1000;
    if (now < until) return { ...still(report(known)), requeueAt: until };
  }
  const failed = refusedWrite(known, stopping, held);
  if (failed !== undefined)
    return isDone(failed, request.failsAtOnce)
      ? ending(observed, input, failed, held)
      : still(report(failed));
  const ripe = ripeAt(input, known);
  const next = soonest(ripe !== undefined && ripe > now ? ripe : undefined, endOfSignal(pod, input));
  return {
    actions: stopAction(target, pod, stopping, recording),
    explanations: [],
    status,
    ...next,
  };
}

/** The states, where the server has refused the signal that was sent last: the command in the container may have failed. */
function withAnswer(
  states: readonly ContainerState[],
  pod: Pod,
  uid: string,
  held: Held,
): readonly ContainerState[] {
  if (held === undefined || held.reason === BUDGET) return states;
  const asked = unendedBy(
    pod,
    uid,
    states.flatMap(({ name, phase }) => (phase === 'Recreating' ? [name] : [])),
  );
  return withRefused(states, new Map(asked.map((name) => [name, serverWords(held)])));
}

/** Those that did not end in spite of their signal. */
function unended(pod: Pod, uid: string, states: readonly ContainerState[]): string[] {
  const failed = states.flatMap(({ name, phase }) => (phase === 'Failed' ? [name] : []));
  return unendedBy(pod, uid, failed);
}

/** When the first of the containers that were asked to end by a signal must have ended. */
function endOfSignal(pod: Pod, { uid, request }: StateInput): number {
  const ends = unendedBy(pod, uid, request.containers).map((name) => signalBy(pod, name, uid)?.until);
  return Math.min(Infinity, ...ends.filter((each) => each !== undefined));
}

/** The request waits with its turn. Its status says for which limit, and not for which pods: thousands of requests would say so each time. */
function waitsForPod(
  observed: ObservedRequest,
  { reason, limit }: Limited,
  held: Held,
  states: readonly ContainerState[],
): Decision<RequestStatus> {
  const { target, now } = observed;
  const message = limit ?? currentStatus(target).message;
  const pause = Math.max((now - createdAt(target)) * AGAIN_SHARE, AGAIN_MS.least);
  return {
    ...waits(observed, reason, held, {
      ...{ phase: 'Recreating', states },
      ...(message !== undefined && { message }),
    }),
    requeueAt: now + Math.min(pause, AGAIN_MS.most),
  };
}

function still(status: RequestStatus): Decision<RequestStatus> {
  return { actions: [], explanations: [], status };
}

/** Whether nothing is left to be done: with Fail one failure is enough. */
function isDone(states: readonly ContainerState[], failsAtOnce: boolean): boolean {
  if (failsAtOnce && states.some(({ phase }) => phase === 'Failed')) return true;
  return states.every(({ phase }) => phase === 'Failed' || phase === 'Succeeded');
}

function ending(
  { target, now }: ObservedRequest,
  { snapshot }: StateInput,
  states: readonly ContainerState[],
  held: Held,
): Decision<RequestStatus> {
  return still(statusWith(target, { phase: 'Completed', states, snapshot }, held, now));
}

function withRefused(
  states: readonly ContainerState[],
  refused: ReadonlyMap<string, string>,
): ContainerState[] {
  return states.map((each) => {
    const why = refused.get(each.name);
    return why === undefined ? each : { name: each.name, phase: 'Failed', message: KILL_ERROR + why };
  });
}

/** The reason of the condition while a budget has no slot: that passes. */
const BUDGET = 'DisruptionNotAllowed';

/** The states if the server has refused to stop what is next: admission may refuse an image. Undefined: it has not. */
function refusedWrite(
  states: readonly ContainerState[],
  { next }: Stopping,
  held: Held,
): ContainerState[] | undefined {
  if (held === undefined || held.reason === BUDGET || next.size === 0) return undefined;
  return withRefused(states, new Map([...next.keys()].map((name) => [name, serverWords(held)])));
}

/** What the server has said. It is not tried again, which is what the message says of other writes. */
function serverWords({ message }: NonNullable<Held>): string {
  const pod = podIn(message);
  const refused = { reason: 'FailedUpdate', revision: undefined, ...(pod !== undefined && { pod }) } as const;
  return serverMessageIn(message, refused) ?? message;
}

/** Why the pod is about to be changed by another one, as a clause. */
function inProgress(pod: Pod, now: number): string | undefined {
  if (isInPlaceUpdateComplete(pod, now) && !hasUnfinishedSidecarChange(pod)) return undefined;
  return 'an update in place of the pod is not complete, and restarts containers itself';
}
