import { type Amount, amountOf } from '../../schemas/pods/amount.ts';
import type { Pod, PodSpec } from '../../schemas/pods/pod.ts';
import { podAmounts } from '../../schemas/pods/podAmounts.ts';
import { withPodDefaults } from '../../schemas/pods/podDefaults.ts';
import { isWantedNode } from './affinity.ts';
import type { Node } from './node.ts';
import { isCordoned, untoleratedTaint } from './taints.ts';

/** What a node must offer a pod: the amounts by resource, without zeros. */
export type Demand = ReadonlyMap<string, Amount>;

/** A pod as it is tested against nodes. Its demand is computed once for all of them. */
export interface Candidate {
  spec: PodSpec;
  demand: Demand;
}

/** The candidate for a pod that exists, or is to be created, with this spec. Defaults of the API server are filled in. */
export function candidateOf(spec: PodSpec): Candidate {
  const full = withPodDefaults(spec);
  const asked = [...podAmounts({ spec: full } as Pod, 'requests')];
  return { spec: full, demand: new Map(asked.filter(([, { billionths }]) => billionths > 0n)) };
}

/**
 * Why a pod must not run on a node, for use after "node-1 "; undefined: it fits. The tests and their order are those of a
 * OpenKruise (rule 6.2 of one-shot kinds): selector and affinity, taints, cordon, resources. The node counts as
 * empty, so a pod that fits may still have to wait there. `spec.nodeName` does not matter.
 */
export function misfit({ spec, demand }: Candidate, node: Node): string | undefined {
  if (!isWantedNode(spec, node)) return 'does not match the node selector or affinity';
  const taint = untoleratedTaint(spec, node);
  if (taint !== undefined) return `has the taint ${taint.key}:${taint.effect}`;
  if (isCordoned(spec, node)) return 'is cordoned';
  const lacking = lackingResource(demand, node);
  return lacking === undefined ? undefined : `has too little ${lacking}`;
}

/** The first resource that the whole node cannot offer. A node that reports nothing, as when it is new, has no room for pods. */
function lackingResource(demand: Demand, node: Node): string | undefined {
  if (offered(node, 'pods') < 1_000_000_000n) return 'pods';
  for (const [resource, { billionths }] of demand) if (billionths > offered(node, resource)) return resource;
  return undefined;
}

/** Cached by object: an observed node is immutable, and every reconcile tests all nodes. */
const offers = new WeakMap<Node, Map<string, bigint>>();

/** How much of a resource the whole node offers, in billionths. */
function offered(node: Node, resource: string): bigint {
  const known = offers.get(node) ?? new Map<string, bigint>();
  offers.set(node, known);
  let amount = known.get(resource);
  if (amount === undefined) {
    const allocatable = node.status?.allocatable ?? {};
    amount = (Object.hasOwn(allocatable, resource) ? amountOf(allocatable[resource]) : undefined)?.billionths;
    known.set(resource, (amount ??= 0n));
  }
  return amount;
}
