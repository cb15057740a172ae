import { describe, test } from 'vitest';
import { sampled } from '../lanes.ts';
import { holdAgainst, isConflict, outcome, type Trial } from './compare.ts';
import { together, undisturbed } from './disturbances.ts';
import { play } from './play.ts';
import { inPlace, recreation, scaling, turns } from './stories.ts';

const prompt = [0, 0] as const;

/** Two at once: both prompt, one that sees everything one to three seconds late, and both late. */
function pairs(seeds: number): Trial[] {
  const trials: Trial[] = [{ title: 'both prompt', how: together([prompt, prompt], 0) }];
  for (let seed = 1; seed <= seeds; seed++) {
    trials.push(
      { title: `one late, seed ${seed}`, how: together([prompt, [1_000, 3_000]], seed) },
      {
        title: `both late, seed ${seed}`,
        how: together(
          [
            [500, 1_500],
            [1_000, 3_000],
          ],
          seed,
        ),
      },
    );
  }
  return trials;
}

describe('two runtimes at once, none elected', () => {
  const stories = [...inPlace, ...turns, ...recreation, ...scaling].map(
    (story) => [story.title, story] as const,
  );
  test.each(stories)('%s', { timeout: 60_000 }, async (_, story) => {
    const expected = await play(story, undisturbed());
    const trials = sampled(story.title, pairs(story.sizeChanges === true ? 0 : 20), 3);
    await holdAgainst(story, expected, trials, outcome(isConflict));
  });
});
