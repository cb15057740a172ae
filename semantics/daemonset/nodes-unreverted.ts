import { fitting } from '../plan/record-limit.ts';
import { awayFrom, wayBack } from '../plan/bound-state.ts';
import type { EnvelopeInput, RolloutView } from '../plan/rollout-view.ts';
import type { Envelope } from '../plan/envelope.ts';
import type { Accepted, Progress } from '../plan/memory.ts';
import { isNodeLost, type NodeUnits } from '../plan/units.ts';
import { letsNothingChange, widestWindow } from '../plan/window.ts';

type View = RolloutView<NodeUnits>;

/** The nodes that a way back ends without: they are not Ready, and their pods have yet to go to its goal. */
export function unrevertedNodes(view: View, accepted: Accepted): string[] {
  const { goal = view.stable } = accepted.progress;
  if (view.onDelete) return [];
  const lost = awayFrom(view, accepted, goal).filter((pod) => isNodeLost(view, pod));
  return lost.map(({ unit }) => unit).sort();
}

/** Why a way back cannot end without these nodes, as the end of a sentence: they are more than a record has. '': it can. */
export function tooManyUnreverted(view: View, accepted: Accepted): string {
  const names = unrevertedNodes(view, accepted);
  // They are of no use any more once it has ended.
  const { away: _away, down: _down, ...record } = accepted.progress;
  const beyond = names.length - fitting(record, 'unreverted', names).length;
  return beyond > 0 ? `${beyond} of ${names.length} nodes to become Ready` : '';
}

/**
 * The progress without the nodes whose pods have followed. What moves them from now on, such as break glass, is none of the way back.
 * Undefined: nothing has changed.
 */
export function withoutFollowed(view: RolloutView, accepted: Accepted): Progress | undefined {
  const { unreverted, ...progress } = accepted.progress;
  const { phase, goal = view.stable } = progress;
  if (unreverted === undefined || phase !== 'Reverted') return undefined;
  const away = new Set(awayFrom(view, accepted, goal));
  const followed = new Set(view.pods.flatMap((pod) => (away.has(pod) ? [] : [pod.unit])));
  const left = unreverted.filter((name) => !followed.has(name));
  if (left.length === unreverted.length) return undefined;
  return { ...progress, ...(left.length > 0 && { unreverted: left }) };
}

/**
 * Lets these nodes go to the goal after the way back has ended, beside those that the envelope moves. Where it moves none, no others go:
 * those that break glass has left elsewhere stay.
 *
 * Example: a plan to B fails on the third of ten nodes, and the last of the three to go back to A is not Ready when the others are done.
 * The way back ends. An hour later the node is Ready: its pod on B goes to A, though the manifest is still at B, or though the bound
 * that holds at A does not select it. (In place: a pod that is made anew there gets the revision that the bound has left.) As many such nodes go at a time as on the way back.
 * The plan has ended: where its limits and those of the manifest have nothing in common, those of the manifest hold alone.
 */
export function withUnreverted(
  { view, accepted, plans }: EnvelopeInput<NodeUnits>,
  { goal, moving, ownStrategy, touch }: Envelope,
): Partial<Envelope> {
  if (accepted?.progress.phase !== 'Reverted' || ownStrategy === true || !touch) return {};
  const { unreverted, message = '' } = accepted.progress;
  if (unreverted === undefined || accepted.progress.goal !== goal || view.onDelete) return {};
  const only = new Set(unreverted);
  const going = awayFrom(view, accepted, goal).flatMap(({ unit }) => (only.has(unit) ? [unit] : []));
  if (going.length === 0) return {};
  const widest = widestWindow(view, accepted, goal, plans);
  const window = letsNothingChange(view, widest) ? {} : { window: widest };
  if (moving) return { ...window, nodes: { also: going } };
  return {
    moving: true,
    ...window,
    back: wayBack(view, accepted, goal),
    nodes: { only: going },
    reason: `goes back: ${message}`,
  };
}
