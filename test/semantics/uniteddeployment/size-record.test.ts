import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { SIZE_ANNOTATION } from '../../../semantics/children/subset-keys.ts';
import { keepsSizeUntil, sizeText } from '../../../semantics/uniteddeployment/size-record.ts';

const AT = Date.UTC(2026, 0, 1);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

function child(replicas: number, text?: string): KubeObject {
  const annotations = { ...(text !== undefined && { [SIZE_ANNOTATION]: text }) };
  return {
    apiVersion: 'test/v1',
    kind: 'Child',
    metadata: { name: 'web-a', annotations },
    spec: { replicas },
  };
}

describe('the size that a child was given', () => {
  test('is written back at once where others have changed it, and later after ever longer pauses', () => {
    const pauses: number[] = [];
    let [text, now] = [sizeText(undefined, 2, AT), AT];
    for (let change = 0; change < 9; change += 1) {
      now += 1000;
      const changed = child(5, text);
      const until = keepsSizeUntil(changed, 2, now) ?? now;
      pauses.push(Math.round((until - now) / MINUTE));
      now = until;
      expect(keepsSizeUntil(changed, 2, now)).toBe(undefined);
      text = sizeText(changed, 2, now);
    }
    expect(pauses).toEqual([0, 10, 20, 40, 80, 160, 300, 300, 300]);
  });

  const again = '2 at 2026-01-01T00:00:00Z, again 1';
  test.each<[string, KubeObject, number, number]>([
    ['nobody has changed it', child(2, again), 2, AT],
    ['another one is wanted', child(5, again), 3, AT],
    ['nothing is on record', child(5), 2, AT],
    ['the record is of a later time', child(5, again), 2, AT - 1000],
    ['it is of a day before', child(5, again), 2, AT + 25 * HOUR],
    ['it is no record', child(5, '2 at some time, again x'), 2, AT],
    ['it has no time', child(5, '2 at noon, again 1'), 2, AT],
  ])('is written where %s', (_what, object, wanted, now) => {
    expect(keepsSizeUntil(object, wanted, now)).toBe(undefined);
  });

  test('is remembered through another size, and forgotten after a day', () => {
    expect(keepsSizeUntil(child(5, again), 2, AT)).toBe(AT + 10 * MINUTE);
    expect(sizeText(child(5, again), 3, AT + MINUTE)).toBe('3 at 2026-01-01T00:01:00Z, again 1');
    expect(sizeText(child(5, again), 2, AT + 25 * HOUR)).toBe('2 at 2026-01-02T01:00:00Z');
  });
});
