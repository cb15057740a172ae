import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createBudget } from '../../compiler/load/budget.ts';
import { LIMITS } from '../../compiler/load/limits.ts';
import { parseAny } from '../../compiler/load/read.ts';
import { readSimple } from '../../compiler/load/simple-yaml.ts';
import { shareOf } from '../lanes.ts';
import { randomOf } from '../random.ts';

const keepAll = (): boolean => true;

/** Everything that is taken from a text; undefined where the text is refused. */
function simple(text: string): unknown {
  const read = readSimple(text, LIMITS, keepAll);
  if (read === undefined) return undefined;
  const documents = read.documents.map(({ value, at }) => [JSON.stringify(value), at]);
  return { documents, tokens: read.tokens, problems: [] };
}

/** The same by the parser for any YAML. */
function parsed(text: string): unknown {
  const budget = createBudget();
  const read = parseAny({ file: 'any.yaml', text }, budget, keepAll);
  const found = read.documents.flatMap(({ findings }) => findings.retained());
  const documents = read.documents.map(({ value, at }) => [JSON.stringify(value), at]);
  // A token of this parser takes as long as three of the simple one, and counts so.
  const tokens = (LIMITS.tokens - budget.remaining('tokens')) / 3;
  return { documents, tokens, problems: [...read.diagnostics, ...found] };
}

/** Manifests and plans of the examples, and a text with every form that is read. */
const forms = `# a comment

---
apiVersion: apps/v1   # another
kind: "Deployment"
metadata: {name: web, label: 'a b'}
spec:
  template:
    spec:
      containers:
      - name: a
        args: [--flag=1, "x y", 'z', 10]
        command:
        - --policy=Required
        - sh -c
        - |
          curl $(HOST):80/a,b && echo 'it''s'
        - $(HOST):80/{a},b
        - "a \\"b\\" \\\\ \\n"
        - 'it''s'
        - 1ad8e5b3-0b0c   # naïve, 必须
        - ü
        resources:
          limits: { cpu: 100m, memory: 1Gi }
        image: registry.example:5000/nginx:1.27
      - env: []
        name: b
      volumes: {}
      affinity: {nodeAffinity: {required: [{a: [b,  'c'], d: {}}, []]}, spec: { containers: [ { name: a } ] }}
      script: |
        #!/bin/sh
          echo "{a}, [b]"${'   '}
        exit 1

        # no comment
      stripped: |-

        x: y

  paused: true
  empty:
  none: null
# the end
---
list:
  - 1
  - a: b
    c:
      - d
`;

function texts(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /(?:manifests\/.*|plan)\.yaml$/.test(path))
    .sort()
    .map((path) => readFileSync(join(folder, path), 'utf8'));
}

const examples = texts('examples');

const PIECES = [
  ...[
    ' ',
    '  ',
    '\n',
    '\n  ',
    '\n    ',
    '\t',
    '\r\n',
    '-',
    '- ',
    '- - ',
    '-  a',
    ':',
    ': ',
    '::',
    '#',
    ' #',
    '? ',
  ],
  ...[
    '{',
    '}',
    '[',
    ']',
    ',',
    ', ',
    '"',
    "'",
    '\\',
    '|',
    '>',
    '&a',
    '*a',
    '!x',
    '<<',
    '%',
    '@',
    '`',
    '=',
    '$',
  ],
  ...[
    'a',
    'b: c\n',
    'null',
    'Null',
    '~',
    'true',
    'y',
    'no',
    '0',
    '1',
    '01',
    '0x1',
    '1_0',
    '.5',
    '1e3',
    '-1',
    '+1',
  ],
  ...[
    '25%',
    '1Gi',
    '12:30',
    "it's",
    ' & ',
    'a - b',
    ' -',
    '-a',
    '--b=c',
    'é',
    '必须',
    '\u3000',
    '\u1680',
    '\u2028',
    '|\n  a\n',
    '|-\n\n    a\n   b\n',
    ': |\n',
    '[a, {b: c}]',
    "''",
    '\\"',
    '$(A)',
    '_',
    '(',
    '^',
    '---\n',
    '...\n',
    '%YAML 1.1\n',
  ],
];

/** A part of a text with some characters or lines changed. */
function mutated(text: string, random: () => number): string {
  const below = (count: number): number => Math.floor(random() * count);
  let lines = text.split('\n');
  if (random() < 0.5) {
    const from = below(lines.length);
    lines = lines.slice(from, from + 1 + below(12));
    const margin = /^ */.exec(lines[0] ?? '')?.[0] ?? '';
    lines = lines.map((line) => (line.startsWith(margin) ? line.slice(margin.length) : line));
    lines.push('');
  }
  let found = lines.join('\n');
  for (let edits = 1 + below(3); edits > 0; edits--) {
    const at = below(found.length + 1);
    const piece = PIECES[below(PIECES.length)] ?? '';
    const kind = below(5);
    if (kind < 3)
      found = found.slice(0, at) + (kind === 0 ? '' : piece) + found.slice(at + below(kind === 1 ? 1 : 4));
    else {
      const rows = found.split('\n');
      const row = below(rows.length);
      if (kind === 3) rows[row] = ' '.repeat(below(6)) + (rows[row] ?? '').trimStart();
      else rows.splice(row, below(2), rows[below(rows.length)] ?? '');
      found = rows.join('\n');
    }
  }
  return found;
}

describe('simple YAML', () => {
  it('is what the examples and plans are written in', () => {
    expect(examples.length).toBeGreaterThan(7);
    for (const text of [...examples, forms]) expect(readSimple(text, LIMITS, keepAll), text).toBeDefined();
  });

  it('is read as the parser reads it', () => {
    for (const text of [...examples, forms]) expect(simple(text)).toEqual(parsed(text));
  });

  it('is read as the parser reads it, whatever stands for a value or key, or left to the parser', () => {
    const words = [
      ...PIECES,
      'TRUE',
      'False',
      'NULL',
      'on',
      'Yes',
      'N',
      '010',
      '0o7',
      '00m',
      '1.5',
      '1s',
      '.inf',
      'NaN',
    ];
    const pairs = words.flatMap((word) => ['', ...words].map((other) => word + other));
    const accepted = pairs
      .flatMap((word) => [
        `a: ${word}\n`,
        `${word}: a\nb: c`,
        `a:\n- ${word}\n`,
        `a: [${word}, b]`,
        `a: {b: ${word}}`,
      ])
      .filter((text) => {
        const found = simple(text);
        if (found !== undefined) expect(found, JSON.stringify(text)).toEqual(parsed(text));
        return found !== undefined;
      });
    expect(accepted.length).toBeGreaterThan(1000);
  });

  it('is read as the parser reads it, whatever is changed in it, or left to the parser', () => {
    const random = randomOf(20_261_123);
    const cases = shareOf(100_000, 0.04);
    const pool = [...examples, ...Array.from({ length: examples.length }, () => forms)];
    let accepted = 0;
    for (let n = 0; n < cases; n++) {
      const text = mutated(pool[Math.floor(random() * pool.length)] ?? '', random);
      const found = simple(text);
      if (found === undefined) continue;
      accepted += 1;
      expect(found, JSON.stringify(text)).toEqual(parsed(text));
    }
    expect(accepted).toBeGreaterThan(cases / 10);
  }, 600_000);

  it('is left to the parser near a limit', () => {
    const text = 'a: 1\n';
    expect(readSimple(text, { ...LIMITS, documentTokens: text.length }, keepAll)).toBeUndefined();
    expect(readSimple(text, { ...LIMITS, valueText: text.length }, keepAll)).toBeUndefined();
    const nested = Array.from({ length: 40 }, (_, depth) => `${' '.repeat(depth)}a:\n`).join('');
    expect(readSimple(nested, LIMITS, keepAll)).toBeUndefined();
  });

  it('is left to the parser when a text is long, whatever repeats in it', () => {
    const count = 4_000_000;
    const long = [
      ...[`a: b${' b'.repeat(count)}\n`, `a: b${':b'.repeat(count)}\n`, `a: [${'b, '.repeat(count)}b]\n`],
      ...[`a: "${'b'.repeat(count)}"\n`, `a: 1${'1'.repeat(count)}\n`, `a:\n${'- b\n'.repeat(count)}`],
      ...[`a: '${"''".repeat(count)}'\n`, `a: ${'1a'.repeat(count)}\n`, `a: |\n${'  b\n'.repeat(count)}`],
      ...[`a: "${'\\\\n'.repeat(count)}"\n`, `a: ${'['.repeat(count)}\n`, `a: b${' b:b'.repeat(count)}\n`],
      ...[`${'\n'.repeat(count)}a: b\n`, `${' '.repeat(count)}\n`, `a: b${' '.repeat(count)}#\n`],
    ];
    for (const text of long) expect(readSimple(text, LIMITS, keepAll), text.slice(0, 9)).toBeUndefined();
  });

  it('keeps only what is of interest', () => {
    const read = readSimple('a: 1\n---\nb: 2\n', LIMITS, (value) => JSON.stringify(value).includes('b'));
    expect(read?.documents.map(({ value }) => value)).toEqual([null, { b: 2 }]);
  });
});
