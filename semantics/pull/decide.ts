import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Action } from '../decision.ts';
import type { Node } from '../node/node.ts';
import type { Pod } from '../pod/types.ts';
import { timeOf } from '../values/timestamp.ts';
import { isListed, judged, type Judged } from './judge.ts';
import { newPullPod, pullOf } from './pod.ts';
import type { NodePull, PullWork } from './work.ts';
import { byRound, crowd, surplus } from './rounds.ts';

/** What is known about a pull, and what is to be done. */
export interface PullDecision {
  /** One for each node, in the order of the nodes. */
  nodes: readonly NodePull[];
  actions: readonly Action[];
  /** When time alone changes the decision, milliseconds since 1970; undefined: it does not. */
  requeueAt: number | undefined;
}

/** So many pods wait for a place, or `parallelism`: all of them may get one at the same time. */
const MOST_STUCK = 10;
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
  const again: Turn[] = [];
  const nodes = found.map(({ due, isThrottled: _throttled, next, ...row }): NodePull => {
    const pod = newest.get(row.node);
    if (due === undefined || pod === undefined) return row;
    const { round } = pullOf(pod);
    if (due > now) times.push(due);
    else if (isBusy(row.node)) hasBusy = true;
    else {
      const action = creation(work, row, round, next);
      // Its turn is after those that have had none.
      if (row.isStuck === true) again.push({ round: round + 1, action });
      else actions.push(action);
    }
    return row;
  });
  // Whoever asks a registry too often asks on no further node until it may again.
  const isThrottled = found.some((row) => row.isThrottled === true && (row.due ?? 0) > now);
  const active = nodes.filter(({ state, isStuck }) => state === 'Pulling' && isStuck !== true).length;
  const free = isThrottled ? 0 : Math.max(work.parallelism - active, 0);
  const waiting = nodes.filter(({ state }) => state === 'Waiting').map(({ node }) => node);
  const idle = waiting.filter((node) => !isBusy(node));
  if (hasBusy || (idle.length < waiting.length && idle.length < free)) times.push(now + BUSY_MS);
  const first = byRound(idle, newest.values());
  const turns = [
    ...first.map(({ node, round }): Turn => ({ round, action: creation(work, { node, attempt: 0 }, round) })),
    ...again,
  ].sort((a, b) => a.round - b.round);
  actions.push(...turns.slice(0, free).map(({ action }) => action));
  const most = Math.max(work.parallelism, MOST_STUCK);
  const leaving = crowd(stuckIn(nodes, newest), newest, most, Math.min(free, idle.length));
  for (const pod of leaving)
    actions.push(removal(pod, `there is no place on ${pullOf(pod).node} now, and it is another one's turn`));
  const requeueAt = times.length === 0 ? undefined : Math.min(...times);
  if (leaving.length === 0) return { nodes, actions, requeueAt };
  // Those whose pod has left before wait for a place, too.
  const left = new Set(first.flatMap(({ node, round }) => (round > 1 ? [node] : [])));
  return {
    nodes: nodes.map((row): NodePull => (left.has(row.node) ? { ...row, isStuck: true } : row)),
    actions,
    requeueAt,
  };
}

/** A pod that is created once there is a place in `parallelism`. */
interface Turn {
  round: number;
  action: Action;
}

/** The pods that wait for a place, and would pull as soon as they get one. */
function stuckIn(rows: readonly NodePull[], newest: ReadonlyMap<string, Pod>): Pod[] {
  return rows.flatMap(({ node, isStuck }) => {
    const pod = newest.get(node);
    return isStuck === true && pod !== undefined && pod.status?.phase !== 'Failed' ? [pod] : [];
  });
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

/** Whether a target is being deleted without what it controls. */
export function isOrphaning({ metadata }: KubeObject): boolean {
  return metadata.finalizers?.includes(ORPHANS) === true;
}

/** The finalizer of an object as long as the server takes its name off what it controls. */
const ORPHANS = 'orphan';

function untouched(work: PullWork, node: Node): NodePull {
  return { node: node.metadata.name, state: isListed(work, node) ? 'Present' : 'Waiting', attempt: 0 };
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
