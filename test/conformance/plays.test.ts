import { describe, expect, test } from 'vitest';
import { sampled, wholeKinds } from '../lanes.ts';
import { kindPlays } from './kind-plays.ts';
import { endUnder, playTrials, type PlayTrial } from './play-trials.ts';
import { type KindPlay, writesOf } from './plays.ts';

/** Of each disturbance, how many trials of a play are played, and how many in the full lane where its kind changed. */
const TRIALS = 1;
const OF_CHANGED = 6;
/** KRUISE_TEST=all plays up to 500 trials of one disturbance, of seconds each. */
const PATIENCE_MS = 3_600_000;
/** How many plays `npm test` takes: one takes a second. */
const PLAYS = 2;

type Writes = readonly (readonly [number, string])[];

const writes = new Map<KindPlay, Promise<Writes>>();
function writesIn(each: KindPlay): Promise<Writes> {
  const found = writes.get(each) ?? writesOf(each);
  writes.set(each, found);
  return found;
}

const played = sampled('plays', kindPlays, PLAYS);

describe.each(played.map((each) => [`${each.kind.id.kind}: ${each.title}`, each] as const))(
  '%s',
  (_, each) => {
    test('ends as expected, and writes what it is for', { timeout: 120_000 }, async () => {
      const texts = (await writesIn(each)).map(([, text]) => text);
      expect(texts.length).toBeGreaterThan(10);
      expect(each.sends?.(texts) ?? true).toBe(true);
    });

    test.each(Object.entries(playTrials))(
      'ends the same under each disturbance: %s',
      { timeout: PATIENCE_MS },
      async (disturbance, trialsOf) => {
        const all: PlayTrial[] = trialsOf(await writesIn(each));
        const isChanged = wholeKinds.has(each.kind.id.kind.toLowerCase());
        const inFull = isChanged ? OF_CHANGED : TRIALS;
        const trials = sampled(`${disturbance}: ${each.title}`, all, TRIALS, inFull);
        for (const trial of trials) await endUnder(each, trial);
      },
    );
  },
);
