import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { nodeHost } from '../../compiler/cli/node-host.ts';
import { HostError } from '../../compiler/host.ts';
import { findFiles } from '../../compiler/load/files.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kruise-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

test('writes, replaces and removes, and leaves no temporary file', () => {
  const host = nodeHost();
  host.write([{ path: `${folder}/a/b.txt`, text: 'one' }]);
  host.write([
    { path: `${folder}/a/b.txt`, text: undefined },
    { path: `${folder}/a/c.txt`, text: 'two' },
  ]);
  expect(readdirSync(join(folder, 'a'))).toEqual(['c.txt']);
  expect(readFileSync(join(folder, 'a/c.txt'), 'utf8')).toBe('two');
});

test('writes nothing when one file cannot be written', () => {
  const host = nodeHost();
  writeFileSync(join(folder, 'file'), '');
  const files = [
    { path: `${folder}/good.txt`, text: 'x' },
    { path: `${folder}/file/below.txt`, text: 'x' },
  ];
  expect(() => host.write(files)).toThrow(HostError);
  expect(readdirSync(folder)).toEqual(['file']);
});

test('a missing file is a refusal with a reason', () => {
  expect(() => nodeHost().readFile(join(folder, 'none'))).toThrow(/does not exist/);
});

test('link loops and broken links end', () => {
  mkdirSync(join(folder, 'a'));
  writeFileSync(join(folder, 'a/x.yaml'), '');
  symlinkSync('..', join(folder, 'a/up'));
  symlinkSync('self', join(folder, 'self'));
  symlinkSync('gone', join(folder, 'broken.yaml'));
  const found = findFiles(nodeHost(), folder, folder, '');
  expect(found.files.map(({ path }) => path)).toEqual([`${folder}/a/x.yaml`]);
  expect(found.diagnostics.map(({ code }) => code)).toEqual(['KR1015']);
  expect(existsSync(folder)).toBe(true);
});
