import type { Envelope } from '../plan/envelope.ts';
import { type IntOrPercent, partitionValue } from '../values/int-or-percent.ts';

/** The numbers of a target that its partition is made of. */
interface Partitioned {
  readonly replicas: number;
  /** The target's own partition. */
  readonly partition: IntOrPercent;
}

/**
 * The number of pods wanted on the old side: the target's own partition, the plan's bound and what the step leaves,
 * whichever keeps most (plan, section 4: an envelope is an effective partition).
 */
export function effectivePartition({ replicas, partition }: Partitioned, envelope: Envelope): number {
  const step = envelope.allowed === 'unbounded' ? 0 : Math.max(replicas - envelope.allowed, 0);
  if (!envelope.obeyPartition) return step;
  return Math.max(step, partitionValue(partition, replicas), partitionValue(envelope.bound ?? 0, replicas));
}

/**
 * Which revisions the next old-side pods are made at, in order: `stable` until its share is full, then the revision of
 * the held pods. Held pods are the first to be taken forward, so the share of `stable` is what the partition wants of
 * the pods that are not held.
 *
 * @param atStable how many pods are on `stable` now; asked only where pods are held
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
