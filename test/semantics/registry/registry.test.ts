import { expect, test, vi } from 'vitest';
import type { Kind } from '../../../semantics/kinds/kind.ts';
import { type Need, needOf } from '../../../semantics/kinds/need.ts';
import { kindOf, kinds } from '../../../semantics/registry/registry.ts';

vi.mock('../../../semantics/registry/registered.ts', async (original) => {
  const { registered } = await original<{ registered: readonly Kind[] }>();
  const [first] = registered as readonly [Kind];
  const named = (group: string, kind: string) => ({ ...first, id: { group, kind } });
  return { registered: [named('b.example', 'Set'), first, named('a.example', 'Set')] };
});

test('kinds are in the order of the list', () => {
  expect(kinds.map(({ id }) => `${id.group} ${id.kind}`)).toEqual([
    'b.example Set',
    'apps.kruise.io CloneSet',
    'a.example Set',
  ]);
});

test.each([
  ['a.example', 'Set', true],
  ['b.example', 'Set', true],
  ['apps.kruise.io', 'CloneSet', true],
  ['apps', 'CloneSet', false],
  ['', 'Set', false],
  ['apps.kruise.io', 'Set', false],
])('a kind is found by its group and its name: %j %s', (group, kind, isThere) => {
  expect(kindOf({ group, kind })?.id).toEqual(isThere ? { group, kind } : undefined);
});

test('a need is found by its type', () => {
  const needs: Need[] = [{ of: 'OwnedPods' }, { of: 'Nodes', why: 'Spread' }];
  expect(needOf(needs, 'Nodes')?.why).toBe('Spread');
  expect(needOf(needs, 'Claims')).toBeUndefined();
});
