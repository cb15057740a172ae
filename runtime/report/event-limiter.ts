import type { Clock } from '../../schemas/wire/clock.ts';
import type { EventDraft } from '../../semantics/decision.ts';

/** Keeps what is said of the thousand pods of a target to what somebody reads. */
export interface EventLimiter {
  /** Those of the Events that are worth a write now; one that comes after silence says how many were left out. */
  admitted(events: readonly EventDraft[]): EventDraft[];
  /** Those of them that are worth saying and not what was said last, of one reason, within the minute. */
  changed(events: readonly EventDraft[]): EventDraft[];
}

/** Events of one reason: so many at once, as with the API's own clients, then one in so long. */
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

export function createEventLimiter(clock: Clock): EventLimiter {
  /** By reason. */
  const reasons = new Map<string, Said>();

  function saidOf(reason: string): Said {
    const now = clock.monotonic();
    const said = reasons.get(reason) ?? { left: AT_ONCE, at: now, unsaid: 0 };
    reasons.set(reason, said);
    said.left = Math.min(AT_ONCE, said.left + (now - said.at) / EVERY_MS);
    said.at = now;
    return said;
  }

  function worthSaying(events: readonly EventDraft[]): EventDraft[] {
    return events.flatMap((event) => {
      const said = saidOf(event.reason);
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
    admitted: worthSaying,
    changed(events) {
      const now = clock.monotonic();
      const fresh = events.filter((event) => {
        const said = saidOf(event.reason);
        if (said.message === event.message && now < (said.saidAt ?? 0) + NEWS_MS) return false;
        said.message = event.message;
        said.saidAt = now;
        return true;
      });
      return worthSaying(fresh);
    },
  };
}
