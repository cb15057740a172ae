import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cloneSet } from '../../compiler/world/manifests.ts';
import { type Clone, type Ran, repositoryWith } from './clone.ts';

const web = (tag: string): string => cloneSet({ image: `nginx:${tag}` });
const api = (tag: string): string => cloneSet({ name: 'api', image: `api:${tag}` });
const PLAN = 'shop/cloneset-web/plan.yaml';

/** Types a command of `kruise` that a message names. */
function type(clone: Clone, command: string, at = '.'): Promise<Ran> {
  return clone.kruise(command.split(' ').slice(1), at);
}

/** A command in a message; the first group of the pattern. */
function named(text: string, pattern: RegExp): string {
  const command = pattern.exec(text)?.[1];
  if (command === undefined) throw new Error(`no command is named: ${text}`);
  return command;
}

/** Main changes web with a plan, and again without one; `feature` begins there, and changes api. */
async function unplannedOnMain(folder: string): Promise<Clone> {
  const clone = repositoryWith({ [`${folder}web.yaml`]: web('1'), [`${folder}api.yaml`]: api('1') });
  clone.git('checkout', '--quiet', '-b', 'planned');
  clone.write({ [`${folder}web.yaml`]: web('2') });
  expect(await clone.kruise(['plan', ...(folder === '' ? [] : [folder])])).toMatchObject({ code: 0 });
  clone.commit('planned');
  clone.git('checkout', '--quiet', '-B', 'main');
  clone.commit('by a bot', { [`${folder}web.yaml`]: web('3') });
  clone.git('checkout', '--quiet', '-b', 'feature');
  clone.commit('feature', { [`${folder}api.yaml`]: api('2') });
  return clone;
}

describe('the command of a message works where it is printed', () => {
  test.each([
    ['at the root', '', [], '.'],
    ['for a folder', 'services/', ['services'], '.'],
    ['in a folder', 'services/', [], 'services'],
  ])('a change without a plan, on a branch: %s', async (_where, folder, paths, at) => {
    const clone = await unplannedOnMain(folder);
    const held = await clone.kruise(['plan', ...paths], at);
    const command = named(held.err, /KR3013[^]*?\(COMMIT\): (kruise plan .*?);/).replace('COMMIT', 'main');
    expect(await type(clone, command, at)).toMatchObject({ code: 0 });
    clone.commit('planned afterwards');
    const checked = await clone.kruise(['plan', '--check', ...paths], at);
    expect(checked.err).not.toContain('KR3013');
    expect(checked).toMatchObject({ code: 0 });
  });

  test.each([
    ['at the root', '', '.', (path: string) => path],
    ['for a folder', 'services/', '.', () => 'services'],
    ['in a folder', 'services/', 'services', (path: string) => path],
  ])('validate after an ordinary edit: %s', async (_where, folder, at, operand) => {
    const clone = repositoryWith({ [`${folder}web.yaml`]: web('1') });
    const paths = folder === '' || at !== '.' ? [] : ['services'];
    clone.write({ [`${folder}web.yaml`]: web('2') });
    expect(await clone.kruise(['plan', ...paths], at)).toMatchObject({ code: 0 });
    clone.commit('planned');
    clone.write({ [`${folder}web.yaml`]: web('3') });
    const found = await clone.kruise(['validate', ...paths], at);
    const command = named(found.err, /KR3013[^]*?help: plan it: (.*)\n/);
    expect(command).toBe(`kruise plan ${operand('web.yaml')}`);
    expect(await type(clone, command, at)).toMatchObject({ code: 0 });
    clone.commit('planned, too');
    expect((await clone.kruise(['validate', ...paths], at)).err).not.toContain('KR3013');
  });

  test('validate after an edit of the policy, where base has no plan', async () => {
    const clone = repositoryWith({ 'web.yaml': web('1') });
    clone.git('checkout', '--quiet', '-b', 'feature');
    clone.write({ 'web.yaml': web('2') });
    await clone.kruise(['plan']);
    clone.commit('planned');
    clone.write({ 'web.yaml': web('2').replace('InPlaceIfPossible', 'ReCreate') });
    const command = named((await clone.kruise(['validate'])).err, /KR3012[^]*?help: plan it: (.*)\n/);
    expect(await type(clone, command)).toMatchObject({ code: 0 });
    expect((await clone.kruise(['validate'])).err).not.toContain('KR3012');
  });

  test('a folder of plans that was renamed', async () => {
    const clone = repositoryWith({ 'web.yaml': web('1') });
    clone.git('checkout', '--quiet', '-b', 'planned');
    clone.write({ 'web.yaml': web('2') });
    await clone.kruise(['plan']);
    clone.commit('planned');
    clone.git('checkout', '--quiet', '-B', 'main');
    clone.git('checkout', '--quiet', '-b', 'renamed');
    clone.git('mv', 'plans', 'rollouts');
    const refused = await clone.kruise(['plan', '--check']);
    expect(refused.code).toBe(20);
    const command = named(
      refused.err,
      /help: if rollouts is the folder of plans now: (.*); otherwise remove it: rm rollouts/,
    );
    expect(command).toBe('kruise plan --out rollouts');
    expect(await type(clone, command)).toMatchObject({ code: 0 });
    clone.commit('renamed');
    expect(await clone.kruise(['plan', '--check', '--out', 'rollouts'])).toMatchObject({ code: 0 });
    expect(existsSync(join(clone.folder, 'rollouts', PLAN))).toBe(true);
  });

  test('a base that is another branch', async () => {
    const clone = repositoryWith({ 'web.yaml': web('1') });
    clone.git('branch', 'release');
    clone.commit('second', { 'web.yaml': web('2') });
    clone.git('checkout', '--quiet', '-b', 'feature');
    clone.write({ 'web.yaml': web('3') });
    const refused = await clone.kruise(['plan', '--base', 'release']);
    expect(refused.code).toBe(1);
    const command = named(refused.err, /KR3015[^]*?help: plan against that branch: (.*)\n/);
    expect(command).toBe('kruise plan --base main');
    expect(await type(clone, command)).toMatchObject({ code: 0 });
  });
});

describe('a subfolder of a repository with roots', () => {
  const roots = 'roots:\n- {name: prod, path: envs/prod}\n- {name: stg, path: envs/stg}\n';
  const both = (tag: string): Record<string, string> => ({
    'envs/prod/web.yaml': web(tag),
    'envs/stg/web.yaml': web(tag),
  });

  test('shows paths and commands that can be used there', async () => {
    const clone = repositoryWith({ ...both('1'), 'kruise.yaml': roots });
    clone.git('checkout', '--quiet', '-b', 'feature');
    clone.commit('feature', both('2'));
    for (const [words, env] of [
      [['plan', '--check'], {}],
      [['plan'], { CI: 'true' }],
    ] as const) {
      const ran = await clone.kruise(words, 'envs/stg', env);
      expect(ran.code).toBe(20);
      expect(ran.err).not.toContain(clone.folder);
      expect(ran.err).toContain(`../../plans/stg/${PLAN} is missing`);
      const command = named(ran.err, /help: run(?: in envs\/stg)? and commit: (.*)\n/);
      const typed = await type(clone, command, 'envs/stg');
      expect(typed.err, command).not.toContain('error');
      expect(typed.code).toBe(0);
      expect(await clone.kruise([...words, '--base', 'main'], 'envs/stg', env)).toMatchObject({ code: 0 });
      clone.git('clean', '-fdq');
    }
    const invalid = await clone.kruise(['validate', '../prod/web.yaml', 'web.yaml'], 'envs/stg');
    expect(invalid.err).not.toContain(clone.folder);
  });

  test.each([
    ['a root', 'envs/stg'],
    ['a root and its folder', 'envs/staging'],
  ])('%s that is renamed takes its plans along', async (_what, path) => {
    const clone = repositoryWith({ ...both('1'), 'kruise.yaml': roots });
    clone.git('checkout', '--quiet', '-b', 'feature');
    clone.write(both('2'));
    await clone.kruise(['plan']);
    const plan = clone.read(`plans/stg/${PLAN}`);
    clone.commit('feature');
    clone.git('checkout', '--quiet', '-B', 'main');
    clone.git('checkout', '--quiet', '-b', 'renamed');
    if (path !== 'envs/stg') clone.git('mv', 'envs/stg', path);
    clone.write({
      'kruise.yaml': roots.replace('name: stg, path: envs/stg', `name: staging, path: ${path}`),
    });
    expect(await clone.kruise(['plan', '--check'])).toMatchObject({ code: 20 });
    expect(await clone.kruise(['plan'])).toMatchObject({ code: 0 });
    expect(clone.read(`plans/staging/${PLAN}`)).toBe(plan);
    expect(existsSync(join(clone.folder, 'plans/stg'))).toBe(false);
    clone.commit('renamed');
    expect(await clone.kruise(['plan', '--check'])).toMatchObject({ code: 0 });
    clone.write({ [`${path}/web.yaml`]: web('3') });
    await clone.kruise(['plan']);
    expect(clone.read(`plans/staging/${PLAN}`)).toContain(/digest: (.*)/.exec(plan)?.[1]);
  });

  test('all roots that are given up together, two of which had one target that is in neither folder now', async () => {
    const clone = repositoryWith({ ...both('1'), 'kruise.yaml': roots });
    clone.git('checkout', '--quiet', '-b', 'feature');
    clone.write(both('2'));
    await clone.kruise(['plan']);
    clone.commit('feature');
    clone.git('checkout', '--quiet', '-B', 'main');
    clone.git('checkout', '--quiet', '-b', 'one');
    const [, text] = Object.entries(both('2'))[0] ?? [];
    clone.git('rm', '--quiet', '-r', 'envs');
    clone.write({ 'kruise.yaml': 'images: any\n', 'web.yaml': text });
    expect(await clone.kruise(['plan', '--check'])).toMatchObject({ code: 20 });
    const ran = await clone.kruise(['plan']);
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.err).toContain('KR3025]: at base two plans are for CloneSet shop/web: neither counts');
    expect(ran.err).toContain('KR1039]: at base: CloneSet shop/web is declared twice');
    clone.commit('one');
    expect(await clone.kruise(['plan', '--check'])).toMatchObject({ code: 0 });
  });
});

describe('a SUMMARY.md of somebody else', () => {
  const many = (tag: string): Record<string, string> =>
    Object.fromEntries(
      Array.from({ length: 21 }, (_, index) => [
        `app-${index}.yaml`,
        cloneSet({ name: `app-${index}`, image: `app:${tag}` }),
      ]),
    );

  test('is left alone, and one of an older kruise plan is removed', async () => {
    const clone = repositoryWith(many('1'));
    const own = '# What we rolled out\n';
    clone.write({ 'plans/SUMMARY.md': own, ...many('1'), 'app-0.yaml': many('2')['app-0.yaml'] });
    expect(await clone.kruise(['plan'])).toMatchObject({ code: 0 });
    expect(clone.read('plans/SUMMARY.md')).toBe(own);
    clone.write(many('2'));
    expect(await clone.kruise(['plan'])).toMatchObject({ code: 0 });
    expect(clone.read('plans/SUMMARY.md')).toBe(own);
    clone.write({ 'plans/SUMMARY.md': '# Plan: 21 to roll out.\n' });
    expect((await clone.kruise(['plan'])).err).toContain('removed plans/SUMMARY.md');
    expect(existsSync(join(clone.folder, 'plans/SUMMARY.md'))).toBe(false);
  });
});
