import { describe, expect, test, vi } from 'vitest';
import { isFull, sampled } from '../lanes.ts';
import { holdAgainst, isConflict, outcome } from './compare.ts';
import { undisturbed } from './disturbances.ts';
import { elected, type Hitch, type ElectionObservation } from './elected.ts';
import { historiesOf } from './histories.ts';
import { play } from './play.ts';
import { subjects } from './subjects.ts';

vi.mock('../../semantics/kinds/registered.ts', () => import('../fixture-kind/registered.ts'));

const nothingSeen = (): ElectionObservation => ({ writes: 0, terms: 0, unexpected: 0, delayed: 0 });
/** Every change, without anything else in the middle of it. */
const plays = subjects.flatMap((subject) =>
  subject.changes.flatMap((change) =>
    historiesOf(subject, change)
      .slice(0, 1)
      .map((world) => [subject.kind.id.kind, world.title, subject, world] as const),
  ),
);

/** Every third write is enough: each of these plays has a minute in which nobody, and then another one, leads. */
const APART = 3;

describe.each(sampled('elected', plays, 2))(
  '%s: two elected processes: %s',
  (_kind, title, subject, world) => {
    test('do what one does', async () => {
      const seen = nothingSeen();
      const expected = await play(subject, world, undisturbed());
      await holdAgainst(
        subject,
        world,
        expected,
        [{ title: 'no hitch', how: elected(undefined, seen) }],
        outcome(isConflict),
      );
      expect(seen).toMatchObject({ terms: 1, unexpected: 0, delayed: 0 });
    });

    test.each(['queued', 'on the wire'] as const)(
      'and the leader stands still for a minute at any of its writes, with others %s (L03)',
      { timeout: 120_000 },
      async (how) => {
        const expected = await play(subject, world, undisturbed());
        const alone = nothingSeen();
        await play(subject, world, elected(undefined, alone));
        expect(alone.writes).toBeGreaterThan(20);
        const all: ElectionObservation[] = [];
        const places = Array.from({ length: Math.ceil(alone.writes / APART) }, (_each, n) => 1 + n * APART);
        const trials = sampled(`${title}, ${how}`, places, 3).map((write) => {
          const hitch: Hitch = { write, how };
          const seen = nothingSeen();
          all.push(seen);
          return { title: `${how} at write ${hitch.write}`, how: elected(hitch, seen) };
        });
        await holdAgainst(subject, world, expected, trials, outcome(isConflict));
        const sum = (field: keyof ElectionObservation): number =>
          all.reduce((total, seen) => total + seen[field], 0);
        // Another one led each time; what was on the wire arrived, and what was queued did not.
        expect(sum('terms')).toBeGreaterThan(all.length);
        if (how === 'on the wire') expect(sum('unexpected')).toBeGreaterThanOrEqual(all.length - 1);
        else {
          expect(sum('unexpected')).toBe(0);
          if (isFull) expect(sum('delayed')).toBeGreaterThan(0);
        }
      },
    );
  },
);
