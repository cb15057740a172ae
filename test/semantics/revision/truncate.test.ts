import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { parseRevisions, type Revision } from '../../../semantics/revision/revision.ts';
import { revisionData } from '../../../semantics/revision/revisions.ts';
import { truncate, type Truncation } from '../../../semantics/revision/truncate.ts';
import { annotateRevision } from '../../../semantics/revision/writes.ts';
import { template } from '../cloneset/model.ts';

const objects = [1, 2, 3, 4, 5].map((n): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'ControllerRevision',
  metadata: { name: `sets-${n}`, uid: `uid-${n}`, resourceVersion: String(n) },
  data: revisionData(template(`web:${n}`)),
  revision: n,
}));
const revisions = parseRevisions(objects);
const hash = (n: number): string => revisions[n - 1]?.hash ?? '';

function forgotten(parts: Partial<Truncation>): string[] {
  const target: KubeObject = { apiVersion: 'example.io/v1', kind: 'Set', metadata: { name: 'sets' } };
  const spec = { template: template('web:5') };
  const history = { target, spec, liveHash: hash(5), revisions, takenNames: new Set<string>() };
  const whole = { limit: 0, keep: new Set<string>(), inUse: () => new Set<string>(), ...parts };
  return truncate(history, whole).map((action) =>
    action.do === 'create' ? '' : `${action.verb} ${action.name}`,
  );
}

describe('revisions beyond the history limit (OpenKruise inplace-update, rule 6.6)', () => {
  test.each<[string, Partial<Truncation>, number[]]>([
    ['the live one is never deleted', {}, [1, 2, 3, 4]],
    ['the newest unused ones stay', { limit: 3 }, [1]],
    [
      'a revision that a plan may lead to neither counts nor is deleted',
      { limit: 2, keep: new Set([hash(1)]) },
      [2],
    ],
    [
      'nor does the revision of a unit',
      { limit: 1, inUse: () => new Set([hash(2), hash(3), undefined]) },
      [1],
    ],
    ['fewer than the limit', { limit: 10 }, []],
  ])('%s', (_, parts, expected) => {
    expect(forgotten(parts)).toEqual(expected.map((n) => `delete revision sets-${n}`));
  });

  test('records that only they have are copied before', () => {
    let seen: readonly Revision[] = [];
    const carry = (staying: readonly Revision[]) => {
      seen = staying;
      const last = staying.at(-1);
      return last && annotateRevision(last, 'carry', { note: '1' }, 'it would be lost');
    };
    expect(forgotten({ limit: 3, carry })).toEqual(['carry sets-5']);
    expect(seen.map(({ name }) => name)).toEqual(['sets-2', 'sets-3', 'sets-4', 'sets-5']);
    expect(forgotten({ limit: 10, carry })).toEqual([]);
  });
});
