import { expect, test } from 'vitest';
import { actions, change, mark, midway } from './midway.ts';
import { broken } from './model.ts';

const begun = { 'lifecycle.apps.kruise.io/state': 'PreparingDelete' };

test.each<[string, number, string[], string[]]>([
  ['one too many: it is deleted, and no other', 4, ['n3'], ['delete n3']],
  ['one of two is too many', 4, ['n1', 'n3'], ['delete n3', 'set lifecycle Normal n1']],
  ['both are', 3, ['n1', 'n3'], ['delete n1', 'delete n3']],
  ['none is', 5, ['n1', 'n3'], ['set lifecycle Normal n1', 'set lifecycle Normal n3']],
  // Further surplus pods are deleted in a later reconcile.
  ['more are too many than OpenKruise has started to delete', 2, ['n1'], ['delete n1']],
])(
  'pods that OpenKruise has started to delete (OpenKruise cloneset, rule 6.4 steps 2 and 5), %s: %i wanted',
  (_, replicas, names, expected) => {
    const model = midway(0, 5, { spec: { replicas }, strategy: { maxUnavailable: 1 } });
    for (const name of names) mark(model, name, begun);
    expect(actions(model)).toEqual(expected);
  },
);

test('they are deleted at once: they count as unavailable already', () => {
  const model = midway(0, 5, { spec: { replicas: 3 }, strategy: { maxUnavailable: 0 } });
  for (const name of ['n1', 'n3']) mark(model, name, begun);
  change(model, 'n0', (pod) => broken(pod, model.now));
  expect(actions(model)).toEqual(['delete n1', 'delete n3']);
});
