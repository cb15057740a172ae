import { describe, expect, test } from 'vitest';
import { isFull, sampled } from '../lanes.ts';
import { holdAgainst, isConflict, outcome } from '../crash/compare.ts';
import { undisturbed } from '../crash/disturbances.ts';
import { type CrashStory, play } from '../crash/play.ts';
import { inPlace, recreation } from '../crash/stories.ts';
import { elected, type Hitch, type Seen } from './lead-elected.ts';

const nothingSeen = (): Seen => ({ writes: 0, terms: 0, strays: 0, keptBack: 0 });
const stories = [inPlace[0], recreation[0]].filter((story): story is CrashStory => story !== undefined);

/** Every third write is enough: each of these plays has a minute in which nobody, and then another one, leads. */
const APART = 3;

describe.each(stories.map((story) => [story.title, story] as const))(
  'two elected processes: %s',
  (_, story) => {
    test('do what one does', async () => {
      const seen = nothingSeen();
      const expected = await play(story, undisturbed());
      await holdAgainst(
        story,
        expected,
        [{ title: 'no hitch', how: elected(undefined, seen) }],
        outcome(isConflict),
      );
      expect(seen).toMatchObject({ terms: 1, strays: 0, keptBack: 0 });
    });

    test.each(['queued', 'on the wire'] as const)(
      'and the leader stands still for a minute at any of its writes, with others %s (L03)',
      { timeout: 120_000 },
      async (how) => {
        const expected = await play(story, undisturbed());
        const alone = nothingSeen();
        await play(story, elected(undefined, alone));
        expect(alone.writes).toBeGreaterThan(20);
        const all: Seen[] = [];
        const places = Array.from({ length: Math.ceil(alone.writes / APART) }, (_each, n) => 1 + n * APART);
        const trials = sampled(`${story.title}, ${how}`, places, 3).map((write) => {
          const hitch: Hitch = { write, how };
          const seen = nothingSeen();
          all.push(seen);
          return { title: `${how} at write ${hitch.write}`, how: elected(hitch, seen) };
        });
        await holdAgainst(story, expected, trials, outcome(isConflict));
        const sum = (field: keyof Seen): number => all.reduce((total, seen) => total + seen[field], 0);
        // Another one led each time; what was on the wire arrived, and what was queued did not.
        expect(sum('terms')).toBeGreaterThan(all.length);
        if (how === 'on the wire') expect(sum('strays')).toBeGreaterThanOrEqual(all.length - 1);
        else {
          expect(sum('strays')).toBe(0);
          if (isFull) expect(sum('keptBack')).toBeGreaterThan(0);
        }
      },
    );
  },
);
