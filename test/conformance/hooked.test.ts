import { expect, test, vi } from 'vitest';
import { hooksOf, hookWorldsOf } from './hooked.ts';
import { subjects } from './subjects.ts';

vi.mock('../../semantics/registry/registered.ts', () => import('../fixture-kind/registered.ts'));

const everyHook = ['inPlaceUpdate', 'preDelete', 'preNormal'];

test.each([
  ['CloneSet', everyHook],
  ['StatefulSet', everyHook],
  ['DaemonSet', ['preDelete']],
  ['Rack', []],
  ['Aisle', []],
])('%s reads the hooks %j, and has worlds at each of them alone', (name, expected) => {
  const subject = subjects.find(({ kind }) => kind.id.kind === name);
  if (subject === undefined) throw new Error(`${name} has no subject`);
  expect(hooksOf(subject)).toEqual(expected);
  const titles = hookWorldsOf(subject).map(({ title }) => title);
  const hooks = new Set(titles.flatMap((title) => /at hook (\w+):/.exec(title)?.[1] ?? []));
  expect([...hooks].sort()).toEqual(expected);
});

test('every kind with a subject is listed', () => {
  expect(subjects).toHaveLength(5);
});
