import type { Resource } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { Kind } from '../../semantics/kinds/kind.ts';
import { needOf, needsOf } from '../../semantics/kinds/need.ts';
import { kindOf, rulesFor } from '../../semantics/registry/registry.ts';
import {
  internalError,
  namespaceTerminating,
  recordsTerminating,
} from '../../semantics/plan/held-undecided.ts';
import { reconcile, type Reconciled, rolloutResultOf } from '../../semantics/reconcile/reconcile.ts';
import { attempt } from '../act/attempt.ts';
import { STALE_REQUEUE_MS } from '../act/cache-freshness.ts';
import { isTerminating } from '../act/conflict.ts';
import { commandResource, planResource } from '../observe/plan-resources.ts';
import type { TargetKey } from '../observe/target-key.ts';
import { deleteOldCommands } from '../plan/commands.ts';
import { reportOrphans } from '../plan/orphans.ts';
import { sendEvents } from '../report/events.ts';
import { snapshotReport } from '../report/snapshot.ts';
import { act } from './act.ts';
import { awaitedRevision } from './adoption.ts';
import { busyTime } from './busy-time.ts';
import { carryOut } from './carry-out.ts';
import { type ReconcileInput, readReconcileInput, observe, type Observation } from './observe.ts';
import { endNotices, notify, notifyHeld } from './notify.ts';
import { reportHeldOnly, reportUnread, publish, recordEvents } from './publish.ts';
import { record } from './record.ts';
import { reconcileStandingTarget } from './standing.ts';
import { FIELD_MANAGER, type PlannedSubject, type ReconcileTools, type Subject } from './tools.ts';

/** More records than this in a row no decision needs: a revision, its number and its marks, and the states of a plan. */
const MOST_RECORDS = 50;
/** How long after those one more is tried, that creates an object: whoever changed them may have stopped. */
const CREATED_MS = 3_600_000;
/**
 * The same of one that changes what is there. Such a record may differ from those before it: while hundreds of nodes come back one after
 * the other, each reconcile finds another list of those that are away.
 */
const CHANGED_MS = 60_000;

/** How often a target is tried again whose records are in a namespace that is being deleted. */
const RECORDS_MS = 30_000;

/**
 * One reconcile of one target: it observes, records the decision, and executes it only in a later reconcile.
 *
 * @param about the managed kinds, and which errors were thrown by this program itself
 * @returns a function that resolves with true if the target was reconciled completely
 */
export function createReconciler(
  tools: ReconcileTools,
  about: { managedKinds: readonly Kind[]; isOwnError(error: unknown): boolean },
): (key: TargetKey) => Promise<boolean> {
  const { caches, states, contexts } = tools;
  return async (key) => {
    if (!caches.isSynced(key)) return false;
    const managed = about.managedKinds.find((each) => each === kindOf(key));
    const target = caches.target(key);
    if (managed === undefined || target === undefined) {
      await forget(tools, key, managed !== undefined);
      return true;
    }
    const kind = rulesFor(managed, target);
    const subject: Subject = { key, kind, target, state: states.of(key) };
    if (caches.namespaces.isTerminating(homeOf(tools, subject))) return leaveAlone(tools, subject);
    if (await isStale(tools, subject)) return false;
    try {
      return kind.shape === 'Standing'
        ? await reconcileStandingTarget(tools, { ...subject, kind })
        : await reconcilePlanned(tools, { ...subject, kind });
    } catch (error) {
      if (isTerminating(error) && caches.namespaces.isTerminating(homeOf(tools, subject)))
        return await leaveAlone(tools, subject);
      // If the status cannot be written either, the log has the first error.
      if (about.isOwnError(error)) await attempt(() => reportHeldOnly(tools, subject, internalError(error)));
      throw error;
    } finally {
      contexts.ended(key);
    }
  };
}

/** The target does not exist, or is not managed: its plans and commands are answered. */
async function forget(
  { options, cluster, caches, clock, contexts, notices, reservations, enqueue }: ReconcileTools,
  key: TargetKey,
  isKnown: boolean,
): Promise<void> {
  contexts.forget(key);
  endNotices(notices, key);
  reservations.forget(key);
  caches.influences.await(key, []);
  options.onSnapshot?.({ key, gone: true, plan: undefined, held: undefined });
  // There its plans and commands are about to be deleted, too.
  if (caches.namespaces.isTerminating(key.namespace)) return;
  const now = clock.now();
  const next = await reportOrphans({ cluster, caches, key, isKnown, now, fieldManager: FIELD_MANAGER });
  if (next !== undefined) enqueue(key, Math.max(next - clock.now(), 0));
}

/** The namespace without which nothing can be recorded about a target: its own, or that of the records of a cluster-scoped one. */
function homeOf({ stateNamespace }: ReconcileTools, { key, kind }: Subject): string {
  return key.namespace === '' && kind.shape !== 'Standing' ? stateNamespace : key.namespace;
}

/** Nothing in a namespace that is being deleted is replaced or changed. The status of the target says so, once. */
async function leaveAlone(tools: ReconcileTools, subject: Subject): Promise<boolean> {
  const { key, target } = subject;
  if (key.namespace === '') {
    // Namespaces wake the targets in them alone.
    tools.enqueue(key, RECORDS_MS);
    await reportHeldOnly(tools, subject, recordsTerminating(tools.stateNamespace));
    return true;
  }
  if (target.metadata.deletionTimestamp === undefined)
    await reportHeldOnly(tools, subject, namespaceTerminating(key.namespace));
  else {
    tools.contexts.forget(key);
    tools.caches.influences.await(key, []);
  }
  return true;
}

/** Whether the caches do not show yet what earlier decisions about the target were based on. */
async function isStale(tools: ReconcileTools, subject: Subject): Promise<boolean> {
  const { options, cluster, clock, enqueue } = tools;
  const { key, kind, target, state } = subject;
  const basis = [kind.resource, resources.Pod, planResource(key)];
  const { waits, held, discarded } = state.freshness.check(target, basis);
  if (waits) enqueue(key, STALE_REQUEUE_MS);
  if (discarded !== undefined) {
    options.onDiscarded?.(key, discarded.message);
    await sendEvents(cluster, target, [{ type: 'Warning', ...discarded }], clock.now());
  }
  if (waits && held !== undefined) await reportHeldOnly(tools, subject, held);
  return waits;
}

async function reconcilePlanned(tools: ReconcileTools, subject: PlannedSubject): Promise<boolean> {
  const { caches, clock, contexts, reservations, enqueue, yieldAfter } = tools;
  const now = clock.now();
  const reservedBefore = reservations.count;
  const busy = busyTime(clock);
  let observation = busy.during(() => observe(tools, subject, now));
  tools.busy(subject.key, busy.ms);
  switch (observation.is) {
    case 'oversized':
    case 'unknown':
      return reportUnread(tools, subject, observation);
    case 'observed':
  }
  const awaited = await awaitedRevision(tools, subject, observation.orphans);
  if (awaited !== undefined) {
    enqueue(subject.key, STALE_REQUEUE_MS);
    await reportHeldOnly(tools, subject, awaited);
    return false;
  }
  await yieldAfter(subject.key, observation.pods);
  // Another target may have decided on a pod of this one meanwhile, and that write may be observed already.
  if (caches.areShared && reservations.count !== reservedBefore)
    observation = busy.during(() => observe(tools, subject, now));
  if (observation.is !== 'observed') {
    enqueue(subject.key, STALE_REQUEUE_MS);
    return false;
  }
  // A reservation may end without a change of the pod.
  if (observation.reserved > 0) enqueue(subject.key, STALE_REQUEUE_MS);
  const observed = observation;
  const input = busy.during(() => readReconcileInput(tools, subject, observed));
  const records = [...observation.revisions, ...tools.caches.runsOf(subject.target)];
  const other = subject.state.anotherProcess.observe(records);
  if (other !== undefined) tools.options.onAnotherProcess?.(subject.key, other);
  const decided = busy.during(() => decide(tools, subject, observed, input, now));
  tools.busy(subject.key, busy.ms);
  const { generation } = subject.target.metadata;
  if (decided.do !== 'record' || subject.state.recorded.generation !== generation)
    subject.state.recorded = { generation, inARow: 0, at: 0 };
  if (isWriting(decided)) {
    const { anotherProcess } = subject.state;
    if (!anotherProcess.mayWrite(basisOf(subject, observation.revisions))) return false;
    const told = anotherProcess.isUnaware ? recordedAgain(decided) : undefined;
    if (told !== undefined) return record(tools, subject, told);
  }
  const { recorded } = subject.state;
  switch (decided.do) {
    case 'nothing':
      contexts.forget(subject.key);
      tools.caches.influences.await(subject.key, []);
      endNotices(tools.notices, subject.key);
      return true;
    case 'hold':
      await reportHeldOnly(tools, subject, decided.held, decided.besides);
      return true;
    case 'record':
      if (recorded.inARow >= MOST_RECORDS && now < recorded.at + pauseBefore(decided))
        throw new Error(endless(decided));
      return record(tools, subject, decided);
    case 'act':
      await execute(tools, subject, input, decided, now);
      return true;
  }
}

/** What a target is held for whose records are never found: without an end it would write as fast as the server answers. */
function endless({ creates }: Extract<Reconciled, { do: 'record' }>): string {
  const [what, when] = creates.length === 0 ? ['its state', 'a minute'] : [creates.join(', '), 'an hour'];
  return `${MOST_RECORDS} records in a row changed nothing; the next is ${what}, ${when} after the last, or when git changes the target`;
}

/** Milliseconds between a record and the next one, where there were too many in a row. */
function pauseBefore({ creates }: Extract<Reconciled, { do: 'record' }>): number {
  return creates.length === 0 ? CHANGED_MS : CREATED_MS;
}

/** The record of the active plan as it is, in place of actions, so that another process finds this one. */
function recordedAgain(decided: Reconciled): Extract<Reconciled, { do: 'record' }> | undefined {
  const accepted = decided.do === 'act' ? decided.rolloutResult.result.accepted : undefined;
  if (accepted === undefined) return undefined;
  return { do: 'record', writes: [{ do: 'progress', accepted }], creates: [], rolloutResult: undefined };
}

/** Whether a decision changes anything but statuses. */
function isWriting(decided: Reconciled): boolean {
  if (decided.do !== 'act') return decided.do === 'record';
  return decided.actions.length + decided.pulls.length + decided.releases.length > 0;
}

/** The resources that a decision about a target is made on. */
function basisOf({ key, kind, target }: Subject, revisions: readonly KubeObject[]): Resource[] {
  const needs = kind.needs(target, revisions, []);
  return [
    kind.resource,
    resources.Pod,
    resources.ControllerRevision,
    planResource(key),
    commandResource(key),
    ...(needOf(needs, 'Claims') === undefined ? [] : [resources.PersistentVolumeClaim]),
    ...needsOf(needs, 'Children').map(({ resource }) => resource),
  ];
}

/** The decision of this reconcile; a plan that waits only for a slot takes one if one is free. */
function decide(
  { contexts }: ReconcileTools,
  { key, state }: Subject,
  { snapshot }: Extract<Observation, { is: 'observed' }>,
  { side }: ReconcileInput,
  now: number,
): Reconciled {
  let decided = reconcile(snapshot, side, now);
  const first = rolloutResultOf(decided);
  if (first !== undefined && contexts.enterQueue(key, first.result))
    decided = reconcile(snapshot, { ...side, context: { ...side.context, queued: undefined } }, now);
  const rollout = rolloutResultOf(decided);
  if (rollout === undefined) return decided;
  contexts.settle(key, rollout.view, rollout.result);
  // After a refused record the clocks of the recorded step run on.
  if (decided.do === 'act') state.progressClock = rollout.result.progressClock;
  return decided;
}

/** Executes the decision, publishes its result, and answers commands. */
async function execute(
  tools: ReconcileTools,
  subject: PlannedSubject,
  input: ReconcileInput,
  decided: Extract<Reconciled, { do: 'act' }>,
  now: number,
): Promise<void> {
  const { options, cluster, caches } = tools;
  const { key, target } = subject;
  const {
    held,
    rolloutResult: { view, result },
  } = decided;
  await carryOut(tools, subject, decided, {
    objects: view.pods.length,
    result,
    asides: [decided.pulls, decided.releases],
    async announce() {
      await recordEvents(tools, subject, result);
      options.onSnapshot?.(snapshotReport(key, target, result, held, now, view.units));
    },
    async publish() {
      try {
        const next = await publish(tools, subject, input, decided);
        notifyHeld(tools, subject, held);
        return next;
      } finally {
        // Whoever looks at a status that cannot be written sees nothing: all the more the webhook has to tell.
        await notify(tools, subject, decided);
      }
    },
    async conclude() {
      const next = await deleteOldCommands({ cluster, caches, key, now, fieldManager: FIELD_MANAGER });
      await act(tools, subject, { actions: decided.afterwards });
      return next;
    },
  });
}
