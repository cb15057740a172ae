import type { Condition } from '../../schemas/wire/object.ts';
import type { Node } from '../node/node.ts';
import type { PodOnNode } from '../node/pod-on-node.ts';
import { compareCodePoints } from '../values/canonical-json.ts';

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

/**
 * What is worse on a node than before its run, for use after "node-1: "; undefined: nothing. A pod that is gone does not
 * count, as it may have been drained or scaled in. Nor does what a planned change of any updater does to a pod: its restarts, and
 * that it is not available while it is changed, or after a change since then. Its own rollout judges that.
 *
 * @param state undefined: the node is gone
 * @param tolerated so many restarts of a pod are no harm
 */
export function harmTo(
  state: NodeState | undefined,
  before: NodeBaseline,
  tolerated = 0,
): string | undefined {
  if (state === undefined) return 'the node is gone';
  const condition = badConditions(state.conditions).find((type) => !before.bad.includes(type));
  if (condition !== undefined)
    return condition === 'Ready' ? 'it is not Ready' : `it has the condition ${condition}`;
  const older = state.pods
    .filter(({ createdAt }) => createdAt <= before.at)
    .sort((a, b) => compareCodePoints(a.name, b.name));
  const isChanged = ({ changedAt }: PodOnNode): boolean => changedAt > before.at - SECOND_MS;
  const isLost = (pod: PodOnNode): boolean => !pod.available && !pod.isBeingChanged && !isChanged(pod);
  const lost = older.find((pod) => isLost(pod) && !before.unavailable.includes(pod.uid));
  if (lost !== undefined) return `pod ${lost.name} was available and is not now`;
  // After a change restarts count anew.
  const counted = (pod: PodOnNode): number =>
    pod.restarts - (pod.changedAt > before.at ? 0 : restartsBefore(before, pod.uid));
  const restarted = older.find((pod) => counted(pod) > tolerated);
  if (restarted === undefined) return undefined;
  const times = tolerated === 0 ? '' : ` ${counted(restarted)} times, at most ${tolerated} allowed`;
  return `containers of pod ${restarted.name} have restarted${times}`;
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
