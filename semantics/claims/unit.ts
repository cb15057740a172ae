import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Workload } from '../workload/view.ts';

/** What the rules of claims read of a workload. */
export type ClaimsView = Pick<
  Workload,
  'target' | 'spec' | 'active' | 'released' | 'claims' | 'claimNaming' | 'podNames'
>;

/** The id of the unit that a pod or a claim is of; empty: of none. */
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

/** The claims are as many as the pods, and are asked for by pod. */
const byId = new WeakMap<readonly KubeObject[], Map<string, KubeObject[]>>();

/** All claims of this id, those that are being deleted among them. */
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

/** The claims that are there of the pod with this id. */
export function claimsOf(view: ClaimsView, id: string): KubeObject[] {
  return allClaimsOf(view, id).filter((claim) => !isTerminating(claim));
}

/** A claim of this id that is being deleted, whose name a pod of that id would need. */
export function terminatingClaim(view: ClaimsView, id: string): KubeObject | undefined {
  return allClaimsOf(view, id).find(isTerminating);
}

/** A pod of the claim's id is there, in whatever state: nobody else waits for the claim. */
export function hasPod(view: ClaimsView, claim: KubeObject): boolean {
  return view.podNames.has(podNameOf(view.target, idOf(view, claim)));
}

export function isTerminating(claim: KubeObject): boolean {
  return claim.metadata.deletionTimestamp !== undefined;
}

/** A claim down to what the rules read of it: not what it asks for, nor what it got. */
export function projectClaim({ apiVersion, kind, metadata }: KubeObject): KubeObject {
  const { managedFields: _bookkeeping, ...kept } = metadata;
  return { apiVersion, kind, metadata: kept };
}
