import type { RolloutPlanSpec } from '../../schemas/generated/types/rolloutplan.ts';
import { type Action, createdBy } from '../decision.ts';
import { type InfluenceInput, underInfluence } from '../influence/under-influence.ts';
import type { RolloutSnapshot } from '../kinds/kind.ts';
import { releases } from '../launch/release.ts';
import type { Pod } from '../pod/types.ts';
import { writtenBy } from '../workload/decide.ts';
import { sideOfCreated } from '../plan/created.ts';
import { advance, type Advance } from '../plan/advance.ts';
import { followRoot } from '../plan/follow-root.ts';
import { heldReason } from '../plan/held.ts';
import { whileLimited } from '../plan/while-limited.ts';
import { notAdopted } from '../plan/held-undecided.ts';
import { type Accepted, removableRecords, type Progress, snapshotName } from '../plan/memory.ts';
import { pullActions } from '../plan/pulls.ts';
import type { AdvanceInput } from '../plan/advance-input.ts';
import type { RolloutView } from '../plan/rollout-view.ts';
import type { MemoryWrite } from '../plan/state.ts';
import type { Acted, Untouched } from './decided.ts';

/** What a reconcile reads beyond the snapshot of the target: plans, commands, records, clocks, policy. */
export interface PlanSide extends Omit<AdvanceInput, 'view' | 'now'> {
  /** When this process first observed the live template, milliseconds since 1970; undefined: the recorded time applies. */
  liveSince?: number | undefined;
  /** The same of the target's own partition and selector; undefined: long ago. */
  boundSince?: number | undefined;
  /** Whether pods that another controller has created are adopted; else their target is held. Default true. */
  adopt?: boolean | undefined;
  /** The pods that the target controls: their containers may have to start in an order. Default: none. */
  ownPods?: readonly Pod[] | undefined;
  /** What acts on the decision about units. Default: nothing. */
  influence?: InfluenceInput | undefined;
}

/** A write that must be done before anything else is decided. */
export type RecordWrite =
  | { do: 'actions'; actions: readonly Action[] }
  | { do: 'accept'; spec: RolloutPlanSpec; progress: Progress }
  | { do: 'progress'; accepted: Accepted };

interface RolloutResult {
  /** The view that the result is based on. */
  view: RolloutView;
  result: Advance;
}

/** What a reconcile decides about a target, as data. */
export type Reconciled =
  | Untouched
  /** Write this, in its order, then reconcile again. */
  | {
      do: 'record';
      writes: readonly RecordWrite[];
      /** Names of the ControllerRevisions that are created. */
      creates: readonly string[];
      /** Undefined: a revision of the template is missing, and the rollout was not decided. */
      rolloutResult: RolloutResult | undefined;
    }
  | (Acted & {
      rolloutResult: RolloutResult;
      /** The writes of pods that only pull images. If the server refuses them, nothing else waits. */
      pulls: readonly Action[];
      /** The writes that let further containers of pods start. If the server refuses them, nothing else waits. */
      releases: readonly Action[];
      /** Executed after the status is written. */
      afterwards: readonly Action[];
    });

/**
 * Decides about one target, in this order: first its revisions are recorded, then the state of its rollout. Only a state that
 * is recorded limits what is done to units. The function is pure and level-triggered: the runtime executes the result,
 * shadow mode compares it with what another controller does, and the forecast applies it to a model.
 */
export function reconcile(
  snapshot: RolloutSnapshot,
  { liveSince = 0, boundSince, adopt = true, ownPods = [], influence, ...given }: PlanSide,
  now: number,
): Reconciled {
  const { rollout } = snapshot;
  const side = { ...given, ...sideOfCreated(rollout, given) };
  if (rollout.deleting) return { do: 'nothing' };
  if (snapshot.isForeign && !adopt) {
    const { units } = rollout;
    const besides = units.of === 'selected' ? [units.unrecorded(given.policy)] : [];
    return { do: 'hold', held: notAdopted(rollout), besides };
  }
  const revisions = snapshot.revise();
  if (revisions.length > 0)
    return {
      do: 'record',
      writes: [{ do: 'actions', actions: revisions }],
      creates: createdBy(revisions),
      rolloutResult: undefined,
    };

  const view = { ...rollout, liveSince: Math.max(rollout.liveSince, liveSince), boundSince };
  const { origin } = view;
  const result =
    origin.by === 'root' ? followRoot({ ...side, view }, origin) : advance({ ...side, view, now });
  const rolloutResult = { view, result };
  const writes = result.writes.flatMap((write) => recordOf(snapshot, write));
  if (writes.length > 0)
    return {
      do: 'record',
      writes,
      creates: writes.flatMap((write) => createdNames(view, write)),
      rolloutResult,
    };

  const { envelope, refusals, creationBackoff } = result;
  const needed = neededHashes(view, result);
  const { decision, held, waitsFor, limitedBy, isPart } = underInfluence(
    influence,
    heldReason(view, result, side.plans),
    (shown) => snapshot.decide(envelope, shown, needed, refusals, creationBackoff, side.context.lastRefused),
  );
  const pulls = pullActions(view, result, side.context.pulls, now);
  const released = releases(ownPods, writtenBy(decision.actions), now);
  const times = [decision.requeueAt, result.requeueAt, pulls.requeueAt, released.requeueAt].filter(
    (at) => at !== undefined,
  );
  return {
    do: 'act',
    rolloutResult:
      limitedBy === undefined ? rolloutResult : { view, result: whileLimited(view, result, limitedBy) },
    actions: decision.actions,
    pulls: pulls.actions,
    releases: released.actions,
    afterwards:
      decision.actions.length + pulls.actions.length === 0
        ? removableRecords(side.memory).map(deleteRecord)
        : [],
    status: decision.status,
    held,
    events: decision.events ?? [],
    explanations: decision.explanations,
    waitsFor,
    isPart,
    requeueAt: times.length === 0 ? undefined : Math.min(...times),
  };
}

/** The result for the rollout; undefined: the rollout was not decided. */
export function rolloutResultOf(decided: Reconciled): RolloutResult | undefined {
  return 'rolloutResult' in decided ? decided.rolloutResult : undefined;
}

function recordOf(snapshot: RolloutSnapshot, write: MemoryWrite): RecordWrite[] {
  if (write.do !== 'complete') return [write];
  const actions = snapshot.complete(write.hash, write.retained, write.attempt, write.selection);
  return actions.length === 0 ? [] : [{ do: 'actions', actions }];
}

function createdNames({ name }: RolloutView, write: RecordWrite): string[] {
  if (write.do === 'actions') return createdBy(write.actions);
  return write.do === 'accept' ? [snapshotName(name, write.spec.digest)] : [];
}

/** Hashes of the revisions that the rollout needs, whatever the history limit: pods are on them, or may be updated to them. */
function neededHashes(
  { stable, retained }: RolloutView,
  { accepted, envelope }: Advance,
): ReadonlySet<string> {
  const planned = accepted === undefined ? [] : [accepted.spec.to, ...accepted.spec.from];
  return new Set([
    stable,
    envelope.goal,
    envelope.stable,
    ...(retained === undefined ? [] : [retained.hash]),
    ...planned.map(({ hash }) => hash),
    ...(accepted?.progress.before === undefined ? [] : [accepted.progress.before.stable]),
  ]);
}

/** Deletes the record of an accepted plan. */
function deleteRecord({ object }: Accepted): Action {
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
