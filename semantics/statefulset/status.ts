import type { StatefulSetStatus, VolumeClaimStatus } from '../../schemas/generated/types/statefulset.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { claimFit } from '../claims/fit.ts';
import { claimNameOf, claimsOf, templateName } from '../claims/unit.ts';
import { heldCondition, timed } from '../conditions/times.ts';
import { factsOf } from '../pod/facts.ts';
import type { Pod } from '../pod/types.ts';
import { collisionCount } from '../revision/collisions.ts';
import { revisionOf, stableRevision } from '../revision/revision.ts';
import { formatSelector } from '../values/selector.ts';
import { ordinalsIn } from './ordinals.ts';
import type { StatefulSetView } from './view.ts';

export interface StatusInput {
  view: StatefulSetView;
  isAvailable: (pod: Pod) => boolean;
  /** Why the target is held, and what to do; undefined: it is not. */
  held: { reason: string; message: string } | undefined;
  now: number;
}

/**
 * The whole desired status (OpenKruise advanced-statefulset, section 3), of the pods as observed before this decision: also
 * pods that are being deleted or have ended count as `replicas`. One deviation: `currentRevision` is the stable revision,
 * which changes when a rollout is complete, not when the counts of pods match.
 */
export function statefulSetStatus({ view, isAvailable, held, now }: StatusInput): StatefulSetStatus {
  const { spec, active, ended, terminating, liveHash } = view;
  const update = revisionOf(view, liveHash);
  const current = stableRevision(view) ?? update;
  const isReady = (pod: Pod): boolean => pod.status?.phase === 'Running' && factsOf(pod).ready;
  const started = (pod: Pod): boolean => Boolean(pod.status?.phase);
  const isAt = (hash: string | undefined) => (pod: Pod) => hash !== undefined && view.hashOf(pod) === hash;
  const ready = [...active, ...terminating].filter(isReady);
  const available = active.filter((pod) => started(pod) && isAvailable(pod));
  const present = active.filter(started);
  const before = (view.target['status'] ?? {}) as StatefulSetStatus;
  const collisions = collisionCount(view);
  const status: StatefulSetStatus = {
    observedGeneration: view.target.metadata.generation ?? 0,
    replicas: [...active, ...ended, ...terminating].filter(started).length,
    readyReplicas: ready.length,
    availableReplicas: available.length,
    currentReplicas: present.filter(isAt(current?.hash)).length,
    updatedReplicas: present.filter(isAt(liveHash)).length,
    updatedReadyReplicas: ready.filter(isAt(liveHash)).length,
    updatedAvailableReplicas: available.filter(isAt(liveHash)).length,
    currentRevision: current?.name ?? '',
    updateRevision: update?.name ?? '',
    ...(collisions === undefined ? {} : { collisionCount: collisions }),
    labelSelector: formatSelector(spec.selector),
  };
  if (spec.volumeClaimTemplates.length > 0)
    status.volumeClaims = spec.volumeClaimTemplates.map((template) => claimCounts(view, template));
  const conditions = timed([heldCondition(held)], before.conditions, now);
  if (conditions.length > 0) status.conditions = conditions;
  return status;
}

/** How many claims of the wanted ordinals fit a template; missing and terminating ones do not. */
function claimCounts(view: StatefulSetView, template: JsonObject): VolumeClaimStatus {
  const fits = ordinalsIn(view.spec).flatMap((ordinal) => {
    const name = claimNameOf(view.target, template, String(ordinal));
    const claim = claimsOf(view, String(ordinal)).find(({ metadata }) => metadata.name === name);
    return claim === undefined ? [] : [claimFit(claim, template)];
  });
  const compatible = fits.filter(({ isSameKind, isLargeEnough }) => isSameKind && isLargeEnough);
  return {
    volumeClaimName: templateName(template),
    compatibleReplicas: compatible.length,
    compatibleReadyReplicas: compatible.filter(({ isFilled }) => isFilled).length,
  };
}
