import type { JsonObject } from '../../schemas/wire/json.ts';
import type { Resource } from '../../schemas/wire/cluster.ts';
import type { Condition, KubeObject } from '../../schemas/wire/object.ts';
import type { Advance } from '../../semantics/plan/advance.ts';
import { heldEventDraft } from '../../semantics/plan/held-condition.ts';
import { planStatus } from '../../semantics/plan/plan-status.ts';
import type { Acted } from '../../semantics/reconcile/decided.ts';
import type { Reconciled } from '../../semantics/reconcile/reconcile.ts';
import { attempt } from '../act/attempt.ts';
import { LIVE_LIST_MS } from '../act/cache-freshness.ts';
import { commandResource, planResource } from '../observe/plan-resources.ts';
import { answerCommand } from '../plan/commands.ts';
import { transitionEvent } from '../report/drafts.ts';
import { sendEvents } from '../report/events.ts';
import { heldStatus, snapshotReport } from '../report/snapshot.ts';
import { STALE_REQUEUE_MS } from '../act/cache-freshness.ts';
import { writeStatus } from '../report/status.ts';
import type { ReconcileInput, Unread } from './observe.ts';
import { notifyHeld } from './notify.ts';
import { FIELD_MANAGER, type PlannedSubject, type ReconcileTools, type Subject } from './tools.ts';

/** How often an oversized target is reconciled again: objects that used the memory may be deleted. */
const OVERSIZED_MS = 60_000;

/**
 * Writes only the Held condition of a target and its Event.
 *
 * @param besides further conditions
 * @param isShown false: the Event alone, because its status is too large to be compared
 */
export async function reportHeldOnly(
  tools: ReconcileTools,
  { key, kind, target, state }: Subject,
  held: { reason: string; message: string },
  besides: readonly Condition[] = [],
  isShown = true,
  meanwhile: JsonObject = {},
): Promise<void> {
  const { options, clock, caches, contexts } = tools;
  const now = clock.now();
  contexts.released(key);
  // It changes no pod, and none of its pods waits: what they have waited for is counted at its pace.
  caches.influences.await(key, []);
  state.waitsSince = undefined;
  const { gatedSince } = state;
  options.onSnapshot?.({ ...snapshotReport(key, target, { accepted: undefined }, held, now), gatedSince });
  notifyHeld(tools, { key, target }, held, isShown);
  if (!isShown) {
    // No status shows whether it was sent before: the server counts it.
    await sendEvents(tools.cluster, target, state.eventLimiter.changed([heldEventDraft(held)]), now);
    return;
  }
  const isPublished = await publishStatus(
    tools,
    { key, state },
    kind.resource,
    target,
    heldStatus(kind, target, held, besides, now, meanwhile),
  );
  await state.heldEvents.report(target, held, isPublished);
}

/** Reports why no decision can be made about a target. Returns whether the reconcile is complete. */
export async function reportUnread(
  tools: ReconcileTools,
  subject: Subject,
  unread: Unread,
): Promise<boolean> {
  switch (unread.is) {
    case 'oversized':
      await reportHeldOnly(tools, subject, unread.held, [], unread.isShown);
      tools.enqueue(subject.key, OVERSIZED_MS);
      return true;
    case 'unknown':
      if (unread.held !== undefined) await reportHeldOnly(tools, subject, unread.held);
      return false;
  }
}

/**
 * Answers commands and sends Events. The effect of a command is already recorded: an answer that the server refuses is
 * reported and retried later, and does not end the reconcile.
 */
export async function recordEvents(
  { options, cluster, clock, enqueue }: ReconcileTools,
  { key, target, state }: Subject,
  result: Advance,
): Promise<void> {
  if (result.answered.length === 0 && result.transitions.length === 0) return;
  for (const command of result.answered) {
    const failure = await attempt(async () =>
      state.writes.note(
        commandResource(key),
        await answerCommand(cluster, key.namespace, command, clock.now(), FIELD_MANAGER),
      ),
    );
    if (failure === undefined) continue;
    options.onError?.(key, failure.error);
    enqueue(key, LIVE_LIST_MS);
  }
  options.onReconcile?.({ key, at: clock.now(), actions: [], explanations: [], result });
  await sendEvents(cluster, target, result.transitions.map(transitionEvent), clock.now());
}

/**
 * Writes the status of the target and of its plans, and sends the Event that it is held. Returns when to reconcile again,
 * milliseconds since 1970; undefined: no Event is delayed.
 */
export async function publish(
  tools: ReconcileTools,
  subject: PlannedSubject,
  { objects, side: { memory } }: ReconcileInput,
  { status, held, rolloutResult: { view, result } }: Extract<Reconciled, { do: 'act' }>,
): Promise<number | undefined> {
  const { clock } = tools;
  const { key } = subject;
  const heldAt = await publishTarget(tools, subject, { status, held });
  for (const { object, plan } of objects) {
    const wanted = planStatus({
      view,
      memory,
      result,
      plan,
      before: object['status'] as Parameters<typeof planStatus>[0]['before'],
      generation: object.metadata.generation ?? 0,
      now: clock.now(),
    });
    await publishStatus(tools, subject, planResource(key), object, wanted);
  }
  return heldAt;
}

/** Writes the status of the target alone, and sends the Event that it is held. Returns the same. */
export async function publishTarget(
  tools: ReconcileTools,
  { key, kind, target, state }: Subject,
  { status, held }: Pick<Acted, 'status' | 'held'>,
): Promise<number | undefined> {
  state.statusAt = tools.clock.monotonic();
  const isPublished = await publishStatus(tools, { key, state }, kind.resource, target, status);
  return state.heldEvents.report(target, held, isPublished);
}

/** Whether the status differed and was written. */
async function publishStatus(
  { cluster, enqueue }: ReconcileTools,
  { key, state: { writes } }: Pick<Subject, 'key' | 'state'>,
  resource: Resource,
  object: KubeObject,
  status: object,
): Promise<boolean> {
  const stored = await writeStatus(cluster, resource, object, status, FIELD_MANAGER);
  // The watch usually shows the change; a conflict without a change would otherwise wait for whatever comes next.
  if (stored === 'conflict') {
    enqueue(key, STALE_REQUEUE_MS);
    return false;
  }
  writes.note(resource, stored);
  return stored !== undefined;
}
