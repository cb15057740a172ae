import type { Reconciled } from '../../semantics/reconcile/reconcile.ts';
import { recordRefused } from '../../semantics/plan/held.ts';
import { attempt } from '../act/attempt.ts';
import { BEHIND_MS } from '../act/catch-up.ts';
import { isRefusal } from '../act/moved-on.ts';
import { seenOf } from '../act/seen.ts';
import { remember } from '../plan/memory.ts';
import { act } from './act.ts';
import { leave, tell } from './publish.ts';
import { FIELD_MANAGER, type PassTools, type Subject } from './tools.ts';

type ToRecord = Extract<Reconciled, { do: 'record' }>;

/**
 * What was decided goes on record before it is acted on; the next pass acts. True: nothing more is to be done now, as
 * revisions that are lost as fast as they are made are not made.
 */
export async function record(tools: PassTools, subject: Subject, decided: ToRecord): Promise<boolean> {
  const { clock, surroundings, ask } = tools;
  const { key, target } = subject;
  const { makes, rolled } = decided;
  const deferral = makes.length === 0 ? undefined : surroundings.deferral(key, target, makes);
  if (deferral !== undefined) {
    await leave(tools, subject, deferral.held);
    ask(key, Math.max(deferral.until - clock.now(), 0));
    return true;
  }
  try {
    const isWhole = await write(tools, subject, decided);
    // What was refused is not tried again before the cache had its time to show why.
    if (rolled !== undefined) ask(key, isWhole ? 0 : BEHIND_MS);
    return false;
  } catch (error) {
    // A target of which the server refuses that says so, and holds no slot.
    if (isRefusal(error)) await attempt(() => leave(tools, subject, recordRefused(error.status.message)));
    throw error;
  }
}

/** False: the world has moved on. */
async function write(tools: PassTools, subject: Subject, { writes, rolled }: ToRecord): Promise<boolean> {
  const { cluster, caches, home, surroundings } = tools;
  const { key, target, state } = subject;
  const seen = seenOf(caches, key, target);
  for (const each of writes) {
    if (each.do === 'actions') {
      const movedOn = await act(tools, subject, { actions: each.actions });
      // What comes after says that it is there: it must not be on record before that is.
      if (movedOn > 0) return false;
      continue;
    }
    const onWritten = state.own.note;
    const made = await remember(each, {
      cluster,
      target,
      home,
      fieldManager: FIELD_MANAGER,
      seen,
      onWritten,
    });
    if (made !== undefined) surroundings.recorded(key, made.name, made.usual);
  }
  if (rolled !== undefined) await tell(tools, subject, rolled.result);
  return true;
}
