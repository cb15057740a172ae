import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Action } from '../decision.ts';
import type { Envelope } from '../plan/envelope.ts';
import { revise } from '../revision/revise.ts';
import { type Revision, revisionOf, stableRevision } from '../revision/revision.ts';
import { annotateRevision } from '../revision/writes.ts';
import { timestamp } from '../values/timestamp.ts';
import { childOf } from './normalize.ts';
import { JOB_DEFAULTS } from '../broadcastjob/defaults.ts';
import {
  childDigest,
  type ChildRecords,
  CHILDREN_ANNOTATION,
  childrenText,
  hasChildRecords,
  recordedChildren,
} from '../children/records.ts';
import { ticksText, TICKS_ANNOTATION, type Tick } from './ticks.ts';
import { type CronJobView, ticksOf } from './view.ts';
import { wavesText, WAVES_ANNOTATION } from '../children/waves.ts';

/**
 * The writes of revisions that come before every other decision. Beyond those of every kind:
 *
 * - A new AdvancedCronJob of BroadcastJobs has no stable template: what runs on every node waits for a plan. One that OpenKruise
 *   has run is adopted with its template.
 * - The BroadcastJobs that OpenKruise has on record as active are on record at its revision, so that they go on.
 * - What became of the ticks of a template that is not stable is on its revision, as children are deleted.
 * - A template that is stable, or not in git any more, has no ticks on record: when it returns, its plan begins anew.
 */
export function reviseCronJob(view: CronJobView): Action[] {
  const { revisions, children, liveHash, spec } = view;
  const live = revisionOf(view, liveHash);
  // OpenKruise writes no revisions: where there is none, and the status has a time, it has created children.
  const isAdopted =
    children.length > 0 && revisions.length === 0 && view.status.lastScheduleTime !== undefined;
  const isGated = childOf(spec.template)?.kind === 'BroadcastJob' && !isAdopted;
  if (!isGated || live === undefined || stableRevision(view) !== undefined) {
    const writes = revise(view, { exist: isGated, counted: () => [] });
    if (writes.length > 0) return writes;
  }
  const adopted = view.own.filter(({ kind, state }) => kind === 'BroadcastJob' && state === 'active');
  const holder = stableRevision(view) ?? live;
  if (adopted.length > 0 && holder !== undefined && !hasChildRecords(revisions.map(({ object }) => object))) {
    const records = adopted.flatMap(({ object, tick }): [number, string][] =>
      tick === undefined ? [] : [[tick, childDigest(object, JOB_DEFAULTS)]],
    );
    return [recordChildren(holder, new Map(records), 'they were created before it was adopted')];
  }
  return revisions.flatMap((revision) => {
    const isCounted = revision === live && stableRevision(view) !== revision;
    if (isCounted && view.ticks.now === view.ticks.recorded) return [];
    const before = ticksOf(revision);
    const ticks = isCounted ? view.ticks.now : [];
    return ticksText(before) === ticksText(ticks)
      ? []
      : [recordTicks(revision, ticks, 'ticks of its template have ended, or do not count any more')];
  });
}

/** Writes the ticks of a revision. */
export function recordTicks(revision: Revision, ticks: readonly Tick[], reason: string): Action {
  const text = ticksText(ticks);
  return annotateRevision(
    revision,
    'record ticks',
    { [TICKS_ANNOTATION]: text === '' ? null : text },
    reason,
  );
}

/** Writes what a BroadcastJob is before it is created; undefined: that is on record, or it is none. */
export function recordChild(
  { children, revisions }: CronJobView,
  revision: Revision,
  child: KubeObject,
  at: number,
): Action | undefined {
  if (child.kind !== 'BroadcastJob') return undefined;
  const existing = new Set(children.map(({ tick }) => tick));
  const others = ({ object }: Revision): [number, string][] =>
    [...recordedChildren(object)].filter(([tick]) => tick !== at && existing.has(tick));
  const digest = childDigest(child, JOB_DEFAULTS);
  // Of one time only what is created counts, and not what another template would have been.
  const outdated = revisions.find((each) => each !== revision && recordedChildren(each.object).has(at));
  if (outdated !== undefined)
    return recordChildren(outdated, new Map(others(outdated)), `${timestamp(at)} runs another template`);
  if (recordedChildren(revision.object).get(at) === digest) return undefined;
  const records = new Map([...others(revision), [at, digest] as const]);
  return recordChildren(revision, records, `${timestamp(at)} runs its template`);
}

function recordChildren(revision: Revision, records: ChildRecords, reason: string): Action {
  return annotateRevision(
    revision,
    'record children',
    { [CHILDREN_ANNOTATION]: childrenText(records) },
    reason,
  );
}

/** Writes the waves that the plan of a revision gives its children; undefined: they are on record, or it has no such plan. */
export function recordWaves(revision: Revision, waves: Envelope['waves']): Action | undefined {
  if (waves?.hash !== revision.hash) return undefined;
  const text = waves.steps.length === 0 ? undefined : wavesText(waves.steps);
  if (revision.object.metadata.annotations?.[WAVES_ANNOTATION] === text) return undefined;
  return annotateRevision(
    revision,
    'record waves',
    { [WAVES_ANNOTATION]: text ?? null },
    'its plan says how its children run',
  );
}
