import { advancedCronJobKind } from '../../semantics/advancedcronjob/kind.ts';
import { broadcastJobKind } from '../../semantics/broadcastjob/kind.ts';
import { cloneSetKind } from '../../semantics/cloneset/kind.ts';
import { sidecarSetKind } from '../../semantics/sidecarset/kind.ts';
import { statefulSetKind } from '../../semantics/statefulset/kind.ts';
import type { Kind } from '../../semantics/kinds/kind.ts';
import { aisleKind, rackKind } from './kind.ts';

/** What stands in for `semantics/registry/registered.ts`: the one registration that the kinds of these tests take. */
export const registered: readonly Kind[] = [
  cloneSetKind,
  statefulSetKind,
  sidecarSetKind,
  broadcastJobKind,
  advancedCronJobKind,
  rackKind,
  aisleKind,
];
