import type { JsonObject } from '../../schemas/wire/json.ts';
import { canonicalJson } from '../values/canonical-json.ts';

/** How a pod is updated (`podUpdatePolicy`). */
export type PodUpdatePolicy = 'ReCreate' | 'InPlaceIfPossible' | 'InPlaceOnly';

/** What decides, besides two templates, whether a pod is updated in place. */
export interface UpdateRules {
  readonly policy: PodUpdatePolicy;
  /**
   * Changed cpu and memory are resized in place (OpenKruise's feature gate InPlaceWorkloadVerticalScaling). Default: the pod
   * is recreated.
   */
  readonly resizes?: boolean;
  /**
   * Where claim templates have changed together with the template, pods are recreated (in OpenKruise behind a feature gate).
   * Default: they keep the claims that they have.
   */
  readonly recreatesForClaims?: boolean;
}

/** Enables `recreatesForClaims` for one object. In OpenKruise it is a feature gate of the manager, off by default. */
export const RECREATE_FOR_CLAIMS_ANNOTATION = 'plan.kruise.io/recreate-for-claims';

/**
 * Whether pods are recreated only because of their claim templates (OpenKruise inplace-update, rule 6.1). Without claim templates on
 * either side they are not.
 */
export function areRecreatedForClaims(
  before: readonly JsonObject[] | undefined,
  after: readonly JsonObject[] | undefined,
  { policy, recreatesForClaims }: UpdateRules,
): boolean {
  if (recreatesForClaims !== true || policy === 'InPlaceOnly') return false;
  if (before === undefined || after === undefined || before.length === 0 || after.length === 0) return false;
  return canonicalJson(before) !== canonicalJson(after);
}

/** Enables `resizes` for one object. In OpenKruise it is a feature gate of the manager, off by default. */
export const RESIZE_ANNOTATION = 'plan.kruise.io/resize-in-place';

/** Whether an object enables `resizes`. */
export function resizesInPlace({
  metadata: { annotations },
}: {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
}): boolean {
  return annotations?.[RESIZE_ANNOTATION] === 'true';
}

/** The first of these values that is a policy; else ReCreate, the default of OpenKruise's webhook. */
export function podUpdatePolicy(...values: readonly unknown[]): PodUpdatePolicy {
  for (const value of values)
    if (value === 'ReCreate' || value === 'InPlaceIfPossible' || value === 'InPlaceOnly') return value;
  return 'ReCreate';
}
