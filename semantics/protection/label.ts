import type { KubeObject } from '../../schemas/wire/object.ts';

/** The label by which the API server refuses to delete an object (OpenKruise deletion-protection, section 2). */
export const PROTECTION_LABEL = 'policy.kruise.io/delete-protection';

/** Its values; case counts. Any other protects nothing, and nobody refuses it. */
export const PROTECTION_VALUES = ['Always', 'Cascading'] as const;

/** The value of the label, whatever it is; undefined: the object has none. */
export function protectionOf({ metadata }: KubeObject): string | undefined {
  // A manifest may have any value there.
  const value: unknown = metadata.labels?.[PROTECTION_LABEL];
  return typeof value === 'string' ? value : undefined;
}
