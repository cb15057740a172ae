import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Action } from '../decision.ts';
import type { Node } from '../node/node.ts';
import type { Pod } from '../pod/types.ts';
import { timeOf } from '../values/timestamp.ts';
import { hasImages } from './nodes.ts';
import { newPullPod, type PullPods, pullOf } from './pod.ts';
import { byRound, surplus } from './rounds.ts';
import { attemptOf, stuckFrom } from './tries.ts';
import type { PullVerdict } from './verdict.ts';

/** Images to be pulled to nodes. */
export interface PullWork extends PullPods {
  /** In the order in which they get the images. */
  nodes: readonly Node[];
  /** On how many nodes a pull may be in progress; 0: no further pull begins. */
  parallelism: number;
  /** How many pods are tried on one node, one after the other. */
  attempts: number;
  /** The server refuses a pod of this pull, maybe because a quota counts the finished ones. */
  isRefused: boolean;
  /**
   * Only what asks for the image is an attempt: its time begins when a kubelet has taken the pod up, and a pod that finds no place, or
   * whose node has no room, is none. Default: every pod is one, from its creation on.
   */
  countsTries?: true;
  /** Nodes on which another pull is in progress: none begins there. Default: there are none. */
  busy?: ReadonlySet<string>;
}

/** How far the pull on one node is. */
export interface NodePull {
  node: string;
  /**
   * `Present`: the node had the images; `Waiting`: no pull has begun; `Pulling`: one is in progress, or pauses before another
   * attempt.
   */
  state: 'Present' | 'Waiting' | 'Pulling' | 'Succeeded' | 'Failed';
  /** The last attempt, from 1; 0: there was none. */
  attempt: number;
  /** The pod waits for a place, and pulls nothing meanwhile. */
  isStuck?: true;
  /** Why the last attempt has failed, or why it does not go on, as a clause. */
  problem?: string;
}

/** What is known about a pull, and what is to be done. */
export interface PullDecision {
  /** One for each node, in the order of the nodes. */
  nodes: readonly NodePull[];
  actions: readonly Action[];
  /** When time alone changes the decision, milliseconds since 1970; undefined: it does not. */
  requeueAt: number | undefined;
}

/** Milliseconds from the creation of the first attempt on a node to the second; each later pause is twice as long. */
const FIRST_PAUSE_MS = 10_000;
/** The same where a registry answers that it is asked too often. */
const THROTTLED_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 300_000;
/** How often it is read whether a node reports images that it has: that change of a node wakes no target. */
const REPORTED_MS = 15_000;
/** How soon a node is looked at again on which another pull is in progress: its end wakes no other target. */
const BUSY_MS = 5_000;

/**
 * Decides about the pods that pull images (OpenKruise image-pull, rules 6a.8 and 6d). The pods are the only memory: that of
 * the last attempt stays until its node reports the images, and a bounded number of them until every node is done, or the pull is over.
 * Its name follows from owner, key, node and attempt. So after a crash nothing is pulled twice, nor without end where nodes remove the
 * images again, as those with a full disk do. Every attempt is a pod of its own, because the kubelet delays the next pull of the same
 * pod by up to five minutes.
 *
 * @param pods every pod of the owner that pulls images; those of another key, or of a node that is not wanted, are deleted
 */
export function decidePulls(work: PullWork, pods: readonly Pod[], now: number): PullDecision {
  const { newest, obsolete } = byNode(work, pods);
  const actions: Action[] = obsolete.map(({ pod, why }) => removal(pod, why));
  const times: number[] = [];
  const reported: Pod[] = [];
  const found = work.nodes.map((node): Judged => {
    const pod = newest.get(node.metadata.name);
    if (pod === undefined) return untouched(work, node);
    const row = judged(work, node, pod, now, times);
    if (row.state !== 'Succeeded' || pod.metadata.deletionTimestamp !== undefined) return row;
    // From then on the node remembers. A kubelet that reports only its largest images leaves that to the pod.
    if (isListed(work, node)) reported.push(pod);
    else if (isRemembered(work, node) && now < timeOf(pod.metadata.creationTimestamp) + work.attemptMs)
      times.push(now + REPORTED_MS);
    return row;
  });
  const isOver = found.every(({ state }) => state !== 'Waiting' && state !== 'Pulling');
  for (const pod of isOver ? reported : surplus(reported, newest, work.isRefused))
    actions.push(removal(pod, `${pullOf(pod).node} reports the images`));
  const isBusy = (node: string): boolean => work.busy?.has(node) === true;
  let hasBusy = false;
  const nodes = found.map(({ due, isThrottled: _throttled, next, ...row }): NodePull => {
    const pod = newest.get(row.node);
    if (due === undefined || pod === undefined) return row;
    if (due > now) times.push(due);
    else if (isBusy(row.node)) hasBusy = true;
    else actions.push(creation(work, row, pullOf(pod).round, next));
    return row;
  });
  // Whoever asks a registry too often asks on no further node until it may again.
  const isThrottled = found.some((row) => row.isThrottled === true && (row.due ?? 0) > now);
  const active = nodes.filter(({ state, isStuck }) => state === 'Pulling' && isStuck !== true).length;
  const free = isThrottled ? 0 : Math.max(work.parallelism - active, 0);
  const waiting = nodes.filter(({ state }) => state === 'Waiting').map(({ node }) => node);
  const idle = waiting.filter((node) => !isBusy(node));
  if (hasBusy || (idle.length < waiting.length && idle.length < free)) times.push(now + BUSY_MS);
  for (const { node, round } of byRound(idle, newest.values()).slice(0, free))
    actions.push(creation(work, { node, attempt: 0 }, round));
  return { nodes, actions, requeueAt: times.length === 0 ? undefined : Math.min(...times) };
}

/** A node as it is, and when another pod is due there. */
export interface Judged extends NodePull {
  due?: number;
  isThrottled?: true;
  /** Which try that pod is; default: as many as there were attempts. */
  next?: number;
}

/** Whether what a node lists proves that it has the images: not where a registry is to be asked. */
function isListed(work: PullWork, node: Node): boolean {
  return work.imagePullPolicy !== 'Always' && hasImages(node, work.images);
}

function isRemembered({ imagePullPolicy }: PullWork, { status }: Node): boolean {
  return imagePullPolicy !== 'Always' && status !== undefined;
}

/** The deletion of all pods that pull images: nothing is to be pulled any more. */
export function endPulls(pods: readonly Pod[], reason: string): Action[] {
  return pods
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map((pod) => removal(pod, reason));
}

function untouched(work: PullWork, node: Node): NodePull {
  return { node: node.metadata.name, state: isListed(work, node) ? 'Present' : 'Waiting', attempt: 0 };
}

/** @param times gets the time at which the attempt fails, if it is in progress */
function judged(work: PullWork, node: Node, pod: Pod, now: number, times: number[]): Judged {
  const { attempt, tries } = pullOf(pod);
  const { endsAt, verdict } = attemptOf(work, pod, now);
  const row = { node: node.metadata.name, attempt };
  const problem = problemOf(verdict);
  const isThere = verdict.is === 'pulled' || (verdict.is === 'lost' && isListed(work, node));
  if (isThere) return { ...row, state: 'Succeeded' };
  if (pod.metadata.deletionTimestamp !== undefined) return { ...row, state: 'Pulling', ...problem };
  if (verdict.is === 'pulling') {
    const stuckAt = work.countsTries === true ? stuckFrom(pod) : undefined;
    const isStuck = stuckAt !== undefined && now >= stuckAt;
    const next = isStuck ? endsAt : Math.min(endsAt, stuckAt ?? Infinity);
    if (next !== Infinity) times.push(next);
    return { ...row, state: 'Pulling', ...problem, ...(isStuck && { isStuck }) };
  }
  const isTry = work.countsTries !== true || verdict.is !== 'untried';
  const done = work.countsTries === true ? tries : attempt;
  const isFinal = verdict.is === 'failed' && verdict.isFinal;
  if (isTry && (isFinal || done >= work.attempts)) return { ...row, state: 'Failed', ...problem };
  const isThrottled = work.countsTries === true && verdict.is === 'failed' && verdict.isThrottled === true;
  const due = timeOf(pod.metadata.creationTimestamp) + pauseAfter(attempt, isThrottled);
  return {
    ...{ ...row, state: 'Pulling', ...problem },
    ...(work.parallelism > 0 && { due }),
    ...(isThrottled && { isThrottled }),
    ...(work.countsTries === true && { next: isTry ? tries + 1 : tries }),
  };
}

function pauseAfter(attempt: number, isThrottled: boolean): number {
  return Math.min((isThrottled ? THROTTLED_PAUSE_MS : FIRST_PAUSE_MS) * 2 ** (attempt - 1), LONGEST_PAUSE_MS);
}

function problemOf(verdict: PullVerdict): { problem?: string } {
  return verdict.is === 'pulled' || verdict.problem === undefined ? {} : { problem: verdict.problem };
}

/** The pod of the last attempt on each wanted node, and the pods that are to be deleted. */
function byNode(
  { key, nodes }: PullWork,
  pods: readonly Pod[],
): { newest: Map<string, Pod>; obsolete: { pod: Pod; why: string }[] } {
  const wanted = new Set(nodes.map(({ metadata }) => metadata.name));
  const newest = new Map<string, Pod>();
  const obsolete: { pod: Pod; why: string }[] = [];
  const drop = (pod: Pod, why: string): void => {
    if (pod.metadata.deletionTimestamp === undefined) obsolete.push({ pod, why });
  };
  const isOld = 'a later attempt has begun';
  for (const pod of pods) {
    const of = pullOf(pod);
    const before = newest.get(of.node);
    if (of.key !== key) drop(pod, 'its images are not to be pulled any more');
    else if (!wanted.has(of.node)) drop(pod, `its images are not wanted on ${of.node} any more`);
    else if (before === undefined) newest.set(of.node, pod);
    else if (pullOf(before).attempt < of.attempt) {
      drop(before, isOld);
      newest.set(of.node, pod);
    } else drop(pod, isOld);
  }
  return { newest, obsolete };
}

function creation(
  work: PullWork,
  { node, attempt, problem }: Omit<NodePull, 'state'>,
  round: number,
  tries = attempt + 1,
): Action {
  const object: KubeObject = newPullPod(work, node, attempt + 1, round, tries);
  const images = work.images.join(', ');
  const again = problem === undefined ? '' : `, attempt ${tries} of ${work.attempts}: ${problem}`;
  return { do: 'create', kind: 'Pod', verb: 'pull', reason: `${images} to ${node}${again}`, object };
}

function removal({ metadata }: Pod, reason: string): Action {
  return {
    do: 'delete',
    kind: 'Pod',
    verb: 'end pull',
    name: metadata.name,
    uid: metadata.uid ?? '',
    resourceVersion: metadata.resourceVersion ?? '',
    reason,
  };
}
