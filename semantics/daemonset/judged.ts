import { isPreparingDelete } from '../lifecycle/states.ts';
import { isNodeDown } from './eligibility.ts';
import type { Envelope } from '../plan/envelope.ts';
import { effectivePartition } from '../plan/partition.ts';
import { isActive } from '../pod/readiness.ts';
import type { Pod } from '../pod/types.ts';
import { goalsIn, meantIn } from './meant.ts';
import { partitionCount } from './partition.ts';
import type { DaemonSetView, Host } from './view.ts';

/** A node as the rules see it within an envelope. */
export interface JudgedNode extends Host {
  /** Its pods that are not being deleted. */
  readonly present: readonly Pod[];
  /** Hash of the revision that it goes to: that of the envelope, or on the way back one that a bound has left there. */
  readonly goal: string;
  /** Of these the first one at the goal. */
  readonly fresh: Pod | undefined;
  /** Of these the first one at any other revision. */
  readonly old: Pod | undefined;
  /** It has at most one of each (OpenKruise advanced-daemonset, rule 6.6 step 1). */
  readonly isClear: boolean;
  /** It has a pod at the goal, one that is being deleted included: it uses up a part of what the envelope allows. */
  readonly isTaken: boolean;
  /** Bounds let it have the goal, now or later. On the way back: it goes. */
  readonly isSelected: boolean;
  /** It has joined since the step started. */
  readonly hasJoined: boolean;
  /** And the step does not lead to it. */
  readonly isNew: boolean;
  /** The hash of the revision that it is meant to have, until a step takes it. */
  readonly meant: string;
  /** The goal fits it: it may get a new pod at the goal. */
  readonly fitsGoal: boolean;
  /** A pod at the goal may stay there. True wherever `fitsGoal` is. */
  readonly keepsGoal: boolean;
  /** By the template of the revision that it is meant to have. */
  readonly shouldRun: boolean;
  readonly shouldContinue: boolean;
  /** Why it is to have no pod, for use after its name; undefined: it is to have one. */
  readonly why: string | undefined;
  /** It cannot run what is changed on it. */
  readonly isDown: boolean;
}

/** All nodes within an envelope. */
export interface Judged {
  /** By name. */
  readonly nodes: readonly JudgedNode[];
  /** How many nodes are to have a pod: limits in percent are of them. */
  readonly desired: number;
  /** How many nodes are wanted on other revisions than the goal. */
  readonly onOld: number;
  /** Numbers instead of the partition of the target and that of the plan. */
  readonly partitioned: { readonly replicas: number; readonly partition: number };
  readonly envelope: Envelope;
}

/**
 * Judges the nodes of a DaemonSet. With its own strategy alone every node is judged by the live template, as with OpenKruise.
 * Under a plan by that of the revision which it is meant to have (`meantIn`), so that a changed nodeSelector deletes nothing before
 * its step.
 */
export function judge(view: DaemonSetView, envelope: Envelope): Judged {
  const { hosts, units, spec, eligibility } = view;
  // The rules of plans count a partition by the number that sizes are of.
  const isOwn = envelope.ownStrategy === true;
  const partition = partitionCount(spec.partition, isOwn ? runningOn(view) : units);
  const bound = envelope.bound === undefined ? {} : { bound: partitionCount(envelope.bound, units) };
  const partitioned = { replicas: units, partition };
  const counted: Envelope = { ...envelope, ...bound };
  const onOld = effectivePartition(partitioned, counted);
  const goalOf = goalsIn(view, envelope);
  const meantOf = meantIn(view, envelope, onOld);

  const nodes = hosts.map((host): JudgedNode => {
    const { name, node, pods } = host;
    const goal = goalOf(host);
    const sides = sidesOf(view, pods, goal);
    const { old, isTaken } = sides;
    const wanted = eligibility(goal, node);
    const meant = meantOf(node, goal, sides);
    const offered = eligibility(meant.hash, node);
    // Field by field, for speed: of ten thousand nodes each is judged in every reconcile.
    return {
      name,
      node,
      pods,
      goal,
      present: sides.present,
      fresh: sides.fresh,
      old,
      isClear: sides.isClear,
      isTaken,
      isSelected: meant.isSelected,
      hasJoined: meant.hasJoined,
      isNew: meant.isNew,
      meant: meant.hash,
      fitsGoal: wanted.shouldRun,
      keepsGoal: wanted.shouldContinue,
      shouldRun: offered.shouldRun,
      shouldContinue: offered.shouldContinue,
      why: offered.why,
      isDown: isNodeDown(node),
    };
  });
  const desired = nodes.filter(({ shouldRun }) => shouldRun).length;
  return { nodes, desired, onOld, partitioned, envelope: counted };
}

/** How many nodes the live template fits. */
function runningOn({ hosts, eligibility, liveHash }: DaemonSetView): number {
  return hosts.filter(({ node }) => eligibility(liveHash, node).shouldRun).length;
}

/** The pods of a node, by whether they are at the goal. */
function sidesOf(
  view: DaemonSetView,
  pods: readonly Pod[],
  goal: string,
): Pick<JudgedNode, 'present' | 'fresh' | 'old' | 'isClear' | 'isTaken'> {
  const present: Pod[] = [];
  let fresh: Pod | undefined;
  let old: Pod | undefined;
  let isClear = true;
  let isTaken = false;
  for (const pod of pods) {
    const isFresh = view.hashOf(pod) === goal;
    if (isFresh) isTaken = true;
    if (pod.metadata.deletionTimestamp !== undefined) continue;
    present.push(pod);
    if ((isFresh ? fresh : old) !== undefined) isClear = false;
    else if (isFresh) fresh = pod;
    else old = pod;
  }
  return { present, fresh, old, isClear, isTaken };
}

/** The pods of a node that run on: neither ended, nor being deleted, nor waiting for their deletion (rule 6.3). */
export function remaining({ pods }: Host): Pod[] {
  return pods.filter((pod) => isActive(pod) && !isPreparingDelete(pod));
}
