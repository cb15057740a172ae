import type { Condition, KubeObject } from '../../schemas/wire/object.ts';
import type { Action, EventDraft, Explanation } from '../decision.ts';

/** What a reconcile decides about a target whose objects it leaves alone. */
export type Untouched =
  /** The target is being deleted, and its objects with it. */
  | { do: 'nothing' }
  /** Only the Held condition is written, and these besides it. */
  | { do: 'hold'; held: { reason: string; message: string }; besides: readonly Condition[] };

/** What a reconcile decides to do now. */
export interface Acted {
  do: 'act';
  actions: readonly Action[];
  /** The whole desired status of the target. */
  status: object;
  /** Why the target is not as its manifest wants it, and what to do; undefined: it is not held. */
  held: { reason: string; message: string } | undefined;
  /** Events that belong to no action. */
  events: readonly EventDraft[];
  explanations: readonly Explanation[];
  /** The objects of other kinds that pods wait for before they may become unavailable: a change of one may let them. */
  waitsFor: readonly KubeObject[];
  /** More is to be done than one reconcile writes: the next one follows at once. */
  isPart: boolean;
  /** When to reconcile again, milliseconds since 1970; undefined: only after a change. */
  requeueAt: number | undefined;
}
