import { cloneSet } from './clone-set/subject.ts';
import { daemonSet } from './daemon-set/subject.ts';
import { statefulSet } from './stateful-set/subject.ts';
import { aisle, rack } from './rack.ts';
import type { Subject } from './subject.ts';

/** The kinds whose units are pods of their own, and those of tests. The others have plays (`kind-plays.ts`). */
export const subjects: readonly Subject[] = [cloneSet, statefulSet, daemonSet, rack, aisle];
