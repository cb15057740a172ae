import { describe, expect, test, vi } from 'vitest';
import { hookNames, hookWorldsOf, servesHooks } from './hooked.ts';
import { subjects } from './subjects.ts';

vi.mock('../../semantics/registry/registered.ts', () => import('../fixture-kind/registered.ts'));

const serving = subjects.filter(servesHooks);

describe('lifecycle hooks', () => {
  test.each(serving.map((subject) => [subject.kind.id.kind, subject] as const))(
    '%s has worlds at each of them',
    (_, subject) => {
      const titles = hookWorldsOf(subject).map(({ title }) => title);
      const without = hookNames.filter((name) => !titles.some((title) => title.includes(`at hook ${name}:`)));
      expect(without).toEqual([]);
    },
  );

  test('there are kinds with hooks, and kinds without', () => {
    expect([serving.length > 0, serving.length < subjects.length]).toEqual([true, true]);
  });
});
