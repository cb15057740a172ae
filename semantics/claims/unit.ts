import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Pod } from '../pod/types.ts';
import { objectOf } from '../values/read.ts';
import type { LabelSelector } from '../values/selector.ts';
import type { ClaimNaming } from './naming.ts';

/** What the rules of claims read of a workload. */
export interface ClaimsView {
  readonly target: KubeObject;
  readonly spec: {
    readonly selector: LabelSelector;
    /** Templates of the claims that each pod has; empty: none. */
    readonly volumeClaimTemplates: readonly JsonObject[];
  };
  /** Pods that count. */
  readonly active: readonly Pod[];
  /** Owned pods whose labels do not match the selector. */
  readonly released: readonly Pod[];
  /** All its claims, including those that are being deleted. */
  readonly claims: readonly KubeObject[];
  readonly claimNaming: ClaimNaming;
  /** Names of all its pods, in any state. */
  readonly podNames: ReadonlySet<string>;
}

/** The id of a pod or a claim; empty: it has none. */
export function idOf({ claimNaming, target }: ClaimsView, object: KubeObject): string {
  return claimNaming.idOf(object, target);
}

/** `<workload>-<id>`: the name of the pod with this id. */
export function podNameOf(target: KubeObject, id: string): string {
  return `${target.metadata.name}-${id}`;
}

/** `<template>-<workload>-<id>` (OpenKruise workloads, section 5). */
export function claimNameOf(target: KubeObject, template: JsonObject, id: string): string {
  return `${templateName(template)}-${podNameOf(target, id)}`;
}

export function templateName(template: JsonObject): string {
  const name = (template['metadata'] as JsonObject | undefined)?.['name'];
  return typeof name === 'string' ? name : '';
}

/** Cached by list of claims: the rules need the claims of each pod. */
const byId = new WeakMap<readonly KubeObject[], Map<string, KubeObject[]>>();

/** All claims with this id, including those that are being deleted. */
export function allClaimsOf(view: ClaimsView, id: string): readonly KubeObject[] {
  const { claims } = view;
  const index = byId.get(claims) ?? new Map<string, KubeObject[]>();
  if (!byId.has(claims)) {
    byId.set(claims, index);
    for (const claim of claims) {
      const own = idOf(view, claim);
      const group = index.get(own) ?? [];
      group.push(claim);
      index.set(own, group);
    }
  }
  return id === '' ? [] : (index.get(id) ?? []);
}

/** The claims with this id that are not being deleted. */
export function claimsOf(view: ClaimsView, id: string): KubeObject[] {
  return allClaimsOf(view, id).filter((claim) => !isTerminating(claim));
}

/** A claim with this id that is being deleted, and whose name a pod with that id needs. */
export function terminatingClaim(view: ClaimsView, id: string): KubeObject | undefined {
  return allClaimsOf(view, id).find(isTerminating);
}

/** Whether a pod with the claim's id exists, in any state. */
export function hasPod(view: ClaimsView, claim: KubeObject): boolean {
  return view.podNames.has(podNameOf(view.target, idOf(view, claim)));
}

export function isTerminating(claim: KubeObject): boolean {
  return claim.metadata.deletionTimestamp !== undefined;
}

/** The part of a claim that the rules read: its metadata, and what `claimFit` reads of spec and status. */
export function projectClaim({ apiVersion, kind, metadata, spec, status }: KubeObject): KubeObject {
  const { managedFields: _bookkeeping, ...rest } = metadata;
  const { storageClassName, accessModes, resources } = objectOf(spec);
  const { phase, capacity, conditions } = objectOf(status);
  return {
    apiVersion,
    kind,
    metadata: rest,
    spec: { storageClassName, accessModes, resources },
    status: { phase, capacity, conditions },
  };
}
