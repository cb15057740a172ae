import type { Pod } from '../pod/types.ts';
import type { Envelope } from '../plan/envelope.ts';
import { type IntOrPercent, partitionValue, scaleIntOrPercent } from '../values/int-or-percent.ts';
import type { NormalCloneSet } from './normalize.ts';
import type { CloneSetView } from './view.ts';

/**
 * The number of pods wanted on the old side: the target's own partition, the plan's bound and what the step leaves,
 * whichever keeps most (plan, section 4: an envelope is an effective partition).
 */
export function effectivePartition(spec: NormalCloneSet, envelope: Envelope): number {
  const step = envelope.allowed === 'unbounded' ? 0 : Math.max(spec.replicas - envelope.allowed, 0);
  if (!envelope.obeyPartition) return step;
  return Math.max(
    step,
    partitionValue(spec.partition, spec.replicas),
    partitionValue(envelope.bound ?? 0, spec.replicas),
  );
}

/**
 * The lower of the target's own number and the step's window. Percent windows are compared by what they come to at
 * this many replicas, rounded as OpenKruise rounds each of the two fields.
 */
export function windowOf(
  spec: NormalCloneSet,
  envelope: Envelope,
): { maxUnavailable: IntOrPercent; maxSurge: IntOrPercent } {
  const maxSurge = lower(spec.maxSurge, envelope.window?.maxSurge, spec.replicas, 'up');
  const round = scaleIntOrPercent(maxSurge, spec.replicas, 'up') > 0 ? 'down' : 'up';
  return {
    maxSurge,
    maxUnavailable: lower(spec.maxUnavailable, envelope.window?.maxUnavailable, spec.replicas, round),
  };
}

function lower(
  own: IntOrPercent,
  window: IntOrPercent | undefined,
  replicas: number,
  round: 'up' | 'down',
): IntOrPercent {
  if (window === undefined) return own;
  return scaleIntOrPercent(window, replicas, round) < scaleIntOrPercent(own, replicas, round) ? window : own;
}

/**
 * Which revisions the next old-side pods are made at, in order: `stable` until its share is full, then the revision of
 * the held pods. Held pods are the first to be taken forward, so the share of `stable` is what the partition wants of
 * the pods that are not held.
 */
export function oldSideRevisions(view: CloneSetView, envelope: Envelope, count: number): string[] {
  const { stable, held, goal } = envelope;
  if (held === undefined) return Array<string>(count).fill(stable);
  const wantedStable =
    stable === goal
      ? 0
      : Math.max(0, Math.min(effectivePartition(view.spec, envelope), view.spec.replicas - held.n));
  const present = view.active.filter((pod: Pod) => view.hashOf(pod) === stable).length;
  const atStable = Math.min(count, Math.max(wantedStable - present, 0));
  return [...Array<string>(atStable).fill(stable), ...Array<string>(count - atStable).fill(held.hash)];
}
