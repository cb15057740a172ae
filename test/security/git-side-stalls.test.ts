import { RE2JS } from 're2js';
import { describe, expect, test, vi } from 'vitest';
import { openRepository } from '../../cli/git/repository.ts';
import { withBudget } from '../../cli/budget.ts';
import { createBudget } from '../../compiler/load/budget.ts';
import { buildSidecars } from '../../compiler/build/sidecars.ts';
import { LIMITS } from '../../compiler/load/limits.ts';
import { checkFieldRef } from '../../schemas/pods/envValidation.ts';
import { readPattern } from '../../semantics/values/pattern.ts';
import { cloneIn, emptyFolder } from '../cli/git/clone.ts';
import { memoryHost } from '../cli/world/memory-host.ts';
import { cloneSet } from '../compiler/world/manifests.ts';

describe('a short pattern does not become a large program', () => {
  test.each([
    ['(a|b)'.repeat(4_600), 'a pattern has at most 1024 characters'],
    [
      `(${'a'.repeat(900)}){1000}`,
      'the counts of a pattern repeat it too often: 908 characters up to 1001 times',
    ],
    ['\\pL{1000}'.repeat(100), 'the counts of a pattern repeat it too often'],
    ['(a{9}){4000}', 'the counts of a pattern repeat it too often'],
  ])('%#: it is refused before it is compiled', (pattern, problem) => {
    const compile = vi.spyOn(RE2JS, 'compile');
    expect(readPattern(pattern)).toEqual({ problem: expect.stringContaining(problem) });
    expect(compile).not.toHaveBeenCalled();
    compile.mockRestore();
  });

  test.each(['^(web|api)-[a-z0-9]{1,63}$', '.*', 'a{1000}', '{x}'])('%s is one', (pattern) => {
    expect(readPattern(pattern)).toHaveProperty('test');
  });
});

describe('a tree of git that lists a folder thousands of times', () => {
  const opened = Buffer.from('/repo/.git\nfalse\n/repo\n');
  const machine = (printed: Uint8Array) =>
    withBudget(
      {
        ...memoryHost({}),
        git: (_folder, [command]) => ({
          ...{ code: 0, stderr: '', stdout: command === 'rev-parse' ? opened : printed },
        }),
      },
      createBudget(),
    );

  test('is refused before its entries are read', () => {
    const listing = Buffer.from('\0'.repeat(LIMITS.gitNames / 2 + 1));
    const host = machine(listing);
    const [one, other] = [openRepository(host, '/repo'), openRepository(host, '/repo/sub')];
    one.read(['ls-tree', '-r', '-z', 'HEAD']);
    expect(() => other.read(['ls-files', '-z'])).toThrow(
      'one run reads at most 1000000 files that git lists',
    );
  });

  test('is counted over all repositories of a run', () => {
    const host = machine({ length: 300 * 1024 ** 2 } as Uint8Array);
    const [one, other] = [openRepository(host, '/repo'), openRepository(host, '/repo/sub')];
    one.read(['cat-file', '--batch'], '');
    expect(() => other.read(['cat-file', '--batch'], '')).toThrow(
      'one run reads at most 512 MiB of output of git',
    );
  });
});

describe('a .gitmodules', () => {
  const states = (modules: string): ReturnType<typeof cloneIn> => {
    const clone = cloneIn(emptyFolder());
    for (const state of ['base', 'head'])
      clone.write({ [`${state}/web.yaml`]: cloneSet(), [`${state}/.gitmodules`]: modules });
    return clone;
  };
  const plan = ['plan', 'head', '--base-dir', 'base'];

  test('is read by lines, however many of them are empty', async () => {
    const modules = `${'\n \t'.repeat(30_000)}[submodule "lib"]\n\tpath = lib\n\turl = x\n`;
    const clone = states(modules);
    clone.write({ 'base/lib/api.yaml': cloneSet({ name: 'api' }) });
    const ran = await clone.kruise(plan);
    expect(ran).toMatchObject({ code: 1 });
    expect(ran.err).toContain('the submodule lib is not checked out in head');
  });

  test('is refused where it is too large', async () => {
    const ran = await states(`# ${'x'.repeat(1_100_000)}\n`).kruise(plan);
    expect(ran).toMatchObject({ code: 1 });
    expect(ran.err).toContain('.gitmodules cannot be read: it is larger than 1048576 bytes');
  });
});

test('a build writes a bounded text, however many templates get large containers', () => {
  const env = Array.from({ length: 20 }, (_, index) => `{name: A${index}, value: ${'x'.repeat(50)}}`).join(
    ', ',
  );
  const set = `apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata: {name: mesh}
spec:
  selector: {matchLabels: {app: web}}
  containers: [{name: mesh, image: "mesh:1", env: [${env}]}]
`;
  const template = '{metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: "web:1"}]}}';
  const job = `apiVersion: example.org/v1\nkind: Thing\nmetadata: {name: web}\nspec: {template: ${template}}\n`;
  const host = memoryHost({ 'apps/set.yaml': set, 'apps/jobs.yaml': Array(50).fill(job).join('---\n') });
  const state = { root: '/repo/apps', paths: ['/repo/apps'], plans: '/repo/apps/plans' };
  const budget = createBudget({ ...LIMITS, builtText: 10_000 });
  const { diagnostics, files, changed } = buildSidecars(host, state, 'default', budget);
  expect(diagnostics.map(({ code }) => code)).toContain('KR1035');
  expect(changed).toBeLessThan(10);
  expect(files.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThan(50_000);
});

test('a field path with brackets is compared once with what is known', () => {
  const errors = (fieldPath: string) =>
    checkFieldRef({ apiVersion: 'v1', fieldPath }, 'ref', 'environment').map(({ message }) => message);
  expect(errors("metadata.labels['app']")).toEqual([]);
  expect(errors("['".repeat(150_000)).join()).toContain('field label not supported');
  expect(errors("a['b']").join()).toContain('field label does not support subscript');
});
