import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { readTree } from '../../examples/demo/demo.ts';
import { expectGolden } from '../golden.ts';
import { web } from '../stories/manifests.ts';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const scratch = mkdtempSync(join(tmpdir(), 'kruise-determinism-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const config =
  'steps:\n- match: {kind: CloneSet}\n  batches: [{to: 5%}, {to: 33.4%}, {to: 100%}]\n  between: {soak: 10m}\n';
const names = ['web', 'api', 'zeta', 'i-9', 'i-10'];

/** One real process, in a folder of its own, over files that were written in this order. */
function plansUnder(
  folder: string,
  env: Record<string, string>,
  order: readonly string[],
): Record<string, string> {
  const home = join(scratch, folder);
  for (const [state, image] of [
    ['base', 'nginx:1.25'],
    ['head', 'nginx:1.27'],
  ] as const) {
    mkdirSync(join(home, state), { recursive: true });
    writeFileSync(join(home, state, 'kruise.yaml'), config);
    for (const name of order) {
      const text = web({ image, replicas: 10 }).replaceAll('name: web\n', `name: ${name}\n`);
      writeFileSync(join(home, state, `${name}.yaml`), text);
    }
  }
  const run = spawnSync(
    process.execPath,
    [
      join(root, 'node_modules', 'tsx', 'dist', 'cli.mjs'),
      join(root, 'cli', 'main.ts'),
      'plan',
      'head',
      '--base-dir',
      'base',
    ],
    { cwd: home, env: { PATH: process.env['PATH'] ?? '', ...env }, encoding: 'utf8' },
  );
  expect(run.stderr).not.toContain('sorry');
  expect(run.status, run.stderr).toBe(0);
  return Object.fromEntries(
    Object.entries(readTree(join(home, 'head'), '')).filter(([path]) => path.startsWith('plans/')),
  );
}

describe('the same git states give the same bytes', () => {
  const here = plansUnder('here', { TZ: 'UTC', LANG: 'C' }, names);

  // Another machine, another release and another Node version answer to the same bytes.
  test('which are written down', () => {
    expect(Object.keys(here).length).toBe(10);
    const hashes = Object.entries(here).map(
      ([path, text]) => `${createHash('sha256').update(text).digest('hex')}  ${path}`,
    );
    expectGolden('plans/hashes.txt', `${hashes.join('\n')}\n`);
  });

  test('in another working folder, time zone and language, with another order of files', () => {
    const env = { TZ: 'Asia/Tokyo', LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8' };
    expect(plansUnder('deep/er/down', env, [...names].reverse())).toEqual(here);
  });
});
