import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleKruise } from '../cli/world/bundle.ts';
import { readSession, withoutChance, type Shown } from '../cli/world/session.ts';
import { findBinaries } from './binaries.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'kruise-readme-'));
const bin = join(folder, 'bin');
const place = join(folder, 'repository');
const kubectl = findBinaries().at(-1)?.path;

/** The console blocks of the section "Try it with kubectl". */
function blocks(): Shown[][] {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  const section = readme.split('\n## ').find((text) => text.startsWith('Try it with kubectl\n')) ?? '';
  return [...section.matchAll(/^```console\n([^]*?)^```$/gm)].map(([, text = '']) => readSession(text));
}

function program(name: string, script: string): void {
  writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(bin, name), 0o755);
}

beforeAll(async () => {
  mkdirSync(bin);
  mkdirSync(place);
  const kruise = await bundleKruise(join(folder, 'program'));
  // The same commands in less time: a tenth of what a reader waits.
  program(
    'kruise',
    `[ "$1" = sandbox ] && set -- "$@" --speed 10\nexec "${process.execPath}" "${kruise}" "$@"`,
  );
  if (kubectl !== undefined) program('kubectl', `exec "${kubectl}" "$@"`);
  cpSync(join(root, 'examples'), join(place, 'examples'), { recursive: true });
});

let sandbox: ChildProcess | undefined;
afterAll(() => {
  sandbox?.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

const env = { PATH: `${bin}:${process.env['PATH']}`, HOME: folder };

/** Starts it in the background; its first screen. */
function startSandbox(command: string): Promise<string> {
  const child = spawn('/bin/sh', ['-c', `exec ${command}`], { cwd: place, env });
  sandbox = child;
  return new Promise((resolve) => {
    let text = '';
    const hear = (piece: Buffer): void => {
      text += String(piece);
      if (text.includes('Ctrl-C')) resolve(text);
    };
    child.stdout.on('data', hear);
    child.on('exit', () => resolve(text));
  });
}

/** Runs a command as a shell would that has run those before: folder and variables stay. */
let history = '';
function runInShell(command: string): Promise<string> {
  return new Promise((resolve) => {
    execFile(
      '/bin/sh',
      ['-ec', `${history}${command}`],
      { cwd: place, env, timeout: 60_000 },
      (error, out, err) =>
        resolve(`${out}${err}${error === null ? '' : `exit ${String(error.code ?? error.signal)}\n`}`),
    );
    if (/^(export|cd) /.test(command)) history += `${command}\n`;
  });
}

describe.skipIf(kubectl === undefined)('README, "Try it with kubectl"', () => {
  test('has something to try', () => {
    const commands = blocks().flatMap((block) => block.map(({ command }) => command));
    expect(commands.filter((command) => command.startsWith('kubectl ')).length).toBeGreaterThan(8);
  });

  test('each command prints what it says', { timeout: 120_000 }, async () => {
    let seen = '';
    let said = '';
    for (const { command, output } of blocks().flat()) {
      if (/^(npm|alias) /.test(command)) continue;
      const printed = command.startsWith('kruise sandbox')
        ? (await startSandbox(command)).replace('time goes 10 times as fast', 'time goes as ever')
        : await runInShell(command);
      // Rows of pods come in the order of names that are drawn.
      seen += `$ ${command}\n${sortedRows(printed)}`;
      said += `$ ${command}\n${sortedRows(output)}`;
      if (printed.includes('exit ')) break;
    }
    expect(withoutChance(seen)).toBe(withoutChance(said));
  });

  test('and then Ctrl-C stops it, and it takes its kubeconfig with it', async () => {
    const ended = new Promise((resolve) => sandbox?.on('exit', resolve));
    sandbox?.kill('SIGINT');
    expect(await ended).toBe(0);
    expect(() => readFileSync(join(place, 'kruise-sandbox.kubeconfig'))).toThrow(/ENOENT/);
  });
});

function sortedRows(text: string): string {
  const [head = '', ...rows] = text.replace(/\n$/, '').split('\n');
  if (!head.startsWith('NAME ')) return text;
  const hidden = rows.map((row) => row.replace(/^(\w+)-\w{5}\b/, '$1-NAME'));
  return `${[head, ...hidden.sort()].join('\n')}\n`;
}
