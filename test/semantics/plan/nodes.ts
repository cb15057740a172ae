import type { PodRow } from '../../../semantics/plan/pod-row.ts';
import type { RolloutView } from '../../../semantics/plan/rollout-view.ts';
import type { CountedNode, NodeUnits } from '../../../semantics/plan/units.ts';
import { selectorPredicate } from '../../../semantics/values/selector.ts';
import { limits, MINUTE, NEW, NOW, OLD, pods, view } from './rollout.ts';

/** A node that counts, with its row; `isEmpty`: it has no pod. */
export interface FleetNode extends PodRow, CountedNode {
  isEmpty?: boolean;
  labels: Readonly<Record<string, string>>;
}

/** So many nodes, `n-00` and so on, that are Ready, each with an available pod on OLD. */
export function fleet(count: number): FleetNode[] {
  return Array.from({ length: count }, (_, n) => {
    const name = `n-${String(n).padStart(2, '0')}`;
    const [row] = pods(OLD, 1, { name: `pod-of-${name}`, unit: name, node: name });
    if (row === undefined) throw new Error('there is one pod');
    return { ...row, isReady: true, labels: {}, joinedAt: 0, canTake: true };
  });
}

/** The same with the first nodes on NEW, where their pods have been for half an hour. */
export function taken(nodes: readonly FleetNode[], count: number): FleetNode[] {
  return nodes.map((node, n) =>
    n < count ? { ...node, hash: NEW, uid: `${node.uid}-new`, createdAt: NOW - 30 * MINUTE } : node,
  );
}

/** The same with the pods of some nodes not available, or gone. */
export function without(
  nodes: readonly FleetNode[],
  which: readonly number[],
  parts: Partial<CountedNode> = {},
  pod: 'unavailable' | 'empty' = 'unavailable',
): FleetNode[] {
  return nodes.map((node, n) =>
    which.includes(n) ? { ...node, available: false, isEmpty: pod === 'empty', ...parts } : node,
  );
}

/**
 * A target on these nodes, with its manifest at NEW.
 *
 * @param parts `beside`: when the Node objects were created that do not count; or `existing`: how many Node objects there are
 */
export function ofNodes(
  nodes: readonly FleetNode[],
  {
    existing = nodes.length,
    beside = Array<number>(Math.max(existing - nodes.length, 0)).fill(0),
    ...parts
  }: Partial<Omit<NodeUnits, 'of' | 'nodes'>> & { existing?: number; beside?: readonly number[] } = {},
): RolloutView<NodeUnits> {
  const counted = nodes.map(
    ({ unit, isReady, labels, joinedAt, canTake }) => [unit, { isReady, labels, joinedAt, canTake }] as const,
  );
  const units: NodeUnits = {
    of: 'nodes',
    podSpec: { containers: [] },
    preDownload: undefined,
    hookWaits: () => [],
    modeWithResize: undefined,
    joins: [...nodes.map(({ joinedAt }) => joinedAt), ...beside],
    joinsWith: (selector) =>
      nodes.filter(({ labels }) => selectorPredicate(selector)(labels)).map(({ joinedAt }) => joinedAt),
    nodes: new Map(counted),
    missingAt: (_, isOut) =>
      nodes.filter(({ isEmpty, isReady, unit }) => isEmpty === true && isReady && !isOut(unit)).length,
    lackingAt: () => nodes.filter(({ isEmpty }) => isEmpty === true).length,
    leftAt: () => [],
    hasRecovered: () => false,
    ...parts,
  };
  return {
    ...view({ replicas: nodes.length, limits: limits(nodes.length) }),
    pods: nodes.filter(({ isEmpty }) => isEmpty !== true),
    units,
  };
}
