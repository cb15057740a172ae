import { describe, expect, it } from 'vitest';
import * as fc from '../../property.ts';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import {
  equalRevision,
  revisionData,
  revisionHash,
  revisionName,
  sortRevisions,
  templateOf,
  truncatable,
} from '../../../semantics/revision/revisions.ts';

function revision(name: string, number: number, template: JsonObject = {}, created?: string): KubeObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: { name, ...(created === undefined ? {} : { creationTimestamp: created }) },
    revision: number,
    data: revisionData(template),
  };
}

const template: JsonObject = { spec: { containers: [{ name: 'app', image: 'app:1' }] } };

describe('inplace-update 6.6: data and hash', () => {
  it('contains the template as written, with a replace directive', () => {
    expect(revisionData(template)).toEqual({ spec: { template: { ...template, $patch: 'replace' } } });
    expect(templateOf(revision('a', 1, template))).toEqual(template);
  });

  it('is FNV-1, 32 bits, digits mapped', () => {
    expect(fnv1('foobar')).toBe(String(0x31f0b262));
    const digits = fnv1('{}0');
    expect(revisionHash({})).toBe([...digits].map((digit) => '456789bcdf'[Number(digit)]).join(''));
  });

  it('IU-37: only 456789bcdf, another collision count gives another hash, the order of keys none', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.string()), fc.nat(9), (labels, count) => {
        const data = revisionData({ metadata: { labels } });
        const turned = revisionData({
          metadata: { labels: Object.fromEntries(Object.entries(labels).reverse()) },
        });
        expect(revisionHash(data, count)).toMatch(/^[456789bcdf]{1,10}$/);
        expect(revisionHash(turned, count)).toBe(revisionHash(data, count));
        expect(revisionHash(data, count + 1)).not.toBe(revisionHash(data, count));
      }),
    );
  });

  it('names: at most 223 bytes of the workload', () => {
    expect(revisionName('web', '456')).toBe('web-456');
    expect(revisionName('w'.repeat(300), '456')).toBe(`${'w'.repeat(223)}-456`);
  });
});

describe('inplace-update 6.6: equality', () => {
  it('is by canonical content: defaulted by another controller, another name, other labels', () => {
    const theirs: JsonObject = {
      metadata: { creationTimestamp: null },
      spec: {
        restartPolicy: 'Always',
        containers: [{ image: 'app:1', name: 'app', imagePullPolicy: 'Always', resources: {} }],
      },
    };
    const left = revision('web-x', 3, theirs);
    left.metadata.labels = { 'controller.kubernetes.io/hash': 'other' };
    expect(equalRevision(left, revision('web-y', 9, template))).toBe(true);
    expect(equalRevision(left, revision('web-x', 3, {}))).toBe(false);
  });

  it('IU-36 A, B, A: the third equals the first and not the second', () => {
    const a = revision('web-a', 1, template);
    const b = revision('web-b', 2, { spec: { containers: [{ name: 'app', image: 'app:2' }] } });
    const again = revision('web-c', 3, structuredClone(template));
    expect([equalRevision(again, a), equalRevision(again, b)]).toEqual([true, false]);
  });

  it.each([undefined, null, 'text', {}, { spec: null }, { spec: { template: [] } }])(
    'data %j holds no template',
    (data) => {
      expect(templateOf({ ...revision('a', 1), data })).toEqual({});
    },
  );
});

it('inplace-update 6.6 step 1: by number, then age, then name', () => {
  const sorted = sortRevisions([
    revision('d', 2),
    revision('c', 1, {}, '2026-01-02T00:00:00Z'),
    revision('b', 1, {}, '2026-01-01T00:00:00Z'),
    revision('a', 1, {}, '2026-01-02T00:00:00Z'),
  ]);
  expect(sorted.map(({ metadata }) => metadata.name)).toEqual(['b', 'a', 'c', 'd']);
});

describe('inplace-update 6.6: truncation', () => {
  const five = [5, 1, 4, 2, 3].map((n) => revision(`r${n}`, n));
  const names = (live: string[], limit: number): string[] =>
    truncatable(five, new Set(live), limit).map(({ metadata }) => metadata.name);

  it('IU-38: the lowest numbers are deleted; live ones are never deleted, and never count', () => {
    expect(names([], 2)).toEqual(['r1', 'r2', 'r3']);
    expect(names(['r1', 'r5'], 2)).toEqual(['r2']);
    expect(names(['r1'], 9)).toEqual([]);
  });

  it('CS-29: limit 0 retains only the live ones', () => {
    expect(names(['r2', 'r5'], 0)).toEqual(['r1', 'r3', 'r4']);
    expect(names(['r2', 'r5'], -1)).toEqual(['r1', 'r3', 'r4']);
  });
});

/** The textbook form on big integers, for ASCII. */
function fnv1(text: string): string {
  let hash = 0x811c9dc5n;
  for (const char of text) {
    hash = (hash * 0x01000193n) % 2n ** 32n;
    hash ^= BigInt(char.charCodeAt(0));
  }
  return String(hash);
}
