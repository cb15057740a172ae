import type { Mode } from '../template/mode.ts';
import type { IntOrPercent } from '../values/int-or-percent.ts';

/**
 * What a kind's rules may do now: an upper bound, never an order. Deciding twice under one envelope is harmless.
 * An envelope is an effective partition: old pods wanted = max(own partition, replicas − allowed).
 */
export interface Envelope {
  /** Hash of the revision that pods move to and that the new side is made at. */
  goal: string;
  /** Hash of the revision that the old side is made at. */
  stable: string;
  /** Pods that an earlier bound left behind `stable`; lost ones among them are made at that hash. */
  retained?: { hash: string; n: number };
  /** How many pods may be on `goal`. */
  allowed: number | 'unbounded';
  /** A partition that bounds the new side beside the target's own, from the plan's `to.bound`. */
  bound?: IntOrPercent;
  /** The target's own partition and the plan's bound hold; going back ignores both. */
  obeyPartition: boolean;
  /** False: no pod is made, taken or deleted at all; the target asks for rules that are not executed. */
  touch: boolean;
  /** Running pods may be taken to `goal`; false: only lost and wanted pods are made. */
  moving: boolean;
  /**
   * Going back to a revision that worked: whatever is broken away from it is taken at once, and the pods that were broken
   * before (units) use up none of the window. Undefined: going forward.
   */
  back?: { broken: readonly string[] };
  /**
   * Nothing but the target's own strategy governs, as with OpenKruise: its order of pods, and a partition that is raised
   * takes pods back, if the target asks for that.
   */
  ownStrategy?: true;
  /** Beside the target's own numbers; the lower of both holds. */
  window?: { maxUnavailable?: IntOrPercent; maxSurge?: IntOrPercent };
  mode: Mode;
  /** One sentence: why this much and no more. */
  reason: string;
}
