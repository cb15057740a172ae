import { isPreparingDelete } from '../lifecycle/states.ts';
import { isNodeDown } from '../node/eligibility.ts';
import type { Envelope } from '../plan/envelope.ts';
import { effectivePartition } from '../plan/partition.ts';
import { selectedByAll } from '../plan/selector-bound.ts';
import { isActive } from '../pod/readiness.ts';
import type { Pod } from '../pod/types.ts';
import { partitionCount } from './partition.ts';
import type { DaemonSetView, Host } from './view.ts';

/** A node as the rules see it within an envelope. */
export interface JudgedNode extends Host {
  /** Its pods that are not being deleted. */
  readonly present: readonly Pod[];
  /** Of these the first one at the goal. */
  readonly fresh: Pod | undefined;
  /** Of these the first one at any other revision. */
  readonly old: Pod | undefined;
  /** It has at most one of each (OpenKruise advanced-daemonset, rule 6.6 step 1). */
  readonly isClear: boolean;
  /** It has a pod at the goal, one that is being deleted included: it uses up a part of what the envelope allows. */
  readonly isTaken: boolean;
  /** Selectors let it have the goal. */
  readonly isSelected: boolean;
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
 * Under a plan by that of the revision which it is meant to have: the goal once it is taken, or once every node may be on it;
 * until then the stable one, so that a changed nodeSelector deletes nothing before its step.
 */
export function judge(view: DaemonSetView, envelope: Envelope): Judged {
  const { hosts, units, spec, eligibility } = view;
  const { goal, stable, retained, ownStrategy, obeyPartition } = envelope;
  const isOwn = ownStrategy === true;
  const running = hosts.filter(({ node }) => eligibility(view.liveHash, node).shouldRun).length;
  const partition = partitionCount(spec.partition, running);
  // The rules of plans count it by the number that sizes are of.
  const bound = envelope.bound === undefined ? {} : { bound: partitionCount(envelope.bound, units) };
  const partitioned = { replicas: units, partition };
  const counted: Envelope = { ...envelope, ...bound };
  const onOld = effectivePartition(partitioned, counted);
  const isSelected = selectedByAll([
    envelope.back === undefined ? envelope.selector : undefined,
    obeyPartition ? spec.nodeSelector : undefined,
  ]);

  const nodes = hosts.map((host): JudgedNode => {
    const { name, node, pods } = host;
    const sides = sidesOf(view, pods, goal);
    const { old, isTaken } = sides;
    const selected = isSelected(node.metadata.labels ?? {});
    const wanted = eligibility(goal, node);
    const isOnRetained = retained !== undefined && old !== undefined && view.hashOf(old) === retained.hash;
    const isMeantForGoal = isOwn || isTaken || (onOld === 0 && selected);
    const meant = isMeantForGoal ? wanted : eligibility(isOnRetained ? retained.hash : stable, node);
    // Field by field, for speed: of ten thousand nodes each is judged in every reconcile.
    return {
      name,
      node,
      pods,
      present: sides.present,
      fresh: sides.fresh,
      old,
      isClear: sides.isClear,
      isTaken,
      isSelected: selected,
      fitsGoal: wanted.shouldRun,
      keepsGoal: wanted.shouldContinue,
      shouldRun: meant.shouldRun,
      shouldContinue: meant.shouldContinue,
      why: meant.why,
      isDown: isNodeDown(node),
    };
  });
  const desired = nodes.filter(({ shouldRun }) => shouldRun).length;
  return { nodes, desired, onOld, partitioned, envelope: counted };
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
