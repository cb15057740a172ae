import type { PodSpec, Toleration } from '../../schemas/pods/pod.ts';
import type { Node, Taint } from './node.ts';

/** The taint that stands for `spec.unschedulable`: a pod that tolerates it runs on cordoned nodes. */
const UNSCHEDULABLE: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

/** The effects that keep a new pod off a node. PreferNoSchedule only makes it a worse choice. */
const EFFECTS = ['NoSchedule', 'NoExecute'];

/**
 * The first taint of these effects that is not tolerated; undefined: there is none. A toleration with a time limit counts as one
 * without (OpenKruise, pods on nodes, rule 6.2 steps 3 and 4).
 *
 * @param effects default: those that keep a new pod off a node
 */
export function untoleratedTaint(
  { tolerations }: PodSpec,
  node: Node,
  effects: readonly string[] = EFFECTS,
): Taint | undefined {
  return (node.spec?.taints ?? []).find(
    (taint) => effects.includes(taint.effect) && !isTolerated(tolerations, taint),
  );
}

/** Whether a node is cordoned for a pod. */
export function isCordoned({ tolerations }: PodSpec, node: Node): boolean {
  return node.spec?.unschedulable === true && !isTolerated(tolerations, UNSCHEDULABLE);
}

function isTolerated(tolerations: readonly Toleration[] | null | undefined, taint: Taint): boolean {
  return (tolerations ?? []).some((each) => tolerates(each, taint));
}

/** An empty effect matches every effect, and an empty key with Exists every taint. */
function tolerates({ key, operator, value, effect }: Toleration, taint: Taint): boolean {
  if (effect && effect !== taint.effect) return false;
  if (key ? key !== taint.key : operator !== 'Exists') return false;
  if (operator === 'Exists') return true;
  return (!operator || operator === 'Equal') && (value ?? '') === (taint.value ?? '');
}
