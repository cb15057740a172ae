import { reconciledAtOnce } from '../../semantics/plan/held-undecided.ts';
import type { RefusedPod } from '../../semantics/plan/rollout-context.ts';
import type { Acted, Untouched } from '../../semantics/reconcile/decided.ts';
import { reconcileStanding } from '../../semantics/reconcile/reconcile-standing.ts';
import { NOTHING_WHILE_HELD, type WhileHeld } from '../../semantics/kinds/kind.ts';
import { gatesOf } from '../../semantics/kinds/need.ts';
import { gatedSince } from '../../semantics/pod/gated.ts';
import { STALE_REQUEUE_MS } from '../act/cache-freshness.ts';
import { exceedsQuota } from '../act/conflict.ts';
import { refuseAll } from '../plan/orphans.ts';
import type { Refusals } from '../plan/refusals.ts';
import { heldStatus, snapshotReport } from '../report/snapshot.ts';
import { busyTime } from './busy-time.ts';
import { carryOut } from './carry-out.ts';
import { endNotices, notifyHeld } from './notify.ts';
import { withLatest } from './latest.ts';
import { influenceOn, readObjects, type ReadObjects } from './observe.ts';
import { publishTarget, reportHeldOnly, reportUnread } from './publish.ts';
import { FIELD_MANAGER, type ReconcileTools, type StandingSubject } from './tools.ts';
import { labelCopies } from './unlabelled-copies.ts';

/**
 * One reconcile of a target that has no plan: nothing is recorded, and what it wants is written at once. Resolves with true if it
 * was complete.
 */
export async function reconcileStandingTarget(
  tools: ReconcileTools,
  subject: StandingSubject,
): Promise<boolean> {
  const { clock, caches, contexts, enqueue } = tools;
  const { key } = subject;
  const busy = busyTime(clock);
  const observed = busy.during(() => readObjects(tools, subject, clock.now()));
  const read = observed.is === 'read' ? await withLatest(tools, subject, observed) : observed;
  const found = busy.during(() => (read.is === 'read' ? decideOn(tools, subject, read) : read));
  tools.busy(key, busy.ms);
  if (found.is !== 'decided') return reportUnread(tools, subject, found);
  // A reservation may end without a change of the pod.
  if (found.reserved > 0) enqueue(key, STALE_REQUEUE_MS);
  const { decided } = found;
  switch (decided.do) {
    case 'nothing':
      contexts.forget(key);
      caches.influences.await(key, []);
      endNotices(tools.notices, key);
      return true;
    case 'hold': {
      const { actions, again, status: meanwhile } = found.whileHeld;
      await reportHeldOnly(tools, subject, decided.held, [], true, meanwhile);
      const next = await refusePlans(tools, subject);
      if (next !== undefined) enqueue(key, Math.max(next - clock.now(), 0));
      if (again !== undefined) enqueue(key, Math.max(again - clock.now(), 0));
      if (actions.length > 0)
        await execute(tools, subject, found, letGo(subject, decided, found.whileHeld, found.now));
      return true;
    }
    case 'act':
      if (await labelCopies(tools, subject)) {
        // Once the caches show them, what they have is known.
        enqueue(key);
        return true;
      }
      await execute(tools, subject, found, decided);
      return true;
  }
}

/** A decision, without the objects that it is about: while thousands of copies are written, the caches get others in their place. */
interface Decided {
  is: 'decided';
  decided: Untouched | Acted;
  /** How many objects it is about, and of when they are, milliseconds since 1970. */
  objects: number;
  now: number;
  /** As in what was read. */
  reserved: number;
  /** What is done although the target is held. */
  whileHeld: WhileHeld;
}

function decideOn(
  tools: ReconcileTools,
  subject: StandingSubject,
  { objects, reserved }: ReadObjects,
): Decided {
  const { key, kind, target, state } = subject;
  state.gatedSince = gatedSince(objects.pods, gatesOf(kind.uses));
  const refusals = [...tools.contexts.refusalsOf(key, target), ...refusedPulls(state.refusals)];
  const influence = influenceOn(objects, state);
  const snapshot = kind.observe(objects);
  const decided = reconcileStanding(snapshot, target, refusals, influence);
  return {
    is: 'decided',
    decided,
    whileHeld: decided.do === 'hold' ? snapshot.whileHeld() : NOTHING_WHILE_HELD,
    objects: objects.pods.length + (objects.children?.length ?? 0),
    now: objects.now,
    reserved,
  };
}

/** What is done for a target that stays held: its status is the same. */
function letGo(
  { kind, target }: StandingSubject,
  { held }: Extract<Untouched, { do: 'hold' }>,
  { actions, status: meanwhile }: WhileHeld,
  now: number,
): Acted {
  const status = heldStatus(kind, target, held, [], now, meanwhile);
  const nothing = { events: [], explanations: [], waitsFor: [], isPart: false, requeueAt: undefined };
  return { do: 'act', actions, status, held, ...nothing };
}

/** Pods that only pull images, which the server refuses to create. */
function refusedPulls({ pull }: Pick<Refusals, 'pull'>): RefusedPod[] {
  const message = pull();
  if (message === undefined) return [];
  const isQuota = exceedsQuota({ code: 403, message });
  return [{ reason: isQuota ? 'NoCapacity' : 'FailedCreate', message, revision: undefined }];
}

async function execute(
  tools: ReconcileTools,
  subject: StandingSubject,
  { objects, now }: Decided,
  decided: Acted,
): Promise<void> {
  const { options } = tools;
  const { key, target, state } = subject;
  const { held, status } = decided;
  state.hasFailed = true;
  await carryOut(tools, subject, decided, {
    objects,
    result: undefined,
    asides: [],
    async announce() {
      options.onSnapshot?.({
        ...snapshotReport(key, target, { accepted: undefined }, held, now),
        gatedSince: state.gatedSince,
      });
    },
    async publish() {
      const next = await publishTarget(tools, subject, { status, held });
      notifyHeld(tools, subject, held);
      return next;
    },
    conclude: () => refusePlans(tools, subject),
  });
  state.hasFailed = false;
}

/** Answers plans and commands about the target: it has none. */
function refusePlans(
  { cluster, caches, clock }: ReconcileTools,
  { key }: StandingSubject,
): Promise<number | undefined> {
  const why = { reason: 'UnsupportedSemantics', message: reconciledAtOnce(key.kind), isAwaited: false };
  const [now, fieldManager] = [clock.now(), FIELD_MANAGER];
  return refuseAll({ cluster, caches, key, why, graceMs: 0, now, fieldManager });
}
