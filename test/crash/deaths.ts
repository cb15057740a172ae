import { describe, expect, test } from 'vitest';
import { sampled } from '../lanes.ts';
import { everything, holdAgainst, type Trial } from './compare.ts';
import { endsAt, shortLived, undisturbed } from './disturbances.ts';
import { type CrashStory, play } from './play.ts';
import { type Call, callText, type Fate, isWrite } from './port.ts';

/** A request that was under way when its process ended arrives this long after: in the middle of what the next one does. */
const ARRIVES_MS = 6_300;

/** Every call of the undisturbed run, ended in every way there is. */
export function everyEnd(calls: readonly Call[]): Trial[] {
  return calls.flatMap((call, index) => {
    const k = index + 1;
    const trial = (fate: Exclude<Fate, 'lives'>, words: string): Trial => ({
      title: `call ${k} (${callText(call)}) ${words}`,
      how: endsAt(k, fate),
    });
    const unanswered = trial('unanswered', 'done and not answered');
    if (!isWrite(call)) return [unanswered];
    return [
      unanswered,
      trial('unsent', 'not sent'),
      trial({ arrivesAfterMs: ARRIVES_MS }, 'under way, and late'),
    ];
  });
}

/** How many of them a sample has, of some 300 to 1,000. */
const ENDS = 12;

/** Calls after which each of a row of runtimes ends: a start takes twelve, the thirteenth is its first write. */
const LIFETIMES = [13, 14, 15, 17, 20, 26];

/**
 * The checks of each story: a runtime that ends at any call, and runtimes that always end early; `more`: calls that a
 * start takes beyond twelve.
 */
export function describeDeaths(stories: readonly CrashStory[], more = 0): void {
  describe.each(stories.map((story) => [story.title, story] as const))('%s', (_, story) => {
    test(
      'the runtime ends at any of its calls, and another goes on (IU-47)',
      { timeout: 300_000 },
      async (context) => {
        const calls: Call[] = [];
        const expected = await play(story, undisturbed(calls));
        expect([expected.broken, expected.errors]).toEqual([[], []]);
        expect(calls.filter(isWrite).length).toBeGreaterThan(20);
        const trials = sampled(story.title, everyEnd(calls), ENDS);
        await context.annotate(`${calls.length} calls, ${trials.length} ends`, 'kill points');
        await holdAgainst(story, expected, trials, everything);
      },
    );

    test('no runtime lives for long', { timeout: 300_000 }, async () => {
      const expected = await play(story, undisturbed());
      const lifetimes = sampled(story.title, LIFETIMES, 1).map((least) => least + more);
      const trials = lifetimes.map((calls) => ({
        title: `each after ${calls} calls`,
        how: shortLived(calls),
      }));
      await holdAgainst(story, expected, trials, everything);
    });
  });
}
