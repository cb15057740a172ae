import { describe, expect, test } from 'vitest';
import * as fc from '../../property.ts';
import { shareOf } from '../../lanes.ts';
import { type Commit, commitOn, createFleet, type Fleet } from './fleet.ts';
import { ok, rest } from './rollout.ts';

const steps = [
  { id: 'canary', update: { to: '30%', atLeast: 1 } },
  ok,
  { id: 'half', update: { to: '50%', atLeast: 1 } },
  rest,
];

/**
 * Levels: values that stay until they are changed, of which only the last one counts. Not levels are what happens
 * once and is recorded: commands, and failures of pods (a verdict applies even if its reason is gone).
 */
type Edit =
  /** A commit with the plan that the compiler writes for it; what of it is applied at once. */
  | { do: 'commit'; template: number; partition: number; arrives: 'plan' | 'manifest' | 'both' }
  /** `git revert` of the last commit: the manifest and the plan file as they were. */
  | { do: 'revert'; arrives: 'plan' | 'manifest' | 'both' }
  /** Applies the rest of it. */
  | { do: 'sync' }
  | { do: 'delete plan' }
  | { do: 'scale'; replicas: number }
  | { do: 'pause'; paused: boolean }
  | { do: 'lose a pod'; index: number };

const arrives = fc.constantFrom('plan' as const, 'manifest' as const, 'both' as const);
const commit = (most: number): fc.Arbitrary<Edit> =>
  fc.record({
    do: fc.constant('commit' as const),
    template: fc.nat({ max: 3 }),
    partition: fc.nat({ max: most }),
    arrives,
  });
const edit = (mostBound: number): fc.Arbitrary<Edit> =>
  fc.oneof(
    { weight: 5, arbitrary: commit(mostBound) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('revert' as const), arrives }) },
    { weight: 3, arbitrary: fc.constant({ do: 'sync' } as const) },
    fc.constant({ do: 'delete plan' } as const),
    fc.record({ do: fc.constant('scale' as const), replicas: fc.integer({ min: 4, max: 8 }) }),
    fc.record({ do: fc.constant('pause' as const), paused: fc.boolean() }),
    fc.record({ do: fc.constant('lose a pod' as const), index: fc.nat({ max: 7 }) }),
  );

/** Plays a history; after edit `i` the target is reconciled `reconciles[i]` times, a second apart. */
function play(edits: readonly Edit[], reconciles: readonly number[], approving: boolean): object {
  const fleet = createFleet(5);
  const git: Commit[] = [{ manifest: { template: 0, partition: 0 }, plan: undefined }];
  const head = (): Commit => git.at(-1) ?? { manifest: { template: 0, partition: 0 }, plan: undefined };
  const arrive = (what: 'plan' | 'manifest' | 'both'): void => {
    if (what !== 'manifest') fleet.applyPlan(head().plan);
    if (what !== 'plan') fleet.apply(head().manifest);
  };
  for (const [i, each] of edits.entries()) {
    switch (each.do) {
      case 'commit':
        git.push(commitOn(head(), each, steps, git.slice(0, -1).reverse()));
        arrive(each.arrives);
        break;
      case 'revert':
        if (git.length > 1) git.push(git.at(-2) ?? head());
        arrive(each.arrives);
        break;
      case 'sync':
        arrive('both');
        break;
      case 'delete plan':
        fleet.applyPlan(undefined);
        break;
      case 'scale':
        fleet.scale(each.replicas);
        break;
      case 'pause':
        fleet.pause(each.paused);
        break;
      case 'lose a pod':
        fleet.lose(each.index);
    }
    for (let n = 0; n < (reconciles[i] ?? 0); n++) reconcileOnce(fleet, approving);
  }
  arrive('both');
  fleet.pause(false);
  for (let quiet = 0, n = 0; quiet < 4; n++) {
    if (n > 300) throw new Error('it does not settle');
    quiet = reconcileOnce(fleet, true) ? 0 : quiet + 1;
  }
  return fleet.ending();
}

function reconcileOnce(fleet: Fleet, approving: boolean): boolean {
  fleet.advanceClock(1_000);
  if (approving) fleet.approve();
  return fleet.reconcile();
}

const MOST = 12;
/** `RUNS=2000` searches for new counterexamples. */
const RUNS = process.env['RUNS'];
const settings = { numRuns: RUNS === undefined ? shareOf(40, 0.4) : Number(RUNS) };
const looked = fc.array(fc.nat({ max: 6 }), { minLength: MOST, maxLength: MOST });

describe('missed reconciles do not matter', () => {
  test('while every plan waits for an approval, whatever was observed in between: the same pods, stable and retained', () => {
    fc.assert(
      fc.property(fc.array(edit(1), { maxLength: MOST }), looked, (edits, reconciles) => {
        const often = play(edits, Array<number>(MOST).fill(6), false);
        const seldom = play(edits, reconciles, false);
        expect(seldom).toEqual(often);
        expect(often).toMatchObject({ verdict: false });
      }),
      settings,
    );
  });

  // What was completed on the way is remembered (stable, held pods): here it may differ, and is compared without a bound.
  test('whatever was observed and approved in between, without a bound: all pods are on the revision in git', () => {
    fc.assert(
      fc.property(fc.array(edit(0), { maxLength: MOST }), looked, (edits, reconciles) => {
        const often = play(edits, Array<number>(MOST).fill(20), true);
        const seldom = play(edits, reconciles, true);
        expect(seldom).toEqual(often);
        expect(often).toMatchObject({ verdict: false, held: undefined });
      }),
      settings,
    );
  });
});
