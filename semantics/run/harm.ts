import type { Condition } from '../../schemas/wire/object.ts';
import type { Node } from '../node/node.ts';
import type { PodOnNode } from '../node/pod-on-node.ts';
import { compareCodePoints } from '../values/canonical-json.ts';
import { CLOSED_NAMESPACES } from '../values/system-namespaces.ts';
import { countText } from '../values/text.ts';

/** A node and the pods on it, of any owner, at one time. */
export interface NodeState {
  name: string;
  conditions: readonly Pick<Condition, 'type' | 'status'>[];
  pods: readonly PodOnNode[];
}

/**
 * What was wrong with a node before its run started. It is recorded before the pod is created. Only exceptions are in it, so
 * that the record of a healthy node is small, however many pods it has.
 */
export interface NodeBaseline {
  /** When it was taken, milliseconds since 1970. Pods that are created later are not judged. */
  at: number;
  /** Types of its conditions that were bad. */
  bad: readonly string[];
  /** Uids of pods that were not available. */
  unavailable: readonly string[];
  /** Restarts by uid, of the pods that had any. */
  restarts: Readonly<Record<string, number>>;
}

export function baselineOfNode({ conditions, pods }: NodeState, now: number): NodeBaseline {
  return {
    at: now,
    bad: badConditions(conditions),
    unavailable: pods
      .filter(({ available }) => !available)
      .map(({ uid }) => uid)
      .sort(),
    restarts: Object.fromEntries(
      pods.filter(({ restarts }) => restarts > 0).map(({ uid, restarts }) => [uid, restarts]),
    ),
  };
}

/** The states of these nodes, in the order of `nodes`. */
export function nodeStates(
  nodes: readonly Node[],
  pods: readonly PodOnNode[],
  names: ReadonlySet<string>,
): NodeState[] {
  if (names.size === 0) return [];
  const byNode = new Map<string, PodOnNode[]>();
  for (const pod of pods) {
    if (!names.has(pod.node)) continue;
    const known = byNode.get(pod.node);
    if (known === undefined) byNode.set(pod.node, [pod]);
    else known.push(pod);
  }
  return nodes
    .filter(({ metadata: { name } }) => names.has(name))
    .map(({ metadata: { name }, status }) => ({
      name,
      conditions: status?.conditions ?? [],
      pods: byNode.get(name) ?? [],
    }));
}

/** The time of a planned change has whole seconds. */
const SECOND_MS = 1_000;

/** Pods of other namespaces are harm where they are in so many of them, and in so large a part of those with pods there. */
const FEWEST_NAMESPACES = 2;
const SHARE_OF_NAMESPACES = 0.5;

/** What may be said of pods, and how much harm there must be. */
export interface Judging {
  /** Of the target: its pods are named, and one is enough. */
  namespace: string;
  /** So many restarts of a pod are no harm. Default: 0. */
  tolerated?: number;
  /** Milliseconds since 1970. */
  now: number;
}

type Bounds = Required<Pick<Judging, 'tolerated' | 'now'>>;

/**
 * What is worse on a node than before its run, for use after "node-1: "; undefined: nothing. A pod that is gone does not
 * count, as it may have been drained or scaled in. Nor does what a planned change of any updater does to a pod: its restarts, and
 * that it is not available while it is changed, or after a change since then. Its own rollout judges that.
 *
 * Whoever owns a pod can crash it. So one pod counts only where the author of the run, or an administrator, owns it; those of
 * other namespaces count together, and their names are not for that author to read.
 *
 * @param state undefined: the node is gone
 */
export function harmTo(
  state: NodeState | undefined,
  before: NodeBaseline,
  { namespace, tolerated = 0, now }: Judging,
): string | undefined {
  if (state === undefined) return 'the node is gone';
  const condition = badConditions(state.conditions).find((type) => !before.bad.includes(type));
  if (condition !== undefined)
    return condition === 'Ready' ? 'it is not Ready' : `it has the condition ${condition}`;
  const older = state.pods.filter(({ createdAt }) => createdAt <= before.at);
  const own = older.filter((pod) => pod.namespace === namespace);
  const system = older.filter((pod) => isClosed(pod) && pod.namespace !== namespace);
  const foreign = older.filter((pod) => !isClosed(pod) && pod.namespace !== namespace);
  const bounds = { tolerated, now };
  return (
    harmToOne(own, before, bounds, (pod) => `pod ${pod.namespace}/${pod.name}`) ??
    harmToOne(system, before, bounds, (pod) => `a pod in ${pod.namespace}`) ??
    harmToMany(foreign, before, bounds)
  );
}

function isClosed({ namespace }: PodOnNode): boolean {
  return CLOSED_NAMESPACES.includes(namespace);
}

/** The harm to the first of these pods that has any. */
function harmToOne(
  pods: readonly PodOnNode[],
  before: NodeBaseline,
  { tolerated, now }: Bounds,
  nameOf: (pod: PodOnNode) => string,
): string | undefined {
  const ordered = [...pods].sort((a, b) => compareCodePoints(a.name, b.name));
  const lost = ordered.find((pod) => isLost(pod, before, now));
  if (lost !== undefined) return `${nameOf(lost)} was available and is not now`;
  const restarted = ordered.find((pod) => restartsSince(pod, before) > tolerated);
  if (restarted === undefined) return undefined;
  const times =
    tolerated === 0 ? '' : ` ${restartsSince(restarted, before)} times, at most ${tolerated} allowed`;
  return `containers of ${nameOf(restarted)} have restarted${times}`;
}

/** The harm to pods of which none counts alone. */
function harmToMany(
  pods: readonly PodOnNode[],
  before: NodeBaseline,
  { tolerated, now }: Bounds,
): string | undefined {
  const harmed = pods.filter((pod) => isLost(pod, before, now) || restartsSince(pod, before) > tolerated);
  const [all, where] = [namespacesOf(pods), namespacesOf(harmed)];
  if (where < FEWEST_NAMESPACES || where < all * SHARE_OF_NAMESPACES) return undefined;
  const times = tolerated === 0 ? '' : ` more than ${countText(tolerated, 'time')}`;
  return `${harmed.length} pods in ${where} of ${all} other namespaces are not available any more, or have restarted${times}`;
}

function namespacesOf(pods: readonly PodOnNode[]): number {
  return new Set(pods.map(({ namespace }) => namespace)).size;
}

function isLost(pod: PodOnNode, { at, unavailable }: NodeBaseline, now: number): boolean {
  const isChanged = now < pod.changingUntil || pod.changedAt > at - SECOND_MS;
  return !pod.available && !isChanged && !unavailable.includes(pod.uid);
}

/** After a change restarts count anew. */
function restartsSince(pod: PodOnNode, before: NodeBaseline): number {
  return pod.restarts - (pod.changedAt > before.at ? 0 : restartsBefore(before, pod.uid));
}

function restartsBefore({ restarts }: NodeBaseline, uid: string): number {
  return Object.hasOwn(restarts, uid) ? (restarts[uid] ?? 0) : 0;
}

/** Ready is bad unless True; every other condition of a node reports a problem, and is bad where it is True. */
function badConditions(conditions: NodeState['conditions']): string[] {
  const isReady = conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
  const problems = conditions.filter(({ type, status }) => type !== 'Ready' && status === 'True');
  return [...(isReady ? [] : ['Ready']), ...problems.map(({ type }) => type).sort(compareCodePoints)];
}
