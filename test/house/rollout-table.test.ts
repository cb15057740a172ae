import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { layOut } from '../../schemas/generate/lay-out.ts';
import { describe, expect, test } from 'vitest';
import { PHASE_COLUMNS, OUTCOMES, table } from '../../semantics/plan/table.ts';
import { updating } from '../golden.ts';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

/** The page of the state machine. */
const DOCUMENT = 'docs/reference/states.md';

/** Headings of the columns that are not named after one phase. */
const HEADS: Readonly<Record<string, string>> = { Pending: 'no active plan', active: 'in progress' };

/** The generated text between the markers `<!-- <name>: semantics/plan/table.ts -->` and `<!-- end of <name> -->`. */
const sections: Record<string, string> = { table: factTable(), outcomes: outcomeTable() };

function factTable(): string {
  // A row that also applies below a blocking one has a mark.
  const rows = table.map(({ label, cells, appliesWhenBlocked }) => [
    appliesWhenBlocked ? `${label} ¹` : label,
    ...PHASE_COLUMNS.map((column) => `\`${cells[column]}\``),
  ]);
  return [
    markdownTable(['fact', ...PHASE_COLUMNS.map((column) => HEADS[column] ?? column)], rows),
    '¹ judged even where a row above it blocks.',
  ].join('\n\n');
}

function outcomeTable(): string {
  const rows = Object.entries(OUTCOMES).map(([name, meaning]) => [`\`${name}\``, meaning]);
  return markdownTable(['cell', 'what follows'], rows);
}

function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), `|${' --- |'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}

/** The text of a document with the sections generated from the code. */
async function written(text: string): Promise<string> {
  let wanted = text;
  for (const [name, markdown] of Object.entries(sections)) {
    const [begin, end] = [`<!-- ${name}: semantics/plan/table.ts -->`, `<!-- end of ${name} -->`];
    const [before = '', rest, ...more] = wanted.split(begin);
    const [, after, ...others] = rest?.split(end) ?? [];
    if (after === undefined || more.length > 0 || others.length > 0)
      throw new Error(`the markers of ${name} do not stand there exactly once`);
    wanted = `${before}${begin}\n\n${markdown}\n\n${end}${after}`;
  }
  return layOut('a.md', wanted);
}

describe('the pages about the state machine match the code: `npm run golden` writes them', () => {
  test(DOCUMENT, async () => {
    const file = join(root, DOCUMENT);
    const text = readFileSync(file, 'utf8');
    const wanted = await written(text);
    if (updating) writeFileSync(file, wanted);
    else expect(text).toBe(wanted);
  });

  test('every outcome with a meaning occurs in a cell, and every cell has one', () => {
    const outcomes = new Set(table.flatMap(({ cells }) => Object.values(cells)));
    expect([...outcomes].sort()).toEqual(Object.keys(OUTCOMES).sort());
  });
});
