import type { Condition, KubeObject } from '../../schemas/wire/object.ts';

/** What the rules read of a node, when the units of a target are nodes. */
export interface Node extends KubeObject {
  spec?: {
    unschedulable?: boolean;
    taints?: Taint[];
    [field: string]: unknown;
  };
  status?: {
    /** What the node offers to pods, by resource, as quantities. */
    allocatable?: Record<string, string | number>;
    conditions?: Condition[];
    /** At most fifty images that the node has, each by all of its names. */
    images?: ListedImage[];
    [field: string]: unknown;
  };
}

export interface ListedImage {
  names?: string[] | null;
}

export interface Taint {
  key: string;
  value?: string;
  effect: string;
}

/** The name of a node as a field, by which a pod is assigned to one node. */
export const NODE_NAME_FIELD = 'metadata.name';
