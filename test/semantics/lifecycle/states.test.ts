import { describe, expect, test } from 'vitest';
import { readLifecycle } from '../../../semantics/lifecycle/hooks.ts';
import { type Course, firstState, nextState } from '../../../semantics/lifecycle/states.ts';
import { pod } from '../pod/pods.ts';
import { DRAIN, GUARD, hooks, podIn, READY } from './fixtures.ts';

const settled: Course = { leaves: false, waitsForUpdate: false, isComplete: true };
const two = readLifecycle({ inPlaceUpdate: { labelsHandler: { [READY]: 'true', [GUARD]: 'true' } } });

describe('the state that a pod enters by itself (OpenKruise inplace-update, rule 6.9)', () => {
  test.each<[state: string | undefined, labels: string[], Partial<Course>, next: string | undefined]>([
    [undefined, [], {}, undefined],
    ['Normal', [], {}, undefined],
    ['Normal', [READY, DRAIN], {}, undefined],
    ['PreparingNormal', [], {}, undefined],
    ['PreparingNormal', [GUARD], {}, 'Normal'],
    ['PreparingUpdate', [READY], { waitsForUpdate: true }, undefined],
    ['PreparingUpdate', [], { waitsForUpdate: true }, undefined],
    ['PreparingUpdate', [READY], {}, 'Normal'],
    ['PreparingUpdate', [], {}, 'Updated'],
    ['Updating', [], { isComplete: false }, undefined],
    ['Updating', [], {}, 'Updated'],
    ['Updating', [READY], {}, 'Normal'],
    ['Updated', [], {}, undefined],
    ['Updated', [READY], {}, 'Normal'],
    ['PreparingDelete', [DRAIN], { leaves: true }, undefined],
    ['PreparingDelete', [], { leaves: true }, undefined],
    ['PreparingDelete', [DRAIN], {}, 'PreparingNormal'],
    ['PreparingDelete', [GUARD], {}, 'Normal'],
  ])('%s with %j, %j: %s (CS-3, IU-28, IU-30)', (state, labels, course, next) => {
    expect(nextState(hooks(), podIn(state, labels), { ...settled, ...course })).toBe(next);
  });

  test.each<[state: string, next: string]>([
    ['PreparingNormal', 'Normal'],
    ['PreparingUpdate', 'Normal'],
    ['Updating', 'Normal'],
    ['Updated', 'Normal'],
    ['PreparingDelete', 'Normal'],
  ])('without hooks, from %s: %s (CS-2)', (state, next) => {
    expect(nextState({}, podIn(state), settled)).toBe(next);
  });

  test('one that is not scheduled waits for its node (CS-2)', () => {
    const made = pod({ labels: { 'lifecycle.apps.kruise.io/state': 'PreparingNormal' } });
    expect(nextState({}, made, settled)).toBeUndefined();
  });

  test.each<[labels: string[], next: string | undefined]>([
    [[], undefined],
    [[READY], undefined],
    [[READY, GUARD], 'Normal'],
  ])('Updated with %j of two labels: %s (IU-29)', (labels, next) => {
    expect(nextState(two, podIn('Updated', labels), settled)).toBe(next);
  });
});

test.each<[labels: string[], state: string]>([
  [[], 'PreparingNormal'],
  [[GUARD], 'Normal'],
])('a pod is created with %j in state %s (CS-3, AS-36)', (labels, state) => {
  expect(firstState(hooks(), podIn(undefined, labels))).toBe(state);
});

test('without the hook preNormal a pod is created Normal', () => {
  expect(firstState({}, podIn(undefined))).toBe('Normal');
});
