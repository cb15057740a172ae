import type { Clock } from '../../schemas/wire/clock.ts';
import type { EventDraft } from '../../semantics/decision.ts';

/** Limits the rate of Events about one target, which may have thousands of pods. */
export interface EventLimiter {
  /** The Events that the rate limit admits; the first one after a suppressed series states how many were suppressed. */
  admitted(events: readonly EventDraft[]): EventDraft[];
  /** As `admitted`, without Events that repeat the last message of their reason within a minute. */
  changed(events: readonly EventDraft[]): EventDraft[];
}

/** A token bucket for each reason, as in client-go's Event correlator: its size, and how often a token is added. */
const BURST = 25;
const REFILL_MS = 10_000;

/** An ongoing fact is reported by every reconcile; its Event is sent this often. */
const REPEAT_MS = 60_000;

/** The Events of one reason; times by the monotonic clock. */
interface Rate {
  message?: string;
  /** When `message` was last reported. */
  reportedAt?: number;
  /** Tokens in the bucket at `at`. */
  tokens: number;
  at: number;
  suppressed: number;
}

export function createEventLimiter(clock: Clock): EventLimiter {
  const rates = new Map<string, Rate>();

  function rateOf(reason: string): Rate {
    const now = clock.monotonic();
    const rate = rates.get(reason) ?? { tokens: BURST, at: now, suppressed: 0 };
    rates.set(reason, rate);
    rate.tokens = Math.min(BURST, rate.tokens + (now - rate.at) / REFILL_MS);
    rate.at = now;
    return rate;
  }

  function admitted(events: readonly EventDraft[]): EventDraft[] {
    return events.flatMap((event) => {
      const rate = rateOf(event.reason);
      if (rate.tokens < 1) {
        rate.suppressed += 1;
        return [];
      }
      const { suppressed } = rate;
      rate.tokens -= 1;
      rate.suppressed = 0;
      if (suppressed === 0) return [event];
      return [{ ...event, message: `${event.message}; ${suppressed} more suppressed before it` }];
    });
  }

  return {
    admitted,
    changed(events) {
      const now = clock.monotonic();
      const fresh = events.filter((event) => {
        const rate = rateOf(event.reason);
        if (rate.message === event.message && now < (rate.reportedAt ?? 0) + REPEAT_MS) return false;
        rate.message = event.message;
        rate.reportedAt = now;
        return true;
      });
      return admitted(fresh);
    },
  };
}
