import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { RolloutPlan } from '../../../schemas/generated/types/rolloutplan.ts';
import { cloneSet } from '../../compiler/world/manifests.ts';
import { type Clone, cloneOf, emptyFolder, repositoryWith } from './clone.ts';

const web = (tag: string): string => cloneSet({ image: `nginx:${tag}` });
const api = (tag: string): string => cloneSet({ name: 'api', image: `api:${tag}` });
const PLAN = 'plans/shop/cloneset-web/plan.yaml';

const planIn = (clone: Clone, path = PLAN): RolloutPlan => parse(clone.read(path)) as RolloutPlan;

/** The folder of a new worktree at a commit. */
function worktreeOf(clone: Clone, commit = 'HEAD'): string {
  const folder = join(emptyFolder(), 'worktree');
  clone.git('worktree', 'add', '--quiet', '--detach', folder, commit);
  return folder;
}

/** The repository after a change was planned, committed on a branch and merged. */
async function merged(clone: Clone, branch: string, files: Readonly<Record<string, string>>): Promise<void> {
  clone.git('checkout', '--quiet', '-b', branch);
  clone.write(files);
  expect(await clone.kruise(['plan'])).toMatchObject({ code: 0 });
  clone.commit(branch);
  clone.git('checkout', '--quiet', 'main');
  clone.git('merge', '--quiet', '--no-ff', '-m', `merge ${branch}`, branch);
}

describe('kruise plan in a repository', () => {
  test('compares the working tree with where the branch left main, and CI agrees with what was committed', async () => {
    const clone = repositoryWith({ 'web.yaml': web('1.25') });
    const base = clone.git('rev-parse', 'HEAD').slice(0, 12);
    clone.git('checkout', '--quiet', '-b', 'feature');
    clone.write({ 'web.yaml': web('1.26') });
    const first = await clone.kruise(['plan']);
    expect(first).toMatchObject({ code: 0 });
    expect(first.err).toContain(`base: main, at ${base}\n`);
    expect(first.out).toContain('nginx:1.25 → nginx:1.26');
    clone.commit('second');
    // main moves on: that is none of this branch's changes.
    clone.git('checkout', '--quiet', 'main');
    clone.commit('another', { 'api.yaml': api('1') });
    clone.git('checkout', '--quiet', 'feature');
    for (const words of [['plan'], ['plan', '--base', 'main']]) {
      const again = await clone.kruise(words, '.', { CI: 'true' });
      expect(again).toMatchObject({ code: 0 });
      expect(again.out).toContain('Plan: 1 to roll out.');
    }
  });

  test('on the base itself says how to plan what is committed already, if nothing else differs', async () => {
    const clone = repositoryWith({ 'web.yaml': web('1.25') });
    const hint = 'to plan the last commit, name an older one: --base HEAD~1\n';
    expect((await clone.kruise(['plan'])).err).not.toContain('--base');
    clone.commit('second', { 'web.yaml': web('1.26') });
    expect((await clone.kruise(['plan'])).err).toContain(hint);
    expect((await clone.kruise(['plan', '--base', 'HEAD'])).err).not.toContain(hint);
    const named = await clone.kruise(['plan', '--base', 'HEAD~1']);
    expect(named.err).not.toContain(hint);
    expect(named.out).toContain('Plan: 1 to roll out.');
    clone.write({ 'web.yaml': web('1.27') });
    expect((await clone.kruise(['plan'])).err).not.toContain(hint);
  });

  test('without a branch to compare with says that only uncommitted changes are seen', async () => {
    const clone = repositoryWith({ 'web.yaml': web('1.25') });
    clone.git('branch', '--move', 'develop');
    clone.git('checkout', '--quiet', '-b', 'feature');
    const commit = clone.commit('second', { 'web.yaml': web('1.26') }).slice(0, 12);
    const note = `base: HEAD, at ${commit}: there is no branch to compare with, so only uncommitted changes are seen`;
    expect((await clone.kruise(['plan'])).err).toContain(`${note} (name one: --base BRANCH)\n`);
    const named = await clone.kruise(['plan', '--base', 'develop']);
    expect(named.err).not.toContain('no branch');
    expect(named.out).toContain('Plan: 1 to roll out.');
  });

  test('is the plan of two folders', async () => {
    const clone = repositoryWith({
      'web.yaml': web('1.25'),
      'kruise.yaml': 'steps: [{match: {kind: CloneSet}, batches: [{to: 50%}, {to: 100%}]}]\n',
    });
    const base = worktreeOf(clone);
    clone.write({ 'web.yaml': web('1.26') });
    await clone.kruise(['plan']);
    const text = clone.read(PLAN);
    const other = await clone.kruise(['plan', '--base-dir', base]);
    expect(other.err).toContain('plans are up to date\n');
    expect(clone.read(PLAN)).toBe(text);
  });

  test('in a subfolder compares that folder alone, with git and with a worktree of the root', async () => {
    const clone = repositoryWith({ 'services/web.yaml': web('1.25'), 'teams/api.yaml': api('1') });
    clone.write({ 'services/web.yaml': web('1.26') });
    const ran = await clone.kruise(['plan'], 'services');
    expect(ran.out).toContain('Plan: 1 to roll out.\n');
    const plan = clone.read(`services/${PLAN}`);
    const same = await clone.kruise(['plan', '--base-dir', worktreeOf(clone)], 'services');
    expect(same.err).toContain('plans are up to date\n');
    expect(clone.read(`services/${PLAN}`)).toBe(plan);
  });

  test('follows a workload to another file', async () => {
    const clone = repositoryWith({ 'old/web.yaml': web('1.25') });
    renameSync(join(clone.folder, 'old/web.yaml'), join(clone.folder, 'web.yaml'));
    expect((await clone.kruise(['plan'])).out).toBe('Plan: 0 to roll out, 1 unchanged.\n');
    clone.write({ 'web.yaml': web('1.26') });
    expect((await clone.kruise(['plan'])).out).toContain('Plan: 1 to roll out.\n');
  });

  test('plans what is staged, and what is committed', async () => {
    const clone = repositoryWith({ 'web.yaml': web('1.25') });
    clone.write({ 'web.yaml': web('1.26') });
    clone.git('add', '.');
    clone.write({ 'web.yaml': web('1.27') });
    const staged = await clone.kruise(['plan', '--staged']);
    expect(staged.out).toContain('nginx:1.25 → nginx:1.26');
    expect(planIn(clone).spec.from[0]?.fields?.[0]?.to).toBe('nginx:1.26');
    clone.git('checkout', '--quiet', '-b', 'feature');
    clone.write({ 'web.yaml': web('1.26') });
    clone.commit('second', { [PLAN]: undefined });
    clone.git('checkout', '--quiet', 'main');
    const committed = await clone.kruise(['plan', '--head', 'feature']);
    expect(committed).toMatchObject({ code: 20 });
    expect(committed.out).toContain('nginx:1.25 → nginx:1.26');
    expect(committed.err).toContain('head is a commit, so nothing is written');
    expect(clone.git('status', '--porcelain', '--', 'web.yaml')).toBe('');
  });

  test('asks the pull request of CI for its branch', async () => {
    const origin = repositoryWith({ 'web.yaml': web('1.25') });
    origin.git('branch', 'release');
    origin.commit('second', { 'web.yaml': web('1.26') });
    const clone = cloneOf(origin);
    clone.git('checkout', '--quiet', 'origin/release');
    clone.write({ 'web.yaml': web('1.25.1') });
    const ran = await clone.kruise(['plan'], '.', { CI: 'true', GITHUB_BASE_REF: 'release' });
    expect(ran.code).toBe(20);
    expect(ran.err).toContain('base: origin/release, at ');
    expect(ran.out).toContain('nginx:1.25 → nginx:1.25.1');
  });
});

describe('what git knows of earlier plans', () => {
  test('a revert and the next change may reach a cluster together', async () => {
    const clone = repositoryWith({ 'web.yaml': web('1.25') });
    await merged(clone, 'one', { 'web.yaml': web('1.26') });
    const reverted = planIn(clone).spec;
    clone.git('revert', '--no-edit', '-m', '1', 'HEAD');
    clone.git('checkout', '--quiet', '-b', 'two');
    clone.write({ 'web.yaml': web('1.27') });
    expect(await clone.kruise(['plan'])).toMatchObject({ code: 0 });
    const { from, supersedes } = planIn(clone).spec;
    expect(from.slice(1)).toEqual([
      { hash: reverted.to.hash, mode: 'Recreate', depart: true, images: ['nginx:1.26'] },
    ]);
    expect(supersedes).toEqual([reverted.digest]);
  });

  test('a clone with less of it accepts the committed plan', async () => {
    const clone = repositoryWith({ 'web.yaml': web('1.25') });
    await merged(clone, 'one', { 'web.yaml': web('1.26') });
    clone.git('revert', '--no-edit', '-m', '1', 'HEAD');
    const base = clone.git('rev-parse', 'HEAD').trim();
    clone.git('checkout', '--quiet', '-b', 'two');
    clone.write({ 'web.yaml': web('1.27') });
    await clone.kruise(['plan']);
    clone.commit('two');
    const shallow = cloneOf(clone, '--depth', '2', '--no-single-branch', '--branch', 'two');
    const ran = await shallow.kruise(['plan', '--base', base], '.', { CI: 'true' });
    expect(ran.err).toContain('this clone is shallow');
    expect(ran).toMatchObject({ code: 0 });
  });

  test('another target in the same file, and what is no plan, are passed over', async () => {
    const clone = repositoryWith({ 'web.yaml': web('1.25'), [PLAN]: 'what: ever\n' });
    clone.commit('none', { [PLAN]: undefined });
    clone.write({ 'web.yaml': web('1.26') });
    expect(await clone.kruise(['plan'])).toMatchObject({ code: 0 });
    expect(planIn(clone).spec.from).toHaveLength(1);
    expect(planIn(clone).spec.supersedes).toBeUndefined();
  });
});

describe('a base that is not the one of the change', () => {
  test('a base before the branch is refused where its plan would miss what main has', async () => {
    const clone = repositoryWith({ 'web.yaml': web('1.25') });
    await merged(clone, 'one', { 'web.yaml': web('1.26') });
    clone.git('checkout', '--quiet', '-b', 'two');
    clone.write({ 'web.yaml': web('1.27') });
    const ran = await clone.kruise(['plan', '--base', 'HEAD~1']);
    expect(ran.code).toBe(1);
    expect(ran.err).toContain('KR3015');
    expect(ran.err).toContain('CloneSet shop/web has another template on main than at the base HEAD~1');
    expect(clone.git('status', '--porcelain')).toBe(' M web.yaml\n');
  });

  test('a merged change without a plan is planned from before it', async () => {
    const clone = repositoryWith({ 'web.yaml': web('1.25') });
    clone.commit('a bot', { 'web.yaml': web('1.26') });
    clone.git('checkout', '--quiet', '-b', 'afterwards');
    expect(await clone.kruise(['plan', '--base', 'HEAD~1'])).toMatchObject({ code: 0 });
    expect(planIn(clone).spec.from[0]?.fields?.[0]?.from).toBe('nginx:1.25');
  });

  test('a plan at head that was made against a newer base is not replaced', async () => {
    const clone = repositoryWith({ 'web.yaml': web('1.25') });
    await merged(clone, 'one', { 'web.yaml': web('1.26') });
    const stale = clone.git('rev-parse', 'HEAD').trim();
    await merged(clone, 'two', { 'web.yaml': web('1.27') });
    await merged(clone, 'three', { 'web.yaml': web('1.28') });
    clone.write({ 'web.yaml': web('1.29') });
    const ran = await clone.kruise(['plan', '--base-dir', worktreeOf(clone, stale)]);
    expect(ran.code).toBe(1);
    expect(ran.err).toContain('KR3014');
    expect(clone.git('status', '--porcelain')).toBe(' M web.yaml\n');
  });

  test('a base without a manifest is a loud warning', async () => {
    const clone = repositoryWith({ README: 'nothing yet\n' });
    clone.write({ 'web.yaml': web('1.25'), 'api.yaml': api('1') });
    const ran = await clone.kruise(['plan']);
    expect(ran.code).toBe(0);
    expect(ran.err).toContain('2 workloads would be created without a plan');
  });
});
