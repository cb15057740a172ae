/** How a pod is updated (`podUpdatePolicy`). */
export type PodUpdatePolicy = 'ReCreate' | 'InPlaceIfPossible' | 'InPlaceOnly';

/** The first of these values that is a policy; else ReCreate, the default of OpenKruise's webhook. */
export function podUpdatePolicy(...values: readonly unknown[]): PodUpdatePolicy {
  for (const value of values)
    if (value === 'ReCreate' || value === 'InPlaceIfPossible' || value === 'InPlaceOnly') return value;
  return 'ReCreate';
}
