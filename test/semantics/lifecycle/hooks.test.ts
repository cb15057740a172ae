import { describe, expect, test } from 'vitest';
import {
  isHooked,
  isWhole,
  marksNotReady,
  noHooks,
  readLifecycle,
} from '../../../semantics/lifecycle/hooks.ts';
import { podIn } from './fixtures.ts';

const [A, B, F] = ['example.com/a', 'example.com/b', 'example.com/f'];

describe('a hook holds a pod by any handler, and is whole by all (OpenKruise inplace-update, rule 6.9)', () => {
  const hook = readLifecycle({
    preDelete: { labelsHandler: { [A]: 'true', [B]: 'true' }, finalizersHandler: [F] },
  }).preDelete;

  test.each<[labels: string[], finalizers: string[], isHooked: boolean, isWhole: boolean]>([
    [[], [], false, false],
    [[A], [], true, false],
    [[], [F], true, false],
    [[A, B], [], true, false],
    [[A, B], [F], true, true],
    [['example.com/other'], ['example.com/other'], false, false],
  ])('labels %j and finalizers %j: held %s, whole %s (IU-29, IU-34)', (labels, finalizers, held, whole) => {
    const pod = podIn('Normal', labels, finalizers);
    expect(isHooked(hook, pod)).toBe(held);
    expect(hook && isWhole(hook, pod)).toBe(whole);
  });

  test('a label with another value is no handler', () => {
    const made = podIn('Normal');
    const pod = { ...made, metadata: { ...made.metadata, labels: { [A]: 'false' } } };
    expect(isHooked(hook, pod)).toBe(false);
  });

  test('an absent hook holds nothing', () => {
    expect(isHooked(undefined, podIn('Normal', [A], [F]))).toBe(false);
  });

  test('a hook without handlers holds nothing, and waits for nothing', () => {
    const empty = readLifecycle({ preNormal: {} }).preNormal;
    expect(isHooked(empty, podIn('Normal'))).toBe(false);
    expect(empty && isWhole(empty, podIn('Normal'))).toBe(true);
  });
});

describe('the field lifecycle', () => {
  test.each([[undefined], [null], [{}], [{ preDelete: null }], ['all'], [{ preDelete: ['a'] }]])(
    '%j names no hook',
    (value) => {
      expect(readLifecycle(value)).toBe(noHooks);
    },
  );

  test('parts of another type are left out', () => {
    const value = { preDelete: { labelsHandler: { [A]: 1, [B]: 'x' }, finalizersHandler: [F, 2] } };
    expect(readLifecycle(value)).toEqual({
      preDelete: { labels: { [B]: 'x' }, finalizers: [F], markPodNotReady: false },
    });
  });

  test.each<[string, boolean]>([
    ['preDelete', true],
    ['inPlaceUpdate', true],
    ['preNormal', false],
  ])('markPodNotReady of %s keeps a pod out of traffic: %s', (name, marks) => {
    expect(marksNotReady(readLifecycle({ [name]: { markPodNotReady: true } }))).toBe(marks);
    expect(marksNotReady(readLifecycle({ [name]: {} }))).toBe(false);
  });
});
