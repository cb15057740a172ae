import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { plays } from './ways.ts';

/** The rows of a page that name a way, by section: of tables whose last column is about it, but for those that have none. */
function waysOf(page: string): [section: string, row: string][] {
  const found: [string, string][] = [];
  let [section, isTable] = ['', false];
  let columns = 0;
  for (const line of page.split('\n')) {
    if (line.startsWith('## ')) [section, isTable] = [line.slice(3), false];
    const cells = line.startsWith('|') ? line.split('|').map((cell) => cell.trim()) : [];
    const [what = '', way = ''] = [cells[1], cells.at(-2)];
    if (what === 'what') [isTable, columns] = [way === 'how to get theirs' || way === 'theirs', cells.length];
    else if (isTable && what !== '' && !/^-+$/.test(what)) {
      if (cells.length !== columns)
        throw new Error(`${section}: ${what} has another number of cells than its table`);
      if (way !== 'no switch') found.push([section, what]);
    }
  }
  return found;
}

const idOf = ([section, row]: readonly [string, string]): string => `${section}: ${row}`;
const ways = waysOf(readFileSync('docs/differences.md', 'utf8')).map(idOf);
const played = Object.entries(plays).flatMap(([section, rows]) =>
  Object.entries(rows).map(([row, play]) => ({ id: idOf([section, row]), ...play })),
);

test('each way to the behavior of OpenKruise is played by a test', () => {
  const known = new Set(played.map(({ id }) => id));
  expect(ways.filter((each) => !known.has(each))).toEqual([]);
});

test('every play is of a row, and is there', () => {
  expect(played.map(({ id }) => id).filter((id) => !ways.includes(id))).toEqual([]);
  expect(played.filter(({ file, title }) => !readFileSync(file, 'utf8').includes(title))).toEqual([]);
});

test('a row that names a way is found, and one without a switch is not; one without its last cells is refused', () => {
  const table =
    '## A\n\n| what | here | how to get theirs |\n| --- | --- | --- |\n| x | 1 | a flag |\n| y | 2 | no switch |\n';
  expect(waysOf(table)).toEqual([['A', 'x']]);
  expect(waysOf('## B\n\n| what | here | why |\n| - | - | - |\n| x | 1 | so |\n')).toEqual([]);
  expect(() => waysOf(`${table}| z | 3 |\n`)).toThrow('A: z has another number of cells');
});
