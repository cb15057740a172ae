import type { Wave } from '../../schemas/generated/types/rolloutplan.ts';
import type { Window } from '../limits/window.ts';
import type { NodeLimit } from '../node/step-limit.ts';
import type { RetainedUnits } from '../revision/revision.ts';
import type { Mode } from '../template/mode.ts';
import type { RunLimit } from '../run/limit.ts';
import type { IntOrPercent } from '../values/int-or-percent.ts';
import type { PodSelection } from '../values/pod-selection.ts';
import type { LabelSelector } from '../values/selector.ts';

/**
 * What the rules of a kind may do now: an upper bound, never a command. Deciding twice under one envelope is harmless.
 * An envelope acts as a partition: old pods wanted = max(own partition, replicas − allowed).
 *
 * Example: 10 pods, `partition: 2`. The step `50%` allows 5, so max(2, 10 − 5) = 5 stay old and 5 may be on the new revision. The
 * step `100%` allows 10, so max(2, 0) = 2 stay old and 8 may be.
 */
export interface Envelope {
  /** Hash of the revision that pods are updated to, and that new pods are created on. */
  goal: string;
  /** Hash of the revision that pods beyond `allowed` are created on. */
  stable: string;
  /** Pods that an earlier bound retains on a revision other than `stable`; lost ones among them are recreated there. */
  retained?: RetainedUnits;
  /** How many pods may be on `goal`. */
  allowed: number | 'unbounded';
  /** A partition from the plan's `to.bound`, which limits the new revision in addition to the target's own. */
  bound?: IntOrPercent;
  /**
   * A selector from the plan's `to.bound`: no other unit is moved. The target's own applies, too. Of a revert, it is only about the
   * pods that others create: which units go back is in `back`.
   */
  selector?: LabelSelector;
  /** The target's own partition and selector, and the plan's partition apply; a revert ignores them. */
  obeyPartition: boolean;
  /** False: no pod is created, updated or deleted; the target needs rules that are not executed. */
  touch: boolean;
  /** Running pods may be updated to `goal`; false: pods are only created, for lost and missing ones. */
  moving: boolean;
  /**
   * The share, in percent, of pods that others create which get `goal` uncounted: 100 where a step leads to all pods, or no plan
   * limits them. The others get `stable`. Undefined: none gets `goal`.
   */
  newPods?: number;
  /**
   * Of nodes: those that were created later have joined since the step started, milliseconds since 1970. Until `newPods` is 100 they get
   * `stable`, and are not moved. Undefined: no plan is under way.
   */
  joinedUntil?: number;
  /** Of pods of others: which of them may get `goal` from now on, as a plan states it. Undefined: those on record. */
  selection?: PodSelection;
  /** What new pods get that an earlier selector does not select stays as it is, until `newPods` is 100. */
  keepsNewPods?: true;
  /** The rollout was halted or aborted: an update of a pod that takes several writes is taken back where it is not complete. */
  hasEnded?: true;
  /** Claims of pods on `goal` may grow to the size of their templates, those of as many pods as are allowed on `goal`. */
  growsClaims?: true;
  /**
   * A revert to a revision that worked: broken pods on other revisions are updated at once, and the pods (units) that were
   * broken before the plan do not count against maxUnavailable, nor do nodes without room for a pod that the revert does not wait for.
   * `taken`: which units go; omitted: all. `since`: pods changed no later than this were there before it began; omitted: none is known.
   * Undefined: no revert.
   */
  back?: { broken: readonly string[]; taken?: TakenBack; since?: StepStart };
  /**
   * Only the target's own strategy applies, as with OpenKruise: its order of pods, and a raised partition reverts pods, if
   * the target enables that.
   */
  ownStrategy?: true;
  /** A command has set that aside what plans say, until it expires: what it lets in beyond the record is let in no longer. */
  expires?: true;
  /** Limits in addition to the target's own; the lower of both applies. Undefined: only the target's own do. */
  window?: Window;
  mode: Mode;
  /** Of a kind that runs once on each unit: what the plan allows. Undefined there: only the target's own strategy applies. */
  run?: RunLimit;
  /** Of a target whose units are nodes: which of them the step takes. Undefined: any. */
  nodes?: NodeLimit;
  /** Of a target whose units are times of a schedule: the steps that runs of the plan's revision go through; empty: none. */
  waves?: { hash: string; steps: readonly Wave[] };
  /**
   * Of a target with children: the most pods of each that may be on `goal`, by name, where a step is about some of them, or a bound keeps
   * some elsewhere. Undefined: any.
   */
  within?: Readonly<Record<string, number>>;
  /** Why the envelope is as it is, as one sentence. */
  reason: string;
}

/** When the pods were last changed that were there when a step started, milliseconds since 1970. */
export interface StepStart {
  /** The latest creation of any. */
  stepSince: number;
  /** The latest update in place of any. */
  updatedSince?: number;
}

/** Which units a way back takes to its goal, as data: its plan, or one that it has replaced, has moved them, or may have. */
export interface TakenBack {
  /** Units on these revisions stay: a bound had left them there when the target was complete on the goal. */
  left: readonly string[];
  /** The revisions that the plan knows. Units on them go, whatever labels they have. */
  planned: readonly string[];
  /** The selector of the plan's bound: units on other revisions go where it selects them. Undefined: all go. */
  selector?: LabelSelector;
}
