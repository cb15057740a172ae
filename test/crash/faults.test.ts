import { describe, expect, test } from 'vitest';
import { isFull, sampled } from '../lanes.ts';
import { holdAgainst, isConflict, outcome } from './compare.ts';
import { faults, undisturbed } from './disturbances.ts';
import { faultKinds, type Injected } from './faults.ts';
import { play } from './play.ts';
import { inPlace, recreation, turns } from './stories.ts';

/** One seed alone where the environment names it, as in the line that a failure prints. */
const only = process.env['KRUISE_SEED'];
const all = Array.from({ length: 100 }, (_, index) => index);
const seedsFor = (story: string): readonly number[] =>
  only === undefined ? sampled(story, all, 6) : [Number(only)];

const stories = [...inPlace, ...turns, ...recreation].filter(({ title }) =>
  [
    'batches with a soak and an approval',
    'a hotfix takes over at the approval',
    'an environment variable recreates, with surge',
  ].includes(title),
);

describe('requests fail and watches end, as a seed draws it', () => {
  test.each(stories.map((story) => [story.title, story] as const))(
    '%s',
    { timeout: 120_000 },
    async (_, story) => {
      const expected = await play(story, undisturbed());
      const injected: Injected = { errors: new WeakSet(), counts: {} };
      const isExpected = (error: unknown): boolean =>
        isConflict(error) || (typeof error === 'object' && error !== null && injected.errors.has(error));
      const trials = seedsFor(story.title).map((seed) => ({
        title: `KRUISE_SEED=${seed} npx vitest run test/crash/faults.test.ts -t '${story.title}'`,
        how: faults(seed, injected),
      }));
      await holdAgainst(story, expected, trials, outcome(isExpected));
      if (only === undefined && isFull)
        expect(Object.keys(injected.counts).sort()).toEqual([...faultKinds].sort());
    },
  );
});
