import { isBegun } from '../lifecycle/states.ts';
import { progressDeadlineMs } from '../plan/update-step.ts';
import { updatedInPlaceAt } from '../pod/in-place.ts';
import { factsOf } from '../pod/facts.ts';
import { earliestOf } from '../pod/next-change.ts';
import { LIFECYCLE_TIME_ANNOTATION, type Pod } from '../pod/types.ts';
import { timeOf } from '../values/timestamp.ts';
import { chargeIn } from './charges.ts';
import type { JudgedNode } from './judged.ts';
import type { UpdateInput } from './update-input.ts';

const DEADLINE_MS = progressDeadlineMs({ progressDeadlineSeconds: undefined, minReadySeconds: 0 });

/** How many of the nodes that are down, and that a fix comes to last, may begin now. */
export interface Mending {
  readonly left: number;
  /** What the next one waits for: the others, or the time since the last ones began. */
  readonly waitsFor: 'others' | 'time';
  /** When time lets the next one begin, milliseconds since 1970; undefined: it does not. */
  readonly requeueAt: number | undefined;
}

/** Whether a node is down, with a pod that an unfinished change has brought. A way back takes it as any other one. */
export function isToMend({ view, judged }: Pick<UpdateInput, 'view' | 'judged'>, node: JudgedNode): boolean {
  const { back, nodes, ownStrategy } = judged.envelope;
  const unfinished = nodes?.unfinished;
  if (!node.isDown || back !== undefined || ownStrategy === true || unfinished === undefined) return false;
  return node.pods.some((pod) => unfinished.revisions.includes(view.hashOf(pod) ?? ''));
}

/**
 * How many of the nodes that are to be mended may begin: none while another node of the step lacks an available pod at the goal, as the
 * fix may fail; then as many as the window leaves. Those that have begun are in it for as long as a step waits for a pod: their kubelets
 * may be cut off, and end their pods the moment they are back. After that time they let the next ones begin, as they may be dead and
 * the next ones may not. So it bounds how many begin within that time, and not how many have begun in all.
 *
 * Example: one node at a time, and two are cut off. The first one begins when the four others have the fix, the second one ten minutes
 * later. Are both back at once then, both end their pods.
 *
 * @param nodes those that may be on the goal
 * @param left what the others leave of the window
 */
export function mendingOf(input: UpdateInput, nodes: readonly JudgedNode[], left: number): Mending {
  const { envelope } = input.judged;
  const { unfinished } = envelope.nodes ?? {};
  if (unfinished === undefined || envelope.back !== undefined || envelope.ownStrategy === true)
    return { left: 0, waitsFor: 'others', requeueAt: undefined };
  if (unfinished.broken !== undefined && !nodes.every(hasGoalIn(input, unfinished.broken)))
    return { left: 0, waitsFor: 'others', requeueAt: undefined };
  const begun = nodes.flatMap((node) => begunUntil(input, node) ?? []);
  return {
    left: Math.max(left - begun.length, 0),
    waitsFor: left > 0 ? 'time' : 'others',
    requeueAt: earliestOf(begun),
  };
}

/** Whether a node keeps none waiting that is to be mended: it has the goal, or nobody knows when it will. */
function hasGoalIn(input: UpdateInput, broken: readonly string[]): (node: JudgedNode) => boolean {
  const chargeOf = chargeIn(input);
  const wasBroken = new Set(broken);
  return (node) => {
    const { name, isClear, fresh, old, present } = node;
    if (chargeOf(node) === 0) return true;
    if (wasBroken.has(name) && !present.some(input.isAvailable)) return true;
    return isClear && old === undefined && fresh !== undefined && input.isAvailable(fresh);
  };
}

/**
 * Until when a node that is down is in the window, milliseconds since 1970. Undefined: nothing has begun there, or too long ago. Once
 * its pod has been changed or replaced nothing there tells it from a node that went down with the goal: both count.
 */
function begunUntil(input: UpdateInput, node: JudgedNode): number | undefined {
  const { now, placement, isAvailable } = input;
  const { name, isDown, hasJoined, pods, fresh, old, goal } = node;
  if (!isDown || hasJoined) return undefined;
  const times: number[] = [];
  if (isToMend(input, node)) {
    for (const { metadata } of pods)
      if (metadata.deletionTimestamp !== undefined) times.push(timeOf(metadata.deletionTimestamp));
    if (old !== undefined && isBegun(old)) times.push(begunAt(old) || now);
  }
  if (fresh !== undefined && (old !== undefined || !isAvailable(fresh)))
    times.push(timeOf(fresh.metadata.creationTimestamp), updatedInPlaceAt(fresh) ?? 0);
  if (pods.length === 0 && placement.created.get(name) === goal) times.push(now);
  const until = Math.max(...times.map((time) => time || 0)) + DEADLINE_MS;
  return until > now ? until : undefined;
}

/** When the update in place of a pod has begun, milliseconds since 1970; 0: the time is missing. */
function begunAt(pod: Pod): number {
  return factsOf(pod).drainedAt || timeOf(pod.metadata.annotations?.[LIFECYCLE_TIME_ANNOTATION]) || 0;
}
