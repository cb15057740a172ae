import { cloneSetRaising } from '../cloneset/raising.ts';
import { daemonSetRaising } from '../daemonset/raising.ts';
import type { Raising } from '../kinds/raising.ts';
import { statefulSetRaising } from '../statefulset/raising.ts';

/** What becomes of objects of `apps`, by their kinds. */
export const raisings: readonly Raising[] = [cloneSetRaising, statefulSetRaising, daemonSetRaising];
