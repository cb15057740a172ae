import { cloneSet } from './clone-set/subject.ts';
import { statefulSet } from './stateful-set/subject.ts';
import { aisle, rack } from './rack.ts';
import { advancedCronJobKind } from '../../semantics/advancedcronjob/kind.ts';
import { broadcastJobKind } from '../../semantics/broadcastjob/kind.ts';
import { sidecarSetKind } from '../../semantics/sidecarset/kind.ts';
import type { Kind } from '../../semantics/kinds/kind.ts';
import type { Subject } from './subject.ts';

/** The kinds that the suite tests: every registered one whose units are pods, and those of tests. */
export const subjects: readonly Subject[] = [cloneSet, statefulSet, rack, aisle];

/** The kinds that create children at the times of a schedule: `ticks.test.ts` tests them. */
export const tickKinds: readonly Kind[] = [advancedCronJobKind];

/** The kinds whose units are pods of other owners: `selected.test.ts` tests them. */
export const selectingKinds: readonly Kind[] = [sidecarSetKind];

/** The kinds that run once on each unit: `runs.test.ts` tests them. */
export const runKinds: readonly Kind[] = [broadcastJobKind];
