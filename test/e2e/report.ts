import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

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

/** Collects what the end-to-end files played, and says at the end of the run in which world that was. */
export function setup(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'kruise-e2e-'));
  const path = join(folder, 'records');
  writeFileSync(path, '');
  project.provide('e2eRecords', path);
  return () => {
    const lines = readFileSync(path, 'utf8').split('\n');
    const records = lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Record);
    process.stdout.write(printed(records));
    rmSync(folder, { recursive: true, force: true });
  };
}
