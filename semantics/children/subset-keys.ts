/** The label of a child of a subset, of its pods, and in its selector: the name of the subset. */
export const SUBSET_LABEL = 'apps.kruise.io/subset-name';

/** The patch of its subset, on a child; empty: there is none. */
export const SUBSET_PATCH_ANNOTATION = 'apps.kruise.io/subset-patch';

/**
 * Annotation of a child: how many pods it was given last, when, and how often in a row after others had changed that:
 * `3 at 2026-01-01T00:00:00Z, again 2`.
 */
export const SIZE_ANNOTATION = 'plan.kruise.io/size';
