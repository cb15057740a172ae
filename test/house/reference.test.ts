import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { admissionMetrics } from '../../runtime/admit/metrics.ts';
import { metrics } from '../../runtime/report/metrics.ts';
import type { MetricDefinition } from '../../runtime/report/registry.ts';
import { buildTables } from '../docs/build-page.ts';
import { commandsPage } from '../docs/commands-page.ts';
import { fieldsPage } from '../docs/fields-page.ts';
import { between, expectPage, markdownTable } from '../docs/markdown.ts';

describe('the reference matches the code: `npm run golden` writes it', () => {
  test('commands and options', () => expectPage('docs/reference/commands.md', commandsPage()));

  test('what a build makes of each kind', () =>
    expectPage('docs/reference/build.md', between('docs/reference/build.md', 'build', buildTables())));

  test('fields', () => expectPage('docs/reference/fields.md', fieldsPage()));

  test('metrics', () =>
    expectPage('docs/metrics.md', between('docs/metrics.md', 'metrics', tableOf(metrics))));

  test('metrics of the admission', () =>
    expectPage(
      'docs/metrics.md',
      between('docs/metrics.md', 'admission metrics', tableOf(admissionMetrics)),
    ));
});

function tableOf(all: Readonly<Record<string, MetricDefinition>>): string {
  const rows = Object.entries(all)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { type, labels, help }]) => [
      `\`${name}\``,
      type,
      labels.map((label) => `\`${label}\``).join(', '),
      help,
    ]);
  return markdownTable(['name', 'type', 'labels', 'meaning'], rows);
}

test('every metric is counted', () => {
  const meters = readFileSync('runtime/report/meters.ts', 'utf8');
  expect(Object.keys(metrics).filter((name) => !meters.includes(`'${name}'`))).toEqual([]);
});
