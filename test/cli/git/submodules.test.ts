import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cloneSet } from '../../compiler/world/manifests.ts';
import { type Clone, cloneIn, cloneOf, emptyFolder, repositoryWith } from './clone.ts';

const web = (tag: string): string => cloneSet({ image: `nginx:${tag}` });
const api = (tag: string): string => cloneSet({ name: 'api', image: `api:${tag}` });
const LOCAL = ['-c', 'protocol.file.allow=always'];

/** A repository with `inner`, which has the CloneSet `api` at tag 1, and what the submodule is cloned from. */
function withInner(): { clone: Clone; inner: Clone } {
  const inner = repositoryWith({ 'api.yaml': api('1') });
  const clone = repositoryWith({ 'web.yaml': web('1.25') });
  clone.git(...LOCAL, 'submodule', '--quiet', 'add', inner.folder, 'inner');
  clone.commit('submodule');
  return { clone, inner };
}

describe('submodules', () => {
  test('are read at the commit that base has of them', async () => {
    const { clone } = withInner();
    expect((await clone.kruise(['plan'])).out).toBe('Plan: 0 to roll out, 2 unchanged.\n');
    cloneIn(join(clone.folder, 'inner')).commit('third', { 'api.yaml': api('2') });
    const ran = await clone.kruise(['plan']);
    expect(ran.out).toContain('api:1 → api:2');
    expect(ran.out).toContain('Plan: 1 to roll out, 1 unchanged.\n');
  });

  test('are followed to another folder', async () => {
    const { clone } = withInner();
    clone.git('mv', 'inner', 'moved');
    expect((await clone.kruise(['plan'])).out).toBe('Plan: 0 to roll out, 2 unchanged.\n');
    cloneIn(join(clone.folder, 'moved')).commit('third', { 'api.yaml': api('2') });
    expect((await clone.kruise(['plan'])).out).toContain('api:1 → api:2');
  });

  test('that are not checked out are no difference while they are the same', async () => {
    const { clone } = withInner();
    const other = cloneOf(clone);
    other.write({ 'web.yaml': web('1.26') });
    for (const words of [['plan'], ['plan', '--staged'], ['plan', '--head', 'HEAD', '--base', 'HEAD']])
      expect((await other.kruise(words)).code, words.join(' ')).toBe(0);
  });

  test('that are not checked out keep the plans of their workloads', async () => {
    const { clone } = withInner();
    clone.git('checkout', '--quiet', '-b', 'topic');
    cloneIn(join(clone.folder, 'inner')).commit('third', { 'api.yaml': api('2') });
    await clone.kruise(['plan']);
    clone.commit('bump');
    clone.git('checkout', '--quiet', 'main');
    clone.git('merge', '--quiet', 'topic');
    const other = cloneOf(clone);
    const worktree = join(emptyFolder(), 'base');
    other.git('worktree', 'add', '--quiet', '--detach', worktree);
    for (const words of [['plan'], ['plan', '--base-dir', worktree]]) {
      const checked = await other.kruise([...words, '--check']);
      expect(checked, checked.err).toMatchObject({ code: 0 });
      expect(checked.err).toContain(
        'the submodule inner is not checked out: its workloads are not read, and their plans are left alone\n',
      );
      other.write({ 'web.yaml': web('1.26') });
      expect((await other.kruise(words)).err).not.toContain('removed');
      expect(other.read('plans/shop/cloneset-api/plan.yaml')).toContain('api:2');
      other.git('checkout', '--quiet', '--force', 'HEAD');
      other.git('clean', '--quiet', '-fd');
    }
  });

  test('that change and are not checked out are an error', async () => {
    const { clone } = withInner();
    clone.git('checkout', '--quiet', '-b', 'topic');
    cloneIn(join(clone.folder, 'inner')).commit('third', { 'api.yaml': api('2') });
    clone.commit('bump');
    const other = cloneOf(clone, '--branch', 'topic');
    for (const words of [
      ['plan', '--base', 'HEAD~1'],
      ['plan', '--base', 'HEAD~1', '--staged'],
      ['plan', '--base', 'HEAD~1', '--head', 'HEAD'],
      ['plan', '--base', 'HEAD~2'],
      ['plan', 'inner', '--base', 'HEAD~1'],
    ]) {
      const ran = await other.kruise(words);
      expect(ran, words.join(' ')).toMatchObject({ code: 1, out: '' });
      expect(ran.err, words.join(' ')).toBe(
        'kruise plan: the submodule inner cannot be compared: it changes, and is not checked out; ' +
          'git submodule update --init --recursive\n',
      );
    }
    expect((await other.kruise(['plan', 'web.yaml', '--base', 'HEAD~1'])).code).toBe(0);
  });

  test('that are removed name the worktree that has them', async () => {
    const { clone } = withInner();
    const base = clone.git('rev-parse', 'HEAD').trim();
    clone.git('rm', '--quiet', '--force', 'inner');
    clone.commit('removed', { 'inner/api.yaml': api('2') });
    const ran = await clone.kruise(['plan', '--base', 'HEAD~1']);
    expect(ran).toMatchObject({ code: 1, out: '' });
    expect(ran.err).toContain(`git worktree add ../base ${base}, then in it git submodule update --init`);
    const folder = join(emptyFolder(), 'base');
    clone.git('worktree', 'add', '--quiet', '--detach', folder, base);
    cloneIn(folder).git(...LOCAL, 'submodule', '--quiet', 'update', '--init', '--recursive');
    expect((await clone.kruise(['plan', '--base-dir', folder])).out).toContain('api:1 → api:2');
  });

  test('inside of submodules are compared, too', async () => {
    const { clone, inner } = withInner();
    const deep = repositoryWith({ 'deep.yaml': cloneSet({ name: 'deep', image: 'deep:1' }) });
    inner.git(...LOCAL, 'submodule', '--quiet', 'add', deep.folder, 'deep');
    inner.commit('nested');
    const own = cloneIn(join(clone.folder, 'inner'));
    own.git(...LOCAL, 'pull', '--quiet', inner.folder, 'main');
    clone.commit('with the nested one');
    clone.write({ 'web.yaml': web('1.26') });
    const without = await clone.kruise(['plan']);
    expect(without.out).toContain('Plan: 1 to roll out, 1 unchanged.\n');
    expect((await clone.kruise(['plan', '--base', 'HEAD~1'])).err).toContain(
      'the submodule inner/deep cannot be compared',
    );
    own.git(...LOCAL, 'submodule', '--quiet', 'update', '--init', '--recursive');
    cloneIn(join(own.folder, 'deep')).commit('second', {
      'deep.yaml': cloneSet({ name: 'deep', image: 'deep:2' }),
    });
    expect((await clone.kruise(['plan'])).out).toContain('deep:1 → deep:2');
  });

  test('that one of two folders lacks are refused, with the command', async () => {
    const { clone } = withInner();
    const worktree = join(emptyFolder(), 'base');
    clone.git('worktree', 'add', '--quiet', '--detach', worktree);
    const archive = emptyFolder();
    cloneIn(archive).write({ 'web.yaml': web('1.25'), '.gitmodules': clone.read('.gitmodules') });
    for (const base of [worktree, archive]) {
      const ran = await clone.kruise(['plan', '--base-dir', base]);
      expect(ran).toMatchObject({ code: 1, out: '' });
      expect(ran.err).toBe(
        `kruise plan: the submodule inner is not checked out in ${base}, so its workloads cannot be compared; ` +
          `git -C ${base} submodule update --init --recursive\n`,
      );
    }
    const there = await cloneIn(worktree).kruise(['plan', '--base-dir', clone.folder]);
    expect(there.err).toContain('is not checked out in ., so its workloads');
    // What is not compared does not matter, nor does what neither has.
    expect(await clone.kruise(['plan', 'web.yaml', '--base-dir', worktree])).toMatchObject({ code: 0 });
    expect(await cloneIn(worktree).kruise(['plan', '--base-dir', archive])).toMatchObject({ code: 0 });
    const other = cloneIn(join(emptyFolder(), 'other'));
    clone.git('worktree', 'add', '--quiet', '--detach', other.folder);
    expect(await other.kruise(['plan', '--base-dir', worktree])).toMatchObject({ code: 0 });
    other.git('update-index', '--cacheinfo', `160000,${clone.git('rev-parse', 'HEAD').trim()},inner`);
    expect(await other.kruise(['plan', '--base-dir', worktree])).toMatchObject({ code: 1 });
  });

  test('and worktrees whose repository is gone say so', async () => {
    const { clone } = withInner();
    const folder = join(emptyFolder(), 'tree');
    clone.git('worktree', 'add', '--quiet', '--detach', folder);
    rmSync(join(clone.folder, '.git/worktrees'), { recursive: true });
    const ran = await cloneIn(folder).kruise(['plan']);
    expect(ran).toMatchObject({ code: 1, out: '' });
    expect(ran.err).toContain(`the file .git of ${folder}, or of a folder above it, names `);
    expect(ran.err).toContain('git worktree repair');
    renameSync(join(clone.folder, '.git/modules'), join(clone.folder, '.git/away'));
    expect((await clone.kruise(['plan'])).err).toContain('git submodule update --init');
  });
});
