import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { trackedFiles } from './files.ts';
import { superlinear } from './pattern-cost.ts';

interface Found {
  at: string;
  source: string;
  flags: string;
}

/** The regular expressions that a source file writes out, and the places that make one of another text. */
function patternsIn(file: string, text: string): { literals: Found[]; made: string[] } {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2023, true);
  const literals: Found[] = [];
  const made: string[] = [];
  const visit = (node: ts.Node): void => {
    const at = `${file}:${source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1}`;
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/');
      literals.push({ at, source: node.text.slice(1, end), flags: node.text.slice(end + 1) });
    }
    if (
      (ts.isNewExpression(node) || ts.isCallExpression(node)) &&
      node.expression.getText(source) === 'RegExp'
    )
      made.push(at);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return { literals, made };
}

/** The patterns of a schema: the generated validators match them as JavaScript does. */
function patternsOf(file: string, schema: unknown): Found[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]: [string, unknown]) =>
    key === 'pattern' && typeof value === 'string'
      ? [{ at: file, source: value, flags: 'u' }]
      : patternsOf(file, value),
  );
}

const files = trackedFiles();
/** Code that reads what others write. Generators read the files of this repository, and the sandbox serves tests. */
const sources = files
  .filter((path) => /^(?:cli|compiler|runtime|schemas|semantics)\/.*\.ts$/.test(path))
  .filter((path) => !/^schemas\/generate|\.d\.ts$/.test(path))
  .map((path) => ({ path, text: readFileSync(path, 'utf8') }))
  .map(({ path, text }) => patternsIn(path, text));
const schemas = files
  .filter((path) => /^schemas\/(?:config|kruise|plan)\/.*\.json$/.test(path))
  .flatMap((path) => patternsOf(path, JSON.parse(readFileSync(path, 'utf8'))));

test('every regular expression takes linear time on any text', () => {
  const all = [...sources.flatMap(({ literals }) => literals), ...schemas];
  expect(all.length).toBeGreaterThan(300);
  const slow = all.flatMap(({ at, source, flags }) => {
    const why = superlinear(source, flags);
    return why === undefined ? [] : [`${at}: /${source}/${flags} ${why}`];
  });
  expect(slow).toEqual([]);
});

/** Of constants of their own file alone. */
const allowed = ['compiler/load/identity.ts', 'compiler/text/paint.ts'];

test('no regular expression is made of another text: those of users are read by RE2', () => {
  const made = sources.flatMap((each) => each.made).map((at) => at.replace(/:\d+$/, ''));
  expect(made.filter((path) => !allowed.includes(path))).toEqual([]);
});

test.each([
  [/[.\s]+$/, true],
  [/^[.\s]+$/, false],
  [/^[.\s]+/m, false],
  [/^\s*p/m, true],
  [/ *\t/, true],
  [/^ *\t/, false],
  [/ {2,}/g, false],
  [/\s*,/, true],
  [/\s+/, false],
  [/^(a*)*b/, true],
  [/^(?:a|a)*$/, true],
  [/^(?:a|b)*$/, false],
  [/^(?:\d+\.?\d*)+$/, true],
  [/^\d+\.?\d*$/, true],
  [/^\d+(?:\.\d*)?$/, false],
  [/^(.*)\['(.*)'\]$/, true],
  [/\B(?=(\d{3})+$)/, true],
  [/^(?:a(?:a*b|))*/, true],
  [/^a*(?=a*b)/, true],
  [/(?<=a+)b/, true],
  [/^<(a|b)>.*<\/\1>$/, true],
  [/^[a-z]([-a-z]*[a-z])?(\.[a-z]([-a-z]*[a-z])?)*$/, false],
  [/^[0-9a-f]{32}$/, false],
  [/^[ab]{0,60}a[ab]{0,60}$/, true],
  [/a*b/y, false],
  [/[^]*x$/u, true],
] as const)('%s is superlinear: %s (control)', (pattern, is) => {
  expect(superlinear(pattern.source, pattern.flags) !== undefined).toBe(is);
});

test('places that make regular expressions are found (control)', () => {
  const text = 'const a = new RegExp(b);\nconst c = RegExp(d);\nconst e = /f/g;';
  expect(patternsIn('control.ts', text)).toEqual({
    literals: [{ at: 'control.ts:3', source: 'f', flags: 'g' }],
    made: ['control.ts:1', 'control.ts:2'],
  });
});
