import type { Child } from './child.ts';

/**
 * A tick that ran a template which is not stable yet. It is recorded on the revision of that template before its child is
 * created, so that the bound of a step holds whatever becomes of children: history limits and TTLs delete them.
 */
export interface Tick {
  /** Milliseconds since 1970, a whole second. */
  at: number;
  outcome: 'started' | 'succeeded' | 'failed';
  /** When its failure was seen, milliseconds since 1970. Undefined: it has not failed. */
  failedAt?: number;
}

/** The annotation of a revision with its ticks. */
export const TICKS_ANNOTATION = 'plan.kruise.io/ticks';

/** How many ticks are on record, the newest: a step that counts more would never be done. */
export const MOST_TICKS = 200;

/** The ticks as they are stored, oldest first: seconds since 1970, `+` for success, `-` and the time for failure. */
export function ticksText(ticks: readonly Tick[]): string {
  return [...ticks]
    .sort((a, b) => a.at - b.at)
    .slice(-MOST_TICKS)
    .map(({ at, outcome, failedAt = at }) => {
      const seconds = at / 1000;
      if (outcome === 'started') return `${seconds}`;
      return outcome === 'succeeded' ? `${seconds}+` : `${seconds}-${Math.floor(failedAt / 1000)}`;
    })
    .join(' ');
}

/** Parses stored ticks; none if the text was not written by `ticksText`. */
export function readTicks(text: string | undefined): readonly Tick[] {
  if (text === undefined || text === '') return [];
  const ticks: Tick[] = [];
  for (const word of text.split(' ')) {
    const [, at, isSuccess, failedAt] = /^([0-9]{1,12})(?:(\+)|-([0-9]{1,12}))?$/.exec(word) ?? [];
    if (at === undefined) return [];
    const tick = Number(at) * 1000;
    if (failedAt !== undefined)
      ticks.push({ at: tick, outcome: 'failed', failedAt: Number(failedAt) * 1000 });
    else ticks.push({ at: tick, outcome: isSuccess === undefined ? 'started' : 'succeeded' });
  }
  return ticks;
}

/**
 * The ticks after a look at the children. A tick whose child is gone has failed, as nobody saw its end; one whose child was
 * never seen is off the record, unless it may still be created.
 *
 * @param last the last tick that has a child, or had one
 * @param due the tick that is due
 */
export function observedTicks(
  ticks: readonly Tick[],
  children: readonly Child[],
  { last, due, now }: { last: number | undefined; due: number | undefined; now: number },
): readonly Tick[] {
  if (ticks.every(({ outcome }) => outcome !== 'started')) return ticks;
  const byTick = new Map(children.map((child) => [child.tick, child]));
  return ticks.flatMap((tick): Tick[] => {
    if (tick.outcome !== 'started') return [tick];
    const child = byTick.get(tick.at);
    if (child === undefined && (last === undefined || tick.at > last)) return tick.at === due ? [tick] : [];
    if (child?.state === 'active') return [tick];
    if (child?.state === 'succeeded') return [{ at: tick.at, outcome: 'succeeded' }];
    return [{ at: tick.at, outcome: 'failed', failedAt: now }];
  });
}

/**
 * The ticks that a plan counts. A failure is over when a tick that came after it has succeeded: a person has resumed the plan
 * meanwhile.
 */
export function countedTicks(ticks: readonly Tick[]): readonly Tick[] {
  const success = ticks.findLast(({ outcome }) => outcome === 'succeeded');
  return ticks.filter(
    ({ outcome, failedAt }) => outcome !== 'failed' || success === undefined || (failedAt ?? 0) >= success.at,
  );
}

/** How many ticks use up what a step allows: a failed one may be repeated once the plan goes on. */
export function takenTicks(ticks: readonly Tick[]): number {
  return ticks.filter(({ outcome }) => outcome !== 'failed').length;
}
