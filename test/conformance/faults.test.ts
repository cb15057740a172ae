import { describe, expect, test, vi } from 'vitest';
import { isFull, sampled } from '../lanes.ts';
import { holdAgainst, isConflict, outcome } from './compare.ts';
import { drawnWorlds } from './drawn.ts';
import { faults, undisturbed } from './disturbances.ts';
import { faultKinds, type Injected } from './faults.ts';
import { worldsFor } from './worlds.ts';
import { play } from './play.ts';
import { subjects } from './subjects.ts';

vi.mock('../../semantics/registry/registered.ts', () => import('../fixture-kind/registered.ts'));

/** Only the seed in the environment, as in the command that a failure prints. */
const only = process.env['KRUISE_SEED'];
const seedsOf = (title: string): readonly number[] => {
  const seeds = Array.from({ length: 30 }, (_, index) => index);
  return only === undefined ? sampled(title, seeds, 3, 5) : [Number(only)];
};

const played =
  only === undefined
    ? drawnWorlds('faults', worldsFor.faults)
    : subjects.map((subject) => ({
        title: subject.kind.id.kind,
        subject,
        worlds: worldsFor.faults(subject),
        isWhole: true,
      }));

describe.each(played)(
  '$title: requests fail or time out, events are late, and watches end, as a seed determines',
  ({ subject, worlds, isWhole }) => {
    const counts: Injected['counts'] = {};

    test.each(worlds.map((world) => [world.title, world] as const))(
      '%s',
      { timeout: 300_000 },
      async (title, world) => {
        const expected = await play(subject, world, undisturbed());
        const injected: Injected = { errors: new WeakSet(), counts };
        const isExpected = (error: unknown): boolean =>
          isConflict(error) || (typeof error === 'object' && error !== null && injected.errors.has(error));
        const trials = seedsOf(title).map((seed) => ({
          title: `KRUISE_SEED=${seed} npx vitest run test/conformance/faults.test.ts -t '${title}'`,
          how: faults(seed, injected),
        }));
        await holdAgainst(subject, world, expected, trials, outcome(isExpected));
      },
    );

    test.runIf(isFull && isWhole && only === undefined)('every kind of fault has occurred', () => {
      expect(Object.keys(counts).sort()).toEqual([...faultKinds].sort());
    });
  },
);
