import { describe, expect, test, vi } from 'vitest';
import { resizeWays, resizeWorldsOf, servesResize } from './resized.ts';
import { subjects } from './subjects.ts';

vi.mock('../../semantics/registry/registered.ts', () => import('../fixture-kind/registered.ts'));

const serving = subjects.filter(servesResize);

describe('resize in place', () => {
  test.each(serving.map((subject) => [subject.kind.id.kind, subject] as const))(
    '%s has worlds of each way',
    (_, subject) => {
      const titles = resizeWorldsOf(subject).map(({ title }) => title);
      expect(resizeWays.filter((name) => !titles.some((title) => title.includes(`, ${name}:`)))).toEqual([]);
    },
  );

  test('there are kinds with it, and kinds without', () => {
    expect([serving.length > 0, serving.length < subjects.length]).toEqual([true, true]);
  });

  test('each kind with it has the right for it', () => {
    const without = serving.filter(
      ({ kind }) => !kind.uses.some((use) => use.of === 'OwnedPods' && use.areResized === true),
    );
    expect(without.map(({ kind }) => kind.id.kind)).toEqual([]);
  });
});
