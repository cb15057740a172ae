import { heldCondition, timed } from '../../../semantics/conditions/times.ts';
import type { Decision } from '../../../semantics/decision.ts';
import type { ObservedObjects } from '../../../semantics/kinds/kind.ts';
import { isActive } from '../../../semantics/pod/readiness.ts';
import { timeOf } from '../../../semantics/values/timestamp.ts';
import {
  CREATED_MS,
  isSound,
  PART_LABEL,
  type RationStatus,
  specOf,
  statusOf,
  TAKEN_MS,
  type Times,
} from './spec.ts';

/** Counts the pods of a ration. An entry ends when its pod is observed to be as it says, or after its time. */
export function decide(
  { target, pods, now }: Pick<ObservedObjects, 'target' | 'pods' | 'now'>,
  held: { reason: string; message: string } | undefined,
): Decision<RationStatus> {
  const { total, maxUnavailable, first = 0 } = specOf(target);
  const before = statusOf(target);
  const sound = pods.filter((pod) => isSound(pod, now)).map(({ metadata }) => metadata.name);
  const there = new Set(pods.map(({ metadata }) => metadata.name));
  const taken = kept(before.taken, now - TAKEN_MS, (name) => sound.includes(name));
  const created = kept(before.created, now - CREATED_MS, (name) => !there.has(name));
  const available = sound.filter((name) => !Object.hasOwn(taken, name)).length;
  const firsts = pods.filter((pod) => isActive(pod) && pod.metadata.labels?.[PART_LABEL] === 'first').length;
  const ends = [
    ...Object.values(taken).map((at) => timeOf(at) + TAKEN_MS),
    ...Object.values(created).map((at) => timeOf(at) + CREATED_MS),
  ];
  return {
    actions: [],
    explanations: [],
    status: {
      observedGeneration: target.metadata.generation ?? 0,
      allowed: Math.max(available - (total - maxUnavailable), 0),
      taken,
      firstLeft: Math.max(first - firsts - Object.keys(created).length, 0),
      created,
      conditions: timed([heldCondition(held)], before.conditions, now) as [],
    },
    ...(ends.length > 0 && { requeueAt: Math.min(...ends) }),
  };
}

/** The entries that are younger than this, and of which nothing was observed. */
function kept(times: Times = {}, since: number, isOpen: (name: string) => boolean): Times {
  return Object.fromEntries(Object.entries(times).filter(([name, at]) => timeOf(at) > since && isOpen(name)));
}
