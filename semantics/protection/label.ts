/** The label by which the API server refuses to delete an object (OpenKruise deletion-protection, section 2). */
export const PROTECTION_LABEL = 'policy.kruise.io/delete-protection';

/** Its values; case counts. Any other protects nothing, and nobody refuses it. */
export const PROTECTION_VALUES = ['Always', 'Cascading'] as const;
