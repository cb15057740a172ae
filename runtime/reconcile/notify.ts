import {
  needsPerson,
  type Notice,
  NOTIFIED_ANNOTATION,
  noticeOf,
  waitsSince,
} from '../../semantics/plan/notice.ts';
import type { Reconciled } from '../../semantics/reconcile/reconcile.ts';
import { timestamp } from '../../semantics/values/timestamp.ts';
import { attempt } from '../act/attempt.ts';
import { isConflictOrNotFound } from '../act/conflict.ts';
import { STALE_REQUEUE_MS } from '../act/cache-freshness.ts';
import type { Delivery } from '../notify/payload.ts';
import type { TargetKey } from '../observe/target-key.ts';
import { writeMark } from '../plan/memory.ts';
import { heldSince } from '../report/snapshot.ts';
import { FIELD_MANAGER, type PlannedSubject, type ReconcileTools, type Subject } from './tools.ts';

/**
 * Lets the webhook say that a rollout needs a person, and records what was delivered, so that no later process repeats it. Nothing waits
 * for the webhook, and nothing fails because of it.
 */
export async function notify(
  { options, cluster, notices, enqueue }: ReconcileTools,
  { key, target, state }: PlannedSubject,
  { held, rolloutResult: { view, result } }: Extract<Reconciled, { do: 'act' }>,
): Promise<void> {
  if (notices === undefined) return;
  const notice = noticeOf(view, result, held);
  const record = result.accepted?.object;
  const since = record === undefined ? '' : waitsSince(record);
  const delivery = notice && deliveryOf(notice, { key, target }, since);
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

function deliveryOf(
  { event, digest, step, mark, reason, message }: Notice,
  { key, target }: Pick<Subject, 'key' | 'target'>,
  since: string,
): Delivery {
  const { uid = '' } = target.metadata;
  return { event, plan: { digest, step }, mark, reason, message, key, uid, since, occurrence: since };
}

/**
 * Lets the webhook say that a target is held for a reason that needs a person, or no more. It may have no record, so that another process
 * says it again, with the same id.
 *
 * @param isShown whether the status of the target can have the reason, and since when
 */
export function notifyHeld(
  { notices, clock }: ReconcileTools,
  { key, target }: Pick<Subject, 'key' | 'target'>,
  held: { reason: string; message: string } | undefined,
  isShown = true,
): void {
  if (notices === undefined) return;
  if (held === undefined || !needsPerson(held.reason)) {
    notices.wantHeld(key, undefined);
    return;
  }
  const { reason, message } = held;
  const { uid = '', generation = 0 } = target.metadata;
  const since = timestamp(heldSince(target, reason, clock.now()));
  const occurrence = isShown && reason !== 'StatusRefused' ? since : `generation ${generation}`;
  const said = { event: 'Held', plan: undefined, mark: `Held ${reason}`, reason, message } as const;
  notices.wantHeld(key, { ...said, key, uid, since, occurrence });
}

/** The target is gone, or about to be: nobody is needed for it. */
export function endNotices(notices: ReconcileTools['notices'], key: TargetKey): void {
  notices?.want(key, undefined, undefined);
  notices?.wantHeld(key, undefined);
}
