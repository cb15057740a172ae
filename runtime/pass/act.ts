import { type Action, type Because, inSequence } from '../../semantics/decision.ts';
import type { Advance } from '../../semantics/plan/advance.ts';
import { BEHIND_MS } from '../act/catch-up.ts';
import { isCurrent } from '../act/current.ts';
import { execute } from '../act/executor.ts';
import { type Seen, seenOf } from '../act/seen.ts';
import { refusalEvent } from '../report/drafts.ts';
import { sendEvents } from '../report/events.ts';
import { FIELD_MANAGER, type PassTools, type Subject } from './tools.ts';

/** What is carried out, and what it was decided by. */
export interface Deeds {
  actions: readonly Action[];
  because?: readonly Because[];
  /** Undefined: nothing of the rollout decided it. */
  result?: Advance;
}

const NOTHING: Seen = new Map();

/** Only revisions say what was seen, and to look through all pods for it costs. */
const writesRevision = ({ kind }: Action): boolean => kind === 'ControllerRevision';

/**
 * Carries actions out and tells of them. Returns how many the server did not do because the world had moved on; any other
 * refusal is thrown.
 */
export async function act(
  { options, home, cluster, clock, caches, surroundings, ask }: PassTools,
  { key, target, state }: Subject,
  { actions, because = [], result }: Deeds,
): Promise<number> {
  const all = inSequence(actions);
  if (all.length > 0) options.onPass?.({ key, at: clock.now(), actions: all, because, result });
  const done: Action[] = [];
  const { events, movedOn } = await execute(actions, {
    cluster,
    namespace: target.metadata.namespace ?? home,
    fieldManager: FIELD_MANAGER,
    seen: all.some(writesRevision) ? seenOf(caches, key, target) : NOTHING,
    onWritten: state.own.note,
    onNameTaken(name) {
      // A name that is met again brings nothing new, and is no reason to hurry.
      ask(key, state.takenNames.has(name) ? BEHIND_MS : 0);
      state.takenNames.add(name);
    },
    isCurrent: (action) => isCurrent(caches, target, action),
    onDone(action) {
      done.push(action);
      surroundings.taken(key, action);
      options.onDone?.(action);
    },
    onMovedOn: (action) => options.onRefused?.(action, 'MovedOn'),
    onRefused(action, error) {
      options.onRefused?.(action, error.status.reason);
      surroundings.refused(key, action, error);
      return sendEvents(cluster, target, [refusalEvent(action, error)], clock.now());
    },
  }).finally(() => {
    if (done.length > 0) options.onDid?.({ key, at: clock.now(), actions: done, because, result });
  });
  // The watch shows what has changed; a conflict without a change must not be waited for without end.
  if (movedOn > 0) ask(key, BEHIND_MS);
  await sendEvents(cluster, target, state.talk.worthSaying(events), clock.now());
  return movedOn;
}
