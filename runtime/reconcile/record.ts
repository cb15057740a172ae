import type { Reconciled } from '../../semantics/reconcile/reconcile.ts';
import { recordRefused } from '../../semantics/plan/held-undecided.ts';
import { attempt } from '../act/attempt.ts';
import { isRefusal } from '../act/conflict.ts';
import { observedVersionsOf } from '../act/observed-versions.ts';
import { writeMemory } from '../plan/memory.ts';
import { act } from './act.ts';
import { reportHeldOnly, recordEvents } from './publish.ts';
import { FIELD_MANAGER, type ReconcileTools, type Subject } from './tools.ts';

type ToRecord = Extract<Reconciled, { do: 'record' }>;

/**
 * Records a decision before it is executed; the next reconcile executes it. True: nothing more is to be done now, because
 * revisions that are lost repeatedly are in creation backoff.
 */
export async function record(tools: ReconcileTools, subject: Subject, decided: ToRecord): Promise<boolean> {
  const { clock, contexts, enqueue } = tools;
  const { key, target, state } = subject;
  const { creates, rolloutResult } = decided;
  const deferral = creates.length === 0 ? undefined : contexts.deferral(key, target, creates);
  if (deferral !== undefined) {
    await reportHeldOnly(tools, subject, deferral.held);
    enqueue(key, Math.max(deferral.until - clock.now(), 0));
    return true;
  }
  try {
    const isWhole = await write(tools, subject, decided);
    if (isWhole) {
      state.anotherProcess.recorded();
      state.recorded.inARow += 1;
      state.recorded.at = clock.now();
    }
    // After a conflict the actions have enqueued a reconcile, for when the cache shows the change.
    if (isWhole && rolloutResult !== undefined) {
      state.progressClock = rolloutResult.result.progressClock;
      enqueue(key);
    }
    return false;
  } catch (error) {
    // A target whose record the server refuses is held with that reason, without a slot.
    if (isRefusal(error))
      await attempt(() => reportHeldOnly(tools, subject, recordRefused(error.status.message)));
    throw error;
  }
}

/** False: a write ended with a conflict or not found. */
async function write(
  tools: ReconcileTools,
  subject: Subject,
  { writes, rolloutResult }: ToRecord,
): Promise<boolean> {
  const { options, cluster, clock, caches, stateNamespace, contexts } = tools;
  const { key, target, state } = subject;
  const observed = observedVersionsOf(caches, key, target, options.identity);
  for (const each of writes) {
    if (each.do === 'actions') {
      const conflicts = await act(tools, subject, { actions: each.actions });
      // The next write refers to these objects: it must not be recorded before they exist.
      if (conflicts > 0) return false;
      continue;
    }
    const onWritten = state.writes.note;
    const created = await writeMemory(each, {
      cluster,
      target,
      stateNamespace,
      fieldManager: FIELD_MANAGER,
      now: clock.now(),
      observed,
      onWritten,
    });
    if (created !== undefined) contexts.recorded(key, created.name, created.usual);
  }
  if (rolloutResult !== undefined) await recordEvents(tools, subject, rolloutResult.result);
  return true;
}
