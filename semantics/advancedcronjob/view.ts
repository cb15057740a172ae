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
import { type Due, dueOf } from '../schedule/due.ts';
import { readSchedule, type Schedule } from '../schedule/grammar.ts';
import { templateHash } from '../template/canonical.ts';
import { timeOf } from '../values/timestamp.ts';
import { type Child, childrenOf } from './child.ts';
import { type NormalCronJob, normalizeCronJob } from './normalize.ts';
import { observedTicks, readTicks, type Tick, TICKS_ANNOTATION } from './ticks.ts';

/** Everything that the rules of AdvancedCronJobs read, as plain data of one time. */
export interface CronJobView extends History {
  spec: NormalCronJob;
  /** By name. */
  children: readonly Child[];
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
const normalized = new WeakMap<KubeObject, Pick<CronJobView, 'spec' | 'liveHash' | 'schedule'>>();

function readTarget(target: KubeObject): Pick<CronJobView, 'spec' | 'liveHash' | 'schedule'> {
  const known = normalized.get(target);
  if (known !== undefined) return known;
  const spec = normalizeCronJob(target);
  const read = readSchedule(spec.schedule, spec.timeZone);
  const schedule = 'rule' in read ? undefined : read;
  const found = { spec, liveHash: templateHash(spec.template), schedule };
  normalized.set(target, found);
  return found;
}

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
  const last = lastTick(status, children);
  const since = last ?? timeOf(target.metadata.creationTimestamp);
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
    status,
    schedule,
    last,
    since,
    due,
    ticks: { recorded, now: observedTicks(recorded, children, { last, due: due.last, now }) },
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

/**
 * The last tick on record or of a child. It is never set back: OpenKruise takes it from the children that exist, and runs a
 * tick again once they are gone (OpenKruise advancedcronjob, 10.1 and 10.2).
 */
function lastTick(
  { lastScheduleTime }: AdvancedCronJobStatus,
  children: readonly Child[],
): number | undefined {
  let last = timeOf(lastScheduleTime);
  for (const { tick = 0 } of children) last = Math.max(last, tick);
  return last === 0 ? undefined : last;
}
