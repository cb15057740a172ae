/** A row of a table of claims: a statement, and the tests that would fail if it were wrong. */
export interface Claim {
  line: number;
  text: string;
  /** `file › title`, the file without `.test.ts`: below `sandbox/test/` after `sandbox/`, else below `test/`. */
  tests: { file: string; title: string }[];
}

/** The claims of a README: the rows of every table whose last column has the head `test`. */
export function claimsOf(markdown: string): Claim[] {
  const claims: Claim[] = [];
  let inTable = false;
  for (const [index, line] of markdown.split('\n').entries()) {
    const cells = cellsOf(line);
    if (cells.length < 2) inTable = false;
    else if (cells.at(-1) === 'test') inTable = true;
    else if (inTable && !cells.every((cell) => /^:?-+:?$/.test(cell))) {
      const tests = [...(cells.at(-1) ?? '').matchAll(/`([^`›]+?) › ([^`]+)`/g)].map(
        ([, file = '', title = '']) => ({ file, title }),
      );
      claims.push({ line: index + 1, text: cells[0] ?? '', tests });
    }
  }
  return claims;
}

/** The cells of a row; an escaped bar belongs to its cell. */
function cellsOf(line: string): string[] {
  if (!line.startsWith('|')) return [];
  return line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));
}

/**
 * The titles of the tests of a file, of their groups and of the rows of their tables, as in the source: `%s` and `$name`
 * are not replaced.
 */
export function titlesOf(source: string): Set<string> {
  const titles = new Set<string>();
  // `it('title'`, `it.each(rows)('title'`, `['title', run]`: the first string after an opening bracket.
  const opening = /(?:\b(?:it|test|describe)\(|\)\(|\[)\s*(['"`])((?:\\.|(?!\1).)*)\1/gs;
  for (const [, quote = '', title = ''] of source.matchAll(opening))
    titles.add(title.replaceAll(`\\${quote}`, quote));
  return titles;
}

/** The mistakes of claims: no test, a missing file, a title that the file does not have. */
export function unproven(claims: readonly Claim[], sourceOf: (path: string) => string | undefined): string[] {
  return claims.flatMap(({ line, text, tests }) => {
    if (tests.length === 0) return [`line ${line} names no test: ${text}`];
    return tests.flatMap(({ file, title }) => {
      const [, ofPackage] = /^sandbox\/(.*)/.exec(file) ?? [];
      const path = ofPackage === undefined ? `test/${file}.test.ts` : `sandbox/test/${ofPackage}.test.ts`;
      const source = sourceOf(path);
      if (source === undefined) return [`line ${line}: there is no ${path}`];
      return titlesOf(source).has(title) ? [] : [`line ${line}: ${path} has no test called '${title}'`];
    });
  });
}
