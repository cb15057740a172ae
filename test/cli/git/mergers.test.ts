import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { RolloutPlan } from '../../../schemas/generated/types/rolloutplan.ts';
import { cloneSet } from '../../compiler/world/manifests.ts';
import { type Clone, cloneOf, repositoryWith } from './clone.ts';

const web = (tag: string): string => cloneSet({ image: `nginx:${tag}` });
const api = (tag: string): string => cloneSet({ name: 'api', image: `api:${tag}` });
const PLAN = 'plans/shop/cloneset-web/plan.yaml';
const fromIn = (clone: Clone): (string | undefined)[] =>
  (parse(clone.read(PLAN)) as RolloutPlan).spec.from.map(({ fields }) => String(fields?.[0]?.from));

describe('histories that are no line', () => {
  test('of several merge bases the one that the target was', async () => {
    const clone = repositoryWith({ 'web.yaml': web('1.25'), 'api.yaml': api('1') });
    clone.git('branch', 'api');
    clone.commit('web', { 'web.yaml': web('1.26') });
    clone.git('branch', 'feature');
    clone.git('checkout', '--quiet', 'api');
    clone.commit('api', { 'api.yaml': api('2') });
    clone.git('checkout', '--quiet', 'feature');
    clone.git('merge', '--quiet', '--no-ff', '-m', 'api into feature', 'api');
    clone.git('checkout', '--quiet', 'main');
    clone.git('merge', '--quiet', '--no-ff', '-m', 'api into main', 'api');
    clone.git('checkout', '--quiet', 'feature');
    clone.write({ 'web.yaml': web('1.27') });
    expect(await clone.kruise(['plan', 'web.yaml'])).toMatchObject({ code: 0 });
    expect(fromIn(clone)).toEqual(['nginx:1.26']);
  });

  test('a merge in progress is planned from what it merges', async () => {
    const clone = repositoryWith({ 'web.yaml': web('1.25') });
    clone.git('checkout', '--quiet', '-b', 'feature');
    clone.commit('feature', { 'web.yaml': web('1.27') });
    clone.git('checkout', '--quiet', 'main');
    clone.commit('main', { 'web.yaml': web('1.26') });
    clone.git('checkout', '--quiet', 'feature');
    expect(() => clone.git('merge', '--quiet', 'main')).toThrow(/conflict|merge/i);
    clone.write({ 'web.yaml': web('1.27') });
    expect(await clone.kruise(['plan'])).toMatchObject({ code: 0 });
    expect(fromIn(clone)).toEqual(['nginx:1.26']);
    clone.commit('merge');
    expect(await clone.kruise(['plan'], '.', { CI: 'true' })).toMatchObject({ code: 0 });
  });

  test('a tag or a branch of the name does not stand for the branch of the remote', async () => {
    const clone = cloneOf(repositoryWith({ 'web.yaml': web('1.25') }));
    clone.git('checkout', '--quiet', '-b', 'feature');
    clone.commit('unplanned', { 'web.yaml': web('1.26') });
    clone.git('tag', 'origin/main');
    clone.git('branch', 'origin/main');
    for (const words of [['plan'], ['plan', '--base', 'origin/main']])
      expect(await clone.kruise(words, '.', { CI: 'true', GITHUB_BASE_REF: 'main' })).toMatchObject({
        code: 20,
      });
  });

  test('a plan that was made before a revert is made anew after it', async () => {
    const clone = repositoryWith({ 'web.yaml': web('1.25') });
    clone.write({ 'web.yaml': web('1.26') });
    await clone.kruise(['plan']);
    clone.commit('one');
    clone.git('checkout', '--quiet', '-b', 'two');
    clone.write({ 'web.yaml': web('1.27') });
    await clone.kruise(['plan']);
    const plan = clone.read(PLAN);
    clone.git('checkout', '--quiet', '--force', 'main');
    clone.git('revert', '--no-edit', 'HEAD');
    clone.git('checkout', '--quiet', '-B', 'two');
    clone.write({ 'web.yaml': web('1.27'), [PLAN]: plan });
    expect(await clone.kruise(['plan'])).toMatchObject({ code: 0 });
  });
});

describe('paths that are a part of a change', () => {
  test('a workload that moved into them is compared with what it was', async () => {
    const clone = repositoryWith({ 'a/web.yaml': `${web('1.25')}---\n${api('1')}`, 'b/b.yaml': '' });
    // The file that had it stays, with another workload.
    clone.write({ 'a/web.yaml': api('1'), 'b/web.yaml': web('1.26') });
    for (const [at, words] of [
      ['.', ['plan', 'b']],
      ['.', ['plan']],
      ['b', ['plan']],
    ] as const) {
      const ran = await clone.kruise([...words, '--dry-run'], at);
      expect(ran, at).toMatchObject({ code: 0 });
      expect(ran.out).toContain('nginx:1.25 → nginx:1.26');
    }
  });

  test('a workload that was copied into them is not taken for a new one', async () => {
    const clone = repositoryWith({ 'a/web.yaml': web('1.25'), 'b/api.yaml': api('1') });
    clone.write({ 'b/web.yaml': web('1.26') });
    for (const at of ['.', 'b']) {
      const ran = await clone.kruise(at === '.' ? ['plan', 'b'] : ['plan'], at);
      expect(ran.code).toBe(1);
      expect(ran.err).toContain('CloneSet shop/web looks new, but at base it is in main:a/web.yaml, which');
    }
  });

  test('a folder that moved with its plans has them at base, also where nothing changes', async () => {
    const clone = repositoryWith({ 'deploy/web.yaml': web('1.25') });
    clone.write({ 'deploy/web.yaml': web('1.26') });
    await clone.kruise(['plan'], 'deploy');
    clone.commit('planned');
    clone.git('checkout', '--quiet', '-b', 'move');
    clone.git('mv', 'deploy', 'services');
    const moved = await clone.kruise(['plan', '--check'], 'services');
    expect(moved).toMatchObject({ code: 0, out: 'Plan: 0 to roll out, 1 unchanged.\n' });
    expect(moved.err).not.toContain('KR3008');
    // It is verified against the one that it was.
    const plan = `services/${PLAN}`;
    const text = clone.read(plan);
    clone.write({ [plan]: text.replace('nginx:1.25', 'nginx:1.24') });
    expect(await clone.kruise(['plan', '--check'], 'services')).toMatchObject({ code: 21 });
    await clone.kruise(['plan'], 'services');
    expect(clone.read(plan)).toBe(text);
    // So is its forecast, whose own place at base is another one, too.
    const forecast = plan.replace('plan.yaml', 'forecast.md');
    const reviewed = clone.read(forecast);
    for (const edited of [reviewed.replace('in place', 'IN PLACE'), undefined]) {
      clone.write({ [forecast]: edited });
      const found = await clone.kruise(['plan', '--check'], 'services');
      expect(found).toMatchObject({ code: 20 });
      expect(found.err).toContain('CloneSet shop/web does not change');
      await clone.kruise(['plan'], 'services');
      expect(clone.read(forecast)).toBe(reviewed);
    }
    clone.write({ 'services/web.yaml': web('1.27') });
    expect((await clone.kruise(['plan'], 'services')).out).toContain('nginx:1.26 → nginx:1.27');
    clone.git('checkout', '--quiet', '--force', 'HEAD');
    clone.git('mv', 'deploy/plans', 'deploy/rollouts');
    const renamed = await clone.kruise(['plan', '--check', '--out', 'rollouts'], 'deploy');
    expect(renamed).toMatchObject({ code: 0 });
    expect(renamed.err).not.toContain('KR3008');
  });

  test('what base has is named as git names it, from every folder', async () => {
    const clone = repositoryWith({ 'a/web.yaml': web('1.25'), 'a/more/web.yaml': web('1.25') });
    clone.git('checkout', '--quiet', '-b', 'feature/x');
    clone.write({ 'a/more/web.yaml': undefined });
    for (const [at, base] of [
      ['.', 'main'],
      ['a', 'main'],
      ['a', 'feature/x'],
    ] as const) {
      const { err } = await clone.kruise(['plan', '--dry-run', '--base', base], at);
      expect(err).toMatch(new RegExp(`--> ${base}:a/(more/)?web\\.yaml:4:9\n`));
      expect(err).toContain(`--> ${base}:a/`);
    }
  });

  test('a linked folder has a base', async () => {
    const clone = repositoryWith({ 'real/sub/web.yaml': web('1.25') });
    symlinkSync('real', join(clone.folder, 'linked'));
    clone.commit('link');
    clone.write({ 'real/sub/web.yaml': web('1.26') });
    expect((await clone.kruise(['plan', 'linked/sub'])).out).toContain('nginx:1.25 → nginx:1.26');
  });

  test('a base without the workload is no way around what the branch has', async () => {
    const clone = repositoryWith({ README: 'nothing yet\n' });
    clone.commit('web', { 'web.yaml': web('1.25') });
    clone.git('checkout', '--quiet', '-b', 'feature');
    clone.write({ 'web.yaml': web('1.26') });
    const ran = await clone.kruise(['plan', '--base', 'HEAD~1']);
    expect(ran.code).toBe(1);
    expect(ran.err).toContain('KR3015');
  });

  test('line ends that git converts are no difference', async () => {
    const origin = repositoryWith({ 'web.yaml': web('1.25') });
    origin.write({ 'web.yaml': web('1.26') });
    await origin.kruise(['plan']);
    origin.commit('planned');
    const clone = cloneOf(origin, '--config', 'core.autocrlf=true');
    expect(clone.read(PLAN)).toContain('\r\n');
    for (const base of ['HEAD', 'HEAD~1']) {
      const ran = await clone.kruise(['plan', '--base', base, '--head', 'HEAD'], '.', { CI: 'true' });
      expect(ran, base).toMatchObject({ code: 0 });
      expect(await clone.kruise(['plan', '--base', base], '.', { CI: 'true' }), base).toMatchObject({
        code: 0,
      });
    }
  });
});
