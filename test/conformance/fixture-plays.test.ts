import { describe, expect, test, vi } from 'vitest';
import { sampled } from '../lanes.ts';
import { childrenPlays } from './children.ts';
import { influencePlays } from './influence.ts';
import { endUnder, playTrials } from './play-trials.ts';
import { type KindPlay, writesOf } from './plays.ts';

vi.mock('../../semantics/registry/registered.ts', () => import('./fixture-registered.ts'));

/** The disturbances that writes of other objects before those of pods, and of children, are most likely to break. */
const { crashes, refusals, together } = playTrials;
/** How many trials of each are played. */
const TRIALS = 1;

type Writes = Awaited<ReturnType<typeof writesOf>>;

const writes = new Map<KindPlay, Promise<Writes>>();
async function writesIn(each: KindPlay): Promise<Writes> {
  const found = writes.get(each) ?? writesOf(each);
  writes.set(each, found);
  return found;
}

const rows = [
  ['a kind that influences others', influencePlays],
  ['a root with children', childrenPlays],
] as const;

describe.each(rows)('%s', (row, plays) => {
  describe.each(sampled(row, plays, 1).map((each) => [each.title, each] as const))('%s', (title, each) => {
    test('ends as expected, and writes what it is for', { timeout: 120_000 }, async () => {
      const texts = (await writesIn(each)).map(([, text]) => text);
      expect(texts.length).toBeGreaterThan(10);
      expect(each.sends?.(texts)).toBe(true);
    });

    test.each(Object.entries({ crashes, refusals, together }))(
      'ends the same under each disturbance: %s',
      { timeout: 600_000 },
      async (disturbance, trialsOf) => {
        const trials = trialsOf(await writesIn(each));
        for (const trial of sampled(`${disturbance}: ${title}`, trials, TRIALS, TRIALS))
          await endUnder(each, trial);
      },
    );
  });
});
