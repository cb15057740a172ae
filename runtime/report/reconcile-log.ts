import type { Clock } from '../../schemas/wire/clock.ts';
import type { Action } from '../../semantics/decision.ts';
import { reportDelayMs } from '../../semantics/plan/held-condition.ts';
import type { TargetKey } from '../observe/target-key.ts';
import type { ReconcileReport } from '../runtime.ts';
import type { Outcome } from '../notify/notices.ts';
import type { Log, LogFields } from './log.ts';
import type { SnapshotReport } from './snapshot.ts';
import { createLogLimiter } from './log-limiter.ts';

/** Logs what reconciles did, and their errors. */
export interface ReconcileLog {
  /** Logs the phase transitions of a rollout. */
  reconciled(report: ReconcileReport): void;
  /** Logs the writes that the server accepted; refused ones are logged by `failed` and shown as Events. */
  executed(report: ReconcileReport): void;
  failed(key: TargetKey, error: unknown): void;
  /** Logs that a record of another history of the server was discarded. */
  discarded(key: TargetKey, message: string): void;
  /** Logs that another process writes about the target, too. */
  notAlone(key: TargetKey, identity: string): void;
  /** Logs what the webhook could not say; never its address, which may be a secret. */
  noticed(key: TargetKey, event: string, outcome: Outcome, problem?: string): void;
  /** Logs when a target becomes held, is held for another reason, or is no longer held. */
  snapshot(report: SnapshotReport): void;
}

/** Most names of objects in one line; the line also has the count. */
const MOST_NAMES = 20;

export function createReconcileLog(log: Log, clock: Clock): ReconcileLog {
  const quiet = createLogLimiter(log, clock);
  const held = new Map<TargetKey, string>();
  /** Since when each target has a reason that is reported after a delay. */
  const delayed = new Map<TargetKey, number>();
  function isDelayed(key: TargetKey, why: SnapshotReport['held']): boolean {
    const waitMs = why === undefined ? 0 : reportDelayMs(why.reason);
    const since = delayed.get(key) ?? why?.since ?? 0;
    const isEarly = waitMs > 0 && clock.now() < since + waitMs;
    if (isEarly) delayed.set(key, since);
    else delayed.delete(key);
    return isEarly;
  }
  return {
    reconciled({ key, actions, result }) {
      // A reconcile that acts has logged its transitions before.
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
      quiet.warn(String(key), `reconcile failed, retrying: ${text}`, { target: String(key) });
    },
    discarded: (key, message) => log.warn(message, { target: String(key), reason: 'RecordDiscarded' }),
    notAlone: (key, identity) =>
      log.warn(`${identity} writes about it, too; run one of them, or give both the same Lease`, {
        target: String(key),
        reason: 'AnotherProcess',
      }),
    noticed(key, event, outcome, problem) {
      const about = `webhook ${String(key)}`;
      const fields = { target: String(key), reason: event };
      if (outcome === 'delivered') quiet.over(about, 'the webhook was delivered', fields);
      else if (outcome === 'gaveUp') log.warn(`the webhook is given up: ${problem}`, fields);
      else quiet.warn(about, `the webhook was not delivered, retrying: ${problem}`, fields);
    },
    snapshot({ key, held: why }) {
      const before = held.get(key);
      if (before === why?.reason || isDelayed(key, why)) return;
      if (why === undefined) held.delete(key);
      else held.set(key, why.reason);
      if (why === undefined) log.info(`no longer held (${before ?? ''})`, { target: String(key) });
      else log.info(`held: ${why.message}`, { target: String(key), reason: why.reason });
    },
  };
}

function aboutOf(key: TargetKey, result: ReconcileReport['result']): LogFields {
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

/** One line for all actions of the same verb, kind and reason. */
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
