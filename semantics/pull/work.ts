import type { Node } from '../node/node.ts';
import type { PullPods } from './pod.ts';

/** Images to be pulled to nodes. */
export interface PullWork extends PullPods {
  /** In the order in which they get the images. */
  nodes: readonly Node[];
  /** On how many nodes a pull may be in progress; 0: no further pull begins. */
  parallelism: number;
  /** How many pods are tried on one node, one after the other. */
  attempts: number;
  /** The server refuses a pod of this pull, maybe because a quota counts the finished ones. */
  isRefused: boolean;
  /**
   * Only what asks for the image is an attempt: its time begins when a kubelet has taken the pod up, and a pod that finds no place, or
   * whose node has no room, is none. Default: every pod is one, from its creation on.
   */
  countsTries?: true;
  /** Nodes on which another pull is in progress: none begins there. Default: there are none. */
  busy?: ReadonlySet<string>;
}

/** How far the pull on one node is. */
export interface NodePull {
  node: string;
  /**
   * `Present`: the node had the images; `Waiting`: no pull has begun; `Pulling`: one is in progress, or pauses before another
   * attempt.
   */
  state: 'Present' | 'Waiting' | 'Pulling' | 'Succeeded' | 'Failed';
  /** The last attempt, from 1; 0: there was none. */
  attempt: number;
  /** It waits for a place, and pulls nothing meanwhile. */
  isStuck?: true;
  /** Why the last attempt has failed, or why it does not go on, as a clause. */
  problem?: string;
}
