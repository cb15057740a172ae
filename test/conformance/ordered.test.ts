import { describe, expect, test, vi } from 'vitest';
import { orderedWorldsOf, servesOrder } from './ordered.ts';
import { subjects } from './subjects.ts';

vi.mock('../../semantics/registry/registered.ts', () => import('../fixture-kind/registered.ts'));

const serving = subjects.filter(servesOrder);

describe('containers that start in an order', () => {
  test.each(serving.map((subject) => [subject.kind.id.kind, subject] as const))(
    '%s has worlds of each mode',
    (_, subject) => {
      const modes = new Set(subject.changes.map(({ mode }) => mode));
      expect(orderedWorldsOf(subject).length).toBeGreaterThanOrEqual(modes.size * 4);
    },
  );

  test('there are kinds with an order, and kinds without', () => {
    expect([serving.length > 0, serving.length < subjects.length]).toEqual([true, true]);
  });
});
