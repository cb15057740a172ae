import * as fc from '../property.ts';
import { expect, test } from 'vitest';
import { pagesWithin } from '../../compiler/review/pages-within.ts';

const page = (name: string, items: number): string =>
  `# ${name}\n\n## Plan\n\n${Array.from({ length: items }, (_, index) => `- \`~\` **${name} ${index}**: in place\n  - a line\n`).join('')}`;

test('pages that fit are as they are', () => {
  const pages = [page('prod', 3), page('staging', 2)];
  expect(pagesWithin(pages)).toEqual(pages);
});

test('many roots fit into a comment, and the small ones are whole', () => {
  const pages = [page('large', 3_000), page('small', 3), page('larger', 5_000)];
  const [large = '', small, larger = ''] = pagesWithin(pages);
  expect([large, small, larger].join('\n').length).toBeLessThanOrEqual(60_000);
  expect(small).toBe(pages[1]);
  for (const each of [large, larger]) {
    expect(each.length).toBeGreaterThan(28_000);
    expect(each).toMatch(/- a line\n\n… and \d+ more parts: name this root alone/);
  }
});

test.each([1, 100, 450, 1_000])('%i pages keep the heading of each, however small its share', (count) => {
  const shown = pagesWithin(Array.from({ length: count }, (_, index) => page(`root-${index}`, 100)));
  for (const [index, text] of shown.entries()) expect(text.split('\n')[0]).toBe(`# root-${index}`);
  expect(shown.join('\n').length).toBeLessThanOrEqual(60_000);
});

test('any number of pages of any size fit, and no item is cut', () => {
  const sizes = fc.array(fc.integer({ min: 0, max: 3_000 }), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(sizes, (counts) => {
      const shown = pagesWithin(counts.map((count, index) => page(`root-${index}`, count)));
      expect(shown).toHaveLength(counts.length);
      expect(shown.join('\n').length).toBeLessThanOrEqual(60_000);
      for (const text of shown)
        for (const [, rest = ''] of text.matchAll(/^- `(.*)$/gm)) expect(rest).toMatch(/\*\*: in place$/);
    }),
    { numRuns: 50 },
  );
});
