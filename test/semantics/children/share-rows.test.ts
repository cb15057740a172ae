import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { failingIn } from '../../../semantics/plan/failing-pods.ts';
import type { RetainedUnits } from '../../../semantics/revision/revision.ts';
import { childRow, type ChildCounts } from '../../../semantics/children/share-rows.ts';
import {
  SHARE_ANNOTATION,
  shareDigest,
  shareText,
  type WrittenShare,
} from '../../../semantics/children/shares.ts';

const [OLD, NEW, NEXT] = ['h1:old', 'h1:new', 'h1:next'] as const;

function child(
  root: Partial<WrittenShare['root']>,
  { generation, observed, held }: { generation: number; observed: number; held?: [string, string] },
): KubeObject {
  const written: WrittenShare = {
    share: { goal: 'h1:b', stable: 'h1:a', allowed: 2, moving: false, window: {}, mode: 'Recreate' },
    root: { goal: NEW, stable: OLD, before: OLD, since: 2, atMost: 4, ...root },
  };
  return {
    apiVersion: 'test/v1',
    kind: 'Child',
    metadata: { name: 'web-a', generation, annotations: { [SHARE_ANNOTATION]: shareText(written) } },
    status: {
      observedGeneration: observed,
      ...(held && {
        conditions: [{ type: 'plan.kruise.io/Held', status: 'True', reason: held[0], message: held[1] }],
      }),
    },
  };
}

const counts = (updated: number, broken = 0): ChildCounts => ({
  pods: 5,
  available: 5 - broken,
  updated,
  updatedAvailable: updated - Math.min(broken, updated),
});

/** The row of a child whose share is on record. */
function rowOf(object: KubeObject | undefined, of: ChildCounts, isRecorded = true, left?: RetainedUnits) {
  const text = object?.metadata.annotations?.[SHARE_ANNOTATION] ?? '';
  const records = new Map(isRecorded ? [['web-a', [shareDigest(text)]]] : []);
  const known = {
    ...{ name: 'web-a', subset: 'a', size: 5, steps: 'partly' as const },
    ...{ object, counts: of, failing: object && failingIn(object), left },
  };
  return childRow(known, records, OLD);
}

describe('pods of a child that fail', () => {
  const said = (message: string, reason = 'PodsFailing'): [string, string] => [reason, message];
  const seen = { generation: 2, observed: 2 };

  test('are those that it says, as many as it says', () => {
    const one = child({}, { ...seen, held: said('pod web-a-x restarted after its update') });
    expect(rowOf(one, counts(2, 1)).failing).toEqual({
      pods: 1,
      message: 'pod web-a-x restarted after its update',
    });
    const two = child({}, { ...seen, held: said('2 pods restarted after their update, web-a-x among them') });
    expect(rowOf(two, counts(2, 2)).failing?.pods).toBe(2);
  });

  test.each<[string, Parameters<typeof child>[1], boolean]>([
    ['it says of an earlier spec', { ...seen, observed: 1, held: said('pod web-a-x restarted') }, true],
    ['it is held for another reason', { ...seen, held: said('no', 'FailedCreate') }, true],
    ['its share is not on record', { ...seen, held: said('pod web-a-x restarted') }, false],
  ])('are none where %s', (_what, parts, isRecorded) => {
    expect(rowOf(child({}, parts), counts(2, 1), isRecorded).failing).toBe(undefined);
  });
});

describe('the pods of a child that a bound has left', () => {
  const seen = { generation: 2, observed: 2 };
  const at = (hash: string): RetainedUnits => ({ hash, n: 3 });

  test('are those on record of its subset, while its other pods are there', () => {
    expect(rowOf(child({}, seen), counts(2), true, at(OLD)).left).toEqual(at(OLD));
  });

  test('are none once a rollout has taken it on, and counts its other pods as on another revision', () => {
    expect(rowOf(child({ goal: NEXT, stable: NEW }, seen), counts(2), true, at(OLD)).left).toBe(undefined);
  });

  test('stay on record where its share does not, and are none where it does not exist', () => {
    expect(rowOf(child({}, seen), counts(2), false, at(OLD)).left).toEqual(at(OLD));
    expect(rowOf(undefined, counts(0), true, at(OLD)).left).toBe(undefined);
  });
});

describe('the pods of a child are on revisions by its share', () => {
  test('once it has observed another template, those on it are on the goal', () => {
    expect(rowOf(child({}, { generation: 2, observed: 2 }), counts(2, 1))).toMatchObject({
      pods: [
        { hash: OLD, count: 3, available: 3 },
        { hash: NEW, count: 2, available: 1 },
      ],
      given: { goal: NEW, allowed: 2, atMost: 4 },
      isObserved: true,
    });
  });

  test('before that, its counts are about the goal before', () => {
    expect(rowOf(child({}, { generation: 2, observed: 1 }), counts(5))).toMatchObject({
      pods: [{ hash: OLD, count: 5, available: 5 }],
      isObserved: false,
    });
  });

  test('a later spec with the same template does not make them so again', () => {
    expect(rowOf(child({}, { generation: 3, observed: 2 }), counts(2))).toMatchObject({
      pods: [
        { hash: OLD, count: 3 },
        { hash: NEW, count: 2 },
      ],
      isObserved: false,
    });
  });

  test('of one that goes back, those that are not there yet are on what was the goal', () => {
    const back = { goal: OLD, stable: OLD, before: NEW, since: 4 };
    expect(rowOf(child(back, { generation: 4, observed: 4 }), counts(3))).toMatchObject({
      pods: [
        { hash: NEW, count: 2 },
        { hash: OLD, count: 3 },
      ],
    });
    expect(rowOf(child(back, { generation: 4, observed: 3 }), counts(2))).toMatchObject({
      pods: [
        { hash: OLD, count: 3 },
        { hash: NEW, count: 2 },
      ],
    });
  });

  test('of one that goes on to a third one, they are on the stable one', () => {
    const on = { goal: NEXT, stable: OLD, before: NEW, since: 4 };
    expect(rowOf(child(on, { generation: 4, observed: 4 }), counts(1))).toMatchObject({
      pods: [
        { hash: OLD, count: 4 },
        { hash: NEXT, count: 1 },
      ],
    });
  });

  test('one with another share than on record may have any: it has yet to report', () => {
    expect(rowOf(child({}, { generation: 2, observed: 2 }), counts(2), false)).toMatchObject({
      pods: [{ hash: OLD, count: 5, available: 5 }],
      given: undefined,
      isObserved: false,
    });
  });

  test('one that does not exist has none, and nothing to report', () => {
    const none = { pods: 0, available: 0, updated: 0, updatedAvailable: 0 };
    expect(rowOf(undefined, none)).toMatchObject({ pods: [], given: undefined, isObserved: true });
  });

  test('counts of two moments add up to no pod that is not there', () => {
    const odd = { pods: 3, available: 1, updated: 4, updatedAvailable: 2 };
    expect(rowOf(child({}, { generation: 2, observed: 2 }), odd).pods).toEqual([
      { hash: NEW, count: 4, available: 2 },
    ]);
  });
});
