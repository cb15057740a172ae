import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { trackedFiles } from './files.ts';
import { fileRules, rooms, roomsWithoutReadme, untidy } from './tidy.ts';

/** Files with intentionally unusual bytes. */
const deliberatelyOdd = /\/fixtures\/|^golden\/.*\.(bin|crlf)/;

describe('the house', () => {
  const paths = trackedFiles();

  it('is tidy', () => {
    expect(paths.length).toBeGreaterThan(100);
    const files = paths
      .filter((path) => !deliberatelyOdd.test(path))
      .map((path) => ({ path, text: readFileSync(path, 'utf8') }));
    expect(untidy(files)).toEqual([]);
  });

  it('has a README in every room', () => {
    expect(roomsWithoutReadme(paths)).toEqual([]);
    expect(rooms.filter((room) => paths.includes(`${room}/README.md`)).length).toBeGreaterThan(3);
  });

  it('reports a missing README (control)', () => {
    expect(roomsWithoutReadme(['schemas/a.ts', 'runtime/README.md', 'runtime/b.ts'])).toEqual(['schemas']);
  });

  // Composed here, so that this file does not contain what the rules detect.
  const controls: [rule: string, path: string, text: string, what: string][] = [
    ['known top level', 'stuff/a.ts', '', 'stuff is not of the top level'],
    ['known top level', 'notes.txt', '', 'notes.txt is not of the top level'],
    ['telling names', 'compiler/utils/a.ts', '', 'utils says nothing about what it holds'],
    ['telling names', 'compiler/helpers.ts', '', 'helpers.ts says nothing about what it holds'],
    ['short sources', 'compiler/a.ts', 'x\n'.repeat(401), '401 lines'],
    ['no loose ends', 'compiler/a.ts', `// ${'TO'}DO: more\n`, `without a link: // ${'TO'}DO: more`],
    ['no conflict markers', 'golden/a.md', `x\n${'<'.repeat(7)} HEAD\n`, 'line 2 is left from a merge'],
    ['no machine paths', 'docs/a.md', `in ${'/ro'}ot/x it\n`, `${'/ro'}ot/x`],
    ['no machine paths', 'docs/a.md', `'${'/ho'}me/me'\n`, `'${'/ho'}me/me`],
    ['clean whitespace', 'docs/a.md', 'x \n', 'line 1 ends in a blank'],
    ['clean whitespace', 'docs/a.md', 'x', 'no newline at the end'],
    ['clean whitespace', 'docs/a.md', 'x\r\n', 'carriage returns'],
    [
      'hashed packages',
      'package-lock.json',
      '{"packages":{"":{},"node_modules/a":{"integrity":"sha512-"},"node_modules/b":{"optional":true}}}\n',
      'node_modules/b has no integrity hash',
    ],
    [
      'hashed packages',
      'package-lock.json',
      '{"packages":{"node_modules/a":{"integrity":"sha512-","resolved":"http://mirror/a.tgz"}}}\n',
      'node_modules/a comes from a place of its own: http://mirror/a.tgz',
    ],
  ];

  it.each(controls)('%s: %s (control)', (rule, path, text, what) => {
    expect(untidy([{ path, text }])).toEqual([`${rule}: ${path}: ${what}`]);
  });

  it('has a control for every rule', () => {
    expect(new Set(controls.map(([rule]) => rule))).toEqual(new Set(Object.keys(fileRules)));
  });

  it.each([
    ['compiler/a.ts', 'x\n'.repeat(400)],
    ['compiler/a.ts', `// ${'TO'}DO https://example.com/issues/1\n`],
    ['schemas/generated/a.ts', 'x\n'.repeat(5000)],
    ['compiler/library.ts', ''],
    ['docs/a.md', 'apis/root/x\n'],
  ])('accepts %s', (path, text) => {
    expect(untidy([{ path, text }])).toEqual([]);
  });
});
