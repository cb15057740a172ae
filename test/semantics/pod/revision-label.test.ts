import { expect, it } from 'vitest';
import { isLabelOf, labelMatchesRevision, shortHash } from '../../../semantics/pod/revision-label.ts';

it.each([
  ['web-456', 'web-456', true],
  ['456', 'web-456', true],
  ['web-456', '456', true],
  ['my-web-456', 'my-web-456', true],
  ['web-457', 'web-456', false],
  ['web-45', 'web-456', false],
  ['', 'web-', false],
  [undefined, 'web-456', false],
])('label %j on revision %j: %s', (label, name, matches) => {
  expect(labelMatchesRevision(label, name)).toBe(matches);
});

it.each([
  ['web-456', 'web-456', true],
  ['456', 'web-456', true],
  ['456', `${'w'.repeat(70)}-456`, true],
  ['web-456', 'my-web-456', false],
  ['56', 'web-456', false],
  ['', 'web-', false],
])('label %j is that of revision %j: %s', (label, name, is) => {
  expect(isLabelOf(label, name)).toBe(is);
});

it('takes the short hash from the last dash', () => {
  expect([shortHash('a-b-456'), shortHash('456')]).toEqual(['456', '456']);
});
