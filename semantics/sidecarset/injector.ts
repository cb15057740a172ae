import { OPENKRUISE_GROUP } from '../kinds/openkruise.ts';
import type { PodInjector } from '../kinds/pod-injector.ts';
import { clashesOfSet, initOrderOfSet } from './clashes.ts';
import { setConflicts } from './conflicts.ts';
import { injectSidecars } from './inject.ts';
import { newestOnRecord } from './injected-revision.ts';
import { invalidSetChange, invalidSidecarSet, podOfSet } from './invalid.ts';
import { EXEMPT_NAMESPACES } from './missed.ts';
import { nativeSidecars } from './native.ts';
import { pinOfNewSet } from './pinned.ts';
import { publishedRevisions } from './publish.ts';
import { selectsNamespace } from './select.ts';
import { SIDECARSET_VERSIONS, sidecarSets } from './resource.ts';

/** SidecarSets as what they do to new pods. What they do to running ones is in `kind.ts`. */
export const sidecarSetInjector: PodInjector = {
  id: { group: OPENKRUISE_GROUP, kind: sidecarSets.kind },
  resource: sidecarSets,
  versions: SIDECARSET_VERSIONS,
  exempt: EXEMPT_NAMESPACES,
  validate: invalidSidecarSet,
  validateChange: invalidSetChange,
  impossibleAtFirst: pinOfNewSet,
  podOf: podOfSet,
  conflicts: setConflicts,
  clashes: clashesOfSet,
  initOrder: initOrderOfSet,
  selectsNamespace,
  inject: injectSidecars,
  published: publishedRevisions,
  native: nativeSidecars,
  newestOnRecord,
};
