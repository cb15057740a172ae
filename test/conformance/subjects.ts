import { cloneSet } from './clone-set/subject.ts';
import { statefulSet } from './stateful-set/subject.ts';
import { aisle, rack } from './rack.ts';
import { broadcastJobKind } from '../../semantics/broadcastjob/kind.ts';
import type { Kind } from '../../semantics/kinds/kind.ts';
import type { Subject } from './subject.ts';

/** The kinds that the suite tests: every registered one whose template has revisions, and those of tests. */
export const subjects: readonly Subject[] = [cloneSet, statefulSet, rack, aisle];

/** The kinds that run once on each unit: `runs.test.ts` tests them. */
export const runKinds: readonly Kind[] = [broadcastJobKind];
