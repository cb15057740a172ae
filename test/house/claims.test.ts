import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { claimsOf, titlesOf, unproven } from './claims.ts';

function sourceOf(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

describe("the sandbox's claims", () => {
  const claims = claimsOf(readFileSync('sandbox/docs/behavior.md', 'utf8'));

  it('name existing tests', () => {
    expect(claims.length).toBeGreaterThan(80);
    expect(unproven(claims, sourceOf)).toEqual([]);
  });

  it('are reported if they do not (control)', () => {
    const readme = [
      '| what | test |',
      '| ---- | ---- |',
      '| kept | `sandbox/a › keeps it` |',
      '| bare | |',
      '| lost | `sandbox/b › keeps it` |',
      '| renamed | `sandbox/a › keeps it not` |',
      '',
      '| other tables | are no claims |',
    ].join('\n');
    const source = (path: string) => (path === 'sandbox/test/a.test.ts' ? "it('keeps it', run)" : undefined);
    expect(unproven(claimsOf(readme), source)).toEqual([
      'line 4 names no test: bare',
      'line 5: there is no sandbox/test/b.test.ts',
      "line 6: sandbox/test/a.test.ts has no test called 'keeps it not'",
    ]);
  });

  it.each([
    ["it('plain', () => {", 'plain'],
    ['it.each(rows)("of $a", (row) => {', 'of $a'],
    ["it.each([\n  ['a'],\n])(\n  'on its own line: %s',", 'on its own line: %s'],
    ["const rows = [\n  [\n    'in a row',", 'in a row'],
    ["it('the user\\'s', run)", "the user's"],
  ])('read titles from %j', (source, title) => {
    expect([...titlesOf(source)]).toContain(title);
  });
});
