import { describe, expect, test, vi } from 'vitest';
import { statusDifferences } from '../../runtime/shadow/compare.ts';
import { kinds } from '../../semantics/registry/registry.ts';
import { everyKind } from './matrix.ts';

vi.mock('../../semantics/registry/registered.ts', () => import('../fixture-kind/registered.ts'));

describe.each(everyKind)('the counters of a %s that shadow compares', (name, { shadow }) => {
  test.each(shadow.map((each) => [each.differences.join('; ') || 'no difference', each] as const))(
    '%s',
    (_what, { theirs, ours, differences }) => {
      const kind = kinds.find(({ id }) => id.kind === name);
      if (kind === undefined) throw new Error(`${name} is not registered`);
      expect(statusDifferences(theirs, ours, kind)).toEqual(differences);
    },
  );
});
