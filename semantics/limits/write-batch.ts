import type { Action } from '../decision.ts';

/** About a tenth of a second of writes: after that, pods have changed, and another decision may be better. */
const MOST = 64;
/** A larger part of many objects: each reconcile iterates all of them, and must make progress in proportion. */
const PART = 1 / 40;

/** When a write of this object was last refused, as a number that grows; 0: none was. */
export type LastRefused = (name: string, namespace?: string) => number;

/**
 * The actions of a decision that one reconcile executes, in order; the next reconcile decides again. Only patches are
 * limited: those that return pods to traffic come first, then others up to the limit. Of both those come last that were
 * refused, the longest ago first: a few that are always refused must not keep others out of a batch. Copies are not limited, as
 * their creates are not: each is about its namespace alone.
 *
 * @param objects how many objects the decision is about
 */
export function writeBatch(
  actions: readonly Action[],
  objects: number,
  lastRefused: LastRefused = () => 0,
): readonly Action[] {
  const most = Math.max(MOST, Math.floor(objects * PART));
  const patches = actions.filter(isLimited);
  if (patches.length <= most) return actions;
  const turns = new Map(patches.map((action) => [action, lastRefused(action.name, action.namespace)]));
  const inTurn = patches.sort((one, other) => (turns.get(one) ?? 0) - (turns.get(other) ?? 0));
  const opening = inTurn.filter((action) => action.restoresTraffic === true).slice(0, most);
  const rest = inTurn.filter((action) => action.restoresTraffic !== true).slice(0, most - opening.length);
  const taken = new Set<Action>([...opening, ...rest]);
  return actions.filter((action) => !isLimited(action) || taken.has(action));
}

function isLimited(action: Action): action is Extract<Action, { do: 'patch' }> {
  return action.do === 'patch' && action.kind !== 'ControllerRevision' && action.isCopy !== true;
}
