import { describe, test, vi } from 'vitest';
import { sampled } from '../lanes.ts';
import { holdAgainst, isConflict, outcome, type Trial } from './compare.ts';
import { drawnWorlds } from './drawn.ts';
import { type Lateness, together, undisturbed } from './disturbances.ts';
import { worldsOf } from './histories.ts';
import { play } from './play.ts';
import type { Subject, World } from './subject.ts';

vi.mock('../../semantics/kinds/registered.ts', () => import('../fixture-kind/registered.ts'));

const prompt: Lateness = { ms: [0, 0] };
const slow: Lateness = { ms: [1_000, 3_000] };
/** Two that see different things answer each other: with no delay at all they would do so without end. */
const usual: Lateness = { ms: [100, 300] };

/**
 * Two at once: both prompt, one that sees everything, or the pods alone, one to three seconds late, and both late. Where a
 * change arrives in the middle of a batch, the two see it at different times: a kind without a record of the units that it
 * takes then relies on the election, and so does everybody who sees the pods later than the records.
 */
function pairs({ reusesNames }: Subject, { sizeChanges, hangsOnMoments }: World): Trial[] {
  const trials: Trial[] = [{ title: 'both prompt', how: together([prompt, prompt], 0) }];
  const seeds = sizeChanges === true || (hangsOnMoments === true && reusesNames === true) ? 0 : 5;
  for (let seed = 1; seed <= seeds; seed++) {
    trials.push(
      { title: `one late, seed ${seed}`, how: together([prompt, slow], seed) },
      {
        title: `both late, seed ${seed}`,
        how: together([{ ms: [500, 1_500] }, slow], seed),
      },
    );
  }
  if (sizeChanges !== true && hangsOnMoments !== true)
    trials.push({
      title: 'one late with pods',
      how: together([usual, { ...usual, of: { pods: slow.ms } }], 1),
    });
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
        const trials = sampled(title, pairs(subject, world), 3);
        await holdAgainst(subject, world, expected, trials, outcome(isConflict));
      },
    );
  },
);
