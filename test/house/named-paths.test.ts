import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { trackedFiles } from './files.ts';
import { missingPaths, namedPaths } from './named-paths.ts';

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
