import { expect, test } from 'vitest';
import { templateHash } from '../../../semantics/template/canonical.ts';
import { actions, change, midway, OLD } from './midway.ts';
import { broken, template } from './model.ts';

test.each<[string, string[], string[]]>([
  ['nobody', [], ['drain n0', 'drain n1']],
  ['one of them', ['uid-n0'], ['drain n0', 'drain n1', 'drain n2']],
  ['both', ['uid-n0', 'uid-n1'], ['drain n0', 'drain n1', 'drain n2', 'drain n3']],
])('in a revert, pods that were broken before block no others: %s of two was', (_, before, expected) => {
  const model = midway(0, 5, { strategy: { maxUnavailable: 2 } });
  for (const name of ['n0', 'n1']) change(model, name, (pod) => broken(pod, model.now));
  const old = templateHash(template(OLD));
  const envelope = { goal: old, stable: old, obeyPartition: false, back: { broken: before } };
  expect(actions(model, envelope)).toEqual(expected);
});
