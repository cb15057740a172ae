import { describe, expect, test } from 'vitest';
import { compareDomains, domainOf, mayBeginIn } from '../../../semantics/node/domains.ts';

test('a domain is the value of a label; without the label there is none', () => {
  expect(domainOf({ zone: 'a' }, 'zone')).toBe('a');
  expect(domainOf({ zone: '' }, 'zone')).toBe('');
  expect(domainOf({ rack: 'a' }, 'zone')).toBeUndefined();
  expect(domainOf(undefined, 'zone')).toBeUndefined();
  // No label, but a member of every object.
  expect(domainOf({}, 'constructor')).toBeUndefined();
});

test('domains come by name, nodes without one last', () => {
  expect([undefined, 'b', '', 'a', undefined].sort(compareDomains)).toEqual([
    '',
    'a',
    'b',
    undefined,
    undefined,
  ]);
  expect(compareDomains(undefined, 'a')).toBeGreaterThan(0);
  expect(compareDomains('a', undefined)).toBeLessThan(0);
});

describe('work begins in one domain at a time', () => {
  test.each<[busy: (string | undefined)[], domain: string | undefined, expected: boolean]>([
    [[], 'a', true],
    [[], undefined, true],
    [['a'], 'a', true],
    [['a'], 'b', false],
    [['a'], undefined, false],
    [[undefined], undefined, true],
    [[undefined], 'a', false],
    // Labels were changed meanwhile: both are to end first.
    [['a', 'b'], 'a', false],
  ])('busy %j: in %j %j', (busy, domain, expected) => {
    expect(mayBeginIn(new Set(busy), domain)).toBe(expected);
  });
});
