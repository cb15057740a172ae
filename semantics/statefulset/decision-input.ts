import type { CreationBackoff } from '../plan/creation-backoff.ts';
import type { Envelope } from '../plan/envelope.ts';
import type { Pod } from '../pod/types.ts';
import type { Placement } from './placement.ts';
import type { Layout, Slot } from './slots.ts';
import type { StatefulSetView } from './view.ts';

/** What every phase of a decision about a StatefulSet reads. */
export interface DecisionInput {
  view: StatefulSetView;
  layout: Layout;
  envelope: Envelope;
  placement: Placement;
  /** The pod is available, and its last update in place is complete. */
  isAvailable(pod: Pod): boolean;
  /** During a revert: the slot was broken before the plan, and uses up none of the budget. */
  isExcused(slot: Slot): boolean;
  /** During a revert: its pod breaks by itself, and holds up no update, nor a creation. For all else the slot is not whole. */
  breaksAlone(slot: Slot): boolean;
  /** Pods whose creation is deferred. */
  creationBackoff?: CreationBackoff | undefined;
  now: number;
}

/** Whether a slot holds up neither updates nor creations. */
export function isOutOfTheWay(input: DecisionInput, slot: Slot): boolean {
  return isWhole(input, slot) || input.breaksAlone(slot);
}

/** Whether nothing is missing in a slot. */
export function isWhole({ isAvailable, isExcused }: DecisionInput, slot: Slot): boolean {
  return isExcused(slot) || (slot.pod !== undefined && isAvailable(slot.pod));
}
