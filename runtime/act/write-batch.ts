import type { Action } from '../../semantics/decision.ts';

/** About a tenth of a second of writes: after that, pods have moved, and what is best to do next may be something else. */
const MOST = 64;
/** Of many objects a larger part: each reconcile goes over all of them, and is to be worth it. */
const PART = 1 / 40;

/**
 * What of a decision one pass carries out, in its order; the next pass decides anew. Many patches are not sent on one
 * look: those that give pods back to their traffic go first, then as many of the others as there is room for.
 * Everything else is there whole.
 *
 * @param objects how many objects the decision is about
 */
export function writeBatch(actions: readonly Action[], objects: number): readonly Action[] {
  const most = Math.max(MOST, Math.floor(objects * PART));
  const patches = actions.filter(isPatch);
  if (patches.length <= most) return actions;
  const opening = patches.filter((action) => action.opens === true).slice(0, most);
  const others = patches.filter((action) => action.opens !== true).slice(0, most - opening.length);
  const taken = new Set<Action>([...opening, ...others]);
  return actions.filter((action) => !isPatch(action) || taken.has(action));
}

function isPatch(action: Action): boolean {
  return action.do === 'patch' && action.kind !== 'ControllerRevision';
}
