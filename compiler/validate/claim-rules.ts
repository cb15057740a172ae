import { partitionValue } from '../../semantics/values/int-or-percent.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Change } from '../plan/change.ts';
import { fieldPath } from '../plan/target.ts';
import type { Target } from '../plan/target.ts';
import type { Locate } from './schema-errors.ts';

/** How a change of settings or size ends the data of pods, which no plan holds back. */
export function claimRules(base: Target, head: Target, locate: Locate): Diagnostic[] {
  return [
    ...scaleInRules(base, head, locate),
    ...namedRules(base, head, locate),
    ...reuseRules(base, head, locate),
  ];
}

/** What is in the claims of pods that are scaled in is gone for good. */
function scaleInRules({ normal: before }: Target, head: Target, locate: Locate): Diagnostic[] {
  const pods = head.normal.hasReplicas ? before.replicas - head.normal.replicas : 0;
  const claims = pods * before.volumeClaimTemplates.length;
  if (pods <= 0 || claims === 0) return [];
  return [diagnostic('KR2141', { pods, claims }, locate(fieldPath(head, 'replicas'), 'value'))];
}

/** A pod that is asked to go by its name goes with its claims, and the one in its place has others. */
function namedRules({ normal: before }: Target, head: Target, locate: Locate): Diagnostic[] {
  const claims = before.volumeClaimTemplates.length;
  if (claims === 0) return [];
  const named = new Set(before.podsToDelete);
  return head.normal.podsToDelete.flatMap((pod, index) => {
    const path = [...fieldPath(head, 'podsToDelete'), String(index)];
    const isNew = !named.has(pod);
    named.add(pod);
    return isNew ? [diagnostic('KR2142', { pod, claims }, locate(path, 'value'))] : [];
  });
}

function reuseRules({ normal: before }: Target, head: Target, locate: Locate): Diagnostic[] {
  if (!before.reuseClaims || head.normal.reuseClaims || before.volumeClaimTemplates.length === 0) return [];
  return [diagnostic('KR2144', {}, locate(fieldPath(head, 'reuseClaims'), 'value'))];
}

/** What is in the claims of pods that a rollout takes is gone for good: said with the plan that does it. */
export function orphanedClaims(change: Change, locate: Locate): Diagnostic[] {
  const { action, base, head, classification, plan } = change;
  if (base === undefined || head === undefined) return [];
  const { replicas, partition, volumeClaimTemplates } = base.normal;
  const old = action === 'Bound' ? partitionValue(partition, replicas) : replicas;
  const kept = partitionValue(head.normal.partition, head.normal.replicas);
  const pods = Math.min(old, head.normal.replicas) - kept;
  const claims = pods * volumeClaimTemplates.length;
  if (pods <= 0 || claims === 0) return [];
  if (head.normal.onDelete) {
    if (head.normal.reuseClaims) return [];
    return [diagnostic('KR2143', { pods, claims }, locate(fieldPath(head, 'reuseClaims'), 'value'))];
  }
  // How a continuation takes pods on says its plan alone.
  const mode = action === 'Bound' ? plan?.spec.from[0]?.mode : classification?.mode;
  if (mode !== 'Recreate' || head.normal.policy === 'InPlaceOnly') return [];
  const place = fieldPath(head, action === 'Bound' ? 'partition' : 'template');
  return [diagnostic('KR2140', { pods, claims }, locate(place, 'key'))];
}
