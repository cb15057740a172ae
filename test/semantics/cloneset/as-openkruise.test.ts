import { describe, expect, test } from 'vitest';

import type { Envelope } from '../../../semantics/plan/envelope.ts';
import { actions, mark, midway } from './midway.ts';

const DELETE = 'apps.kruise.io/specified-delete';

describe('what a user writes to have it as with OpenKruise', () => {
  test('names that are gone are removed from podsToDelete in git: the same pods go', () => {
    const deleted = (podsToDelete: string[]) =>
      actions(midway(0, 5, { spec: { replicas: 4, scaleStrategy: { podsToDelete } } }));
    expect(deleted(['n2', 'gone'])).toEqual(['delete n2']);
    expect(deleted(['n2'])).toEqual(['delete n2']);
  });

  test.each([
    ['nothing said of maxUnavailable', {}, ['delete o1']],
    ['maxUnavailable: 0', { maxUnavailable: 0 }, []],
  ])('OnDelete, %s: a ready pod that is marked', (_what, limits, expected) => {
    const updateStrategy = { type: 'OnDelete', rollingUpdate: limits };
    const model = midway(3, 0, { spec: { replicas: 3, updateStrategy } });
    mark(model, 'o1', { [DELETE]: 'true' });
    expect(actions(model)).toEqual(expected);
  });

  test.each([
    ['an update was to recreate stays, without its label', 'recreate', false],
    ['a user has labelled is deleted all the same', 'true', true],
  ])('when an update stops, a pod that %s', (_what, value, isDeleted) => {
    const model = midway(5, 0);
    mark(model, 'o1', { [DELETE]: value });
    expect(actions(model, { moving: false, allowed: 0 }).includes('delete o1')).toBe(isDeleted);
  });

  test.each<[string, Partial<Envelope>, string[]]>([
    ['under a plan no other is taken', { allowed: 1 }, []],
    ['in Auto without a plan another is taken', { ownStrategy: true, allowed: 'unbounded' }, ['drain o0']],
  ])('a pod of the new revision in PreparingDelete: %s', (_what, envelope, expected) => {
    const lifecycle = { preDelete: { labelsHandler: { hook: 'true' } } };
    const model = midway(5, 1, {
      spec: { lifecycle, replicas: 5 },
      strategy: { partition: 4, maxUnavailable: 2 },
    });
    mark(model, 'n0', {
      hook: 'true',
      [DELETE]: 'true',
      'lifecycle.apps.kruise.io/state': 'PreparingDelete',
    });
    expect(actions(model, envelope)).toEqual(expected);
  });
});
