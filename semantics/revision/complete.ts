import type { Action } from '../decision.ts';
import { counterAfter } from '../values/counter.ts';
import {
  COMPLETE_ANNOTATION,
  RETAINED_ANNOTATION,
  type RetainedByPartition,
  retainedText,
  type History,
  revisionOf,
  stableRevision,
} from './revision.ts';
import { annotateRevision } from './writes.ts';

/** Records that the target is wholly on `hash`, and how many pods a bound leaves behind: `stable` moves here, in one write. */
export function markComplete(
  history: History,
  hash: string,
  held: RetainedByPartition | undefined,
): Action[] {
  const revision = revisionOf(history, hash);
  const stable = stableRevision(history);
  if (revision === undefined) return [];
  const heldNow = held === undefined ? null : retainedText(held);
  const heldBefore = revision.retained === undefined ? null : retainedText(revision.retained);
  if (stable?.name === revision.name && heldNow === heldBefore) return [];
  const counter =
    stable?.name === revision.name ? (stable.complete ?? 0) : counterAfter(stable?.complete ?? 0);
  const annotations = { [COMPLETE_ANNOTATION]: String(counter), [RETAINED_ANNOTATION]: heldNow };
  const why =
    held === undefined
      ? 'every wanted pod is on it and available'
      : `every pod that the partition allows is on it and available; ${held.n} stay where they are`;
  return [annotateRevision(revision, 'mark stable', annotations, why)];
}
