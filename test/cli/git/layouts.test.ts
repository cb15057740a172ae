import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cloneSet } from '../../compiler/world/manifests.ts';
import { cloneIn, emptyFolder, repositoryWith } from './clone.ts';

const web = (tag: string): string => cloneSet({ image: `nginx:${tag}` });
const api = (tag: string): string => cloneSet({ name: 'api', image: `api:${tag}` });

describe('a base in a folder', () => {
  test('that has the layout of the repository, for a part of it, is named as it should be', async () => {
    const clone = repositoryWith({ 'services/api/api.yaml': api('1'), 'services/web/web.yaml': web('1.25') });
    const base = cloneIn(emptyFolder());
    base.write({ 'services/api/api.yaml': api('1'), 'services/web/web.yaml': web('1.25') });
    clone.write({ 'services/api/api.yaml': api('2') });
    const wrong = await clone.kruise(['plan', 'services/api', '--base-dir', base.folder]);
    expect(wrong.code).toBe(1);
    expect(wrong.err).toContain(
      `services/api is not laid out like the base ${base.folder}, but like ${base.folder}/services/api`,
    );
    expect(clone.git('status', '--porcelain')).toBe(' M services/api/api.yaml\n');
    const right = ['plan', 'services/api', '--base-dir', join(base.folder, 'services/api')];
    expect((await clone.kruise(right)).out).toContain('api:1 → api:2');
  });

  test('that lost the only other thing, plans, is one as well', async () => {
    const clone = repositoryWith({ 'web.yaml': web('1.25') });
    const base = cloneIn(emptyFolder());
    base.write({ 'deploy/web.yaml': web('1.25') });
    clone.write({ 'web.yaml': web('1.26') });
    expect((await clone.kruise(['plan', '--base-dir', base.folder])).code).toBe(0);
    base.write({ 'deploy/plans/kept': '' });
    expect((await clone.kruise(['plan', '--base-dir', base.folder])).err).toContain('KR3024');
  });

  test('may have all manifests in another folder', async () => {
    const clone = repositoryWith({ 'deploy/web.yaml': web('1.26'), 'deploy/api.yaml': api('1') });
    const base = cloneIn(emptyFolder());
    base.write({ 'web.yaml': web('1.25'), 'api.yaml': api('1') });
    const ran = await clone.kruise(['plan', '--base-dir', base.folder]);
    expect(ran.out).toContain('Plan: 1 to roll out, 1 unchanged.\n');
  });
});

describe('a revert, with the base in a folder', () => {
  const PLAN = 'services/plans/shop/cloneset-web/plan.yaml';
  const write = (base: string): string[] => ['plan', 'services', '--base-dir', base];
  const check = (base: string): string[] => [...write(base), '--check'];

  test('of the manifest alone passes with the plan at base and with none, and a run leaves both', async () => {
    const clone = repositoryWith({ 'services/web.yaml': web('1.25') });
    clone.write({ 'services/web.yaml': web('1.26') });
    await clone.kruise(['plan', 'services']);
    clone.commit('planned');
    const folder = join(emptyFolder(), 'base');
    clone.git('worktree', 'add', '--quiet', '--detach', folder);
    const base = join(folder, 'services');
    clone.write({ 'services/web.yaml': web('1.25') });
    const kept = await clone.kruise(check(base));
    expect(kept, kept.err).toMatchObject({ code: 0 });
    expect(kept.out).toContain('This goes back to where the plan at base starts.');
    clone.write({ [PLAN]: undefined, [PLAN.replace('plan.yaml', 'forecast.md')]: undefined });
    expect(await clone.kruise(check(base))).toMatchObject({ code: 0 });
    expect(await clone.kruise(write(base))).toMatchObject({ code: 0 });
    expect(existsSync(join(clone.folder, PLAN))).toBe(false);
    // What git says of the same base.
    expect(await clone.kruise(['plan', '--check', 'services'])).toMatchObject({ code: 0 });
  });

  test('of the whole commit is a change back to the base', async () => {
    const clone = repositoryWith({ 'services/web.yaml': web('1.25') });
    clone.write({ 'services/web.yaml': web('1.26') });
    await clone.kruise(['plan', 'services']);
    const second = clone.commit('planned');
    const folder = join(emptyFolder(), 'base');
    clone.git('worktree', 'add', '--quiet', '--detach', folder, second);
    clone.git('revert', '--no-edit', 'HEAD');
    const base = join(folder, 'services');
    const ran = await clone.kruise(check(base));
    expect(ran, ran.err).toMatchObject({ code: 0 });
    expect(ran.out).toContain('nginx:1.26 → nginx:1.25');
    // A plan of something else is not accepted for it.
    clone.write({ [PLAN]: 'kind: RolloutPlan' });
    expect(await clone.kruise(check(base))).toMatchObject({ code: 21 });
  });
});

describe('a worktree inside of the planned folder', () => {
  test('is named where its manifests are declared twice', async () => {
    const clone = repositoryWith({ 'web.yaml': web('1.25') });
    clone.git('worktree', 'add', '--quiet', '--detach', join(clone.folder, 'trees/base'));
    const ran = await clone.kruise(['plan']);
    expect(ran.code).toBe(1);
    expect(ran.err).toContain('CloneSet shop/web is declared twice');
    expect(ran.err).toContain(
      'trees/base is a repository of its own, such as a worktree: move it out of here, or ignore it in kruise.yaml\n',
    );
    clone.write({ 'kruise.yaml': 'ignore: [trees]\n' });
    expect((await clone.kruise(['plan'])).out).toBe('Plan: 0 to roll out, 1 unchanged.\n');
  });
});
