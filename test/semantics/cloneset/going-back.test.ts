import { expect, test } from 'vitest';
import { templateHash } from '../../../semantics/template/canonical.ts';
import { actions, change, midway, OLD } from './midway.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { timestamp } from '../../../semantics/values/timestamp.ts';
import { broken, template, withCondition } from './model.ts';

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

/** The pod was ready, and has broken a minute ago. */
function breaks(pod: Pod, now: number): Pod {
  const begun = {
    type: 'Initialized',
    status: 'True',
    lastTransitionTime: timestamp(now - 7_200_000),
  } as const;
  const gate = {
    type: 'InPlaceUpdateReady',
    status: 'True',
    lastTransitionTime: begun.lastTransitionTime,
  } as const;
  return broken(withCondition(withCondition(pod, begun), gate), now - 60_000);
}

test.each<[string, string[], Partial<{ never: boolean; back: boolean }>, string[]]>([
  ['one of five', ['o0'], {}, ['drain n0']],
  ['two of five', ['o0', 'o1'], {}, []],
  ['one that was never ready', ['o0'], { never: true }, []],
  ['one of five, where nothing goes back', ['o0'], { back: false }, []],
])('in a revert, a pod that breaks by itself blocks no others: %s', (_what, names, how, expected) => {
  const model = midway(3, 2, { strategy: { maxUnavailable: 1 } });
  for (const name of names)
    change(model, name, (pod) => (how.never === true ? broken(pod, model.now) : breaks(pod, model.now)));
  const old = templateHash(template(OLD));
  const back = how.back === false ? {} : { back: { broken: [] } };
  expect(actions(model, { goal: old, stable: old, obeyPartition: false, ...back })).toEqual(expected);
});
