import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { metrics } from '../../runtime/report/metrics.ts';
import { commandsPage } from '../docs/commands-page.ts';
import { fieldsPage } from '../docs/fields-page.ts';
import { between, expectPage, markdownTable } from '../docs/markdown.ts';

describe('the reference matches the code: `npm run golden` writes it', () => {
  test('commands and options', () => expectPage('docs/reference/commands.md', commandsPage()));

  test('fields', () => expectPage('docs/reference/fields.md', fieldsPage()));

  test('metrics', () => {
    const rows = Object.entries(metrics)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, { type, labels, help }]) => [
        `\`${name}\``,
        type,
        labels.map((label) => `\`${label}\``).join(', '),
        help,
      ]);
    const table = markdownTable(['name', 'type', 'labels', 'meaning'], rows);
    return expectPage('docs/metrics.md', between('docs/metrics.md', 'metrics', table));
  });
});

test('every metric is counted', () => {
  const meters = readFileSync('runtime/report/meters.ts', 'utf8');
  expect(Object.keys(metrics).filter((name) => !meters.includes(`'${name}'`))).toEqual([]);
});
