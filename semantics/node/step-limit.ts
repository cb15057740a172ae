import type { LabelSelector } from '../values/selector.ts';

/** Which nodes a step of a plan takes, where the units of its target are nodes: an upper bound beside the number that it allows. */
export interface NodeLimit {
  /** It is about nodes with these labels alone; undefined: about every node. */
  within?: { selector: LabelSelector; beyond: number };
  /** The key of the label of nodes that names their failure domain: one has nodes that are being updated. Undefined: several may. */
  spread?: string;
  /** What is on them may be why its node is down, so that it is taken there, too. Undefined: no node that is down is taken. */
  unfinished?: UnfinishedChanges;
  /** Nodes that were broken before the plan: they keep no others waiting, as nobody knows when they are available. Undefined: none was. */
  broken?: readonly string[];
  /** No other nodes go to the goal: a way back has ended without these; undefined: any may. */
  only?: readonly string[];
  /** These go to the goal, too, though no bound selects them: a way back has ended without them. Undefined: none. */
  also?: readonly string[];
}

/** What earlier plans have brought and not completed. */
export interface UnfinishedChanges {
  /** By hash. */
  revisions: readonly string[];
  /**
   * Nodes that were broken before the plan, or that a user has let it go on with: they do not keep those that are down waiting.
   * Undefined: no other node does, as the plan has succeeded.
   */
  broken?: readonly string[];
}
