import { expect, test } from 'vitest';
import type { OtherObject } from '../../compiler/load/other-objects.ts';
import { suppliedNamespaces } from '../../compiler/load/supplied-namespace.ts';

const object = (name: string, namespace?: string): OtherObject => ({
  object: { kind: 'ConfigMap' },
  name,
  namespace,
  origin: undefined as never,
});
const idOf = ({ name, namespace = '' }: OtherObject): string => `${namespace}/${name}`;

test.each<[string, OtherObject, OtherObject[], string | undefined]>([
  ['the other one names it', object('a'), [object('b', 'x'), object('a', 'y')], 'y'],
  ['the first of several', object('a'), [object('a'), object('a', 'x'), object('a', 'y')], 'x'],
  ['this one names it', object('a', 'z'), [object('a', 'x'), object('a')], 'z'],
  ['both do', object('a', 'z'), [object('a', 'x')], undefined],
  ['neither does', object('a'), [object('a')], undefined],
  ['it has another name', object('a'), [object('b', 'x')], undefined],
])('%s', (_what, one, others, expected) => {
  expect(suppliedNamespaces(others, idOf)(one)).toBe(expected);
});

test('each object is compared once, however many were removed', () => {
  const many = Array.from({ length: 100 }, (_, index) => index);
  let ids = 0;
  const suppliedIn = suppliedNamespaces(
    many.map((index) => object(`${index}`, 'shop')),
    (each) => {
      ids += 1;
      return idOf(each);
    },
  );
  expect(many.map((index) => suppliedIn(object(`${index}`)))).toEqual(many.map(() => 'shop'));
  expect(ids).toBe(200);
});
