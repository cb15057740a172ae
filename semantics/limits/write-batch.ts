import type { Action } from '../decision.ts';

/** About a tenth of a second of writes: after that, pods have changed, and another decision may be better. */
const MOST = 64;
/** A larger part of many objects: each reconcile iterates all of them, and must make progress in proportion. */
const PART = 1 / 40;

/**
 * The actions of a decision that one reconcile executes, in order; the next reconcile decides again. Only patches are
 * limited: those that return pods to traffic come first, then others up to the limit.
 *
 * @param objects how many objects the decision is about
 */
export function writeBatch(actions: readonly Action[], objects: number): readonly Action[] {
  const most = Math.max(MOST, Math.floor(objects * PART));
  const patches = actions.filter(isPatch);
  if (patches.length <= most) return actions;
  const opening = patches.filter((action) => action.restoresTraffic === true).slice(0, most);
  const rest = patches.filter((action) => action.restoresTraffic !== true).slice(0, most - opening.length);
  const taken = new Set<Action>([...opening, ...rest]);
  return actions.filter((action) => !isPatch(action) || taken.has(action));
}

function isPatch(action: Action): boolean {
  return action.do === 'patch' && action.kind !== 'ControllerRevision';
}
