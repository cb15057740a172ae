import { describe, expect, test, vi } from 'vitest';
import { claimWorldsOf, servesClaims } from './claimed.ts';
import { undisturbed } from './disturbances.ts';
import { play } from './play.ts';
import { subjects } from './subjects.ts';

vi.mock('../../semantics/registry/registered.ts', () => import('../fixture-kind/registered.ts'));

const serving = subjects.filter(servesClaims);

describe('pods recreated for their claims', () => {
  test.each(serving.map((subject) => [subject.kind.id.kind, subject] as const))(
    '%s has worlds in which the update itself could be made in place',
    async (_, subject) => {
      const [world, ...others] = claimWorldsOf(subject);
      if (world === undefined) throw new Error('it has no world');
      const { podChanges } = await play(subject, world, undisturbed());
      const size = subject.sizeOf(world.target);
      expect(podChanges).toMatchObject({ created: size, deleted: size, updatedInPlace: 0 });
      expect(others.length).toBeGreaterThan(0);
    },
  );

  test('there are kinds with it, and kinds without', () => {
    expect([serving.length > 0, serving.length < subjects.length]).toEqual([true, true]);
  });
});
