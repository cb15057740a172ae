import { expect, it } from 'vitest';
import { activeInfluence } from '../../../semantics/influence/active.ts';
import { underInfluence } from '../../../semantics/influence/under-influence.ts';
import { cap, caps, create, decided, label, NOW, pod, PODS, resource, target } from './caps.ts';

/** A cap that leaves its pods for later. */
const waiting = {
  ...caps,
  onCreate: () => [{ later: 'y is not known' }],
};

it('a pod that one object leaves for later is not created, and no other object counts it', () => {
  const { decision, held } = underInfluence(
    {
      influences: () => [
        activeInfluence({ rules: caps, resource }, cap('x', { of: 'c', made: 9 }), NOW),
        activeInfluence({ rules: waiting, resource }, cap('y', { of: 'c' }), NOW),
      ],
      target,
      pods: PODS.map(pod),
      nodes: undefined,
      now: NOW,
    },
    undefined,
    () => ({ actions: [create('c2'), label('a1')], status: {}, explanations: [], requeueAt: NOW + 5_000 }),
  );
  expect(decision).toEqual({
    actions: [label('a1')],
    status: {},
    explanations: [{ about: 'c2', reason: 'waits: y is not known' }],
    requeueAt: NOW + 1_000,
  });
  expect(held).toBeUndefined();
  // Without that object it is.
  expect(decided([cap('x', { of: 'c', made: 9 })], [create('c2')]).words).toEqual([
    'reserve x for c2',
    'create c2 by x',
  ]);
});
