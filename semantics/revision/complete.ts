import type { Action } from '../decision.ts';
import { counterAfter } from '../values/counter.ts';
import {
  COMPLETE_ANNOTATION,
  RETAINED_ANNOTATION,
  type RetainedUnits,
  retainedText,
  type History,
  revisionOf,
  stableRevision,
} from './revision.ts';
import { annotateRevision } from './writes.ts';

/**
 * Records in one write that the target is complete on `hash`, which becomes `stable`, and how many pods a bound retains.
 *
 * @param textOf the record of these pods
 */
export function markComplete(
  history: History,
  hash: string,
  retained: RetainedUnits | undefined,
  textOf: (retained: RetainedUnits) => string = retainedText,
): Action[] {
  const revision = revisionOf(history, hash);
  const stable = stableRevision(history);
  if (revision === undefined) return [];
  const retainedNow = retained === undefined ? null : textOf(retained);
  const retainedBefore = revision.object.metadata.annotations?.[RETAINED_ANNOTATION] ?? null;
  if (stable?.name === revision.name && retainedNow === retainedBefore) return [];
  const counter =
    stable?.name === revision.name ? (stable.complete ?? 0) : counterAfter(stable?.complete ?? 0);
  const annotations = { [COMPLETE_ANNOTATION]: String(counter), [RETAINED_ANNOTATION]: retainedNow };
  const why =
    retained === undefined
      ? 'every wanted pod is on it and available'
      : `every pod that the bound allows is on it and available; ${retained.n} stay where they are`;
  return [annotateRevision(revision, 'mark stable', annotations, why)];
}

/**
 * The revisions of the pods that bounds had left when the target was last complete on `hash`: the one on record for most of them, and
 * those that it was complete on before.
 */
export function leftAt(history: Pick<History, 'revisions'>, hash: string): readonly string[] {
  const { retained, complete = 0 } = revisionOf(history, hash) ?? {};
  if (retained === undefined) return [];
  const before = history.revisions.filter((each) => each.complete !== undefined && each.complete < complete);
  return [retained.hash, ...before.map((each) => each.hash)];
}
