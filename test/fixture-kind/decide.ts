import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { heldCondition, timed } from '../../semantics/conditions/times.ts';
import type { Action, Decision } from '../../semantics/decision.ts';
import type { ObservedObjects } from '../../semantics/kinds/kind.ts';
import { controllerReference } from '../../semantics/owner.ts';
import type { Envelope } from '../../semantics/plan/envelope.ts';
import { effectivePartition } from '../../semantics/plan/partition.ts';
import { isAvailable } from '../../semantics/pod/readiness.ts';
import { type Pod, REVISION_LABEL } from '../../semantics/pod/types.ts';
import { revisionLabel } from '../../semantics/pod/revision-label.ts';
import { type Revision, revisionOf, stableRevision } from '../../semantics/revision/revision.ts';
import { podCounts } from '../../semantics/workload/counts.ts';
import type { Workload } from '../../semantics/workload/view.ts';
import { decideCards } from './cards.ts';
import { RACK_LABEL, type RackSpec } from './spec.ts';

/** The lowest slots are on the new template, as many as the envelope allows; one slot that serves is taken there at a time. */
export function decide(
  rack: Workload<RackSpec>,
  envelope: Envelope,
  held: { reason: string; message: string } | undefined,
  { children = [], configs = [], now }: ObservedObjects,
): Decision<object> {
  const { spec, active, terminating, ended, target } = rack;
  const [goal, stable] = [revisionOf(rack, envelope.goal), revisionOf(rack, envelope.stable)];
  const allowed =
    spec.slots - effectivePartition({ replicas: spec.slots, partition: spec.partition }, envelope);
  const there = new Set([...active, ...terminating, ...ended].map((pod) => pod.metadata.name));
  const slots = Array.from({ length: spec.slots }, (_, slot) => `${target.metadata.name}-${slot}`);
  const wanted = (slot: number): Revision | undefined => (slot < allowed ? goal : stable);
  const creates = slots.flatMap((name, slot): Action[] => {
    const revision = wanted(slot);
    if (there.has(name) || revision === undefined) return [];
    const object = created(rack, name, revision);
    return [{ do: 'create', kind: 'Pod', verb: 'fill slot', object, reason: 'its slot is empty' }];
  });
  const surplus = [...active.filter(({ metadata }) => !slots.includes(metadata.name)), ...ended];
  const isSound = (pod: Pod): boolean => isAvailable(pod, 0, now);
  const isWhole = active.length >= spec.slots && active.every(isSound) && surplus.length === 0;
  const outdated = slots.flatMap((name, slot) => {
    const pod = active.find(({ metadata }) => metadata.name === name);
    return pod !== undefined && slot < allowed && rack.hashOf(pod) !== envelope.goal ? [pod] : [];
  });
  // One that does not serve is no loss, and would else keep the others waiting for it.
  const next = outdated.find((pod) => !isSound(pod)) ?? (isWhole ? outdated[0] : undefined);
  const isLocked = spec.lock !== undefined && configs.some(({ metadata }) => metadata.name === spec.lock);
  const isStopped = spec.paused || isLocked || envelope.window?.maxUnavailable === 0;
  const taken = envelope.moving && !isStopped ? next : undefined;
  const deletes = surplus.map((pod) => deleted(pod, 'there is no such slot any more'));
  if (taken !== undefined) deletes.push(deleted(taken, 'its slot is taken to the new template'));
  const slotsNow = slots.map((name, slot) => [name, wanted(slot)] as const);
  const cards = decideCards(target, spec, children, slotsNow);
  const before = (target['status'] ?? {}) as { conditions?: [] };
  return {
    actions: envelope.touch ? [...creates, ...deletes, ...cards] : [],
    explanations: [],
    status: {
      observedGeneration: target.metadata.generation ?? 0,
      ...podCounts(rack, isSound, now),
      currentRevision: stableRevision(rack)?.name ?? '',
      updateRevision: revisionOf(rack, rack.liveHash)?.name ?? '',
      conditions: timed([heldCondition(held)], before.conditions, now),
    },
  };
}

/** The pod of a slot. */
export function created({ target, spec }: Workload<RackSpec>, name: string, revision: Revision): KubeObject {
  const template = revision.template as { metadata?: { labels?: Record<string, string> }; spec?: JsonObject };
  const labels = {
    ...template.metadata?.labels,
    [RACK_LABEL]: target.metadata.name,
    [REVISION_LABEL]: revisionLabel(revision),
  };
  const { namespace = '' } = spec;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels, ownerReferences: [controllerReference(target)] },
    spec: template.spec ?? {},
  };
}

function deleted({ metadata }: Pod, because: string): Action {
  const { name, namespace = '', uid = '', resourceVersion = '' } = metadata;
  return {
    do: 'delete',
    kind: 'Pod',
    verb: 'empty slot',
    name,
    namespace,
    uid,
    resourceVersion,
    reason: because,
  };
}
