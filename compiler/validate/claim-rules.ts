import { retainedByPartition } from '../../semantics/kinds/git-partition.ts';
import {
  claimTemplates,
  isAutoscaled,
  ownedPods,
  updatesOf,
  wantedReplicas,
} from '../../semantics/kinds/git-units.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { isLarger, templateSize } from '../../semantics/claims/fit.ts';
import { templateName } from '../../semantics/claims/unit.ts';
import { claimsLostWithPod } from '../forecast/claims.ts';
import { claimsNamed, movedNames } from '../forecast/claim-moves.ts';
import { namesOf } from '../forecast/names.ts';
import type { Change } from '../plan/change.ts';
import { changedSettings } from '../plan/settings.ts';
import { fieldPath } from '../plan/target.ts';
import type { Target } from '../plan/target.ts';
import type { Locate } from './schema-errors.ts';

/** Warns of changes of settings or size that delete the claims of pods at once, outside of any plan. */
export function claimRules(base: Target, head: Target, locate: Locate): Diagnostic[] {
  return [
    ...scaleInRules(base, head, locate),
    ...namedRules(base, head, locate),
    ...reuseRules(base, head, locate),
  ];
}

/** Scaling in deletes the claims of the removed pods, with their data. */
function scaleInRules(base: Target, head: Target, locate: Locate): Diagnostic[] {
  const { normal: before } = base;
  // Where neither state has a number, an autoscaler owns it.
  const isStated = !isAutoscaled(head.normal.units) || !isAutoscaled(before.units);
  const pods = isStated ? (wantedReplicas(before.units) ?? 0) - (head.applied ?? 0) : 0;
  const isDeleted = ownedPods(head.normal.units)?.claimsDeleted.onScaleIn === true;
  const claims = isDeleted ? pods * claimTemplates(before.units).length : 0;
  // Where ordinals move as well, KR2151 reports all claims that are deleted.
  if (pods <= 0 || claims === 0 || changedSettings(base, head).some(({ namesUnits }) => namesUnits))
    return [];
  const args = { pods, claims, names: claimNames(base, head) };
  return [diagnostic('KR2141', args, locate(fieldPath(head, 'replicas'), 'value'))];
}

/** The claims of the pods that leave, where git knows their names: `data-web-4 to data-web-2`; else empty. */
function claimNames(base: Target, head: Target): string {
  return claimsNamed(claimTemplates(base.normal.units), movedNames(base, head)?.leaving ?? []).names;
}

/** The claims that are deleted with a target, the pods that have them, and their names where git knows them. */
export function claimsWithTarget(base: Target): { pods: number; claims: number; names: string } {
  const { units } = base.normal;
  const [replicas, own] = [wantedReplicas(units) ?? 0, ownedPods(units)];
  if (own === undefined || !own.claimsDeleted.withTarget) return { pods: replicas, claims: 0, names: '' };
  const pods = namesOf(base)?.wanted(base.manifest.object) ?? [];
  return {
    pods: replicas,
    claims: replicas * own.volumeClaimTemplates.length,
    names: claimsNamed(own.volumeClaimTemplates, pods).names,
  };
}

/** A pod named in podsToDelete is deleted with its claims, and its replacement gets new ones. */
function namedRules({ normal: before }: Target, head: Target, locate: Locate): Diagnostic[] {
  const [own, next] = [ownedPods(before.units), ownedPods(head.normal.units)];
  const claims = own?.volumeClaimTemplates.length ?? 0;
  if (claims === 0 || next === undefined) return [];
  const named = new Set(own?.podsToDelete);
  return next.podsToDelete.flatMap((pod, index) => {
    const path = [...fieldPath(head, 'podsToDelete'), String(index)];
    const isNew = !named.has(pod);
    named.add(pod);
    return isNew ? [diagnostic('KR2142', { pod, claims }, locate(path, 'value'))] : [];
  });
}

/** The claim templates whose size a change raises: `data from 1Gi to 2Gi`; empty: there is none. */
export function grownClaims({ normal: before }: Target, { normal: after }: Target): string {
  const sizes = new Map(claimTemplates(before.units).map((each) => [templateName(each), templateSize(each)]));
  return claimTemplates(after.units)
    .flatMap((template) => {
      const [name, size] = [templateName(template), templateSize(template)];
      const was = sizes.get(name);
      return isLarger(size, was) ? [`${name} from ${was} to ${size}`] : [];
    })
    .join(', ');
}

function reuseRules({ normal: before }: Target, head: Target, locate: Locate): Diagnostic[] {
  const [own, next] = [ownedPods(before.units), ownedPods(head.normal.units)];
  if (own?.reuseClaims !== true || next?.reuseClaims !== false) return [];
  if (own.volumeClaimTemplates.length === 0) return [];
  return [diagnostic('KR2144', {}, locate(fieldPath(head, 'reuseClaims'), 'value'))];
}

/** Warns of a rollout that deletes the claims of recreated pods, with their data. Reported together with its plan. */
export function orphanedClaims(change: Change, locate: Locate): Diagnostic[] {
  const { action, base, head, classification, plan } = change;
  if (base === undefined || head === undefined) return [];
  const { units } = base.normal;
  const [before, after] = [wantedReplicas(units) ?? 0, wantedReplicas(head.normal.units) ?? 0];
  const old = action === 'Bound' ? retainedByPartition(units, before) : before;
  const retained = retainedByPartition(head.normal.units, after);
  const pods = Math.min(old, after) - retained;
  const claims = pods * claimsLostWithPod(base.normal);
  if (pods <= 0 || claims === 0) return [];
  const updates = updatesOf(head.normal.units);
  if (updates?.onDelete === true) {
    if (ownedPods(head.normal.units)?.reuseClaims === true) return [];
    return [diagnostic('KR2143', { pods, claims }, locate(fieldPath(head, 'reuseClaims'), 'value'))];
  }
  // Only the plan of a continuation knows the update mode of its pods.
  const mode = action === 'Bound' ? plan?.spec.from[0]?.mode : classification?.mode;
  if (mode !== 'Recreate' || updates?.policy === 'InPlaceOnly') return [];
  const path = fieldPath(head, action === 'Bound' ? 'partition' : 'template');
  return [diagnostic('KR2140', { pods, claims }, locate(path, 'key'))];
}
