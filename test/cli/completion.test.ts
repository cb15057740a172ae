import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { commands } from '../../cli/command/commands.ts';
import { kruise } from '../compiler/world/manifests.ts';

const SHELLS = ['bash', 'fish', 'zsh'] as const;
const folder = mkdtempSync(join(tmpdir(), 'kruise-completion-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function scriptOf(shell: string): Promise<string> {
  const { host, code } = await kruise({}, { args: ['completion', shell] });
  expect([code, host.err]).toEqual([0, '']);
  return host.out;
}

describe.each(SHELLS)('the completion of %s', (shell) => {
  test('has every command and every option', async () => {
    const script = await scriptOf(shell);
    for (const [name, { options }] of Object.entries(commands)) {
      expect(script).toContain(name);
      for (const option of Object.keys(options))
        expect(script).toContain(shell === 'fish' ? `-l ${option}` : `--${option}`);
    }
  });

  const isHere = spawnSync(shell, ['-c', 'true']).status === 0;
  test.skipIf(!isHere)('is a script that the shell can read', async () => {
    const path = join(folder, `kruise.${shell}`);
    writeFileSync(path, await scriptOf(shell));
    const { status, stderr } = spawnSync(shell, ['-n', path], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
  });
});

describe('bash completes', () => {
  test.each([
    [['kruise', 'pl'], ['plan']],
    [['kruise', 'plan', '--base-d'], ['--base-dir']],
    [['kruise', 'plan', '--output', 'js'], ['json']],
    [['kruise', 'plan', '-o', 'm'], ['markdown']],
    [['kruise', 'plan', 'man'], []],
    [['kruise', 'plan', '--out', 'pl'], []],
    [
      ['kruise', 'admission', ''],
      ['install', 'check'],
    ],
    [
      ['kruise', 'run', '--policy', ''],
      ['Required', 'Auto'],
    ],
    [['kruise', 'help', 'expl'], ['explain']],
    [['kruise', 'nothing', '--a'], []],
  ])('%j: %j', async (words, expected) => {
    const list = words.map((word) => `'${word}'`).join(' ');
    const script = `${await scriptOf('bash')}
COMP_WORDS=(${list}) COMP_CWORD=${words.length - 1}
_kruise
printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', script], { encoding: 'utf8' });
    expect([stdout.split('\n').filter(Boolean), stderr]).toEqual([expected, '']);
  });
});

test.each([
  [[], 'name one shell'],
  [['csh'], "'csh' is none of them"],
  [['bash', 'zsh'], 'name one shell'],
])('kruise completion %j', async (operands, message) => {
  const { host, code } = await kruise({}, { args: ['completion', ...operands] });
  expect([code, host.out]).toEqual([1, '']);
  expect(host.err).toContain(message);
});
