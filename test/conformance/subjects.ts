import { cloneSet } from './clone-set/subject.ts';
import { statefulSet } from './stateful-set/subject.ts';
import { aisle, rack } from './rack.ts';
import type { Subject } from './subject.ts';

/** The kinds that the suite tests: every registered one, and those of tests. */
export const subjects: readonly Subject[] = [cloneSet, statefulSet, rack, aisle];
