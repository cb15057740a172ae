import type { RolloutPlan } from '../../schemas/generated/types/rolloutplan.ts';
import type { GitField, GitManifest } from '../../semantics/kinds/git-side.ts';
import type { PlannedKind } from '../../semantics/kinds/kind.ts';
import { updatesNone, claimTemplates, ownedPods, wantedReplicas } from '../../semantics/kinds/git-units.ts';
import { growthHash } from '../../semantics/claims/fit.ts';
import { templateHash } from '../../semantics/template/canonical.ts';
import type { Manifest } from '../load/manifest.ts';
import { writtenKind } from './kinds.ts';

/** A manifest in the form that the plan stage reads. */
export interface Target {
  manifest: Manifest;
  normal: GitManifest;
  /** Of the canonical template. */
  hash: string;
  /** Identifies the sizes that existing claims grow to; undefined: none grows. */
  claims: string | undefined;
  /** The number of units as soon as the manifest is applied: that of the manifest, or the default; undefined: it has none. */
  applied: number | undefined;
  /** What else says how many replicas a forecast is for, as a phrase; undefined: the manifest, or the default. */
  replicasFrom: string | undefined;
}

/** Sets defaults and computes the hashes. */
export function toTarget(manifest: Manifest): Target {
  const normal = manifest.type.git.read(manifest.object);
  const grows = ownedPods(normal.units)?.growsClaims === true && !updatesNone(normal.units);
  const claims = grows ? growthHash(claimTemplates(normal.units)) : undefined;
  const applied = wantedReplicas(normal.units);
  return { manifest, normal, hash: templateHash(normal.template), claims, applied, replicasFrom: undefined };
}

/** The path of a field, even if the manifest does not have it. */
export function fieldPath({ manifest }: Target, field: GitField): string[] {
  return manifest.type.git.fieldPath(manifest.object, field);
}

/** `shop/web`, or `web` if the manifest names no namespace. */
export function shownName(at: { namespace: string | undefined; name: string }): string {
  return at.namespace === undefined ? at.name : `${at.namespace}/${at.name}`;
}

/** The kind of the plans of a kind: namespaced or cluster-scoped, like its targets. */
export function planKind({ resource }: PlannedKind): RolloutPlan['kind'] {
  return resource.namespaced ? 'RolloutPlan' : 'ClusterRolloutPlan';
}

/** The fields that determine the path of a plan. */
interface Placed {
  type: PlannedKind;
  namespace: string | undefined;
  name: string;
}

/** The folder of a target's plan below the plans: `shop/deployment-web`, or `_cluster/node-a` for a cluster-scoped kind. */
export function planFolder(at: Placed): string {
  const folder = at.type.resource.namespaced ? (at.namespace ?? '_default') : '_cluster';
  return `${folder}/${planName(at)}`;
}

/** The path of that plan below the plans: `shop/deployment-web/plan.yaml`. */
export function planPath(at: Placed): string {
  return `${planFolder(at)}/plan.yaml`;
}

/** `deployment-web`; with the group, `deployment.apps-web`, where kinds of several groups have that name. */
export function planName({ type, name }: { type: PlannedKind; name: string }): string {
  return `${writtenKind(type.id).toLowerCase()}-${name}`;
}
