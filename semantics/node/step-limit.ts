import type { LabelSelector } from '../values/selector.ts';

/** Which nodes a step of a plan takes, where the units of its target are nodes: an upper bound beside the number that it allows. */
export interface NodeLimit {
  /** It is about nodes with these labels alone; undefined: about every node. */
  within?: { selector: LabelSelector; beyond: number };
  /** At most one failure domain has nodes that are being updated; undefined: there may be several. */
  spread?: NodeSpread;
  /**
   * Revisions that an earlier plan has brought and not completed, by hash: what is on them may be why its node is down, so that it is
   * taken there, too. Undefined: no node that is down is taken.
   */
  unfinished?: readonly string[];
  /** No other nodes go to the goal: a way back has ended without these; undefined: any may. */
  only?: readonly string[];
  /** These go to the goal, too, though no bound selects them: a way back has ended without them. Undefined: none. */
  also?: readonly string[];
}

/** Failure domains, and which nodes do not keep the next one waiting. */
export interface NodeSpread {
  /** The key of the label of nodes that names their failure domain. */
  key: string;
  /** Nodes that were broken before the plan: nobody knows when they are available. */
  broken: readonly string[];
}
