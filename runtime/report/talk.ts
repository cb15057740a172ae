import type { Clock } from '../../schemas/wire/clock.ts';
import type { EventDraft } from '../../semantics/decision.ts';
import type { TargetKey } from '../observe/target-key.ts';

/** Keeps what is said of a thousand pods to what somebody reads. */
export interface Talk {
  /** Those of the Events about a target that are worth a write now; one that comes after silence says how many were left out. */
  worthSaying(key: TargetKey, events: readonly EventDraft[]): EventDraft[];
  /** Those of them that are worth saying and not what was said last, of one reason, within the minute. */
  news(key: TargetKey, events: readonly EventDraft[]): EventDraft[];
  delete(key: TargetKey): void;
}

/** Events of one reason about one target: so many at once, as with the API's own clients, then one in so long. */
const AT_ONCE = 25;
const EVERY_MS = 10_000;

/** What goes on is looked at in every pass, and said so often. */
const NEWS_MS = 60_000;

interface Said {
  message?: string;
  /** When that was, by the steady clock. */
  saidAt?: number;
  /** How many may be said at `at`, by the steady clock. */
  left: number;
  at: number;
  unsaid: number;
}

export function createTalk(clock: Clock): Talk {
  const targets = new Map<TargetKey, Map<string, Said>>();

  function saidOf(key: TargetKey, reason: string): Said {
    const reasons = targets.get(key) ?? new Map<string, Said>();
    targets.set(key, reasons);
    const now = clock.monotonic();
    const said = reasons.get(reason) ?? { left: AT_ONCE, at: now, unsaid: 0 };
    reasons.set(reason, said);
    said.left = Math.min(AT_ONCE, said.left + (now - said.at) / EVERY_MS);
    said.at = now;
    return said;
  }

  function worthSaying(key: TargetKey, events: readonly EventDraft[]): EventDraft[] {
    return events.flatMap((event) => {
      const said = saidOf(key, event.reason);
      if (said.left < 1) {
        said.unsaid += 1;
        return [];
      }
      const { unsaid } = said;
      said.left -= 1;
      said.unsaid = 0;
      return [unsaid === 0 ? event : { ...event, message: `${event.message}; ${unsaid} more before it` }];
    });
  }

  return {
    worthSaying,
    news(key, events) {
      const now = clock.monotonic();
      const fresh = events.filter((event) => {
        const said = saidOf(key, event.reason);
        if (said.message === event.message && now < (said.saidAt ?? 0) + NEWS_MS) return false;
        said.message = event.message;
        said.saidAt = now;
        return true;
      });
      return worthSaying(key, fresh);
    },
    delete: (key) => void targets.delete(key),
  };
}
