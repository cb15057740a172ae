import { type Action, type Explanation, inSequence } from '../../semantics/decision.ts';
import type { Advance } from '../../semantics/plan/advance.ts';
import { STALE_REQUEUE_MS } from '../act/cache-freshness.ts';
import { isRefusal } from '../act/conflict.ts';
import { isCurrent } from '../act/current.ts';
import { execute } from '../act/executor.ts';
import { type ObservedVersions, observedVersionsOf } from '../act/observed-versions.ts';
import { refusalEvent } from '../report/drafts.ts';
import { sendEvents } from '../report/events.ts';
import { withoutLateAdoptions } from './adoption.ts';
import { pauseOfTaken } from './taken-names.ts';
import { FIELD_MANAGER, type ReconcileTools, type Subject } from './tools.ts';

/** The actions to execute, and the decision that they come from. */
export interface ActResult {
  actions: readonly Action[];
  explanations?: readonly Explanation[];
  /** Undefined: the actions do not come from the rollout. */
  result?: Advance | undefined;
}

const NOTHING: ObservedVersions = { versions: new Map() };

/** Only revisions record the observed versions, and computing these iterates all pods. */
const writesRevision = ({ kind }: Action): boolean => kind === 'ControllerRevision';

/**
 * Executes actions, and reports them as Events and to the hooks. Returns how many ended with a conflict or not found; any
 * other refusal is thrown.
 */
export async function act(
  tools: ReconcileTools,
  subject: Subject,
  { actions: decided, explanations = [], result }: ActResult,
): Promise<number> {
  const { options, stateNamespace, cluster, clock, caches, contexts, reservations, enqueue } = tools;
  const { key, target, state } = subject;
  const actions = await withoutLateAdoptions(tools, subject, decided);
  const all = inSequence(actions);
  if (all.length > 0) options.onReconcile?.({ key, at: clock.now(), actions: all, explanations, result });
  const done: Action[] = [];
  let stillTaken = 0;
  const { events, conflicts: refused } = await execute(actions, {
    cluster,
    namespace: target.metadata.namespace ?? stateNamespace,
    fieldManager: FIELD_MANAGER,
    observed: all.some(writesRevision) ? observedVersionsOf(caches, key, target, options.identity) : NOTHING,
    onWritten: state.writes.note,
    onNameTaken(name, { isCopy = false, namespace = '' }) {
      if (isCopy) {
        enqueue(key, state.occupied.has(namespace) ? STALE_REQUEUE_MS : 0);
        state.occupied.set(namespace, clock.now());
        return;
      }
      const knownMs = state.takenNames.add(name);
      if (knownMs !== undefined) stillTaken += 1;
      // A name that was taken before changes no decision: there is no hurry.
      enqueue(key, knownMs === undefined ? 0 : pauseOfTaken(knownMs));
    },
    lastRefused: state.refusals.lastRefused,
    isCurrent: (action) => isCurrent(caches, target, action),
    onExecuted(action) {
      done.push(action);
      if (action.isCopy === true && action.do === 'create') state.occupied.delete(action.namespace ?? '');
      state.copyBackoffs.tried(action, target.metadata.generation);
      contexts.taken(key, action);
      reservations.written(key, action);
      options.onExecuted?.(action);
    },
    onConflict(action) {
      state.copyBackoffs.tried(action, target.metadata.generation);
      reservations.release(key, action);
      options.onRefused?.(action, 'MovedOn');
    },
    onSkipped: (action) => reservations.release(key, action),
    onRefused(action, error) {
      options.onRefused?.(action, error.status.reason);
      const message = contexts.refused(key, action, error);
      if (isRefusal(error)) reservations.release(key, action);
      const event = refusalEvent(action, message);
      // The status names the namespaces of copies, of which there may be thousands.
      const sent = action.isCopy === true ? state.eventLimiter.admitted([event]) : [event];
      return sendEvents(cluster, target, sent, clock.now());
    },
  }).finally(() => {
    if (done.length > 0) options.onAction?.({ key, at: clock.now(), actions: done, explanations, result });
  });
  const conflicts = refused + decided.length - actions.length;
  // The watch usually shows the change; a conflict without a change would otherwise never be retried.
  if (conflicts > stillTaken) enqueue(key, STALE_REQUEUE_MS);
  await sendEvents(cluster, target, state.eventLimiter.admitted(events), clock.now());
  return conflicts;
}
