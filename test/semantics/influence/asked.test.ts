import { expect, test, vi } from 'vitest';
import { activeInfluence } from '../../../semantics/influence/active.ts';
import { cap, caps, NOW, pod, resource } from './caps.ts';

/** Of a hundred budgets of a namespace, one is about the pods of a target, and each reconcile binds all of them. */
test('an object is asked for its slots once, and only if a pod is its own', () => {
  const rules = { ...caps, onDisrupt: vi.fn<typeof caps.onDisrupt>(caps.onDisrupt) };
  const influence = activeInfluence({ rules, resource }, cap('x', { of: 'a', left: 1 }), NOW);
  for (const name of ['b1', 'b2']) expect(influence.limitOf(pod(name), 'Delete')).toBeUndefined();
  expect(rules.onDisrupt).not.toHaveBeenCalled();
  for (const name of ['a1', 'a2'])
    expect(influence.limitOf(pod(name), 'Delete')).toMatchObject({ name: 'Cap x' });
  expect(rules.onDisrupt).toHaveBeenCalledTimes(1);
});

test('an object is asked about new pods only if one of them is its own', () => {
  const rules = {
    ...caps,
    onDisrupt: vi.fn<typeof caps.onDisrupt>(caps.onDisrupt),
    onCreate: vi.fn<typeof caps.onCreate>(caps.onCreate),
  };
  const influence = activeInfluence({ rules, resource }, cap('x', { of: 'a', left: 1 }), NOW);
  const present = { pods: [], nodes: undefined };
  const made = influence.created(pod('owner'), [pod('b1'), pod('b2')], present);
  expect(made).toEqual(['b1', 'b2'].map((name) => ({ pod: pod(name), isRecorded: false })));
  expect([rules.onDisrupt, rules.onCreate].map((each) => each.mock.calls.length)).toEqual([0, 0]);
  influence.created(pod('owner'), [pod('b1'), pod('a1')], present);
  expect(rules.onCreate).toHaveBeenCalledTimes(1);
});
