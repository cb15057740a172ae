/** What the rules read of the nodes of a cluster: labels only. Whether a node is cordoned is not known here. */
export interface NodeLabels {
  /**
   * `pending`: the list of nodes is not complete yet, and the rules wait for it; `unreadable`: nodes may not be listed. The
   * first read starts the list.
   */
  readonly state: 'known' | 'pending' | 'unreadable';
  /** Since when the list is awaited, milliseconds since 1970; undefined: it is not. */
  readonly pendingSince: number | undefined;
  /** The labels of a node; undefined: there is none of that name. */
  of(name: string): Readonly<Record<string, string>> | undefined;
}

/** The topology key of nodes themselves. */
export const HOSTNAME = 'kubernetes.io/hostname';

/** Nodes are unknown, as in a forecast. */
export const noNodes: NodeLabels = { state: 'unreadable', pendingSince: undefined, of: () => undefined };
