import { type Domain, domainOf } from '../node/domains.ts';
import { selectorPredicate } from '../values/selector.ts';
import type { Judged, JudgedNode } from './judged.ts';

/** Whether a node is one of those that a step is about, or another one. */
export type Side = 'within' | 'beyond';

/** Which nodes a step of a plan takes. */
export interface StepNodes {
  sideOf(node: JudgedNode): Side;
  /** How many nodes of each side may be on the goal. */
  most: Readonly<Record<Side, number>>;
}

/** A step that is about every node has all of them on one side, and is limited by the number of the envelope alone. */
export function stepNodes({ envelope }: Judged): StepNodes {
  const { nodes, allowed } = envelope;
  const within = nodes?.within;
  if (within === undefined) return { sideOf: () => 'within', most: { within: Infinity, beyond: Infinity } };
  const isSelected = selectorPredicate(within.selector);
  const { beyond } = within;
  return {
    sideOf: ({ node }) => (isSelected(node.metadata.labels) ? 'within' : 'beyond'),
    most: { within: allowed === 'unbounded' ? Infinity : Math.max(allowed - beyond, 0), beyond },
  };
}

/** How many further nodes of each side may be on the goal, where these are already. */
export function stillAllowed(
  { sideOf, most }: StepNodes,
  taken: readonly JudgedNode[],
): Record<Side, number> {
  const room = { ...most };
  for (const node of taken) room[sideOf(node)] -= 1;
  return room;
}

/** The failure domains that a step goes through, one after the other; undefined: it does not. */
export interface StepDomains {
  of(node: JudgedNode): Domain;
  /** Whether the domain of a node that is being updated is busy for it: it was not broken before the plan. */
  counts(node: JudgedNode): boolean;
}

export function stepDomains({ envelope }: Judged): StepDomains | undefined {
  const { spread: key, broken: before = [] } = envelope.nodes ?? {};
  if (key === undefined) return undefined;
  const broken = new Set(before);
  return {
    of: ({ node }) => domainOf(node.metadata.labels, key),
    counts: ({ name }) => !broken.has(name),
  };
}
