import { advancedCronJobKind } from '../../../semantics/advancedcronjob/kind.ts';
import { broadcastJobKind } from '../../../semantics/broadcastjob/kind.ts';
import { cloneSetKind } from '../../../semantics/cloneset/kind.ts';
import { sidecarSetKind } from '../../../semantics/sidecarset/kind.ts';
import { statefulSetKind } from '../../../semantics/statefulset/kind.ts';
import type { Kind } from '../../../semantics/kinds/kind.ts';
import { rackKind } from '../kind.ts';
import { fleetKind } from './kind.ts';

/** What stands in for `semantics/registry/registered.ts`: beside the kinds that are shipped, a root and the kind of its children. */
export const registered: readonly Kind[] = [
  cloneSetKind,
  statefulSetKind,
  sidecarSetKind,
  broadcastJobKind,
  advancedCronJobKind,
  rackKind,
  fleetKind,
];
