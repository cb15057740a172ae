import { describe, expect, test, vi } from 'vitest';
import { sampled } from '../lanes.ts';
import { holdAgainst, isConflict, outcome } from './compare.ts';
import { optionsOf, undisturbed } from './disturbances.ts';
import { drawnWorlds } from './drawn.ts';
import { type Disturbance, play } from './play.ts';
import { worldsFor } from './worlds.ts';
import { ANSWER_MS, stoppedAt, noStops, type Stops } from './stopping.ts';

vi.mock('../../semantics/registry/registered.ts', () => import('../fixture-kind/registered.ts'));

/** The runtime is stopped while its k-th write is in flight, and another one starts afterwards. */
function stopsAt(k: number, stops: Stops): Disturbance {
  return {
    leniencyMs: 10_000,
    start(here, errors) {
      const stopping = stoppedAt(optionsOf(here, errors), k, stops);
      stopping.start();
      return stopping;
    },
  };
}

const plays = drawnWorlds('stopped', worldsFor.stopped).flatMap(({ title, subject, worlds }) =>
  worlds.map((world) => [title, world.title, subject, world] as const),
);
/** Every second write is tried: sixteen are sent at a time. */
const APART = 2;

describe.each(plays)('%s: a graceful stop: %s', (_kind, title, subject, world) => {
  test(
    'at any of its writes, it finishes that one and starts no other; the next runtime completes the rollout',
    { timeout: 120_000 },
    async () => {
      const expected = await play(subject, world, undisturbed());
      const all = noStops();
      await play(subject, world, stopsAt(0, all));
      expect(all.calls).toBeGreaterThan(20);
      const writes = Array.from({ length: Math.ceil(all.calls / APART) }, (_each, n) => 1 + n * APART);
      const stops: Stops[] = [];
      const trials = sampled(title, writes, 4, 8).map((write) => {
        const each = noStops();
        stops.push(each);
        return { title: `at write ${write} of ${all.calls}`, how: stopsAt(write, each) };
      });
      await holdAgainst(subject, world, expected, trials, outcome(isConflict));
      for (const each of stops) {
        expect(each).toMatchObject({ sentAfterStop: [], rested: true, open: 0 });
        expect(each.took).toBeLessThanOrEqual(ANSWER_MS);
      }
    },
  );
});
