import type { Clock } from '../../schemas/wire/clock.ts';
import type { Action } from '../../semantics/decision.ts';
import { reportDelayMs } from '../../semantics/plan/held.ts';
import type { TargetKey } from '../observe/target-key.ts';
import type { PassReport } from '../runtime.ts';
import type { Log, LogFields } from './log.ts';
import type { SnapshotReport } from './snapshot.ts';
import { createLogLimiter } from './log-limiter.ts';

/** Writes what passes did, and what they met. */
export interface ReconcileLog {
  /** Tells the turns that a roll-out has taken. */
  reconciled(report: PassReport): void;
  /** Tells what the server did; what it refused, `failed` and the target's Events tell. */
  executed(report: PassReport): void;
  failed(key: TargetKey, error: unknown): void;
  /** Logs that something remembered is not waited for. */
  discarded(key: TargetKey, message: string): void;
  /** Tells when a target begins to be held, for another reason, or no longer. */
  snapshot(report: SnapshotReport): void;
}

/** More names say nothing more; they are counted. */
const MOST_NAMES = 20;

export function createReconcileLog(log: Log, clock: Clock): ReconcileLog {
  const quiet = createLogLimiter(log, clock);
  const held = new Map<TargetKey, string>();
  /** What may be over in a moment, by the time since which it is so. */
  const awaited = new Map<TargetKey, number>();
  function awaits(key: TargetKey, why: SnapshotReport['held']): boolean {
    const waitMs = why === undefined ? 0 : reportDelayMs(why.reason);
    const since = awaited.get(key) ?? why?.since ?? 0;
    const isEarly = waitMs > 0 && clock.now() < since + waitMs;
    if (isEarly) awaited.set(key, since);
    else awaited.delete(key);
    return isEarly;
  }
  return {
    reconciled({ key, actions, result }) {
      // A pass that acts has told its turns before.
      if (actions.length > 0) return;
      for (const { reason, message, warning } of result?.transitions ?? [])
        log[warning ? 'warn' : 'info'](message, { ...aboutOf(key, result), reason });
    },
    executed({ key, actions, result }) {
      for (const { verb, kind, reason, names } of grouped(actions)) {
        const shown = names.slice(0, MOST_NAMES);
        const what = { verb, kind, count: names.length, names: shown };
        log.info(`${verb}: ${reason}`, { ...aboutOf(key, result), ...what });
      }
    },
    failed(key, error) {
      const text = error instanceof Error ? error.message : String(error);
      quiet.warn(String(key), `not done, and tried again: ${text}`, { target: String(key) });
    },
    discarded: (key, message) => log.warn(message, { target: String(key), reason: 'RecordDiscarded' }),
    snapshot({ key, held: why }) {
      const before = held.get(key);
      if (before === why?.reason || awaits(key, why)) return;
      if (why === undefined) held.delete(key);
      else held.set(key, why.reason);
      if (why === undefined) log.info(`no longer held (${before ?? ''})`, { target: String(key) });
      else log.info(`held: ${why.message}`, { target: String(key), reason: why.reason });
    },
  };
}

function aboutOf(key: TargetKey, result: PassReport['result']): LogFields {
  const accepted = result?.accepted;
  return {
    target: String(key),
    plan: accepted?.spec.digest,
    step: accepted?.spec.steps[accepted.progress.step]?.id,
  };
}

interface Group {
  verb: string;
  kind: string;
  reason: string;
  names: string[];
}

/** Actions of one kind and one reason are one line. */
function grouped(actions: readonly Action[]): Group[] {
  const groups = new Map<string, Group>();
  for (const action of actions) {
    const { verb, kind, reason } = action;
    const id = JSON.stringify([verb, kind, reason]);
    const group = groups.get(id) ?? { verb, kind, reason, names: [] };
    group.names.push(action.do === 'create' ? action.object.metadata.name : action.name);
    groups.set(id, group);
  }
  return [...groups.values()];
}
