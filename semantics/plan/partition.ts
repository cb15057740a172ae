import type { Envelope } from './envelope.ts';
import { type IntOrPercent, partitionValue, scaleIntOrPercent } from '../values/int-or-percent.ts';
import { isBySubset, type Partition, type PartitionBySubset, retainedInSubset } from '../values/partition.ts';
import type { RolloutView } from './rollout-view.ts';
import type { Units } from './units.ts';

/** The numbers of a target that its partition is computed from. */
interface Partitioned {
  readonly replicas: number;
  /** The target's own partition. */
  readonly partition: IntOrPercent;
}

/**
 * How many pods are wanted on old revisions: the highest of the target's own partition, the plan's bound and what the step
 * does not allow yet (docs/explanation/rollout.md: an envelope is an effective partition). All other pods may be on the new
 * revision.
 */
export function effectivePartition({ replicas, partition }: Partitioned, envelope: Envelope): number {
  const step = envelope.allowed === 'unbounded' ? 0 : Math.max(replicas - envelope.allowed, 0);
  if (!envelope.obeyPartition) return step;
  return Math.max(step, partitionValue(partition, replicas), partitionValue(envelope.bound ?? 0, replicas));
}

/**
 * The revisions on which the next old pods are created, in order: `stable` until its share is full, then the revision of the
 * retained pods. Retained pods are updated first, so the share of `stable` is what the partition wants of the others.
 *
 * @param count how many old pods are created
 * @param atStable how many pods are on `stable` now; called only where pods are retained
 */
export function oldSideRevisions(
  spec: Partitioned,
  envelope: Envelope,
  count: number,
  atStable: () => number,
): string[] {
  const { stable, retained, goal } = envelope;
  if (retained === undefined) return Array<string>(count).fill(stable);
  const wanted =
    stable === goal
      ? 0
      : Math.max(0, Math.min(effectivePartition(spec, envelope), spec.replicas - retained.n));
  const missing = Math.min(count, Math.max(wanted - atStable(), 0));
  return [...Array<string>(missing).fill(stable), ...Array<string>(count - missing).fill(retained.hash)];
}

/**
 * How many units a partition retains on the old revision. A percentage of nodes rounds down (OpenKruise, pods on nodes, rule
 * 6.4), and one of other units up. One by subset is of its pods, and retains nothing where units have no subsets.
 */
export function retainedBy(
  { units, replicas }: Pick<RolloutView, 'units' | 'replicas'>,
  partition: Partition,
): number {
  if (isBySubset(partition)) return retainedBySubset(units, partition);
  switch (units.of) {
    case 'nodes':
      return Math.max(Math.min(scaleIntOrPercent(partition, replicas, 'down'), replicas), 0);
    case 'owned':
    case 'selected':
    case 'run':
    case 'ticks':
    case 'children':
      return partitionValue(partition, replicas);
  }
}

function retainedBySubset(units: Units, partition: PartitionBySubset): number {
  if (units.of !== 'children') return 0;
  return units.children.reduce((sum, { subset, size }) => sum + retainedInSubset(partition, subset, size), 0);
}
