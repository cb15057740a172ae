import { createBudget } from '../../compiler/load/budget.ts';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { nodeHost } from '../../cli/machine/node-host.ts';
import { checkState } from '../../compiler/check-state.ts';
import { compile } from '../../compiler/compile.ts';
import { LIMITS, sizeText } from '../../compiler/load/limits.ts';
import type { Limits } from '../../compiler/load/limits.ts';
import { cloneSet } from '../compiler/world/manifests.ts';
import { memoryHost } from '../cli/world/memory-host.ts';

const folder = mkdtempSync(join(tmpdir(), 'kruise-limits-'));
afterAll(() => rmSync(folder, { recursive: true }));

const state = (root: string) => ({
  root: `/repo/${root}`,
  paths: [`/repo/${root}`],
  plans: `/repo/${root}/plans`,
});

/** The findings of `kruise validate` with these limits. */
function validated(files: Record<string, string>, limits: Partial<Limits>) {
  const host = memoryHost(files);
  const reads: string[] = [];
  const counting = {
    ...host,
    readFile(path: string): Uint8Array {
      reads.push(path);
      return host.readFile(path);
    },
  };
  const { diagnostics } = checkState(counting, state('head'), false, {
    budget: createBudget({ ...LIMITS, ...limits }),
  });
  return { reads, found: diagnostics.map(({ code, message }) => `${code} ${message}`) };
}

const anchored = 'apiVersion: apps.kruise.io/v1alpha1\na: &a [1, 2, 3, 4, 5]\nb: [*a, *a]\n';

describe('security 8: the input of one run has limits, and the error names the exceeded one', () => {
  const three = Object.fromEntries([1, 2, 3].map((n) => [`head/${n}.yaml`, cloneSet({ name: `web-${n}` })]));
  test.each<[keyof Limits, number, Record<string, string>, string]>([
    ['files', 2, three, '2 files to read'],
    ['readBytes', 500, three, '500 bytes of files'],
    ['keptText', 500, three, '500 bytes of text in files that name apps.kruise.io, and in plans'],
    ['entries', 7, three, '7 files and folders to list'],
    ['objects', 2, three, '2 objects to plan in both states'],
    ['documents', 2, three, '2 YAML documents'],
    ['documents', 5, { 'head/a.yaml': 'a: 1\n---\n'.repeat(9) }, '5 YAML documents'],
    ['tokens', 1_000, { 'head/a.yaml': 'a: 1\n---\n'.repeat(999) }, '1000 YAML tokens'],
    [
      'aliasValues',
      50,
      { 'head/a.yaml': `${anchored}---\n`.repeat(9) },
      '50 values that YAML aliases expand to',
    ],
    [
      'aliasText',
      50,
      { 'head/a.yaml': `${anchored}---\n`.repeat(9) },
      '50 bytes of text that YAML aliases expand to',
    ],
  ])('%s: %i', (name, limit, files, said) => {
    const { found } = validated(files, { [name]: limit });
    const errors = found.filter((each) => each.startsWith('KR1035'));
    expect(errors).toHaveLength(1);
    expect(errors[0]).toContain(`one run reads at most ${said}`);
  });

  test('nothing is read after an exceeded limit', () => {
    expect(validated(three, { tokens: 10 }).reads).toEqual(['/repo/head/1.yaml']);
  });

  test('the plans that a run writes have a limit, too', () => {
    const files = {
      'base/web.yaml': cloneSet(),
      'head/web.yaml': cloneSet({ image: 'nginx:1.27' }),
    };
    const input = { head: state('head'), base: state('base'), strict: false };
    const budget = createBudget({ ...LIMITS, planText: 200 });
    const { changes, diagnostics } = compile(memoryHost(files), { ...input, budget });
    expect(diagnostics.map(({ code }) => code)).toContain('KR1035');
    expect(changes.map(({ plan }) => plan)).toEqual([undefined]);
  });
});

test('security 8: one document has a limit, and the next file is still checked', () => {
  const files = {
    'head/1.yaml': cloneSet(),
    'head/2.yaml': cloneSet({ name: 'other', spec: '  replica: 1' }),
  };
  const { found } = validated(files, { documentTokens: 78 });
  expect(found.map((each) => each.slice(0, 6))).toEqual(['KR2001']);
  expect(validated(files, { documentTokens: 60 }).found).toEqual([
    'KR1036 the document has more than 60 YAML tokens',
    'KR1036 the document has more than 60 YAML tokens',
  ]);
});

test('security 8: a limited number of problems of one object is listed, and the others are counted', () => {
  const spec = Array.from({ length: 9 }, (_, n) => `  field${n}: 1`).join('\n');
  const { found } = validated({ 'head/web.yaml': cloneSet({ spec }) }, { problemsOfOne: 4 });
  expect(found).toHaveLength(5);
  expect(found[4]).toBe('KR1038 and 5 more problems here are not listed');
});

test('security 8: if finding positions would take too long, the position of the document is reported', () => {
  const text = `${cloneSet()}---\n${cloneSet({ name: 'other', spec: '  replica: 1' })}`;
  const host = memoryHost({ 'head/web.yaml': text });
  const { diagnostics } = checkState(host, state('head'), false, {
    budget: createBudget({ ...LIMITS, placeTokens: 0 }),
  });
  expect(diagnostics.map(({ code, position }) => [code, position?.start])).toEqual([
    ['KR2001', cloneSet().length],
  ]);
});

test('security 8: every limit is documented with its value', () => {
  const text = readFileSync(new URL('../../docs/limits.md', import.meta.url), 'utf8');
  const rows = [...text.matchAll(/^\| `(\w+)` +\| +([\w ]+?) \|/gm)].map(([, name, most]) => [name, most]);
  const isSize = (name: string): boolean => /Bytes$|Text$/.test(name);
  const limits = Object.entries(LIMITS).map(([name, most]) => [
    name,
    isSize(name) ? sizeText(most) : String(most),
  ]);
  expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(limits));
});

describe('security 8: reading a file is limited', () => {
  const file = (bytes: number): string => {
    const path = join(folder, `${bytes}.yaml`);
    writeFileSync(path, 'x'.repeat(bytes));
    return path;
  };

  test.each([0, 1, 99, 100])('%i of 100 bytes', (bytes) => {
    expect(nodeHost().readFile(file(bytes), 100)).toHaveLength(bytes);
  });

  test('its size is checked before it is read', () => {
    expect(() => nodeHost().readFile(file(101), 100)).toThrow(/larger than 100 bytes/);
  });

  test.skipIf(process.platform !== 'linux')('its content is measured, not its stated size', () => {
    // The kernel makes these up when they are read: their size is 0.
    expect(nodeHost().readFile('/proc/self/status', 100_000).length).toBeGreaterThan(200);
    expect(() => nodeHost().readFile('/proc/self/status', 100)).toThrow(/larger than 100 bytes/);
    expect(() => nodeHost().readFile('/dev/zero', 100)).toThrow(/not a regular file/);
  });

  test('a folder with too many entries is not listed', () => {
    expect(() => nodeHost().list(folder, 1)).toThrow(/more than 1 entries/);
    expect(nodeHost().list(folder, 5).length).toBeGreaterThan(1);
  });

  test.skipIf(process.platform === 'win32')('a pipe without a writer is an error', () => {
    spawnSync('sh', ['-c', 'mkfifo pipe.yaml'], { cwd: folder });
    const program = fileURLToPath(new URL('../../cli/main.ts', import.meta.url));
    const tsx = import.meta.resolve('tsx');
    const words = ['--import', tsx, program, 'validate', 'pipe.yaml'];
    // With the old reading it would wait forever; the limit of time only ends such a test.
    const run = spawnSync(process.execPath, words, { cwd: folder, encoding: 'utf8', timeout: 60_000 });
    expect(run.stderr).toContain('error[KR1001]: pipe.yaml cannot be read: it is not a regular file');
    expect(run.status).toBe(1);
  });
});

test('security 8: a run simulates a limited number of pods, and no large template', () => {
  const count = 12;
  const files: Record<string, string> = {};
  for (let n = 0; n < count; n++)
    for (const [root, image] of [
      ['base', 'nginx:1.25'],
      ['head', 'nginx:1.27'],
    ] as const)
      files[`${root}/${n}.yaml`] = cloneSet({ name: `web-${n}`, image, replicas: 10_000 });
  const { changes } = compile(memoryHost(files), { head: state('head'), base: state('base'), strict: false });
  const simulated = changes.map((change) => change.simulated);
  expect(simulated).toContain(true);
  expect(simulated).toContain(false);
});
