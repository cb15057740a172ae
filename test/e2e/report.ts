import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

interface Rollouts {
  world: string;
  version: string;
  ran: number;
  differing: string[];
  notRun: string[];
}

interface Record {
  name: string;
  server: string;
  kubectls: string[];
  ran: number;
  notRun: string[];
}

function printed(records: readonly Record[]): string {
  const [first] = records;
  if (first === undefined) return '';
  const ran = records.reduce((sum, record) => sum + record.ran, 0);
  const notRun = records.flatMap((record) => record.notRun.map((each) => `${record.name}: ${each}`));
  const kubectls = first.kubectls.length === 0 ? 'no kubectl' : `kubectl ${first.kubectls.join(' and ')}`;
  return [
    '',
    `End to end: ${ran} cases with ${kubectls} against ${first.server}; ${notRun.length} not run.`,
    ...notRun.sort().map((each) => `  not run: ${each}`),
    '',
  ].join('\n');
}

/** The results of the rollouts, one line for each world. */
function table(records: readonly Rollouts[]): string {
  if (records.length === 0) return '';
  const rows = [
    ['WORLD', 'VERSION', 'CASES', 'DIFFERING', 'NOT RUN'],
    ...records.map(({ world, version, ran, differing, notRun }) =>
      [world, version, ran, differing.length, notRun.length].map(String),
    ),
  ];
  const widths = rows[0]?.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0))) ?? [];
  const listed = (what: string, of: (record: Rollouts) => string[]): string[] =>
    records.flatMap((record) => of(record).map((each) => `  ${what}: ${each}`)).sort();
  return [
    '',
    'Rollouts, compared with the golden files of all worlds:',
    ...rows.map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('   ')
        .trimEnd(),
    ),
    ...listed('differs', ({ differing }) => differing),
    ...listed('not run', ({ notRun }) => notRun),
    '',
  ].join('\n');
}

/** Of several files in the same world, one line. */
function byWorld(records: readonly Rollouts[]): Rollouts[] {
  const worlds = new Map<string, Rollouts>();
  for (const record of records) {
    const key = `${record.world} ${record.version}`;
    const before = worlds.get(key) ?? { ...record, ran: 0, differing: [], notRun: [] };
    worlds.set(key, {
      ...before,
      ran: before.ran + record.ran,
      differing: [...before.differing, ...record.differing],
      notRun: [...before.notRun, ...record.notRun],
    });
  }
  return [...worlds.values()];
}

/** Collects the end-to-end cases that ran, and prints their worlds at the end of the run. */
export function setup(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'kruise-e2e-'));
  const path = join(folder, 'records');
  writeFileSync(path, '');
  project.provide('e2eRecords', path);
  return () => {
    const lines = readFileSync(path, 'utf8').split('\n');
    const records = lines
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record | { rollouts: Rollouts });
    const rollouts = records.flatMap((record) => ('rollouts' in record ? [record.rollouts] : []));
    process.stdout.write(printed(records.flatMap((record) => ('rollouts' in record ? [] : [record]))));
    process.stdout.write(table(byWorld(rollouts)));
    rmSync(folder, { recursive: true, force: true });
  };
}
