import type { KubeObject } from '../../schemas/wire/object.ts';
import type { NodeLabels } from '../../semantics/pod/nodes.ts';
import { partialMetadata } from './partial-metadata.ts';
import type { OnDemand } from './on-demand.ts';

/** The labels of nodes, which are watched from the first use on. */
export function nodeLabelsOf(nodes: OnDemand): NodeLabels {
  return {
    get state() {
      const { state } = nodes;
      return state === 'known' || state === 'pending' ? state : 'unreadable';
    },
    of: (name) => {
      const node = nodes.started().get(name);
      return node && (node.metadata.labels ?? {});
    },
  };
}

/** A node reduced to its labels, conditions and taints; its list of images, the largest part, is not needed. */
export function narrowNode({ apiVersion, kind, metadata, ...node }: KubeObject): KubeObject {
  const { conditions } = (node['status'] ?? {}) as { conditions?: { type: string; status: string }[] };
  const { taints, unschedulable } = (node['spec'] ?? {}) as { taints?: object[]; unschedulable?: boolean };
  const { labels, creationTimestamp, deletionTimestamp } = metadata;
  return {
    apiVersion,
    kind,
    metadata: {
      ...partialMetadata(metadata),
      ...(labels === undefined ? {} : { labels }),
      ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
      ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
    },
    spec: {
      ...(taints === undefined ? {} : { taints }),
      ...(unschedulable === undefined ? {} : { unschedulable }),
    },
    ...(conditions === undefined
      ? {}
      : { status: { conditions: conditions.map(({ type, status }) => ({ type, status })) } }),
  };
}

/** Whether two reduced states of a node are equal but for their versions: heartbeats change nothing else. */
export function isSameNode(one: KubeObject, other: KubeObject): boolean {
  return textOf(one) === textOf(other);
}

function textOf({ metadata, ...node }: KubeObject): string {
  return JSON.stringify([{ ...metadata, resourceVersion: undefined }, node]);
}
