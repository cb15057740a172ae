import type { Node } from '../node/node.ts';
import type { Pod } from '../pod/types.ts';
import { timeOf } from '../values/timestamp.ts';
import type { NodePull, PullWork } from './work.ts';
import { hasImages } from './nodes.ts';
import { pullOf } from './pod.ts';
import { attemptOf, heldUntil, SILENT, stuckFrom } from './tries.ts';
import type { PullVerdict } from './verdict.ts';

/** Milliseconds from the creation of the first attempt on a node to the second; each later pause is twice as long. */
const FIRST_PAUSE_MS = 10_000;
/** The same where a registry answers that it is asked too often. */
const THROTTLED_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 300_000;

/** A node as it is, and when another pod is due there. */
export interface Judged extends NodePull {
  due?: number;
  isThrottled?: true;
  /** Which try that pod is; default: as many as there were attempts. */
  next?: number;
}

/** Whether what a node lists proves that it has the images: not where a registry is to be asked. */
export function isListed(work: PullWork, node: Node): boolean {
  return work.imagePullPolicy !== 'Always' && hasImages(node, work.images);
}

/**
 * How far the pull on a node is, by the pod of the last attempt.
 *
 * @param times gets when time alone changes that
 */
export function judged(work: PullWork, node: Node, pod: Pod, now: number, times: number[]): Judged {
  const { attempt, tries } = pullOf(pod);
  const { endsAt, verdict } = attemptOf(work, pod, now);
  const row = { node: node.metadata.name, attempt };
  const problem = problemOf(verdict);
  const isThere = verdict.is === 'pulled' || (verdict.is === 'lost' && isListed(work, node));
  if (isThere) return { ...row, state: 'Succeeded' };
  const goneAt = heldUntil(pod);
  if (goneAt !== undefined) {
    if (now >= goneAt) return { ...row, state: 'Failed', problem: SILENT };
    times.push(goneAt);
    return { ...row, state: 'Pulling', ...problem };
  }
  const stuckAt = work.countsTries === true ? stuckFrom(pod, verdict) : undefined;
  const isStuck = stuckAt !== undefined && now >= stuckAt;
  if (stuckAt !== undefined && !isStuck) times.push(stuckAt);
  if (verdict.is === 'pulling') {
    if (endsAt !== Infinity) times.push(endsAt);
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
    ...(isStuck && { isStuck }),
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
