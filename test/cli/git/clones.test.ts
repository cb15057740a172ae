import { chmodSync, existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { cloneSet } from '../../compiler/world/manifests.ts';
import { cloneIn, cloneOf, emptyFolder, repositoryWith } from './clone.ts';

const web = (tag: string): string => cloneSet({ image: `nginx:${tag}` });
const api = (tag: string): string => cloneSet({ name: 'api', image: `api:${tag}` });

describe('clones of every sort', () => {
  test('a shallow clone without the base names the command that fetches it', async () => {
    const origin = repositoryWith({ 'web.yaml': web('1.25') });
    origin.commit('second', { 'web.yaml': web('1.26') });
    const clone = cloneOf(origin, '--depth', '1');
    const ran = await clone.kruise(['plan', '--base', 'HEAD~1']);
    expect(ran).toMatchObject({ code: 1, out: '' });
    expect(ran.err).toBe(
      'kruise plan: HEAD~1 is not in this shallow clone; ' +
        'fetch its history: git fetch --unshallow (in CI: fetch-depth: 0, or GIT_DEPTH: 0)\n',
    );
    expect((await clone.kruise(['plan', '--base', 'release'])).err).toBe(
      'kruise plan: release is not in this shallow clone; ' +
        'fetch it: git fetch --unshallow origin release:refs/remotes/origin/release\n',
    );
    const branch = await clone.kruise(['plan'], '.', { GITHUB_BASE_REF: 'release' });
    expect(branch.err).toContain(
      'origin/release is not in this clone; fetch it: git fetch --unshallow origin release:refs/remotes/origin/release',
    );
    const odd = await clone.kruise(['plan'], '.', { GITHUB_BASE_REF: "a;b'c" });
    expect(odd.err).toContain("git fetch --unshallow origin 'a;b'\\''c:refs/remotes/origin/a;b'\\''c'");
  });

  test('a sparse checkout does not look like deletions', async () => {
    const origin = repositoryWith({ 'web/web.yaml': web('1.25'), 'api/api.yaml': api('1') });
    const clone = cloneOf(origin);
    clone.git('sparse-checkout', 'set', '--cone', 'web');
    const refused = await clone.kruise(['plan']);
    expect(refused.code).toBe(1);
    expect(refused.err).toContain('the sparse checkout leaves out api/api.yaml');
    expect(await clone.kruise(['plan'], 'web')).toMatchObject({ code: 0 });
    expect((await clone.kruise(['plan', '--staged'])).out).toBe('Plan: 0 to roll out, 2 unchanged.\n');
  });

  test('a partial clone without earlier plans says so, and plans', async () => {
    const origin = repositoryWith({ 'web.yaml': web('1.25') });
    for (const tag of ['1.26', '1.27']) {
      origin.write({ 'web.yaml': web(tag) });
      await origin.kruise(['plan']);
      origin.commit(tag);
    }
    origin.git('config', 'uploadpack.allowFilter', 'true');
    const clone = cloneOf(origin, '--filter=blob:none');
    clone.git('checkout', '--quiet', '-b', 'two');
    clone.write({ 'web.yaml': web('1.28') });
    const ran = await clone.kruise(['plan']);
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.err).toContain(
      'this partial clone lacks earlier versions of the plans, so they are not looked up; to have them: git fetch --refetch --no-filter\n',
    );
    clone.commit('planned');
    expect(await clone.kruise(['plan', '--check'])).toMatchObject({ code: 0 });
    clone.git('fetch', '--quiet', '--refetch', '--no-filter');
    const whole = await clone.kruise(['plan', '--check']);
    expect(whole.err).not.toContain('partial clone');
    expect(whole).toMatchObject({ code: 0 });
  });

  test('a partial clone fetches nothing by itself', async () => {
    const origin = repositoryWith({ 'web.yaml': web('1.25') });
    origin.commit('second', { 'web.yaml': web('1.26') });
    origin.git('config', 'uploadpack.allowFilter', 'true');
    const clone = cloneOf(origin, '--filter=blob:none');
    clone.git('checkout', '--quiet', '-b', 'two');
    clone.git('branch', '--quiet', '--force', 'main', 'HEAD~1');
    const ran = await clone.kruise(['plan', '--base', 'main']);
    expect(ran).toMatchObject({ code: 1, out: '' });
    expect(ran.err).toContain('git fetch --refetch --no-filter');
  });

  test('a linked worktree is a clone like another', async () => {
    const clone = repositoryWith({ 'web.yaml': web('1.25') });
    const folder = join(emptyFolder(), 'tree');
    clone.git('worktree', 'add', '--quiet', '-b', 'feature', folder);
    const tree = cloneIn(folder);
    tree.write({ 'web.yaml': web('1.26') });
    const ran = await tree.kruise(['plan']);
    expect(ran.out).toContain('nginx:1.25 → nginx:1.26');
    expect(existsSync(join(folder, 'plans/shop/cloneset-web/plan.yaml'))).toBe(true);
  });

  test.each([
    ['no repository', [], 'is in no git repository; run the command in a clone, or use --base-dir DIR'],
    ['a bare repository', ['init', '--quiet', '--bare'], 'is in a bare repository'],
    [
      'no commit',
      ['init', '--quiet'],
      'the repository has no commit yet; commit the state before the change',
    ],
  ])('%s says so', async (_, args, expected) => {
    const clone = cloneIn(emptyFolder());
    if (args.length > 0) clone.git(...args);
    const ran = await clone.kruise(['plan']);
    expect(ran).toMatchObject({ code: 1, out: '' });
    expect(ran.err).toContain(expected);
  });

  test('a revision that is none is not taken for an option', async () => {
    const clone = repositoryWith({ 'web.yaml': web('1.25') });
    for (const revision of ['nope', '--output=x', 'main..main', 'web.yaml']) {
      const ran = await clone.kruise(['plan', `--base=${revision}`]);
      expect(ran, revision).toMatchObject({ code: 1, out: '' });
      expect(ran.err, revision).toContain(
        'is no commit, branch or tag of this repository; its branches: main',
      );
    }
  });

  test('a link in the tree leads where it leads in the working tree', async () => {
    const clone = repositoryWith({ 'real/web.yaml': web('1.25') });
    symlinkSync('real', join(clone.folder, 'linked'));
    symlinkSync('/etc', join(clone.folder, 'out'));
    clone.commit('links');
    const ran = await clone.kruise(['plan', '--head', 'HEAD']);
    expect(ran.code).toBe(1);
    expect(ran.err).toContain('KR1015');
    clone.commit('without', { out: undefined });
    const linked = await clone.kruise(['plan', 'linked', '--head', 'HEAD']);
    expect(linked).toMatchObject({ code: 0 });
  });
});

describe('nothing that a repository configures is executed', () => {
  test.each(['.', ''])('no program of its own, where PATH has %j', async (entry) => {
    const clone = repositoryWith({ 'web.yaml': web('1.25') });
    const mark = join(clone.folder, '.git/executed');
    clone.commit('program', { git: `#!/bin/sh\n: > "${mark}"\nexit 1\n`, 'web.yaml': web('1.26') });
    chmodSync(join(clone.folder, 'git'), 0o755);
    vi.stubEnv('PATH', `${entry}:${process.env['PATH']}`);
    try {
      const ran = await clone.kruise(['plan', '--base', 'HEAD~1', '--dry-run']);
      expect(ran, ran.err).toMatchObject({ code: 0 });
    } finally {
      vi.unstubAllEnvs();
    }
    expect(existsSync(mark)).toBe(false);
  });

  test('hooks, monitors, filters, drivers and transports stay silent', async () => {
    const clone = repositoryWith({ 'web.yaml': web('1.25') });
    const program = join(clone.folder, '.git/spy');
    const mark = join(clone.folder, '.git/executed');
    clone.write({ '.git/spy': `#!/bin/sh\necho "$0" >> "${mark}"\ncat\n` });
    chmodSync(program, 0o755);
    clone.write({ '.gitattributes': '*.yaml filter=spy diff=spy merge=spy\n' });
    clone.commit('attributes', { 'web.yaml': web('1.26') });
    for (const [name, value] of [
      ['core.fsmonitor', program],
      ['core.pager', program],
      ['core.editor', program],
      ['core.sshCommand', program],
      ['filter.spy.clean', program],
      ['filter.spy.smudge', program],
      ['diff.spy.textconv', program],
      ['diff.spy.command', program],
      ['diff.external', program],
      ['alias.rev-parse', `!${program}`],
      ['remote.origin.uploadpack', program],
      ['uploadpack.packObjectsHook', program],
    ] as const)
      clone.git('config', name, value);
    mkdirSync(join(clone.folder, '.git/hooks'), { recursive: true });
    for (const hook of [
      'post-index-change',
      'reference-transaction',
      'post-checkout',
      'fsmonitor-watchman',
    ]) {
      clone.write({ [`.git/hooks/${hook}`]: `#!/bin/sh\nexec "${program}"\n` });
      chmodSync(join(clone.folder, '.git/hooks', hook), 0o755);
    }
    clone.write({ 'web.yaml': web('1.27') });
    for (const words of [
      ['plan', '--base', 'HEAD~1'],
      ['plan', '--staged'],
      ['plan', '--head', 'HEAD'],
    ])
      expect((await clone.kruise(words)).err, words.join(' ')).not.toContain('git ');
    expect(existsSync(mark)).toBe(false);
    // The program is one that git does execute.
    clone.git('add', '.');
    expect(existsSync(mark)).toBe(true);
  });
});
