import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { RolloutPlan } from '../../../schemas/generated/types/rolloutplan.ts';
import { cloneSet, kruise } from '../../compiler/world/manifests.ts';
import { type Clone, cloneIn, emptyFolder, repositoryWith } from '../git/clone.ts';

const web = (tag: string): string => cloneSet({ image: `nginx:${tag}` });
const PLAN = 'plans/shop/cloneset-web/plan.yaml';
const planIn = (clone: Clone): RolloutPlan => parse(clone.read(PLAN)) as RolloutPlan;
const STREAM = ['plan', '-f', '-', '--base-file', 'main.yaml'];

/** Runs a command with the manifests of head on standard input. */
const piped = (clone: Clone, input: string, words: readonly string[] = STREAM, env = {}) =>
  clone.kruise(words, '.', env, input);

describe('kruise plan -f - --base-file FILE', () => {
  test('writes the plan that a run over folders writes', async () => {
    const clone = repositoryWith({ 'head/web.yaml': web('1.26'), 'base/web.yaml': web('1.25') });
    await clone.kruise(['plan', 'head', '--base-dir', 'base']);
    clone.write({ 'main.yaml': web('1.25') });
    const ran = await piped(clone, `${web('1.26')}---\n`);
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.out).toContain('nginx:1.25 → nginx:1.26');
    expect(ran.err).toContain(`wrote ${PLAN}\n`);
    expect(clone.read(PLAN)).toBe(clone.read(`head/${PLAN}`));
    const again = await piped(clone, web('1.26'), STREAM, { CI: 'true' });
    expect(again).toMatchObject({ code: 0 });
  });

  test('reads the plans at base from the commit where the branch left main, with their history', async () => {
    const clone = repositoryWith({ 'README.md': '' });
    clone.write({ 'main.yaml': web('1.25') });
    await piped(clone, web('1.26'));
    clone.commit('planned');
    const { digest } = planIn(clone).spec;
    clone.git('checkout', '--quiet', '-b', 'next');
    clone.write({ 'main.yaml': web('1.26') });
    const ran = await piped(clone, web('1.27'));
    expect(ran.err).toMatch(/^plans at base: main, at [0-9a-f]{12}\n/);
    expect(planIn(clone).spec.supersedes).toEqual([digest]);
    expect(planIn(clone).spec.from).toHaveLength(2);
    // What is committed on the branch itself is not base.
    clone.commit('planned again');
    expect(await piped(clone, web('1.27'), STREAM, { CI: 'true' })).toMatchObject({ code: 0 });
    const other = await piped(clone, web('1.27'), [...STREAM, '--base', 'next', '-o', 'yaml']);
    expect(other.err).toContain('plans at base: next, at ');
  });

  test('takes the plans at base from --base-dir', async () => {
    const clone = cloneIn(emptyFolder());
    clone.write({ 'main.yaml': web('1.25') });
    await piped(clone, web('1.26'));
    const { digest } = planIn(clone).spec;
    clone.write({ [`base/${PLAN}`]: clone.read(PLAN), 'main.yaml': web('1.26') });
    await piped(clone, web('1.27'), [...STREAM, '--base-dir', 'base']);
    expect(planIn(clone).spec.supersedes).toEqual([digest]);
  });

  test('outside of git, and before the first commit, says that it knows no plans at base', async () => {
    const clone = cloneIn(emptyFolder());
    clone.write({ 'main.yaml': web('1.25') });
    for (const init of [false, true]) {
      if (init) clone.git('init', '--quiet');
      const ran = await piped(clone, web('1.26'));
      expect(ran).toMatchObject({ code: 0 });
      expect(ran.err).toContain('there is no commit to read the plans at base from: --base-dir DIR names');
    }
    // A second run changes nothing: what it wrote itself is not base.
    expect((await piped(clone, web('1.26'))).err).toContain('plans are up to date\n');
  });

  test('reads kruise.yaml of the working directory, and shows the lines of both', async () => {
    const clone = repositoryWith({ 'kruise.yaml': 'steps: [{match: {}, batches: [{to: 1}, {to: 100%}]}]' });
    clone.write({ 'main.yaml': web('1.25') });
    const ran = await piped(clone, web('1.26'));
    expect(ran.out).toContain('rule 1 of kruise.yaml');
    const broken = await piped(clone, web('1.26').replace('replicas: 10', 'replicas: x'));
    expect(broken.err).toContain('  --> <stdin>:7:13\n');
    clone.write({ 'main.yaml': `${web('1.25')}a: [\n` });
    const base = await piped(clone, web('1.26'));
    expect(base).toMatchObject({ code: 1 });
    expect(base.err).toMatch(/at base: .*\n {2}--> main\.yaml:/);
  });

  test('an empty base is a new application, an empty head a command that failed', async () => {
    const clone = repositoryWith({ 'README.md': '' });
    clone.write({ 'main.yaml': '' });
    const ran = await piped(clone, web('1.26'));
    expect(ran.out).toContain('Plan: 0 to roll out, 1 to create.\n');
    expect(await piped(clone, '')).toMatchObject({
      code: 1,
      out: '',
      err: 'kruise plan: standard input is empty; see whether the command before it failed\n',
    });
  });

  test('takes files from anywhere, several of them, and base from standard input', async () => {
    const clone = repositoryWith({ 'README.md': '' });
    const outside = emptyFolder();
    cloneIn(outside).write({ 'web.yaml': web('1.26'), 'api.yaml': cloneSet({ name: 'api' }) });
    const files = ['-f', join(outside, 'web.yaml'), '-f', join(outside, 'api.yaml')];
    const ran = await piped(clone, web('1.25'), ['plan', ...files, '--base-file', '-']);
    expect(ran.out).toContain('Plan: 1 to roll out, 1 to create.\n');
    const folder = await piped(clone, web('1.26'), ['plan', '-', '--base-dir', outside]);
    expect(folder.out).toContain('Plan: 0 to roll out, 1 to delete, 1 unchanged.\n');
  });

  test('leaves the plans of roots of kruise.yaml alone', async () => {
    const roots = 'roots: [{name: shop, path: apps}]\n';
    const clone = repositoryWith({ 'kruise.yaml': roots, 'apps/web.yaml': web('1.25') });
    clone.write({ 'apps/web.yaml': web('1.26'), 'main.yaml': web('1.25') });
    await clone.kruise(['plan', 'apps']);
    const ofRoot = 'plans/shop/shop/cloneset-web/plan.yaml';
    const before = clone.read(ofRoot);
    const ran = await piped(clone, web('1.27'));
    expect(ran.err).toContain(`wrote ${PLAN}\n`);
    expect(ran.err).not.toContain('removed');
    expect(clone.read(ofRoot)).toBe(before);
    // What lies elsewhere without being of a root is removed.
    clone.write({ 'plans/old/shop/cloneset-web/plan.yaml': clone.read(PLAN) });
    expect((await piped(clone, web('1.27'))).err).toContain('removed plans/old/shop/cloneset-web/plan.yaml');
  });

  test('repeats the command where CI writes nothing', async () => {
    const clone = repositoryWith({ 'README.md': '' });
    clone.write({ 'main.yaml': web('1.25') });
    const ran = await piped(clone, web('1.26'), STREAM, { CI: 'true' });
    expect(ran.code).toBe(20);
    expect(ran.err).toContain(': kruise plan -f - --base-file main.yaml --base main\n');
  });
});

test('the folder of plans stays when its last plan is removed: an engine that syncs it needs the path', async () => {
  const clone = repositoryWith({ 'web.yaml': web('1.25') });
  clone.write({ 'web.yaml': web('1.26') });
  await clone.kruise(['plan']);
  clone.write({ 'web.yaml': web('1.25'), 'api.yaml': cloneSet({ name: 'api' }) });
  expect((await clone.kruise(['plan'])).err).toContain('removed plans/shop/cloneset-web/forecast.md\n');
  expect(clone.read('plans/.gitkeep')).toBe('');
  clone.commit('taken back');
  expect(await clone.kruise(['plan', '--check'])).toMatchObject({ code: 0 });
  clone.write({ 'web.yaml': web('1.27') });
  expect((await clone.kruise(['plan'])).err).toContain(`wrote ${PLAN}\n`);
  // Another file of the folder keeps it as well.
  clone.write({ 'web.yaml': web('1.25'), 'plans/README.md': 'plans', 'plans/.gitkeep': undefined });
  await clone.kruise(['plan']);
  expect(existsSync(join(clone.folder, 'plans/.gitkeep'))).toBe(false);
});

test('a folder that is kept from before the first plan outlasts a git revert of that plan', async () => {
  const clone = repositoryWith({ 'web.yaml': web('1.25'), 'plans/.gitkeep': '' });
  clone.write({ 'web.yaml': web('1.26') });
  await clone.kruise(['plan']);
  clone.commit('planned');
  clone.git('revert', '--no-edit', 'HEAD');
  expect(readdirSync(join(clone.folder, 'plans'))).toEqual(['.gitkeep']);
  expect(await clone.kruise(['plan', '--check'])).toMatchObject({ code: 0 });
});

test('kruise plan -f PATH is kruise plan PATH', async () => {
  const clone = repositoryWith({ 'apps/web.yaml': web('1.25') });
  clone.write({ 'apps/web.yaml': web('1.26') });
  const ran = await clone.kruise(['plan', '-f', 'apps']);
  expect(ran.err).toContain('wrote apps/plans/shop/cloneset-web/plan.yaml\n');
  expect((await clone.kruise(['plan', 'apps'])).err).toContain('plans are up to date\n');
});

test.each([
  [['-f', '-'], 'standard input has no state at base; render the base as well'],
  [['--base-file', 'b.yaml'], '--base-file needs the file to compare with; name it: -f FILE, or -f -'],
  [['-f', '-', '--base-file', '-'], 'standard input is named twice'],
  [['-f', '-', '-', '--base-dir', 'base'], 'standard input is named twice'],
  [['-f', '-', '--base-file', 'b.yaml', '--staged'], '--staged plans what git has, not other files'],
  [['-f', '/apps', '--base-file', 'b.yaml'], '/apps is outside of /repo'],
  [['-f', 'none.yaml', '--base-file', 'b.yaml'], 'none.yaml cannot be read'],
  [['-f', '-', '--base-file', 'b.yaml', '--out', '../plans'], '--out ../plans is not inside of /repo'],
])('%j: %s', async (words, message) => {
  const files = { 'b.yaml': '', '/apps/web.yaml': web('1.25'), 'base/web.yaml': web('1.25') };
  const { host, code } = await kruise(files, { args: ['plan', ...words], stdin: web('1.26') });
  expect(code).toBe(1);
  expect(host.err).toContain(`kruise plan: ${message}`);
});
