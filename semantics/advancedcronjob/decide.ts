import { TAKEN_MS } from '../children/taken.ts';
import { soonest } from '../values/soonest.ts';
import type { AdvancedCronJobStatus } from '../../schemas/generated/types/advancedcronjob.ts';
import type { Action, Decision, EventDraft, Explanation } from '../decision.ts';
import type { Envelope } from '../plan/envelope.ts';
import { type Revision, revisionOf } from '../revision/revision.ts';
import { truncate } from '../revision/truncate.ts';
import { timesUntil } from './schedule/due.ts';
import { objectOf } from '../values/read.ts';
import { countText } from '../values/text.ts';
import { timestamp } from '../values/timestamp.ts';
import { childName } from '../children/tick.ts';
import type { Child } from './child.ts';
import { cleanUp } from './history.ts';
import { createChild, deleteChild } from './new-child.ts';
import { recordedChildren } from '../children/records.ts';
import { recordChild, recordTicks, recordWaves } from './revise.ts';
import { cronJobStatus } from './status.ts';
import { type Tick, takenTicks } from './ticks.ts';
import type { CronJobView } from './view.ts';

/** What a plan allows of ticks now: an upper bound. An envelope of a rollout is one. */
export type TickBound = Pick<
  Envelope,
  'goal' | 'stable' | 'allowed' | 'moving' | 'touch' | 'waves' | 'reason'
>;

/** How many missed ticks are made up for by one child without a warning (OpenKruise stops at more). */
const MANY = 100;
/** How many templates that are not used any more are on record; OpenKruise has none. */
const HISTORY_LIMIT = 10;

interface Input {
  view: CronJobView;
  bound: TickBound;
  held: { reason: string; message: string } | undefined;
  /** Hashes of revisions that a plan may lead to. */
  keep: ReadonlySet<string>;
}

/**
 * What to do about one AdvancedCronJob now (OpenKruise advancedcronjob, rule 6.1): delete finished children beyond the limits,
 * and create the child of the last tick that is due. However many ticks were missed, one child makes up for them.
 *
 * Ticks are the steady state: while a changed template is held they go on, with the stable one. A tick of another template is
 * recorded first, and so are the waves of its plan; it gets its child in a later decision.
 */
export function decideCronJob({ view, bound, held, keep }: Input): Decision<AdvancedCronJobStatus> {
  const status = cronJobStatus(view, held);
  if (!bound.touch) return { actions: [], status, explanations: [] };
  const cleaned = cleanUp(view.children, view.spec);
  const { actions, explanations, events, again } = view.spec.paused ? nothing : tick(view, bound);
  const all: Action[] = [...cleaned, ...actions];
  if (all.length === 0) all.push(...truncated(view, keep));
  return {
    actions: all,
    status,
    explanations,
    ...(events.length === 0 ? {} : { events }),
    ...(view.spec.paused ? {} : soonest(view.due.next, again)),
  };
}

interface Ticked {
  actions: Action[];
  explanations: Explanation[];
  events: EventDraft[];
  /** When it is tried again, milliseconds since 1970, unless the next time is sooner; undefined: at the next time. */
  again?: number;
}

const nothing: Ticked = { actions: [], explanations: [], events: [] };

/** The child of the tick that is due. */
function tick(view: CronJobView, bound: TickBound): Ticked {
  const { target, active, spec, takenNames, due } = view;
  const at = due.last;
  if (at === undefined) return lateTick(view);
  if (spec.concurrency === 'Forbid' && active.length > 0)
    return warned('Normal', 'JobAlreadyActive', {
      about: target.metadata.name,
      reason: `${timestamp(at)} waits for ${active.map(({ object }) => object.metadata.name).join(', ')}, as the policy is Forbid`,
    });
  const name = childName(target, at);
  if (takenNames.has(name) || view.children.some(({ object }) => object.metadata.name === name))
    return {
      ...warned('Warning', 'FailedCreate', {
        about: target.metadata.name,
        reason: `${timestamp(at)} gets no child: an object that it has not created has the name ${name}`,
      }),
      again: view.now + TAKEN_MS,
    };
  const revision = templateOf(view, bound, at);
  const create = revision === undefined ? undefined : createChild(target, revision, at);
  const record =
    revision === undefined || create === undefined
      ? undefined
      : (recordOf(view, bound, revision, at) ??
        recordWaves(revision, bound.waves) ??
        recordChild(view, revision, create.object, at));
  if (record !== undefined) return { ...nothing, actions: [record] };
  if (create === undefined)
    return {
      ...nothing,
      explanations: [
        { about: target.metadata.name, reason: `${timestamp(at)} gets no child yet: ${bound.reason}` },
      ],
    };
  const replaced = replacedBy(view, create.object.kind);
  return {
    actions: [...replaced.map((child) => deleteChild(child, `${name} replaces it`)), create],
    explanations:
      revision?.hash === view.liveHash
        ? []
        : [{ about: name, reason: `runs an earlier template: ${bound.reason}` }],
    events: missed(view, at),
  };
}

/**
 * The children that one of a kind replaces. The kind is that of the tick, not of a template that waits for a plan: where Replace is not
 * written, a list of images replaces lists alone.
 */
function replacedBy({ target, active }: CronJobView, kind: string): Child[] {
  const staying = active.filter(({ isLeaving }) => !isLeaving);
  if (objectOf(target['spec'])['concurrencyPolicy'] === 'Replace') return staying;
  return kind === 'ImageListPullJob' ? staying.filter((child) => child.kind === kind) : [];
}

/** The revision that a tick runs; undefined: no plan has allowed any. */
function templateOf(view: CronJobView, bound: TickBound, at: number): Revision | undefined {
  const { goal, stable, moving, allowed } = bound;
  const others = view.ticks.now.filter((each) => each.at !== at);
  const isGoal =
    goal === view.liveHash && moving && (allowed === 'unbounded' || takenTicks(others) < allowed);
  return revisionOf(view, isGoal ? goal : stable);
}

/** The write that comes before the child: its tick is recorded if its template is not stable, and otherwise is not. */
function recordOf(
  view: CronJobView,
  { stable }: TickBound,
  revision: Revision,
  at: number,
): Action | undefined {
  const recorded = view.ticks.recorded.some((each) => each.at === at);
  const isNew = revision.hash !== stable;
  if (recorded === isNew) return undefined;
  const live = revisionOf(view, view.liveHash);
  if (live === undefined) return undefined;
  const others = view.ticks.now.filter((each) => each.at !== at);
  const started: Tick = { at, outcome: 'started' };
  return isNew
    ? recordTicks(live, [...others, started], `${timestamp(at)} runs its template`)
    : recordTicks(live, others, `${timestamp(at)} runs another template`);
}

/** Says that a tick has passed without a child, as it was later than the deadline. */
function lateTick({ target, spec, schedule, since, now }: CronJobView): Ticked {
  if (spec.deadlineMs === undefined || schedule === undefined) return nothing;
  const late = timesUntil(schedule, since, now, 1);
  if (late === 0) return nothing;
  return warned('Warning', 'MissSchedule', {
    about: target.metadata.name,
    reason: `missed a time of its schedule by more than ${spec.deadlineMs / 1000} s`,
  });
}

/** Says that very many ticks are made up for by one child. */
function missed({ target, schedule, since }: CronJobView, at: number): EventDraft[] {
  if (schedule === undefined) return [];
  const count = timesUntil(schedule, since, at, MANY + 1);
  if (count <= MANY) return [];
  const message = `missed more than ${countText(MANY, 'time')} since ${timestamp(since)}; ${target.metadata.name} makes up for the last one only`;
  return [{ type: 'Warning', reason: 'TooManyMissedTimes', message }];
}

/** An omission that is worth an Event. */
function warned(type: EventDraft['type'], reason: string, explanation: Explanation): Ticked {
  return {
    actions: [],
    explanations: [explanation],
    events: [{ type, reason, message: explanation.reason }],
  };
}

/** The revisions with records of children that exist: without them these would begin nowhere. */
function hashesInUse({ children, revisions }: CronJobView): ReadonlySet<string> {
  const times = new Set(children.map((child) => child.tick));
  const isUsed = ({ object }: Revision): boolean =>
    [...recordedChildren(object).keys()].some((at) => times.has(at));
  return new Set(revisions.filter(isUsed).map(({ hash }) => hash));
}

function truncated(view: CronJobView, keep: ReadonlySet<string>): Action[] {
  return truncate(view, { limit: HISTORY_LIMIT, keep, inUse: () => hashesInUse(view) });
}
