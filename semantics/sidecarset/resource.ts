import { SIDECAR_HASH_ANNOTATION } from '../pod/sidecar-changes.ts';
import type { Resource } from '../../schemas/wire/cluster.ts';
import { OPENKRUISE_GROUP } from '../kinds/openkruise.ts';

/** The resource, in the version that is stored. */
export const sidecarSets: Resource = {
  group: OPENKRUISE_GROUP,
  version: 'v1beta1',
  plural: 'sidecarsets',
  kind: 'SidecarSet',
  namespaced: false,
};

/** The versions that are served. */
export const SIDECARSET_VERSIONS = ['v1alpha1', 'v1beta1'] as const;

/** Annotations of pods and sets, and a label (OpenKruise sidecarset, section 5). */
export const HASH_ANNOTATION = SIDECAR_HASH_ANNOTATION;
export const IMAGELESS_HASH_ANNOTATION = 'kruise.io/sidecarset-hash-without-image';
export const INJECTED_LIST_ANNOTATION = 'kruise.io/sidecarset-injected-list';
export const WORKING_ANNOTATION = 'kruise.io/sidecarset-working-hotupgrade-container';
export const VERSION_PREFIX = 'version.sidecarset.kruise.io/';
export const OTHER_VERSION_PREFIX = 'versionalt.sidecarset.kruise.io/';
export const CANARY_ANNOTATION = 'apps.kruise.io/sidecarset-canary';
export const BASE_ANNOTATION = 'apps.kruise.io/sidecarset-base';
export const CUSTOM_VERSION_LABEL = 'apps.kruise.io/sidecarset-custom-version';
/** Every label of a revision that names its set. */
export const SET_NAME_LABEL = 'kruise.io/sidecarset-name';
/** The condition of a pod that says whether each set that matches it can go to its present content in place. */
export const UPGRADABLE_CONDITION = 'SidecarSetUpgradable';
/** Annotation of a revision: new pods get it, although another one is stable. */
export const NEW_PODS_ANNOTATION = 'plan.kruise.io/new-pods';
/** Annotation of a revision that only new pods with some labels have got so far, as no bound has let the others have it. */
export const PARTIAL_ANNOTATION = 'plan.kruise.io/partial';
/** Annotation of a revision: which pods may get it, as JSON. The manifest alone lets no further one in. */
export const SELECTION_ANNOTATION = 'plan.kruise.io/selection';
/** Annotation of a revision: which further pods the last step of its plan, or BreakGlass, lets in, as JSON. It goes when that ends. */
export const OPENED_ANNOTATION = 'plan.kruise.io/opened-selection';
/** Annotation of a revision: a selector, as JSON. New pods that it does not select get the revision, whatever others get. */
export const UNSELECTED_ANNOTATION = 'plan.kruise.io/unselected-new-pods';
