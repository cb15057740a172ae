/** The label of a child of a subset, of its pods, and in its selector: the name of the subset. */
export const SUBSET_LABEL = 'apps.kruise.io/subset-name';

/** The patch of its subset, on a child; empty: there is none. */
export const SUBSET_PATCH_ANNOTATION = 'apps.kruise.io/subset-patch';
