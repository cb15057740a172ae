import type { WaitingUnit } from '../limits/disruption.ts';
import type { Envelope } from '../plan/envelope.ts';
import { revisionOf } from '../revision/revision.ts';
import { strictOrder, type RoundContext, usesUpBudget, withinPodLimits } from './chosen.ts';
import { takingPart } from './left-out.ts';
import { unreadyText } from './unready-text.ts';
import { nameOf, type Unit } from './unit.ts';
import { candidates, eligible } from './update.ts';
import type { SidecarSetView } from './view.ts';

/** Where a plan leads. */
export interface Onward {
  /** The revision, by hash. */
  to: string;
  /** Of the plan: no other pod is updated; undefined: any may be. */
  selector: Envelope['selector'];
}

/** Why no pod that is next may be updated now: the limits of others, for the pod that is named; undefined: one may, or none waits. */
export function limitedBy(
  view: SidecarSetView,
  onward: Onward,
  limits: RoundContext['limits'],
): string | undefined {
  const waiting = waitingOf(view, onward);
  if (waiting.length === 0) return undefined;
  const found = withinPodLimits(limits(), waiting);
  if (found.free.length === 0) return first(found.waiting);
  // While another is updated, room may come of that.
  const isUpdating = takingPart(view).counted.some(
    (unit) => view.hashOf(unit) === onward.to && !unit.isServing,
  );
  const isKept = strictOrder(view);
  return isUpdating ? undefined : first(found.waiting.filter(({ unit }) => isKept(unit)));
}

/**
 * What keeps the next pods from being updated, while all that have the revision are available, as a clause that names a pod: one that
 * uses up the budget, or one that limits of others keep. Undefined: nothing is known.
 */
export function blockedBy(
  view: SidecarSetView,
  onward: Onward,
  limits: RoundContext['limits'],
): string | undefined {
  const { counted } = takingPart(view);
  const spent = counted.filter(usesUpBudget(view, counted, onward.to));
  const limited = withinPodLimits(limits(), waitingOf(view, onward)).waiting;
  const unready = firstOf(spent, (unit) => unit);
  if (unready === undefined) return first(limited);
  return textOf(unready, spent.length, `${unreadyText(unready)}, and uses up maxUnavailable`);
}

function waitingOf(view: SidecarSetView, { to, selector }: Onward): readonly Unit[] {
  const goal = revisionOf(view, to);
  return goal === undefined ? [] : candidates(view, goal, eligible(view, { selector })).waiting;
}

/** The first pod by name that waits for limits of others, and how many wait for the same; undefined: none waits. */
function first(limited: readonly WaitingUnit<Unit>[]): string | undefined {
  const next = firstOf(limited, ({ unit }) => unit);
  if (next === undefined) return undefined;
  const same = limited.filter(({ reason }) => reason === next.reason);
  return textOf(next.unit, same.length, next.reason);
}

/** The first by the name of its pod, found in one pass: there may be ten thousand. */
function firstOf<Each>(all: readonly Each[], unitOf: (each: Each) => Unit): Each | undefined {
  let found: { each: Each; name: string } | undefined;
  for (const each of all) {
    const name = nameOf(unitOf(each).pod);
    if (found === undefined || name < found.name) found = { each, name };
  }
  return found?.each;
}

function textOf({ pod }: Unit, count: number, text: string): string {
  return `${nameOf(pod)}${count === 1 ? '' : ` and ${count - 1} more`}: ${text}`;
}
