import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { beyondRecords, nextRecords } from '../../../semantics/children/next-records.ts';
import { recordedShares, SHARES_ANNOTATION, sharesText } from '../../../semantics/children/share-records.ts';
import { shareDigest } from '../../../semantics/children/shares.ts';

/** What the server allows of all annotations of an object, bytes. */
const MOST_OF_THE_SERVER = 262_144;

/** Names of sixty characters. */
const named = (count: number, prefix = 'a') =>
  Array.from({ length: count }, (_, index) => `${prefix}${String(index).padStart(59, '0')}`);
const shares = (names: readonly string[], text: string) => names.map((name) => ({ name, text }));

const revisionWith = (text: string): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'ControllerRevision',
  metadata: { name: 'web-1', annotations: { [SHARES_ANNOTATION]: text } },
  revision: 1,
});

test('what is on record of a child that has no share is nothing, and all else is read', () => {
  const records = new Map([
    ['web-a', []],
    ['web-b', [shareDigest('x')]],
  ]);
  expect(recordedShares([revisionWith(sharesText(records))])).toEqual(
    new Map([['web-b', [shareDigest('x')]]]),
  );
});

describe('the next records', () => {
  test('are what stands on the children, and what they are to get', () => {
    const { records, fitting } = nextRecords(
      [...shares(['a', 'b', 'c'], 'old')],
      [...shares(['a'], 'new'), ...shares(['b'], 'old'), ...shares(['d'], 'new')],
    );
    const [old, next] = [shareDigest('old'), shareDigest('new')];
    expect(records).toEqual(
      new Map([
        ['a', [old, next]],
        ['b', [old]],
        ['c', [old]],
        ['d', [next]],
      ]),
    );
    expect([...fitting]).toEqual(['a', 'b', 'd']);
  });

  test('are never longer than an annotation may be: the other children wait', () => {
    const { records, fitting } = nextRecords([], shares(named(3_000), 'x'));
    expect(sharesText(records).length).toBeLessThan(MOST_OF_THE_SERVER);
    expect([...fitting]).toEqual(named(3_000).slice(0, fitting.size));
    expect(fitting.size).toBeGreaterThan(1_000);
  });

  test('let each of the most children get its next share, and then the one after', () => {
    let standing = shares([...nextRecords([], shares(named(3_000), 'x')).fitting], 'x');
    const most = standing.length;
    let written = 0;
    for (let round = 0; round < 5 && written < most; round += 1) {
      const { records, fitting } = nextRecords(
        standing,
        shares(
          standing.map(({ name }) => name),
          'y',
        ),
      );
      expect(sharesText(records).length).toBeLessThan(MOST_OF_THE_SERVER);
      standing = standing.map((each) => (fitting.has(each.name) ? { ...each, text: 'y' } : each));
      written = standing.filter(({ text }) => text === 'y').length;
    }
    expect(written).toBe(most);
  });

  test('give no room of those that go to those that come before they are gone', () => {
    const first = [...nextRecords([], shares(named(3_000), 'x')).fitting];
    const [gone, come] = [shares(first, 'smaller'), shares(named(3_000, 'b'), 'x')];
    const both = nextRecords(shares(first, 'x'), [...come, ...gone]);
    expect([...both.fitting].filter((name) => name.startsWith('b'))).toEqual([]);
    expect(both.fitting.size).toBeGreaterThan(1_000);
    const after = nextRecords([], come);
    expect(after.fitting.size).toBe(first.length);
  });
});

test('a list of children of which not all can be on record breaks a rule', () => {
  const { size } = nextRecords([], shares(named(3_000), 'x')).fitting;
  expect(beyondRecords(named(size))).toBeUndefined();
  expect(beyondRecords(named(size + 1))).toMatch(
    /^must have fewer items or shorter names: their records take \d+ characters, and at most 150000 fit$/,
  );
});
