import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { nodeHost } from '../../../cli/machine/node-host.ts';
import { HostError } from '../../../compiler/host.ts';
import { findFiles } from '../../../compiler/load/files.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kruise-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

test('writes, replaces and removes, and leaves no temporary file', () => {
  const host = nodeHost();
  host.write([{ path: `${folder}/a/b.txt`, text: 'one' }], folder);
  host.write(
    [
      { path: `${folder}/a/b.txt`, text: undefined },
      { path: `${folder}/a/c.txt`, text: 'two' },
    ],
    folder,
  );
  expect(readdirSync(join(folder, 'a'))).toEqual(['c.txt']);
  expect(readFileSync(join(folder, 'a/c.txt'), 'utf8')).toBe('two');
});

test('writes nothing if one file cannot be written', () => {
  const host = nodeHost();
  writeFileSync(join(folder, 'file'), '');
  const files = [
    { path: `${folder}/good.txt`, text: 'x' },
    { path: `${folder}/file/below.txt`, text: 'x' },
  ];
  expect(() => host.write(files, folder)).toThrow(HostError);
  expect(readdirSync(folder)).toEqual(['file']);
});

test.each<[what: string, paths: [string, string], text: string | undefined]>([
  ['two texts', ['a/x.txt', 'b/x.txt'], 'two'],
  ['a text and a removal', ['b/x.txt', 'a/x.txt'], undefined],
  ['two in folders that are not there', ['a/new/x.txt', 'b/new/x.txt'], 'two'],
])('writes no file at two paths that are one by a link: %s', (_what, [one, other], text) => {
  const host = nodeHost();
  mkdirSync(join(folder, 'a'));
  symlinkSync('a', join(folder, 'b'));
  const files = [
    { path: `${folder}/${one}`, text: 'one' },
    { path: `${folder}/${other}`, text },
  ];
  expect(() => host.write(files, folder)).toThrow(`${folder}/${one} and ${folder}/${other} are one file`);
  expect(readdirSync(join(folder, 'a'))).toEqual([]);
});

test('removes at the next write what a killed process left behind, and nothing else', () => {
  const removed = spawnSync(process.execPath, ['-e', '']).pid;
  const chance = 'a1'.repeat(12);
  const long = new Date(Date.now() - 2 * 3_600_000);
  const remaining = [
    `b.txt.kruise-${process.ppid}-${chance}`,
    `b.txt.kruise-${removed}`,
    `c.txt.kruise-${removed}-${chance}`,
  ];
  for (const name of [`b.txt.kruise-${removed}-${chance}`, ...remaining]) {
    writeFileSync(join(folder, name), '');
    utimesSync(join(folder, name), long, long);
  }
  nodeHost().write([{ path: `${folder}/b.txt`, text: 'one' }], folder);
  expect(readdirSync(folder)).toEqual(['b.txt', ...remaining].sort());
});

test('a killed run leaves whole files and nothing removed, and the next run mends the rest at once', () => {
  const path = (name: string): string => join(folder, name);
  const changes = [
    { path: path('plans/a/plan.yaml'), text: 'a' },
    { path: path('plans/b/plan.yaml'), text: 'b' },
    { path: path('plans/gone/plan.yaml'), text: undefined },
  ];
  const script = `
    import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    const { renameSync } = fs;
    fs.renameSync = (from, to) => {
      renameSync(from, to);
      process.kill(process.pid, 'SIGKILL');
    };
    syncBuiltinESMExports();
    const { nodeHost } = await import(${JSON.stringify(new URL('../../../cli/machine/node-host.ts', import.meta.url).href)});
    nodeHost().write(${JSON.stringify(changes)}, ${JSON.stringify(folder)});`;
  nodeHost().write([{ path: path('plans/gone/plan.yaml'), text: 'old' }], folder);
  const run = spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script]);
  expect(run.signal).toBe('SIGKILL');
  expect(readFileSync(path('plans/a/plan.yaml'), 'utf8')).toBe('a');
  expect(readdirSync(path('plans/b'))).toEqual([
    expect.stringMatching(/^plan\.yaml\.kruise-\d+-[0-9a-f]{24}$/),
  ]);
  expect(readFileSync(path('plans/gone/plan.yaml'), 'utf8')).toBe('old');
  nodeHost().write(changes, folder);
  expect(readdirSync(path('plans'))).toEqual(['a', 'b']);
  expect(readdirSync(path('plans/b'))).toEqual(['plan.yaml']);
});

test.each([
  ['SIGHUP', 129],
  ['SIGINT', 130],
  ['SIGTERM', 143],
])('%s during a write leaves complete files, and ends the program', (signal, status) => {
  const script = `
    const { nodeHost } = await import(${JSON.stringify(new URL('../../../cli/machine/node-host.ts', import.meta.url).href)});
    const interrupted = { path: ${JSON.stringify(join(folder, 'b.txt'))}, get text() {
      process.kill(process.pid, ${JSON.stringify(signal)});
      return 'two';
    } };
    nodeHost().write([{ path: ${JSON.stringify(join(folder, 'a.txt'))}, text: 'one' }, interrupted], ${JSON.stringify(folder)});
    await new Promise((done) => setTimeout(done, 2_000));`;
  const run = spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
    encoding: 'utf8',
  });
  expect({ status: run.status, err: run.stderr }).toEqual({ status, err: '' });
  expect(readdirSync(folder)).toEqual(['a.txt', 'b.txt']);
});

test('ends the program quietly if the reader of its output ends', () => {
  const main = fileURLToPath(new URL('../../../cli/main.ts', import.meta.url));
  const command = `{ "${process.execPath}" --import tsx "${main}" --help; echo "status $?" >&2; } | true`;
  const slow = command.replace('{ ', '{ sleep 1; ');
  const run = spawnSync('sh', ['-c', slow], { encoding: 'utf8' });
  expect(run.stderr).toBe('status 141\n');
});

test('explains a missing file', () => {
  expect(() => nodeHost().readFile(join(folder, 'none'))).toThrow(/does not exist/);
});

test('handles loops of links and broken links', () => {
  mkdirSync(join(folder, 'a'));
  writeFileSync(join(folder, 'a/x.yaml'), '');
  symlinkSync('..', join(folder, 'a/up'));
  symlinkSync('self', join(folder, 'self'));
  symlinkSync('gone', join(folder, 'broken.yaml'));
  const found = findFiles(nodeHost(), folder, folder, {});
  expect(found.files.map(({ path }) => path)).toEqual([`${folder}/a/x.yaml`]);
  expect(found.diagnostics.map(({ code }) => code)).toEqual(['KR1015', 'KR1015', 'KR1015']);
  expect(found.diagnostics.map(({ message }) => message.replaceAll(folder, ''))).toEqual([
    'the link /a/up leads back to a folder above it and is not followed',
    'the link /broken.yaml leads nowhere and is not followed',
    'the link /self leads nowhere and is not followed',
  ]);
  expect(existsSync(folder)).toBe(true);
});

const reader = (path: string, most: number): string => `
  const { nodeHost } = await import(${JSON.stringify(new URL('../../../cli/machine/node-host.ts', import.meta.url).href)});
  try {
    process.stdout.write(nodeHost().readStream(${path}, ${most}));
  } catch (error) {
    process.stdout.write(error.message);
  }`;

test('reads pipes to their end, however slow, and no more than it may', () => {
  const node = `"${process.execPath}" --import tsx --input-type=module -e "$READER"`;
  const run = (script: string, command: string): string =>
    spawnSync('sh', ['-c', command], { encoding: 'utf8', env: { ...process.env, READER: script } }).stdout;
  expect(run(reader('undefined', 9), `{ printf one; sleep 1; printf two; } | ${node}`)).toBe('onetwo');
  expect(run(reader('undefined', 5), `printf 123456 | ${node}`)).toBe('it is larger than 5 bytes');
  expect(run(reader('undefined', 5), `${node} < /dev/null`)).toBe('');
  const pipe = JSON.stringify(join(folder, 'pipe'));
  expect(run(reader(pipe, 9), `mkfifo ${pipe}; printf three > ${pipe} & ${node}`)).toBe('three');
  expect(run(reader(JSON.stringify(folder), 9), node)).toBe('it is a folder');
  expect(run(reader('"/none"', 9), node)).toBe('it does not exist');
});

test('knows the programs of PATH', () => {
  const { hasProgram } = nodeHost();
  expect([hasProgram?.('sh'), hasProgram?.('no-such-program')]).toEqual([true, false]);
});
