import { describe, test, vi } from 'vitest';
import { sampled } from '../lanes.ts';
import { holdAgainst, isConflict, outcome, type Trial } from './compare.ts';
import { drawnWorlds } from './drawn.ts';
import { together, undisturbed } from './disturbances.ts';
import { worldsOf } from './histories.ts';
import { play } from './play.ts';

vi.mock('../../semantics/kinds/registered.ts', () => import('../fixture-kind/registered.ts'));

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

describe.each(drawnWorlds('together', worldsOf))(
  '%s: two runtimes at once, none elected',
  (_kind, subject, worlds) => {
    test.each(worlds.map((world) => [world.title, world] as const))(
      '%s',
      { timeout: 300_000 },
      async (title, world) => {
        const expected = await play(subject, world, undisturbed());
        const trials = sampled(title, pairs(world.sizeChanges === true ? 0 : 5), 3);
        await holdAgainst(subject, world, expected, trials, outcome(isConflict));
      },
    );
  },
);
