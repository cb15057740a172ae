import { expect, test, vi } from 'vitest';
import { kinds } from '../../semantics/registry/registry.ts';
import { runKinds, selectingKinds, subjects, tickKinds } from './subjects.ts';

vi.mock('../../semantics/registry/registered.ts', () => import('../fixture-kind/registered.ts'));

test('every registered kind is in the suite, with at least one change', () => {
  const tested = [...subjects.map(({ kind }) => kind), ...selectingKinds, ...runKinds, ...tickKinds];
  const names = tested.map(({ id }) => `${id.group} ${id.kind}`);
  expect(names).toEqual(expect.arrayContaining(kinds.map(({ id }) => `${id.group} ${id.kind}`)));
  expect(runKinds.filter(({ workload }) => workload.shape !== 'Run')).toEqual([]);
  expect(subjects.filter(({ changes }) => changes.length === 0)).toEqual([]);
});
