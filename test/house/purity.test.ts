import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { trackedFiles } from './files.ts';
import { impurities, compilerRule, sandboxRule, semanticsRule } from './purity.ts';
import type { PurityRule } from './purity.ts';

const sources = trackedFiles().filter((path) => path.endsWith('.ts'));

function found(paths: readonly string[], rule: PurityRule): string[] {
  return paths.flatMap((path) =>
    impurities(path, readFileSync(path, 'utf8'), rule).map((what) => `${path}:${what}`),
  );
}

describe('purity', () => {
  it('semantics uses no clock, random value, input, output or locale', () => {
    const paths = sources.filter((path) => path.startsWith('semantics/'));
    expect(paths.length).toBeGreaterThan(10);
    // Only the data of time zones is taken from the host, in a fixed locale.
    const zones = /^semantics\/advancedcronjob\/schedule\/offset\.ts:\d+: Intl$/;
    expect(found(paths, semanticsRule).filter((each) => !zones.test(each))).toEqual([]);
  });

  it('the compiler leaves effects to its host', () => {
    const paths = sources.filter((path) => path.startsWith('compiler/'));
    expect(paths.length).toBeGreaterThan(10);
    expect(found(paths, compilerRule)).toEqual([]);
  });

  it('only the clocks of the sandbox read the time of the host', () => {
    const paths = sources.filter((path) =>
      /^sandbox\/(?!clock\/|build\/|test\/|[^/]*\.config\.ts$)/.test(path),
    );
    expect(paths.length).toBeGreaterThan(5);
    expect(found(paths, sandboxRule)).toEqual([]);
  });

  it.each([
    ['const t = Date.now();', '1: Date.now'],
    ['const t = new Date();', '1: new Date()'],
    ['const t = new Date;', '1: new Date()'],
    ['const t = Date();', '1: Date()'],
    ['const r = Math.random();', '1: Math.random'],
    ['\nsetTimeout(() => {}, 1);', '2: setTimeout'],
    ['console.log(1);', '1: console'],
    ['const { env } = process;', '1: process'],
    ['const o = { process };', '1: process'],
    ['await fetch("x");', '1: fetch'],
    ['performance.now();', '1: performance'],
    ['const g = globalThis;', '1: globalThis'],
    ['a.sort((x, y) => x.localeCompare(y));', '1: .localeCompare'],
    ["import { readFileSync } from 'node:fs';", '1: node:fs'],
    ["export * from 'node:os';", '1: node:os'],
    ["const os = await import('node:os');", '1: node:os'],
  ])('reports %s (control)', (text, what) => {
    expect(impurities('control.ts', text, semanticsRule)).toEqual([what]);
  });

  it.each([
    "import { createHash } from 'node:crypto';",
    'const t = new Date(0).toISOString();',
    'const o = { process: 1, console: 2 };',
    'const p = view.process;',
    'type T = { fetch: typeof Date.now };',
    'Date.parse("2026-01-01T00:00:00Z");',
  ])('accepts %s', (text) => {
    expect(impurities('control.ts', text, semanticsRule)).toEqual([]);
  });

  it('the compiler may not hash (control)', () => {
    const text = "import { createHash } from 'node:crypto';";
    expect(impurities('control.ts', text, compilerRule)).toEqual(['1: node:crypto']);
  });
});
