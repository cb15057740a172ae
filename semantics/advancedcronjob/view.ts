import type { AdvancedCronJobStatus } from '../../schemas/generated/types/advancedcronjob.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { ObservedObjects } from '../kinds/kind.ts';
import {
  type History,
  parseRevisions,
  revisionOf,
  type Revision,
  stableRevision,
} from '../revision/revision.ts';
import { remembered } from '../values/remembered.ts';
import { type Due, dueOf, isTimeOf } from './schedule/due.ts';
import { readSchedule, type Schedule } from './schedule/grammar.ts';
import { templateHash } from '../template/canonical.ts';
import { timeOf } from '../values/timestamp.ts';
import { type Child, childrenOf } from './child.ts';
import { JOB_DEFAULTS } from '../broadcastjob/defaults.ts';
import { activeUids, childDigest, hasChildRecords, isRecorded } from '../children/records.ts';
import { type NormalCronJob, normalizeCronJob } from './normalize.ts';
import { observedTicks, readTicks, type Tick, TICKS_ANNOTATION } from './ticks.ts';

/** Everything that the rules of AdvancedCronJobs read, as plain data of one time. */
export interface CronJobView extends History {
  spec: NormalCronJob;
  /** By name. */
  children: readonly Child[];
  /** Those of them that it has created, as far as that can be told apart. */
  own: readonly Child[];
  /** Those of recorded ticks that have not ended: others do not keep a tick back. */
  active: readonly Child[];
  status: AdvancedCronJobStatus;
  /** Undefined: it is invalid, or its zone is. */
  schedule: Schedule | undefined;
  /** The last tick that has a child, or had one, milliseconds since 1970. */
  last: number | undefined;
  /** From where on ticks count: the last one, or the creation. */
  since: number;
  due: Due;
  /** The ticks of the live template, if it is not stable: as recorded, and as they are now. */
  ticks: { recorded: readonly Tick[]; now: readonly Tick[] };
  now: number;
}

/** Cached by object: an observed target is immutable. */
const readTarget = remembered((target: KubeObject): Pick<CronJobView, 'spec' | 'liveHash' | 'schedule'> => {
  const spec = normalizeCronJob(target);
  const read = readSchedule(spec.schedule, spec.timeZone);
  const schedule = 'rule' in read ? undefined : read;
  const found = { spec, liveHash: templateHash(spec.template), schedule };
  return found;
});

/** Builds the view of one AdvancedCronJob. */
export function cronJobView({
  target,
  children: objects = [],
  revisions: revisionObjects,
  takenNames,
  now,
}: Pick<ObservedObjects, 'target' | 'children' | 'revisions' | 'takenNames' | 'now'>): CronJobView {
  const { spec, liveHash, schedule } = readTarget(target);
  const children = childrenOf(target, objects);
  const revisions = parseRevisions(revisionObjects);
  const status: AdvancedCronJobStatus = target['status'] ?? {};
  const created = timeOf(target.metadata.creationTimestamp);
  const known = recordedTick(status, now);
  const isTime = (tick: number): boolean =>
    schedule !== undefined && isTimeOf(schedule, tick, known ?? created);
  const own = ownChildren(children, status, { known, revisions });
  const counted = countedChildren(own, { status, recorded: known, isTime, now });
  const last = latest([known, ...counted.map(({ tick }) => tick)]);
  const since = last ?? created;
  const due =
    schedule === undefined
      ? { last: undefined, next: undefined }
      : dueOf(schedule, since, now, spec.deadlineMs);
  const live = revisionOf({ revisions }, liveHash);
  const recorded = isStable({ revisions }, live) ? [] : ticksOf(live);
  return {
    target,
    spec,
    liveHash,
    revisions,
    takenNames,
    children,
    own,
    active: counted.filter(({ state }) => state === 'active'),
    status,
    schedule,
    last,
    since,
    due,
    ticks: { recorded, now: observedTicks(recorded, own, { last, due: due.last, now }) },
    now,
  };
}

/** The ticks that are recorded on a revision. */
export function ticksOf(revision: Revision | undefined): readonly Tick[] {
  return readTicks(revision?.object.metadata.annotations?.[TICKS_ANNOTATION]);
}

/** Whether a revision has the content of the stable one. */
export function isStable(history: Pick<History, 'revisions'>, revision: Revision | undefined): boolean {
  return revision !== undefined && stableRevision(history)?.hash === revision.hash;
}

/** Clocks of replicas differ by less: a later record is not of this program. Milliseconds. */
const CLOCK_SKEW_MS = 3_600_000;
/** How many children without a record are compared with the schedule, the newest. */
const MOST_UNRECORDED = 100;

/** The last tick on record, milliseconds since 1970; undefined: there is none, or it says a time that is to come. */
function recordedTick({ lastScheduleTime }: AdvancedCronJobStatus, now: number): number | undefined {
  const tick = timeOf(lastScheduleTime);
  return tick === 0 || tick > now + CLOCK_SKEW_MS ? undefined : tick;
}

/**
 * The children without BroadcastJobs that only say that they are some. Those are on record at a revision, or were when the status
 * was written; before the first record OpenKruise has written the status, and it says what was created. The last time there is
 * that of a child which has ended since: anybody may give an object its name, and a schedule of Jobs never has a record.
 */
function ownChildren(
  children: readonly Child[],
  status: AdvancedCronJobStatus,
  { known, revisions }: { known: number | undefined; revisions: readonly Revision[] },
): Child[] {
  const active = activeUids(status);
  const objects = revisions.map(({ object }) => object);
  const last = hasChildRecords(objects) ? undefined : known;
  return children.filter(({ kind, object, tick, state }) => {
    if (kind !== 'BroadcastJob' || active.has(object.metadata.uid ?? '')) return true;
    if (tick === undefined) return false;
    return (
      (tick === last && state !== 'active') || isRecorded(childDigest(object, JOB_DEFAULTS), tick, objects)
    );
  });
}

/**
 * The children that count: those of the last tick on record, those on record as active, and after a crash those of times of the
 * schedule since then that have come. Any other object says only itself that it is one: whoever may create it must not keep
 * the schedule from its ticks. OpenKruise counts all, and runs a tick again once its child is gone (OpenKruise advancedcronjob,
 * 10.1 and 10.2).
 */
function countedChildren(
  children: readonly Child[],
  {
    status,
    recorded,
    isTime,
    now,
  }: {
    status: AdvancedCronJobStatus;
    recorded: number | undefined;
    isTime: (tick: number) => boolean;
    now: number;
  },
): Child[] {
  const onRecord = activeUids(status);
  const past = children.filter(({ tick }) => tick !== undefined && tick <= now);
  const isNewer = ({ tick = 0 }: Child): boolean => tick > (recorded ?? 0);
  const unrecorded = new Set(
    past
      .filter(isNewer)
      .sort((a, b) => (b.tick ?? 0) - (a.tick ?? 0))
      .slice(0, MOST_UNRECORDED)
      .filter(({ tick = 0 }) => isTime(tick)),
  );
  return past.filter(
    (child) =>
      child.tick === recorded || onRecord.has(child.object.metadata.uid ?? '') || unrecorded.has(child),
  );
}

function latest(ticks: readonly (number | undefined)[]): number | undefined {
  const known = ticks.filter((tick) => tick !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}
