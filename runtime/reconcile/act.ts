import { type Action, type Explanation, inSequence } from '../../semantics/decision.ts';
import type { Advance } from '../../semantics/plan/advance.ts';
import { STALE_REQUEUE_MS } from '../act/cache-freshness.ts';
import { isCurrent } from '../act/current.ts';
import { execute } from '../act/executor.ts';
import { type ObservedVersions, observedVersionsOf } from '../act/observed-versions.ts';
import { refusalEvent } from '../report/drafts.ts';
import { sendEvents } from '../report/events.ts';
import { FIELD_MANAGER, type ReconcileTools, type Subject } from './tools.ts';

/** What is carried out, and what it was decided by. */
export interface ActResult {
  actions: readonly Action[];
  explanations?: readonly Explanation[];
  /** Undefined: nothing of the rollout decided it. */
  result?: Advance;
}

const NOTHING: ObservedVersions = new Map();

/** Only revisions say what was seen, and to look through all pods for it costs. */
const writesRevision = ({ kind }: Action): boolean => kind === 'ControllerRevision';

/**
 * Carries actions out and tells of them. Returns how many the server did not do because the world had moved on; any other
 * refusal is thrown.
 */
export async function act(
  { options, stateNamespace, cluster, clock, caches, contexts, enqueue }: ReconcileTools,
  { key, target, state }: Subject,
  { actions, explanations = [], result }: ActResult,
): Promise<number> {
  const all = inSequence(actions);
  if (all.length > 0) options.onReconcile?.({ key, at: clock.now(), actions: all, explanations, result });
  const done: Action[] = [];
  const { events, movedOn } = await execute(actions, {
    cluster,
    namespace: target.metadata.namespace ?? stateNamespace,
    fieldManager: FIELD_MANAGER,
    observed: all.some(writesRevision) ? observedVersionsOf(caches, key, target) : NOTHING,
    onWritten: state.writes.note,
    onNameTaken(name) {
      // A name that is met again brings nothing new, and is no reason to hurry.
      enqueue(key, state.takenNames.has(name) ? STALE_REQUEUE_MS : 0);
      state.takenNames.add(name);
    },
    isCurrent: (action) => isCurrent(caches, target, action),
    onExecuted(action) {
      done.push(action);
      contexts.taken(key, action);
      options.onReconciled?.(action);
    },
    onConflict: (action) => options.onRefused?.(action, 'MovedOn'),
    onRefused(action, error) {
      options.onRefused?.(action, error.status.reason);
      contexts.refused(key, action, error);
      return sendEvents(cluster, target, [refusalEvent(action, error)], clock.now());
    },
  }).finally(() => {
    if (done.length > 0) options.onAction?.({ key, at: clock.now(), actions: done, explanations, result });
  });
  // The watch shows what has changed; a conflict without a change must not be waited for without end.
  if (movedOn > 0) enqueue(key, STALE_REQUEUE_MS);
  await sendEvents(cluster, target, state.eventLimiter.admitted(events), clock.now());
  return movedOn;
}
