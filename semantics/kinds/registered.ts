import { advancedCronJobKind } from '../advancedcronjob/kind.ts';
import { broadcastJobKind } from '../broadcastjob/kind.ts';
import { cloneSetKind } from '../cloneset/kind.ts';
import { statefulSetKind } from '../statefulset/kind.ts';
import { sidecarSetKind } from '../sidecarset/kind.ts';
import type { Kind } from './kind.ts';

/** The list of kinds, one line for each, the most usual ones first. Everything else finds them by `registry.ts`. */
export const registered: readonly Kind[] = [
  cloneSetKind,
  statefulSetKind,
  sidecarSetKind,
  broadcastJobKind,
  advancedCronJobKind,
];
