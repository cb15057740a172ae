import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { nextShare } from '../../../semantics/children/next-share.ts';
import type { WrittenShare } from '../../../semantics/children/shares.ts';
import type { Share } from '../../../semantics/plan/share.ts';

const [OLD, NEW] = ['h1:old', 'h1:new'] as const;
/** The hash that the child has of a revision of its root. */
const own = (hash: string): string => `${hash}-of-a`;

const share = (goal: string, allowed: number): Share => ({
  goal,
  stable: OLD,
  allowed,
  moving: true,
  window: {},
  mode: 'Recreate',
});

function child(generation: number, observedGeneration: number): KubeObject {
  return {
    apiVersion: 'test/v1',
    kind: 'Child',
    metadata: { name: 'a', generation },
    status: { observedGeneration },
  };
}

/** What stands on a child that is on NEW since its second generation. */
const before = (allowed: number, atMost = allowed): WrittenShare => ({
  share: { ...share(own(NEW), allowed), stable: own(OLD) },
  root: { goal: NEW, stable: OLD, before: OLD, since: 2, atMost },
});

describe('what is written on a child next', () => {
  test('has the revisions of the child, and those of its root', () => {
    expect(nextShare(undefined, undefined, share(OLD, 5), own)).toEqual({
      share: { ...share(own(OLD), 5), stable: own(OLD) },
      root: { goal: OLD, stable: OLD, before: undefined, since: 1, atMost: 5 },
    });
  });

  test('keeps since when it has its goal, and what it had before', () => {
    const next = nextShare(child(3, 3), before(2), share(NEW, 4), own);
    expect(next?.root).toEqual({ goal: NEW, stable: OLD, before: OLD, since: 2, atMost: 4 });
  });

  test('may be as much as it was until it has observed that it is less', () => {
    expect(nextShare(child(3, 3), before(5), share(NEW, 3), own)?.root.atMost).toBe(5);
    expect(nextShare(child(4, 3), before(3, 5), share(NEW, 2), own)?.root.atMost).toBe(5);
    expect(nextShare(child(4, 4), before(3, 5), share(NEW, 3), own)?.root.atMost).toBe(3);
  });

  test('is another goal from its next generation on, or from this one if its template stays', () => {
    const back = nextShare(child(3, 3), before(2), share(OLD, 5), own);
    expect(back?.root).toEqual({ goal: OLD, stable: OLD, before: NEW, since: 4, atMost: 5 });
    const same = nextShare(child(3, 3), before(2), share(OLD, 5), () => own(NEW));
    expect(same?.root).toMatchObject({ before: NEW, since: 3 });
  });

  test('waits with another goal until the child has observed its present one', () => {
    expect(nextShare(child(3, 2), before(2), share(OLD, 5), own)).toBeUndefined();
    expect(nextShare(child(3, 2), before(2), share(NEW, 1), own)).toBeDefined();
    // What somebody else has written is replaced at once.
    expect(nextShare(child(3, 2), undefined, share(OLD, 5), own)).toBeDefined();
  });

  test('is nothing where a revision has no object', () => {
    expect(nextShare(child(2, 2), before(2), share(NEW, 3), () => undefined)).toBeUndefined();
  });
});
