import { readFileSync, writeFileSync } from 'node:fs';
import { layOut } from '../../schemas/generate/lay-out.ts';
import { expect } from 'vitest';
import { updating } from '../golden.ts';

/** A table of Markdown; a bar in a cell is escaped. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), `|${' --- |'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}

/** Compares a page with what the code says, or writes it when goldens are being updated. */
export async function expectPage(path: string, text: string): Promise<void> {
  const wanted = await layOut('a.md', text);
  if (updating) writeFileSync(path, wanted);
  else expect(readFileSync(path, 'utf8'), `${path} (npm run golden writes it anew)`).toBe(wanted);
}

/** The text of a page with `generated` between the markers `<!-- <name>: … -->` and `<!-- end of <name> -->`. */
export function between(path: string, name: string, generated: string): string {
  const text = readFileSync(path, 'utf8');
  const pattern = new RegExp(`(<!-- ${name}: .* -->)[^]*(<!-- end of ${name} -->)`);
  if (!pattern.test(text)) throw new Error(`${path} has no markers of ${name}`);
  return text.replace(pattern, (_, begin: string, end: string) => `${begin}\n\n${generated}\n\n${end}`);
}
