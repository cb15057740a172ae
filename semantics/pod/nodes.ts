/** The nodes of a cluster, as far as the rules look at them. */
export interface NodeLabels {
  /**
   * `pending`: they are on their way here, and it is worth waiting for them; `unreadable`: whoever looks may not see nodes.
   * The first question sends for them.
   */
  readonly state: 'known' | 'pending' | 'unreadable';
  /** The labels of a node; undefined: there is none of that name. */
  of(name: string): Readonly<Record<string, string>> | undefined;
}

/** The topology key of nodes themselves. */
export const HOSTNAME = 'kubernetes.io/hostname';

/** Nobody knows of any node: in a forecast, for one. */
export const noNodes: NodeLabels = { state: 'unreadable', of: () => undefined };
