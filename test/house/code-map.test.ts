import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { kinds } from '../../semantics/registry/registry.ts';
import { inventedCode, unmappedFolders, unmappedKinds } from './code-map.ts';
import { trackedFiles } from './files.ts';

const room = 'semantics';
const read = (path: string): string => readFileSync(path, 'utf8');
const page = read('ARCHITECTURE.md');
const paths = trackedFiles().filter((path) => path.startsWith(`${room}/`) && path.endsWith('.ts'));

describe('the code map', () => {
  it('has a row for every folder of semantics, or the table of its layers has', () => {
    const folders = [...new Set(paths.map((path) => posix.relative(room, posix.dirname(path))))];
    const named = folders.filter((folder) => folder !== '');
    expect(named.length).toBeGreaterThan(20);
    expect(unmappedFolders(room, named, page, read(`${room}/README.md`))).toEqual([]);
  });

  it('names every registered kind in the row of its folder', () => {
    const names = kinds.map(({ id }) => id.kind);
    expect(names.length).toBeGreaterThan(0);
    expect(unmappedKinds(room, names, page)).toEqual([]);
  });

  it('is followed by examples that are in the code as they stand', () => {
    expect(page.includes('```ts\n')).toBe(true);
    expect(inventedCode(page, paths.map(read))).toEqual([]);
  });
});

describe('a code map (control)', () => {
  const map = [
    '| where | what |',
    '| ----- | ---- |',
    '| `rules/rack/decide.ts` | Rack: one decision |',
    '| `rules/shelf/`         | something |',
  ].join('\n');

  it('lacks a folder that neither it nor the page of the room has a row for', () => {
    const layers = '| `plan/` | rollouts, with those of `run/` |\n';
    expect(unmappedFolders('rules', ['rack', 'shelf', 'plan', 'run', 'she'], map, layers)).toEqual([
      'run',
      'she',
    ]);
  });

  it('lacks a kind whose folder has no row, or one without its name', () => {
    expect(unmappedKinds('rules', ['Rack', 'Shelf', 'Aisle'], map)).toEqual(['Shelf', 'Aisle']);
  });

  it('shows code that was changed since', () => {
    const example = 'Text.\n\n```ts\nconst a = 1;\n```\n\n```ts\nconst b = 2;\n```\n\n```console\n$ x\n```\n';
    expect(inventedCode(example, ['// x\nconst a = 1;\n', 'const b = 3;\n'])).toEqual(['const b = 2;\n']);
  });
});
