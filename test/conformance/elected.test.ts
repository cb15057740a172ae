import { describe, expect, test, vi } from 'vitest';
import { isFull, sampled } from '../lanes.ts';
import { holdAgainst, isConflict, outcome } from './compare.ts';
import { undisturbed } from './disturbances.ts';
import { elected, type LeaderPause, type ElectionObservation } from './elected.ts';
import { drawnWorlds } from './drawn.ts';
import { play } from './play.ts';
import { worldsFor } from './worlds.ts';

vi.mock('../../semantics/registry/registered.ts', () => import('../fixture-kind/registered.ts'));

const noObservation = (): ElectionObservation => ({ writes: 0, terms: 0, unexpected: 0, delayed: 0 });
const plays = drawnWorlds('elected', worldsFor.elected).flatMap(({ title, subject, worlds }) =>
  worlds.map((world) => [title, world.title, subject, world] as const),
);

/** Every third write is tried: each trial has a minute without a leader, and then with another one. */
const APART = 3;

describe.each(plays)('%s: two elected processes: %s', (_kind, title, subject, world) => {
  test('end as one runtime does', async () => {
    const observation = noObservation();
    const expected = await play(subject, world, undisturbed());
    await holdAgainst(
      subject,
      world,
      expected,
      [{ title: 'no pause', how: elected(undefined, observation) }],
      outcome(isConflict),
    );
    expect(observation).toMatchObject({ terms: 1, unexpected: 0, delayed: 0 });
  });

  test.each(['queued', 'on the wire'] as const)(
    'and the leader is paused for a minute at any of its writes, with others %s (L03)',
    { timeout: 120_000 },
    async (how) => {
      const expected = await play(subject, world, undisturbed());
      const alone = noObservation();
      await play(subject, world, elected(undefined, alone));
      expect(alone.writes).toBeGreaterThan(20);
      const all: ElectionObservation[] = [];
      const writes = Array.from({ length: Math.ceil(alone.writes / APART) }, (_each, n) => 1 + n * APART);
      const trials = sampled(`${title}, ${how}`, writes, 3, 5).map((write) => {
        const pause: LeaderPause = { write, how };
        const observation = noObservation();
        all.push(observation);
        return { title: `${how} at write ${pause.write}`, how: elected(pause, observation) };
      });
      await holdAgainst(subject, world, expected, trials, outcome(isConflict));
      const sum = (field: keyof ElectionObservation): number =>
        all.reduce((total, observation) => total + observation[field], 0);
      // The leader changed each time. Requests on the wire arrived, and queued ones did not.
      expect(sum('terms')).toBeGreaterThan(all.length);
      if (how === 'on the wire') expect(sum('unexpected')).toBeGreaterThanOrEqual(all.length - 1);
      else {
        expect(sum('unexpected')).toBe(0);
        if (isFull) expect(sum('delayed')).toBeGreaterThan(0);
      }
    },
  );
});
