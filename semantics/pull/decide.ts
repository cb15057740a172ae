import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Action } from '../decision.ts';
import type { Node } from '../node/node.ts';
import type { Pod } from '../pod/types.ts';
import { timeOf } from '../values/timestamp.ts';
import { hasImages } from './nodes.ts';
import { newPullPod, type PullPods, pullOf } from './pod.ts';
import { byRound, surplus } from './rounds.ts';
import { type PullVerdict, pullVerdict } from './verdict.ts';

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
const LONGEST_PAUSE_MS = 300_000;
/** How often it is read whether a node reports images that it has: that change of a node wakes no target. */
const REPORTED_MS = 15_000;

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
  const found = work.nodes.map((node): NodePull & { due?: number } => {
    const pod = newest.get(node.metadata.name);
    if (pod === undefined) return untouched(work, node);
    const row = pulled(work, node, pod, now, times);
    if (row.state !== 'Succeeded' || pod.metadata.deletionTimestamp !== undefined) return row;
    // From then on the node remembers. A kubelet that reports only its largest images leaves that to the pod.
    if (hasImages(node, work.images)) reported.push(pod);
    else if (node.status !== undefined && now < timeOf(pod.metadata.creationTimestamp) + work.attemptMs)
      times.push(now + REPORTED_MS);
    return row;
  });
  const isOver = found.every(({ state }) => state !== 'Waiting' && state !== 'Pulling');
  for (const pod of isOver ? reported : surplus(reported, newest, work.isRefused))
    actions.push(removal(pod, `${pullOf(pod).node} reports the images`));
  const nodes = found.map(({ due, ...row }): NodePull => {
    const pod = newest.get(row.node);
    if (due === undefined || pod === undefined) return row;
    if (due > now) times.push(due);
    else actions.push(creation(work, row, pullOf(pod).round));
    return row;
  });
  const active = nodes.filter(({ state }) => state === 'Pulling').length;
  const waiting = nodes.filter(({ state }) => state === 'Waiting').map(({ node }) => node);
  for (const { node, round } of byRound(waiting, newest.values()).slice(
    0,
    Math.max(work.parallelism - active, 0),
  ))
    actions.push(creation(work, { node, attempt: 0 }, round));
  return { nodes, actions, requeueAt: times.length === 0 ? undefined : Math.min(...times) };
}

/** The deletion of all pods that pull images: nothing is to be pulled any more. */
export function endPulls(pods: readonly Pod[], reason: string): Action[] {
  return pods
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map((pod) => removal(pod, reason));
}

function untouched({ images }: PullWork, node: Node): NodePull {
  const state = hasImages(node, images) ? 'Present' : 'Waiting';
  return { node: node.metadata.name, state, attempt: 0 };
}

/** @param times gets the time at which the attempt fails, if it is in progress */
function pulled(
  { attempts, attemptMs, parallelism, images }: PullWork,
  node: Node,
  pod: Pod,
  now: number,
  times: number[],
): NodePull & { due?: number } {
  const { attempt } = pullOf(pod);
  const createdAt = timeOf(pod.metadata.creationTimestamp);
  const verdict = pullVerdict(pod, attemptMs, createdAt, now);
  const row = { node: node.metadata.name, attempt };
  const problem = problemOf(verdict);
  const isThere = verdict.is === 'pulled' || (verdict.is === 'lost' && hasImages(node, images));
  if (isThere) return { ...row, state: 'Succeeded' };
  if (pod.metadata.deletionTimestamp !== undefined) return { ...row, state: 'Pulling', ...problem };
  if (verdict.is === 'pulling') {
    times.push(createdAt + attemptMs);
    return { ...row, state: 'Pulling', ...problem };
  }
  const isFinal = verdict.is === 'failed' && verdict.isFinal;
  if (isFinal || attempt >= attempts) return { ...row, state: 'Failed', ...problem };
  const pause = Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), LONGEST_PAUSE_MS);
  const due = parallelism > 0 ? { due: createdAt + pause } : {};
  return { ...row, state: 'Pulling', ...problem, ...due };
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
): Action {
  const next = attempt + 1;
  const object: KubeObject = newPullPod(work, node, next, round);
  const images = work.images.join(', ');
  const again = problem === undefined ? '' : `, attempt ${next} of ${work.attempts}: ${problem}`;
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
