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
