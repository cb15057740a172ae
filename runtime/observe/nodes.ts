import type { Clock } from '../../schemas/wire/clock.ts';
import type { Condition, KubeObject, OwnerReference } from '../../schemas/wire/object.ts';
import type { Node, ListedImage } from '../../semantics/node/node.ts';
import type { NodeLabels } from '../../semantics/pod/nodes.ts';
import type { Kind } from '../../semantics/kinds/kind.ts';
import { groupKindOf } from '../../semantics/owner.ts';
import type { Intern } from '../../semantics/pod/intern.ts';
import { objectOf } from '../../semantics/values/read.ts';
import { timestamp } from '../../semantics/values/timestamp.ts';
import { kindId } from './ids.ts';
import { partialMetadata } from './partial-metadata.ts';
import type { OnDemand } from './on-demand.ts';

type ControllerKind = Pick<OwnerReference, 'apiVersion' | 'kind'>;

/** The labels of nodes, which are watched from the first use on. */
export function nodeLabelsOf(nodes: OnDemand, clock: Pick<Clock, 'now'>): NodeLabels {
  let since: number | undefined;
  return {
    get state() {
      const { state } = nodes;
      return state === 'known' || state === 'pending' ? state : 'unreadable';
    },
    get pendingSince() {
      since = nodes.state === 'pending' ? (since ?? clock.now()) : undefined;
      return since;
    },
    of: (name) => {
      const node = nodes.started().get(name);
      return node && (node.metadata.labels ?? {});
    },
  };
}

/** Since when nodes have been Ready, as this process has seen it. */
export interface ReadyTimes {
  /** Takes note of a state of a node. Milliseconds since 1970; undefined: it is not Ready. */
  see(node: Node): number | undefined;
  forget(name: string): void;
}

/**
 * The condition Ready has a time, but a kubelet writes it by the clock of its machine, which is often wrong while that starts, and does not
 * write it again. A node that was Ready at the first look has been since then.
 */
export function createReadyTimes(clock: Pick<Clock, 'now'>): ReadyTimes {
  const times = new Map<string, number>();
  return {
    see({ metadata: { name }, status }) {
      const isReady = status?.conditions?.some((each) => each.type === 'Ready' && each.status === 'True');
      if (isReady !== true) times.delete(name);
      else if (!times.has(name)) times.set(name, clock.now());
      return times.get(name);
    },
    forget: (name) => void times.delete(name),
  };
}

/**
 * A node reduced to what the rules read of it (semantics/node/node.ts). Of its images the names are kept; nodes share most of
 * them. The times of its conditions are not: every heartbeat changes some, and machines have written them.
 *
 * @param readySince as this process has seen it, milliseconds since 1970; undefined: it is not Ready
 */
export function narrowNode(object: KubeObject, intern: Intern, readySince: number | undefined): KubeObject {
  const { apiVersion, kind, metadata, spec = {}, status = {} } = object as Node;
  const { taints, unschedulable } = spec;
  const { allocatable, conditions, images } = status;
  const { labels, creationTimestamp, deletionTimestamp } = metadata;
  return {
    apiVersion,
    kind,
    metadata: partialMetadata(metadata, {
      ...(labels === undefined ? {} : { labels }),
      ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
      ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
    }),
    spec: {
      ...(taints === undefined ? {} : { taints }),
      ...(unschedulable === undefined ? {} : { unschedulable }),
    },
    status: {
      ...(allocatable === undefined ? {} : { allocatable }),
      ...(conditions === undefined
        ? {}
        : { conditions: conditions.map((each) => withTime(each, readySince)) }),
      ...(images === undefined ? {} : { images: images.map((each) => namesOf(each, intern)) }),
    },
  };
}

function withTime({ type, status }: Condition, readySince: number | undefined): Condition {
  return type === 'Ready' && readySince !== undefined
    ? { type, status, lastTransitionTime: timestamp(readySince) }
    : { type, status };
}

function namesOf({ names }: ListedImage, intern: Intern): ListedImage {
  const all = names ?? [];
  return intern.value(JSON.stringify(all), () => ({ names: all }));
}

/**
 * Whether the rules may test pods of this controller against nodes. Pods without a controller are tested if a target that
 * places units adopts pods.
 */
export function isPlacing(kinds: readonly Kind[], controller: ControllerKind | undefined): boolean {
  const id = controller && kindId(groupKindOf(controller));
  return kinds.some(
    (kind) =>
      (id === undefined ? kind.uses.some(({ of }) => of === 'Orphans') : kindId(kind.id) === id) &&
      kind.uses.some((use) => use.of === 'Nodes' && use.why === 'Placement'),
  );
}

/**
 * Whether two reduced states of a node are equal but for their versions and images: heartbeats change nothing else, and a new
 * image asks for no decision.
 */
export function isSameNode(one: KubeObject, other: KubeObject): boolean {
  return textOf(one) === textOf(other);
}

function textOf({ metadata, ...node }: KubeObject): string {
  return JSON.stringify([
    { ...metadata, resourceVersion: undefined },
    { ...node, status: { ...objectOf(node['status']), images: undefined } },
  ]);
}
