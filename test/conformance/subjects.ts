import { cloneSet } from './clone-set/subject.ts';
import { aisle, rack } from './rack.ts';
import type { Subject } from './subject.ts';

/** The kinds that the suite runs over: every one that is registered, and those of tests. */
export const subjects: readonly Subject[] = [cloneSet, rack, aisle];
