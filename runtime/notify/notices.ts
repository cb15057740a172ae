import type { Webhook } from '../../schemas/generated/types/runtimeconfig.ts';
import type { Clock } from '../../schemas/wire/clock.ts';
import type { Post } from '../check/get.ts';
import { checkLimits } from '../check/checks.ts';
import type { TargetKey } from '../observe/target-key.ts';
import { type Delivery, deliveryId, headersOf, payloadOf } from './payload.ts';

/** How one attempt, or all of one notice, ended. */
export type Outcome = 'delivered' | 'failed' | 'gaveUp';

/** After so many attempts, which take about twenty minutes, a notice is given up: it is tried again once an hour. */
const MOST_ATTEMPTS = 10;
const PAUSE_MS = { first: 5_000, most: 300_000, givenUp: 3_600_000 };
/** How long a target must stay held with no decision about it: many a failure is over at the next attempt. */
const HELD_MS = 60_000;
/** Most requests at once: a receiver that does not answer holds up no more. */
const MOST_AT_ONCE = 4;

/** Tells a receiver which rollouts need a person. No reconcile waits for it. */
export interface Notices {
  /**
   * Sends a notice about a rollout until it was delivered or is wanted no more. `mark`: what the record of the plan has. True: it was
   * delivered, and the record does not have that yet.
   */
  want(key: TargetKey, delivery: Delivery | undefined, mark: string | undefined): boolean;
  /** The same of a target that is held with no decision about it. This is on no record: another process sends it again. */
  wantHeld(key: TargetKey, delivery: Delivery | undefined): void;
  /** Notices that were neither delivered nor given up. */
  readonly waiting: number;
  /** Cancels all requests; later calls of `want` send nothing. */
  stop(): void;
}

export interface NoticeOptions {
  webhook: Webhook;
  clock: Clock;
  post: Post;
  /** The key of the signature; throws a sentence if it cannot be read. */
  readSecret: (() => Uint8Array) | undefined;
  /** A random number in [0, 1), for jitter of retries. Default: no jitter. */
  random?: (() => number) | undefined;
  /** Called after a delivery; never synchronously by `want`. */
  onDelivered(key: TargetKey): void;
  /** Called after every attempt, and once more when a notice is given up. `problem`: why there was no delivery. */
  onOutcome?:
    | ((key: TargetKey, event: Delivery['event'], outcome: Outcome, problem?: string) => void)
    | undefined;
}

interface Entry {
  delivery: Delivery;
  attempts: number;
  is: 'waiting' | 'sending' | 'delivered' | 'givenUp';
  cancel: () => void;
  ended: AbortController;
}

export function createNotices(options: NoticeOptions): Notices {
  const { webhook, clock, post, onDelivered, onOutcome = () => {} } = options;
  const rollouts = new Map<TargetKey, Entry>();
  const held = new Map<TargetKey, Entry>();
  /** Those that are due, in the order in which they became so. */
  const due = new Set<Entry>();
  let sending = 0;
  let stopped = false;

  function end(entries: Map<TargetKey, Entry>, key: TargetKey): void {
    const entry = entries.get(key);
    if (entry === undefined) return;
    entries.delete(key);
    due.delete(entry);
    entry.cancel();
    entry.ended.abort();
  }

  function becomeDue(entry: Entry, delayMs: number): void {
    entry.cancel = clock.after(delayMs, () => {
      due.add(entry);
      next();
    });
  }

  function next(): void {
    for (const entry of due) {
      if (sending >= MOST_AT_ONCE) return;
      due.delete(entry);
      void attempt(entry);
    }
  }

  async function attempt(entry: Entry): Promise<void> {
    sending += 1;
    entry.is = 'sending';
    entry.attempts += 1;
    const problem = await problemOf(entry);
    sending -= 1;
    if (!entry.ended.signal.aborted) settle(entry, problem);
    next();
  }

  /** Why there was no delivery; undefined: there was one. */
  async function problemOf({ delivery, ended }: Entry): Promise<string | undefined> {
    try {
      const content = payloadOf(delivery, webhook);
      const headers = headersOf(deliveryId(delivery), content, options.readSecret?.());
      const got = await post(webhook.url, { ...checkLimits, headers, content, signal: ended.signal });
      if ('error' in got) return got.error;
      const { status } = got;
      if (status >= 200 && status < 300) return undefined;
      return status >= 300 && status < 400
        ? `it answered with a redirect (${status}), and redirects are not followed`
        : `it answered ${status}`;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  function settle(entry: Entry, problem: string | undefined): void {
    const { key, event } = entry.delivery;
    if (problem === undefined) {
      entry.is = 'delivered';
      onOutcome(key, event, 'delivered');
      onDelivered(key);
      return;
    }
    onOutcome(key, event, 'failed', problem);
    if (entry.attempts === MOST_ATTEMPTS) onOutcome(key, event, 'gaveUp', problem);
    const isGivenUp = entry.attempts >= MOST_ATTEMPTS;
    entry.is = isGivenUp ? 'givenUp' : 'waiting';
    const pauseMs = isGivenUp
      ? PAUSE_MS.givenUp
      : Math.min(PAUSE_MS.first * 2 ** (entry.attempts - 1), PAUSE_MS.most);
    becomeDue(entry, pauseMs * (0.75 + (options.random?.() ?? 1) / 4));
  }

  /** Whether it was delivered. */
  function wantIn(
    entries: Map<TargetKey, Entry>,
    key: TargetKey,
    delivery: Delivery | undefined,
    delayMs: number,
  ): boolean {
    const known = entries.get(key);
    if (stopped || delivery === undefined || !isChosen(webhook, delivery)) {
      end(entries, key);
      return false;
    }
    if (known !== undefined && isSame(known.delivery, delivery)) {
      // What was decided first may not be on record as it was thought.
      if (known.attempts === 0) known.delivery = delivery;
      return known.is === 'delivered';
    }
    end(entries, key);
    const ended = new AbortController();
    const entry: Entry = { delivery, attempts: 0, is: 'waiting', cancel() {}, ended };
    entries.set(key, entry);
    becomeDue(entry, delayMs);
    return false;
  }

  return {
    want: (key, delivery, mark) => wantIn(rollouts, key, delivery?.mark === mark ? undefined : delivery, 0),
    wantHeld: (key, delivery) => void wantIn(held, key, delivery, HELD_MS),
    get waiting() {
      const all = [...rollouts.values(), ...held.values()];
      return all.filter(({ is }) => is === 'waiting' || is === 'sending').length;
    },
    stop() {
      stopped = true;
      for (const entries of [rollouts, held]) for (const key of [...entries.keys()]) end(entries, key);
    },
  };
}

function isChosen({ events }: Webhook, { event }: Delivery): boolean {
  return events === undefined || events.includes(event);
}

/** The message may differ: an event that was sent once is not sent again because its words have changed. */
function isSame(one: Delivery, other: Delivery): boolean {
  return one.uid === other.uid && one.plan?.digest === other.plan?.digest && one.mark === other.mark;
}
