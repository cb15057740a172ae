import type { Reconciled } from '../../semantics/reconcile/reconcile.ts';
import { recordRefused } from '../../semantics/plan/held.ts';
import { attempt } from '../act/attempt.ts';
import { STALE_REQUEUE_MS } from '../act/cache-freshness.ts';
import { isRefusal } from '../act/conflict.ts';
import { observedVersionsOf } from '../act/observed-versions.ts';
import { writeMemory } from '../plan/memory.ts';
import { act } from './act.ts';
import { reportHeldOnly, recordEvents } from './publish.ts';
import { FIELD_MANAGER, type ReconcileTools, type Subject } from './tools.ts';

type ToRecord = Extract<Reconciled, { do: 'record' }>;

/**
 * What was decided goes on record before it is acted on; the next pass acts. True: nothing more is to be done now, as
 * revisions that are lost as fast as they are made are not made.
 */
export async function record(tools: ReconcileTools, subject: Subject, decided: ToRecord): Promise<boolean> {
  const { clock, contexts, enqueue } = tools;
  const { key, target } = subject;
  const { makes, rolled } = decided;
  const deferral = makes.length === 0 ? undefined : contexts.deferral(key, target, makes);
  if (deferral !== undefined) {
    await reportHeldOnly(tools, subject, deferral.held);
    enqueue(key, Math.max(deferral.until - clock.now(), 0));
    return true;
  }
  try {
    const isWhole = await write(tools, subject, decided);
    // What was refused is not tried again before the cache had its time to show why.
    if (rolled !== undefined) enqueue(key, isWhole ? 0 : STALE_REQUEUE_MS);
    return false;
  } catch (error) {
    // A target of which the server refuses that says so, and holds no slot.
    if (isRefusal(error))
      await attempt(() => reportHeldOnly(tools, subject, recordRefused(error.status.message)));
    throw error;
  }
}

/** False: the world has moved on. */
async function write(
  tools: ReconcileTools,
  subject: Subject,
  { writes, rolled }: ToRecord,
): Promise<boolean> {
  const { cluster, caches, stateNamespace, contexts } = tools;
  const { key, target, state } = subject;
  const seen = observedVersionsOf(caches, key, target);
  for (const each of writes) {
    if (each.do === 'actions') {
      const movedOn = await act(tools, subject, { actions: each.actions });
      // What comes after says that it is there: it must not be on record before that is.
      if (movedOn > 0) return false;
      continue;
    }
    const onWritten = state.writes.note;
    const made = await writeMemory(each, {
      cluster,
      target,
      home: stateNamespace,
      fieldManager: FIELD_MANAGER,
      seen,
      onWritten,
    });
    if (made !== undefined) contexts.recorded(key, made.name, made.usual);
  }
  if (rolled !== undefined) await recordEvents(tools, subject, rolled.result);
  return true;
}
