import type { PodSpec, Toleration } from '../../schemas/pods/pod.ts';
import { isWantedNode } from '../node/affinity.ts';
import type { Node } from '../node/node.ts';
import { untoleratedTaint } from '../node/taints.ts';
import { setDefined } from '../values/set-defined.ts';
import { timeOf } from '../values/timestamp.ts';

/** What a node offers a pod that every eligible node is to have one of. */
export interface Eligibility {
  /** The node is to have a pod: a missing one is created. */
  readonly shouldRun: boolean;
  /** A pod that is there may stay. True wherever `shouldRun` is. */
  readonly shouldContinue: boolean;
  /** Why it is to have none, for use after the name of the node; undefined: it is to have one. */
  readonly why?: string;
}

const ELIGIBLE: Eligibility = { shouldRun: true, shouldContinue: true };

/**
 * Whether a node is to have a pod of this spec (OpenKruise's predicates of nodes, rule 6.2): by its name, its labels, and its
 * taints, in this order. A taint NoSchedule keeps new pods away and leaves those that are there; NoExecute does not. Resources,
 * ports, and `spec.unschedulable` do not count: the node controller expresses what matters of them as taints.
 *
 * @param spec as its pods are created, default tolerations included (`withNodeTolerations`)
 */
export function eligibilityOf(spec: PodSpec, node: Node): Eligibility {
  const { nodeName } = spec;
  const isNamed = typeof nodeName === 'string' && nodeName !== '' && nodeName !== node.metadata.name;
  if (isNamed) return unwanted(`is not ${nodeName}, which the template names`, false);
  if (!isWantedNode(spec, node)) return unwanted('does not match the node selector or affinity', false);
  const taint = untoleratedTaint(spec, node);
  if (taint === undefined) return ELIGIBLE;
  const evicts = untoleratedTaint(spec, node, ['NoExecute']);
  return unwanted(`has the taint ${(evicts ?? taint).key}:${(evicts ?? taint).effect}`, evicts === undefined);
}

function unwanted(why: string, shouldContinue: boolean): Eligibility {
  return { shouldRun: false, shouldContinue, why };
}

/** The taints that a pod tolerates which belongs to its node: the node controller sets them for what soon passes. */
const TOLERATED = [
  ['not-ready', 'NoExecute'],
  ['unreachable', 'NoExecute'],
  ['disk-pressure', 'NoSchedule'],
  ['memory-pressure', 'NoSchedule'],
  ['pid-pressure', 'NoSchedule'],
  ['unschedulable', 'NoSchedule'],
] as const;
/** The same for pods in the network of their node. */
const TOLERATED_IN_HOST_NETWORK = ['network-unavailable', 'NoSchedule'] as const;

/**
 * The tolerations of a pod that belongs to its node: those of its template and the default ones, each of which replaces one of
 * the template with the same key and effect (OpenKruise's predicates of nodes, rule 6.2).
 */
export function nodeTolerations({ tolerations, hostNetwork }: PodSpec): Toleration[] {
  const taints = hostNetwork === true ? [...TOLERATED, TOLERATED_IN_HOST_NETWORK] : TOLERATED;
  const found = [...(tolerations ?? [])];
  for (const [name, effect] of taints) {
    const toleration: Toleration = { key: `node.kubernetes.io/${name}`, operator: 'Exists', effect };
    const at = found.findIndex((each) => each.key === toleration.key && each.effect === effect);
    if (at < 0) found.push(toleration);
    else found[at] = toleration;
  }
  return found;
}

/** What the rules ask of the condition Ready of every node in every reconcile. */
interface Readiness {
  readonly isDown: boolean;
  /** Milliseconds since 1970; undefined: it is down, or does not report it. */
  readonly readySince: number | undefined;
}

const READINESS = Symbol('readiness');

/** An observed node is immutable, so that its condition is read once. */
function readinessOf(node: Node): Readiness {
  const known = (node as Node & { [READINESS]?: Readiness })[READINESS];
  return known ?? setDefined(node, READINESS, readReadiness(node));
}

function readReadiness({ metadata, status }: Node): Readiness {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const isUnready = ready !== undefined && ready.status !== 'True';
  if (metadata.deletionTimestamp !== undefined || isUnready) return { isDown: true, readySince: undefined };
  return { isDown: false, readySince: timeOf(ready?.lastTransitionTime) || undefined };
}

/**
 * Whether a node cannot run what is changed on it: it is being removed, or its kubelet does not report it as ready. One that
 * reports nothing, as in a forecast, counts as ready.
 */
export function isNodeDown(node: Node): boolean {
  return readinessOf(node).isDown;
}

/**
 * Since when a node has been Ready, milliseconds since 1970. Undefined: it is down, or nobody says. The runtime says when it has seen that,
 * and not what the kubelet has written, whose clock may be wrong.
 */
export function nodeReadySince(node: Node): number | undefined {
  return readinessOf(node).readySince;
}

/** The taints that the node controller sets for an outage. It removes them some time after the node is Ready again. */
const OF_OUTAGES: ReadonlySet<string> = new Set([
  'node.kubernetes.io/not-ready',
  'node.kubernetes.io/unreachable',
]);

/** Whether the taints of an outage are on a node. */
export function hasOutageTaint({ spec }: Node): boolean {
  return spec?.taints?.some(({ key }) => OF_OUTAGES.has(key)) === true;
}
