import { hasClaims } from '../claims/templates.ts';
import { claimsOf } from '../claims/unit.ts';
import { type Action, inSequence } from '../decision.ts';
import type { Envelope } from '../plan/envelope.ts';
import { REVISION_LABEL } from '../pod/types.ts';
import { revisionLabel } from '../pod/revision-label.ts';
import { type Revision, revisionOf } from '../revision/revision.ts';
import { annotateRevision } from '../revision/writes.ts';
import { byOrdinal } from './claim-naming.ts';
import { ordinalOf, rangeText, reservedRanges } from './ordinals.ts';
import type { StatefulSetView } from './view.ts';

/**
 * Annotation of the revision that a plan leads to: the ordinals whose pod was last made at it, such as `0,3-4`. Their claims
 * may hold data that the revision before cannot read.
 */
const MADE_AT_ANNOTATION = 'plan.kruise.io/made-at';

/** A longer range is no record of the runtime, and is cut off before it fills the memory. */
const MOST_IN_A_RANGE = 100_000;

/**
 * The ordinals that are on record as made at this revision, and still have a claim; beyond what a plan allows, too, they are
 * made there again.
 */
export function madeAt(view: StatefulSetView, hash: string): ReadonlySet<number> {
  const revision = revisionOf(view, hash);
  const recorded = revision === undefined ? [] : recordedOn(revision);
  return new Set(recorded.filter((ordinal) => claimsOf(view, String(ordinal)).length > 0));
}

/**
 * The writes of revisions that come before pods with claims are created at the goal of a plan: only that revision has a
 * record, and none once it is stable. An ordinal stays on record while its pod is gone.
 *
 * @param actions what is to be done next
 */
export function recordMadeAt(
  view: StatefulSetView,
  envelope: Envelope,
  actions: readonly Action[],
): Action[] {
  const { goal, stable, ownStrategy } = envelope;
  const hasGoal = goal !== stable && ownStrategy !== true;
  const isNumbered = hasClaims(
    view.target,
    view.revisions.map(({ object }) => object),
    byOrdinal,
  );
  return view.revisions.flatMap((revision) => {
    const isKept = hasGoal && isNumbered && revision.hash === goal;
    const wanted = isKept ? textOf(ordinalsAt(view, revision, actions)) : null;
    const before = revision.object.metadata.annotations?.[MADE_AT_ANNOTATION] ?? null;
    if (wanted === before || (wanted === '' && before === null)) return [];
    const [verb, reason] = isKept
      ? ['record ordinals', 'their claims belong to this revision']
      : ['remove record of ordinals', 'no rollout leads there now'];
    return [annotateRevision(revision, verb, { [MADE_AT_ANNOTATION]: wanted }, reason)];
  });
}

function ordinalsAt(view: StatefulSetView, revision: Revision, actions: readonly Action[]): number[] {
  const set = view.target.metadata.name;
  const found = new Set(recordedOn(revision));
  for (const pod of view.active) {
    const ordinal = ordinalOf(pod.metadata.name, set);
    if (ordinal === undefined) continue;
    if (view.hashOf(pod) === revision.hash) found.add(ordinal);
    else found.delete(ordinal);
  }
  for (const action of inSequence(actions)) {
    if (action.do !== 'create' || action.kind !== 'Pod') continue;
    const { name, labels } = action.object.metadata;
    const ordinal = ordinalOf(name, set);
    if (ordinal !== undefined && labels?.[REVISION_LABEL] === revisionLabel(revision)) found.add(ordinal);
  }
  return [...found];
}

function recordedOn({ object }: Revision): number[] {
  const text = object.metadata.annotations?.[MADE_AT_ANNOTATION] ?? '';
  const entries = text.split(',').map((entry) => (/^[0-9]+$/.test(entry) ? Number(entry) : entry));
  return reservedRanges(entries).flatMap(({ from, to }) =>
    Array.from({ length: Math.min(to - from + 1, MOST_IN_A_RANGE) }, (_, n) => from + n),
  );
}

function textOf(ordinals: readonly number[]): string {
  return reservedRanges(ordinals).map(rangeText).join(',');
}
