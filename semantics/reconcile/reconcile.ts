import type { RolloutPlanSpec } from '../../schemas/generated/types/rolloutplan.ts';
import { type Action, type Explanation, createdBy, type EventDraft } from '../decision.ts';
import type { RolloutSnapshot } from '../kinds/kind.ts';
import { advance, type Advance } from '../plan/advance.ts';
import { heldReason, notAdopted } from '../plan/held.ts';
import { type Accepted, removableRecords, type Progress, snapshotName } from '../plan/memory.ts';
import type { AdvanceInput, RolloutView } from '../plan/rollout-view.ts';
import type { MemoryWrite } from '../plan/state.ts';

/** What a reconcile of one target reads beside the snapshot of its objects: plans, commands, memory, clocks, policy. */
export interface PlanSide extends Omit<AdvanceInput, 'view' | 'now'> {
  /** Since when its template has been the live one as it was seen here, milliseconds since 1970; left out: as recorded. */
  liveSince?: number | undefined;
  /** Whether pods that another controller has made are taken over; else their target is held. Default true. */
  adopt?: boolean | undefined;
}

/** A write that has to be there before anything else is decided. */
export type RecordWrite =
  | { do: 'actions'; actions: readonly Action[] }
  | { do: 'accept'; spec: RolloutPlanSpec; progress: Progress }
  | { do: 'progress'; accepted: Accepted };

interface Rolled {
  /** The target as the plan's rules have seen it. */
  view: RolloutView;
  result: Advance;
}

/** Everything to do about a target now, as data. */
export type Reconciled =
  /** The target is being deleted: its objects go with it. */
  | { do: 'nothing' }
  /** Nothing is done but that the target says why. */
  | { do: 'hold'; held: { reason: string; message: string } }
  /** Write this, in its order, then reconcile again. */
  | {
      do: 'record';
      writes: readonly RecordWrite[];
      /** Names of the ControllerRevisions that are made. */
      makes: readonly string[];
      /** Undefined: a revision of the template is missing, and nothing is known of the rollout yet. */
      rolled: Rolled | undefined;
    }
  | {
      do: 'act';
      rolled: Rolled;
      actions: readonly Action[];
      /** Done once the status is written. */
      afterwards: readonly Action[];
      /** The whole status that the target is to have. */
      status: object;
      /** Why the target is not where its manifest says, and what a person can do. */
      held: { reason: string; message: string } | undefined;
      /** What is worth an Event though nothing is done. */
      events: readonly EventDraft[];
      explanations: readonly Explanation[];
      /** Milliseconds since 1970; undefined = only on a change. */
      requeueAt: number | undefined;
    };

/**
 * The one order of decisions about a target: its revisions are recorded, then where its rollout stands, and only what is
 * on record bounds what is done to units. Pure and level-triggered: the runtime carries the answer out, the shadow compares
 * it with what another manager does, and the forecast applies it to a model.
 */
export function reconcile(
  snapshot: RolloutSnapshot,
  { liveSince = 0, adopt = true, ...side }: PlanSide,
  now: number,
): Reconciled {
  const { rollout } = snapshot;
  if (rollout.deleting) return { do: 'nothing' };
  if (snapshot.isForeign && !adopt) return { do: 'hold', held: notAdopted(rollout) };
  const revisions = snapshot.revise();
  if (revisions.length > 0)
    return {
      do: 'record',
      writes: [{ do: 'actions', actions: revisions }],
      makes: createdBy(revisions),
      rolled: undefined,
    };

  const view = { ...rollout, liveSince: Math.max(rollout.liveSince, liveSince) };
  const result = advance({ ...side, view, now });
  const rolled = { view, result };
  const writes = result.writes.flatMap((write) => recordOf(snapshot, write));
  if (writes.length > 0)
    return { do: 'record', writes, makes: writes.flatMap((write) => madeBy(view, write)), rolled };

  const held = heldReason(view, result, side.plans);
  const { refused, creationBackoff } = result;
  const decision = snapshot.decide(result.envelope, held, kept(view, result), refused, creationBackoff);
  const times = [decision.requeueAt, result.requeueAt].filter((at) => at !== undefined);
  return {
    do: 'act',
    rolled,
    actions: decision.actions,
    afterwards: decision.actions.length === 0 ? removableRecords(side.memory).map(forgetting) : [],
    status: decision.status,
    held,
    events: decision.events ?? [],
    explanations: decision.explanations,
    requeueAt: times.length === 0 ? undefined : Math.min(...times),
  };
}

/** What is known of the rollout; undefined: it was not looked at. */
export function rolloutResultOf(decided: Reconciled): Rolled | undefined {
  return 'rolled' in decided ? decided.rolled : undefined;
}

function recordOf(snapshot: RolloutSnapshot, write: MemoryWrite): RecordWrite[] {
  if (write.do !== 'complete') return [write];
  const actions = snapshot.complete(write.hash, write.retained);
  return actions.length === 0 ? [] : [{ do: 'actions', actions }];
}

function madeBy({ name }: RolloutView, write: RecordWrite): string[] {
  if (write.do === 'actions') return createdBy(write.actions);
  return write.do === 'accept' ? [snapshotName(name, write.spec.digest)] : [];
}

/** Hashes of the revisions that are needed whatever the history's limit: of where pods are, come from and may go back to. */
function kept({ stable, retained }: RolloutView, { accepted, envelope }: Advance): ReadonlySet<string> {
  const planned = accepted === undefined ? [] : [accepted.spec.to, ...accepted.spec.from];
  return new Set([
    stable,
    envelope.goal,
    ...(retained === undefined ? [] : [retained.hash]),
    ...planned.map(({ hash }) => hash),
    ...(accepted?.progress.stable === undefined ? [] : [accepted.progress.stable]),
  ]);
}

/** Forgets an accepted plan. */
function forgetting({ object }: Accepted): Action {
  const { name, uid, resourceVersion } = object.metadata;
  return {
    do: 'delete',
    kind: 'ControllerRevision',
    verb: 'delete plan record',
    name,
    uid: uid ?? '',
    resourceVersion: resourceVersion ?? '',
    reason: 'more recent plans and outcomes are retained',
  };
}
