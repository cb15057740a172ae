import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { trackedFiles } from './files.ts';
import { missingBelow, missingPaths, namedPaths } from './named-paths.ts';
import { rooms } from './tidy.ts';

describe('the files that the page of a room names', () => {
  it.each([...rooms, 'test', 'golden'])('%s: exist', (room) => {
    expect(missingBelow(readFileSync(`${room}/README.md`, 'utf8'), room, trackedFiles())).toEqual([]);
  });

  it('are reported if they do not (control)', () => {
    const page = 'Read `plan/`, `a.ts`, `plan/a.ts`, `plan/b.ts`, `gone/`, `../docs/`, `./` and `docs/x.ts`.';
    const files = ['rules/plan/a.ts', 'other/plan/b.ts', 'other/gone/c.ts', 'docs/x.ts'];
    expect(missingBelow(page, 'rules', files)).toEqual(['plan/b.ts', 'gone/']);
  });
});

describe('the paths that a page for contributors names', () => {
  const files = trackedFiles();

  it.each(['ARCHITECTURE.md', 'CONTRIBUTING.md'])('%s: exist', (page) => {
    const text = readFileSync(page, 'utf8');
    expect(namedPaths(text).length).toBeGreaterThan(20);
    expect(missingPaths(text, files)).toEqual([]);
  });

  it('are reported if they do not (control)', () => {
    const page = [
      'Read `semantics/a.ts`, `semantics/gone.ts`, `b.ts`, `test/cells-of-*.ts` and `test/rows-of-*.ts`.',
      '`plan.yaml` is yours; `Kind/name` and `runtime` are no paths, `golden/` is one.',
      '```console\n$ npx vitest run test/gone\n```',
    ].join('\n');
    const tracked = ['semantics/a.ts', 'test/cells-of-x.ts', 'golden/a.txt'];
    expect(missingPaths(page, tracked)).toEqual([
      'semantics/gone.ts',
      'b.ts',
      'test/rows-of-*.ts',
      'test/gone',
    ]);
  });
});
