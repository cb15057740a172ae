import { describe, expect, test } from 'vitest';
import { fromEntries, supersededDigests } from '../../compiler/plan/from.ts';

describe('from', () => {
  const none = { mode: 'InPlace' as const, fields: [] };
  const planTo = (
    hash: string,
    ...from: { hash: string; mode: 'InPlace' | 'Recreate' | 'MetadataOnly'; depart?: boolean }[]
  ) => ({
    to: { hash, bound: {} },
    from,
  });
  test.each([
    ['the manifest at base alone', 'c', 'b', none, undefined, ['b InPlace']],
    [
      'what the plan at base lists',
      'c',
      'b',
      none,
      planTo('b', { hash: 'a', mode: 'InPlace' }),
      ['b InPlace', 'a InPlace'],
    ],
    [
      'the more disruptive of both modes',
      'c',
      'b',
      none,
      planTo('b', { hash: 'a', mode: 'MetadataOnly' }),
      ['b InPlace', 'a InPlace'],
    ],
    [
      'its own mode where that is worse',
      'c',
      'b',
      none,
      planTo('b', { hash: 'a', mode: 'Recreate' }),
      ['b InPlace', 'a Recreate'],
    ],
    [
      'a change without a plan: goal and entries as Recreate',
      'd',
      'c',
      none,
      planTo('b', { hash: 'a', mode: 'InPlace' }),
      ['c InPlace', 'b Recreate depart', 'a Recreate depart'],
    ],
    [
      'what pods may only depart from stays so',
      'd',
      'c',
      none,
      planTo('c', { hash: 'b', mode: 'InPlace' }, { hash: 'a', mode: 'Recreate', depart: true }),
      ['c InPlace', 'b InPlace', 'a Recreate depart'],
    ],
    [
      'the goal itself is dropped (going back)',
      'a',
      'b',
      none,
      planTo('b', { hash: 'a', mode: 'InPlace' }),
      ['b InPlace'],
    ],
    [
      'a continuation',
      'b',
      'b',
      { mode: 'MetadataOnly' as const, fields: [] },
      planTo('b', { hash: 'a', mode: 'InPlace' }),
      ['a InPlace'],
    ],
    [
      'one entry a hash, the newest',
      'c',
      'b',
      none,
      planTo('b', { hash: 'b', mode: 'Recreate' }, { hash: 'a', mode: 'InPlace' }),
      ['b InPlace', 'a InPlace'],
    ],
    [
      'five entries that pods may return to',
      'z',
      'b',
      none,
      planTo('b', ...['1', '2', '3', '4', '5'].map((hash) => ({ hash, mode: 'InPlace' as const }))),
      ['b InPlace', '1 InPlace', '2 InPlace', '3 InPlace', '4 InPlace'],
    ],
    [
      'five of either sort',
      'z',
      'b',
      none,
      planTo(
        'b',
        ...['1', '2', '3', '4', '5'].map((hash) => ({ hash, mode: 'InPlace' as const })),
        ...['6', '7', '8', '9', '0', 'x'].map((hash) => ({ hash, mode: 'Recreate' as const, depart: true })),
      ),
      [
        ...['b', '1', '2', '3', '4'].map((hash) => `${hash} InPlace`),
        ...['6', '7', '8', '9', '0'].map((hash) => `${hash} Recreate depart`),
      ],
    ],
  ])('%s', (_what, to, base, change, atBase, expected) => {
    const entries = fromEntries(to, base, change, atBase);
    expect(
      entries.map(({ hash, mode, depart }) => `${hash} ${mode}${depart === true ? ' depart' : ''}`),
    ).toEqual(expected);
  });

  test('the first entry has the fields, without text that is substituted later', () => {
    const fields = [
      {
        path: 'template.spec.containers[a].image',
        from: 'a:${TAG}',
        to: 'a:2',
        effect: 'InPlace' as const,
        reason: '',
        rule: '',
      },
      {
        path: 'template.metadata.annotations[${X}]',
        change: 'added' as const,
        effect: 'MetadataOnly' as const,
        reason: '',
        rule: '',
      },
    ];
    const [entry] = fromEntries('b', 'a', { mode: 'InPlace', fields }, undefined);
    expect(JSON.stringify(entry)).not.toContain('${');
    expect(entry?.fields?.[0]).toEqual({ path: fields[0]?.path, change: 'changed', effect: 'InPlace' });
  });

  test.each([
    [undefined, []],
    [{ digest: 'b' }, ['b']],
    [{ digest: 'b', supersedes: ['a', 'b'] }, ['b', 'a']],
    [{ digest: 'k', supersedes: [...'jihgfedcba'] }, [...'kjihgfedcb']],
  ])('supersedes of %j', (atBase, expected) => {
    expect(supersededDigests(atBase)).toEqual(expected);
  });
});
