import { NOTIFIED_ANNOTATION, noticeOf } from '../../semantics/plan/notice.ts';
import type { Reconciled } from '../../semantics/reconcile/reconcile.ts';
import { attempt } from '../act/attempt.ts';
import { isConflictOrNotFound } from '../act/conflict.ts';
import { STALE_REQUEUE_MS } from '../act/cache-freshness.ts';
import { writeMark } from '../plan/memory.ts';
import { heldSince } from '../report/snapshot.ts';
import { FIELD_MANAGER, type PlannedSubject, type ReconcileTools } from './tools.ts';

/**
 * Lets the webhook say that a rollout needs a person, and records what was delivered, so that no later process repeats it. Nothing waits
 * for the webhook, and nothing fails because of it.
 */
export async function notify(
  { options, cluster, notices, enqueue }: ReconcileTools,
  { key, target, state }: PlannedSubject,
  { held, rolloutResult: { view, result } }: Extract<Reconciled, { do: 'act' }>,
  now: number,
): Promise<void> {
  if (notices === undefined) return;
  const notice = noticeOf(view, result, held);
  const record = result.accepted?.object;
  const delivery =
    notice && held
      ? { ...notice, key, uid: target.metadata.uid ?? '', since: heldSince(target, held.reason, now) }
      : undefined;
  const isNew = notices.want(key, delivery, record?.metadata.annotations?.[NOTIFIED_ANNOTATION]);
  if (!isNew || notice === undefined || record === undefined) return;
  const onWritten = state.writes.note;
  const failure = await attempt(() =>
    writeMark(record, notice.mark, { cluster, fieldManager: FIELD_MANAGER, onWritten }),
  );
  if (failure === undefined) return;
  if (isConflictOrNotFound(failure.error)) enqueue(key, STALE_REQUEUE_MS);
  else options.onError?.(key, failure.error);
}
