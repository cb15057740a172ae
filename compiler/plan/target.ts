import { normalizeCloneSet } from '../../semantics/cloneset/normalize.ts';
import type { NormalCloneSet } from '../../semantics/cloneset/normalize.ts';
import { templateHash } from '../../semantics/template/canonical.ts';
import type { Manifest } from '../load/manifests.ts';

/** A manifest as the plan pass reads it. */
export interface Target {
  manifest: Manifest;
  normal: NormalCloneSet;
  /** Of the canonical template. */
  hash: string;
}

/** Fills in defaults and computes the identity of the template. */
export function toTarget(manifest: Manifest): Target {
  const normal = normalizeCloneSet(manifest.object);
  return { manifest, normal, hash: templateHash(normal.template) };
}

/** Whether the manifest says how many replicas there shall be. */
export function hasReplicas({ manifest: { object } }: Target): boolean {
  const spec = object['spec'];
  return typeof spec === 'object' && spec !== null && 'replicas' in spec && typeof spec.replicas === 'number';
}

/** `shop/web`, or `web` where the manifest names no namespace. */
export function shownName(at: { namespace: string | undefined; name: string }): string {
  return at.namespace === undefined ? at.name : `${at.namespace}/${at.name}`;
}

/** The folder of a target's plan below the plans: `shop/cloneset-web`. */
export function planFolder(at: { namespace: string | undefined; kind: string; name: string }): string {
  return `${at.namespace ?? '_default'}/${planName(at)}`;
}

/** Where that plan stands below the plans: `shop/cloneset-web/plan.yaml`. */
export function planPath(at: { namespace: string | undefined; kind: string; name: string }): string {
  return `${planFolder(at)}/plan.yaml`;
}

/** `cloneset-web` */
export function planName(at: { kind: string; name: string }): string {
  return `${at.kind.toLowerCase()}-${at.name}`;
}
