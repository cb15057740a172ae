import { describe, expect, test, vi } from 'vitest';
import { everything, holdAgainst, outcome } from './compare.ts';
import { drawnWorlds } from './drawn.ts';
import { underRole, undisturbed } from './disturbances.ts';
import { worldsOf } from './worlds.ts';
import { play } from './play.ts';

vi.mock('../../semantics/registry/registered.ts', () => import('../fixture-kind/registered.ts'));

const HOUR = 3_600_000;

describe.each(drawnWorlds('at rest', worldsOf))('$title', ({ subject, worlds: drawn }) => {
  const worlds = drawn.map((world) => [world.title, world] as const);

  test.each(worlds)(
    '%s: once it has ended nothing is written, by this runtime or the next',
    async (_t, world) => {
      const writes: object[] = [];
      await play(subject, world, undisturbed(), async ({ sandbox, clock }, running) => {
        await clock.advance(3 * 60_000);
        const from = sandbox.log.length;
        await clock.advance(3 * HOUR);
        running.stop();
        const next = undisturbed().start({ subject, sandbox, clock }, []);
        await clock.advance(3 * HOUR);
        next.stop();
        const isRead = ({ verb }: { verb: string }): boolean => ['list', 'watch', 'get'].includes(verb);
        writes.push(...sandbox.log.slice(from).filter((each) => each.user === 'kruise' && !isRead(each)));
      });
      expect(writes).toEqual([]);
    },
  );

  test.each(worlds)(
    '%s: with its installed role nothing is refused, and the end is the same',
    async (_t, world) => {
      const expected = await play(subject, world, undisturbed());
      // The objects of the role change the uids of those created later.
      const aspect = world.makesTarget === true ? outcome(() => false) : everything;
      await holdAgainst(subject, world, expected, [{ title: 'under its role', how: underRole() }], aspect);
    },
  );
});
