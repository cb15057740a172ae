import type { KubeObject } from '../../schemas/wire/object.ts';
import type { NodeLabels } from '../../semantics/pod/nodes.ts';
import { partialMetadata } from './partial-metadata.ts';
import type { OnDemand } from './on-demand.ts';

/** The labels of nodes that are watched on demand: the first question sends for them. */
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

/** A node down to its labels, conditions and taints: what images it holds is most of it, and of no interest here. */
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

/** Whether two narrowed states of a node are the same but for their versions: its heartbeats change no more. */
export function isSameNode(one: KubeObject, other: KubeObject): boolean {
  return textOf(one) === textOf(other);
}

function textOf({ metadata, ...node }: KubeObject): string {
  return JSON.stringify([{ ...metadata, resourceVersion: undefined }, node]);
}
