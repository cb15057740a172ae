import type { EventDraft, Explanation } from '../decision.ts';
import { isPreparingDelete } from '../lifecycle/states.ts';
import { hasOutageTaint } from './eligibility.ts';
import { nodeOfPod } from '../node/placement.ts';
import type { CreationBackoff } from '../plan/creation-backoff.ts';
import { failureOf } from '../pod/failure.ts';
import { isReady } from '../pod/readiness.ts';
import type { Pod } from '../pod/types.ts';
import { type Judged, type JudgedNode, remaining } from './judged.ts';
import { isSurging } from './spec.ts';
import type { DaemonSetView } from './view.ts';

/** A pod that is to be deleted. */
export interface Removal {
  readonly pod: Pod;
  readonly reason: string;
  /** The Event of its deletion; undefined: the one that every deletion has. */
  readonly event?: EventDraft;
}

/** What the nodes lack, and have too much of. */
export interface Managed {
  /** Nodes that have no pod, or none that stays: whether and at which revision they get one is yet to be decided. */
  readonly needing: readonly JudgedNode[];
  readonly removals: readonly Removal[];
  readonly explanations: readonly Explanation[];
}

/** What the manage phase reads beyond the nodes. */
export interface ManageInput {
  view: DaemonSetView;
  judged: Judged;
  isAvailable(pod: Pod): boolean;
  creationBackoff: CreationBackoff | undefined;
}

/**
 * Compares every node with the pod that it is to have (OpenKruise advanced-daemonset, rule 6.3). It applies while the target is
 * paused, too, and whatever partition and selector say.
 *
 * One deviation: a pod that has succeeded is replaced as one that has failed, as a DaemonSet of Kubernetes does.
 */
export function manage(input: ManageInput): Managed {
  const { view, judged } = input;
  const needing: JudgedNode[] = [];
  const removals: Removal[] = [];
  const explanations: Explanation[] = [];
  for (const node of judged.nodes) {
    const { name, pods, present, why } = node;
    const isWanted = node.shouldRun || node.fitsGoal;
    if (pods.length === 0) {
      if (isWanted) needing.push(node);
      else if (why !== undefined) explanations.push({ about: name, reason: `gets no pod: it ${why}` });
      continue;
    }
    if (!node.shouldContinue) {
      removals.push(...present.map((pod) => ({ pod, reason: `node ${name} ${why ?? 'is not eligible'}` })));
      continue;
    }
    const stays = remaining(node);
    removals.push(...endedPods(input, node, explanations));
    removals.push(
      ...present
        .filter(isPreparingDelete)
        .map((pod) => ({ pod, reason: 'it was to be deleted, and nothing takes that back' })),
    );
    if (!isSurging(view.spec)) {
      const others = stays.slice(1);
      const first = stays[0]?.metadata.name ?? '';
      removals.push(...others.map((pod) => ({ pod, reason: `node ${name} has a pod already: ${first}` })));
    } else if (stays.length === 0) {
      if (isWanted) needing.push(node);
    } else removals.push(...surplus(input, node, stays));
  }
  removals.push(...unplaceable(view));
  return { needing, removals, explanations };
}

/**
 * The pods of a node that have ended. After repeated failures they stay until the next one is due, as they show what is wrong.
 *
 * One deviation: under a plan they stay while their node is down, so that it keeps its place in the step.
 *
 * Example: a step of one node. The node reboots, and its pod at the goal ends. If that were deleted no node would be taken, and
 * another one would be, while this one would come back at the stable revision.
 */
function endedPods(
  { view, judged, creationBackoff }: ManageInput,
  host: JudgedNode,
  explanations: Explanation[],
): Removal[] {
  const { name, present } = host;
  const ended = present.filter(
    (pod) => (pod.status?.phase === 'Failed' || pod.status?.phase === 'Succeeded') && !isPreparingDelete(pod),
  );
  if (ended.length === 0) return [];
  if (judged.envelope.ownStrategy !== true && isAway(host)) {
    const reason = `has ended, and is replaced once node ${name} is ready`;
    explanations.push(...ended.map(({ metadata }) => ({ about: metadata.name, reason })));
    return [];
  }
  if (creationBackoff?.kind === 'Pod' && creationBackoff.deferred.has(name)) {
    const reason = 'has ended, and is replaced later: pods on this node fail repeatedly';
    explanations.push(...ended.map(({ metadata }) => ({ about: metadata.name, reason })));
    return [];
  }
  const { namespace = '' } = view.target.metadata;
  return ended.map((pod) => {
    const problem = failureOf(pod);
    const [what, how] = problem === undefined ? ['Succeeded', 'succeeded'] : ['Failed', 'failed'];
    return {
      pod,
      reason: `it has ended on node ${name}: ${problem ?? 'its phase is Succeeded'}`,
      event: {
        type: problem === undefined ? 'Normal' : 'Warning',
        reason: `${what}DaemonPod`,
        message: `Found ${how} daemon pod ${namespace}/${pod.metadata.name} on node ${name}, will try to kill it`,
      },
    };
  });
}

/** Whether a node is down, or back and cannot have a new pod yet. */
function isAway({ node, isDown, shouldRun, fitsGoal }: JudgedNode): boolean {
  return isDown || (hasOutageTaint(node) && !shouldRun && !fitsGoal);
}

/**
 * With surge a node has an old pod and a new one (rule 6.3, 2c): the first of each stays. The old one goes once the new one is
 * available, and at once if it is not ready.
 */
function surplus({ view, isAvailable }: ManageInput, { goal }: JudgedNode, stays: readonly Pod[]): Removal[] {
  if (stays.length < 2) return [];
  const isFresh = (pod: Pod): boolean => view.hashOf(pod) === goal;
  const fresh = stays.find(isFresh);
  const old = stays.find((pod) => !isFresh(pod));
  const more = stays
    .filter((pod) => pod !== fresh && pod !== old)
    .map((pod) => ({ pod, reason: `node ${nodeOfPod(pod)} has another pod of the same side` }));
  if (fresh === undefined || old === undefined) return more;
  const { name } = fresh.metadata;
  if (!isReady(old)) return [...more, { pod: old, reason: `it is not ready, and ${name} takes its place` }];
  return isAvailable(fresh) ? [...more, { pod: old, reason: `${name} takes its place` }] : more;
}

/** Pods that wait for a node which does not exist. Those that are bound to one are left to the garbage collection of pods. */
function unplaceable({ homeless }: DaemonSetView): Removal[] {
  return homeless
    .filter(
      (pod) => !pod.spec.nodeName && nodeOfPod(pod) !== '' && pod.metadata.deletionTimestamp === undefined,
    )
    .map((pod) => ({ pod, reason: `node ${nodeOfPod(pod)} does not exist` }));
}
