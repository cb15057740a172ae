import { readFileSync, writeFileSync } from 'node:fs';
import { layOut } from '../../schemas/generate/lay-out.ts';
import { describe, expect, it } from 'vitest';
import { updating } from '../golden.ts';
import { checklist, faultsOf, namedIn } from './checklist.ts';
import { MISSING, SECTIONS } from './checklist-items.ts';
import { trackedFiles } from './files.ts';

const DOCUMENT = 'docs/checklist.md';

const named = trackedFiles()
  .filter((path) => /^test\/(?!house\/).*\.ts$/.test(path))
  .flatMap((path) => namedIn(path, readFileSync(path, 'utf8')));

describe('the checklist', () => {
  it('has a test for each item that this version has, and no title names another item', () => {
    expect(faultsOf(named)).toEqual([]);
  });

  it('is generated from the titles: `npm run golden` writes it', async () => {
    const wanted = await layOut('a.md', checklist(named));
    if (updating) writeFileSync(DOCUMENT, wanted);
    else expect(readFileSync(DOCUMENT, 'utf8')).toBe(wanted);
  });

  it('has every item of each section', () => {
    expect(SECTIONS.map(({ items }) => Object.keys(items).length)).toEqual([
      47, 47, 58, 56, 22, 40, 32, 55, 25, 38, 30, 41, 32, 32, 43,
    ]);
  });

  it('finds items in titles, tables and templates, not in comments (control)', () => {
    const source = [
      '// CS-1 in a comment',
      "describe('a group (CS-2, IU-3)', () => {});",
      "it.each([['a row, CS-4', 1]])('%s', () => {});",
      'const cases = [{ rule: `of ${kind}: CS-5` }];',
    ].join('\n');
    expect(namedIn('test/a.test.ts', source).map(({ items }) => items)).toEqual([
      ['CS-2', 'IU-3'],
      ['CS-4'],
      ['CS-5'],
    ]);
  });

  it('detects items without a test, and unknown items (control)', () => {
    const faults = faultsOf([
      ...named.filter(({ items }) => !items.includes('CS-44')),
      { file: 'test/a.test.ts', title: 'CS-99', items: ['CS-99'] },
    ]);
    expect(faults).toContain('CS-44 has no test');
    expect(faults).toContain('test/a.test.ts names CS-99, which is no item: CS-99');
    expect(faults.some((fault) => Object.keys(MISSING).some((item) => fault.startsWith(`${item} has`)))).toBe(
      false,
    );
  });
});
