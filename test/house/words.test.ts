import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { trackedFiles } from './files.ts';
import { exportedNames, replacedTermsIn } from './words.ts';

/** Folders whose names use the terms of the field (ARCHITECTURE.md, Terms). */
const rooms = [
  ...['semantics', 'compiler', 'cli', 'runtime', 'sandbox', 'schemas', 'deploy', 'examples'],
  ...['test/compiler', 'test/cli', 'test/fixtures', 'test/house', 'test/schemas'],
  ...['test/semantics', 'test/conformance', 'test/stories', 'test/runtime', 'test/e2e', 'test/bench'],
  ...['test/security'],
];

/** Names that use a replaced term in the sense of an API that defines them, or that clusters store. */
const allowed: readonly string[] = ['Check.pass', 'CheckResult.pass', 'Progress.passMs'];

const files = trackedFiles().filter((path) => rooms.some((room) => path.startsWith(`${room}/`)));

describe.each(rooms)('replaced terms in %s', (room) => {
  const own = files.filter((path) => path.startsWith(`${room}/`));

  it('are in no file or folder name', () => {
    expect(own.filter((path) => replacedTermsIn(path).length > 0)).toEqual([]);
  });

  it('are in no exported identifier', () => {
    const found = own
      .filter((path) => path.endsWith('.ts') && !path.includes('/generated/'))
      .flatMap((path) =>
        exportedNames(path, readFileSync(path, 'utf8'))
          .filter((name) => !allowed.includes(name) && replacedTermsIn(name).length > 0)
          .map((name) => `${path}: ${name}`),
      );
    expect(found).toEqual([]);
  });
});

describe('replaced terms', () => {
  it('are found as whole words of identifiers and paths', () => {
    expect(replacedTermsIn('seenOf')).toEqual(['seen']);
    expect(replacedTermsIn('PASS_MS')).toEqual(['pass']);
    expect(replacedTermsIn('runtime/act/moved-on.ts')).toEqual(['moved on']);
    expect(replacedTermsIn('ownWritesOf')).toEqual(['own writes']);
    expect(replacedTermsIn('replaceSignature')).toEqual([]);
    expect(replacedTermsIn('inPlaceChange')).toEqual([]);
    expect(replacedTermsIn('inPlaceSeen')).toEqual(['seen']);
    expect(replacedTermsIn('placeOf')).toEqual(['place']);
  });

  it('are searched in everything that a module exports, members included', () => {
    const text = [
      'export interface Surroundings { ask(): void; nested: { room: number } }',
      'export const portion = 1, kept = 2;',
      'export function look(): void {}',
      'const talk = 3;',
    ].join('\n');
    expect(exportedNames('a.ts', text)).toEqual([
      'Surroundings',
      'Surroundings.ask',
      'Surroundings.nested',
      'Surroundings.room',
      'portion',
      'kept',
      'look',
    ]);
  });
});
