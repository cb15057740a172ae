import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { cloneSet } from '../../compiler/world/manifests.ts';
import { type Clone, repositoryWith } from '../git/clone.ts';

const web = (tag: string): string => cloneSet({ image: `nginx:${tag}` });
const ROOTS = 'roots:\n- {name: prod, path: apps/prod}\n- {name: staging, path: apps/staging}\n';

function twoRoots(config = ROOTS): Clone {
  return repositoryWith({
    'kruise.yaml': config,
    'apps/prod/web.yaml': web('1.25'),
    'apps/staging/web.yaml': web('1.25'),
  });
}

const planOf = (root: string): string => `plans/${root}/shop/cloneset-web/plan.yaml`;

describe('each root of kruise.yaml is planned by itself', () => {
  test('with its own folder of plans, though a workload is in both', async () => {
    const clone = twoRoots();
    clone.write({ 'apps/prod/web.yaml': web('1.26'), 'apps/staging/web.yaml': web('1.27') });
    const ran = await clone.kruise(['plan']);
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.out).toMatch(/^prod \(apps\/prod\)\n[^]*1\.25 → nginx:1\.26[^]*\nstaging \(apps\/staging\)\n/);
    expect(ran.err).toMatch(/^base: main, at \w+\nprod \(apps\/prod\)\n[^]*\nwrote plans\/prod\//);
    expect(clone.read(planOf('prod'))).not.toBe(clone.read(planOf('staging')));
    expect(await clone.kruise(['plan'], 'apps', { CI: 'true' })).toMatchObject({ code: 0 });
    // The next change supersedes what its own root has at base.
    clone.commit('planned');
    clone.write({ 'apps/prod/web.yaml': web('1.28') });
    clone.git('checkout', '--quiet', '-b', 'next');
    await clone.kruise(['plan']);
    expect(parse(clone.read(planOf('prod')))).toMatchObject({ spec: { from: [{}, {}] } });
  });

  test('in one page of HTML, with the targets of all roots and the steps of each', async () => {
    const clone = twoRoots();
    clone.write({ 'apps/prod/web.yaml': web('1.26'), 'apps/staging/web.yaml': web('1.27') });
    const { code, out } = await clone.kruise(['plan', '-o', 'html']);
    expect(code).toBe(0);
    expect(out.match(/<!doctype html>/g)).toHaveLength(1);
    expect(out).toContain('<h1>Plan: 2 to roll out.</h1>');
    expect([...new Set(out.match(/\broot \w+/g))]).toEqual(['root prod', 'root staging']);
    expect(out.match(/<table class="steps">/g)).toHaveLength(2);
    expect(out).toMatch(/nginx:1\.25 → nginx:1\.26[^]*nginx:1\.25 → nginx:1\.27/);
  });

  test('with a new workload that another root has already', async () => {
    const clone = twoRoots();
    clone.commit('api', { 'apps/staging/api.yaml': cloneSet({ name: 'api' }) });
    clone.write({ 'apps/prod/api.yaml': cloneSet({ name: 'api' }) });
    expect(await clone.kruise(['plan'])).toMatchObject({ code: 0 });
  });

  test('and the plans of another one are no manifests', async () => {
    const clone = twoRoots(
      'roots:\n- {name: all, path: .}\n- {name: staging, path: apps/staging, render: [cat, web.yaml]}\n',
    );
    clone.git('rm', '--quiet', '-r', 'apps/prod');
    clone.commit('one folder');
    clone.write({ 'apps/staging/web.yaml': web('1.26') });
    await clone.kruise(['plan', '--allow-render']);
    expect(await clone.kruise(['plan', '--allow-render'], '.', { CI: 'true' })).toMatchObject({ code: 0 });
    expect(await clone.kruise(['validate', '--allow-render'])).toMatchObject({ code: 0 });
  });

  test('and checked: plans of removed workloads are obsolete, also later', async () => {
    const clone = twoRoots();
    clone.commit('api', { 'apps/prod/api.yaml': cloneSet({ name: 'api' }) });
    clone.write({ 'apps/prod/web.yaml': web('1.26') });
    await clone.kruise(['plan']);
    clone.commit('planned');
    clone.commit('removed without its plan', { 'apps/prod/web.yaml': undefined });
    const checked = await clone.kruise(['plan', '--check', '--base', 'HEAD']);
    expect(checked).toMatchObject({ code: 20 });
    expect(checked.err).toContain(`KR3021]: ${planOf('prod')} is obsolete`);
    await clone.kruise(['plan', '--base', 'HEAD']);
    expect(readdirSync(join(clone.folder, 'plans/prod'))).toEqual(['.gitkeep']);
  });

  test('and one that was removed leaves no plans behind, nor anything else', async () => {
    const clone = twoRoots();
    clone.write({ 'apps/prod/web.yaml': web('1.26'), 'apps/staging/web.yaml': web('1.26') });
    await clone.kruise(['plan']);
    const own = { 'plans/staging/notes.md': 'mine\n', 'plans/other/plan.yaml': 'what: ever\n' };
    clone.commit('planned', { ...own, 'plans/staging/SUMMARY.md': '# Plan: 2 to roll out.\n' });
    clone.git('checkout', '--quiet', '-b', 'remove');
    clone.git('rm', '-r', '--quiet', 'apps/staging');
    clone.write({ 'kruise.yaml': 'roots:\n- {name: prod, path: apps/prod}\n' });
    const path = planOf('staging');
    const checked = await clone.kruise(['plan', '--check']);
    expect(checked).toMatchObject({ code: 20 });
    expect(checked.err).toContain(`KR3021]: ${path} is obsolete: no root of kruise.yaml has it\n`);
    expect(checked.err).toContain('help: run and commit: kruise plan\n');
    const json = JSON.parse((await clone.kruise(['plan', '-o', 'json'])).out) as { files: unknown[] };
    expect(json).toMatchObject({ diagnostics: [], roots: [{ root: 'prod', files: [] }] });
    expect(json.files).toContainEqual({ file: path, action: 'remove' });
    // Of a part it is not known which roots are left.
    expect(await clone.kruise(['plan', '--check', 'apps/prod'])).toMatchObject({ code: 20 });
    const ran = await clone.kruise(['plan']);
    expect(ran.err).toContain(`removed ${path}: no root of kruise.yaml has it\n`);
    expect(clone.git('status', '--porcelain', '--untracked-files=all', 'plans').split('\n').sort()).toEqual([
      '',
      ' D plans/staging/SUMMARY.md',
      ` D ${path.replace('plan.yaml', 'forecast.md')}`,
      ` D ${path}`,
    ]);
    expect(await clone.kruise(['plan', '--check'])).toMatchObject({ code: 0 });
  });

  test('and without roots any more, the plan of the root that had the manifest counts', async () => {
    const clone = twoRoots();
    clone.write({ 'apps/prod/web.yaml': web('1.26'), 'apps/staging/web.yaml': web('1.27') });
    await clone.kruise(['plan']);
    clone.commit('planned');
    clone.git('checkout', '--quiet', '-b', 'one');
    const staged = clone.read(planOf('staging'));
    const forecast = clone.read(planOf('staging').replace('plan.yaml', 'forecast.md'));
    clone.git('rm', '--quiet', '-r', 'kruise.yaml');
    const both = await clone.kruise(['plan']);
    expect(both.err).toMatch(/error\[KR1016\]: CloneSet shop\/web is declared twice\n/);
    expect(both.err).not.toContain('warning');
    clone.git('rm', '--quiet', '-r', 'apps/prod');
    expect(await clone.kruise(['plan', '--check'])).toMatchObject({ code: 20 });
    const ran = await clone.kruise(['plan']);
    expect(ran).toMatchObject({ code: 0, out: 'Plan: 0 to roll out, 1 unchanged.\n' });
    expect(ran.err).not.toContain('warning');
    expect(clone.read('plans/shop/cloneset-web/plan.yaml')).toBe(staged);
    expect(existsSync(join(clone.folder, planOf('prod')))).toBe(false);
    expect(existsSync(join(clone.folder, planOf('staging')))).toBe(false);
    expect(await clone.kruise(['plan', '--check'])).toMatchObject({ code: 0 });
    const FORECAST = 'plans/shop/cloneset-web/forecast.md';
    expect(clone.read(FORECAST)).toBe(forecast);
    clone.write({ [FORECAST]: forecast.replace('in place', 'IN PLACE') });
    expect(await clone.kruise(['plan', '--check'])).toMatchObject({ code: 20 });
    clone.write({ 'apps/staging/web.yaml': web('1.28') });
    expect((await clone.kruise(['plan'])).out).toContain('nginx:1.27 → nginx:1.28');
  });

  test('and plans of other roots stay if only some are planned', async () => {
    const clone = twoRoots();
    clone.write({ 'apps/prod/web.yaml': web('1.26'), 'apps/staging/web.yaml': web('1.26') });
    await clone.kruise(['plan']);
    clone.commit('planned');
    clone.write({ 'kruise.yaml': ROOTS.replace('name: staging', 'name: other') });
    expect(await clone.kruise(['plan', 'apps/prod', '--check'])).toMatchObject({ code: 0 });
    expect(await clone.kruise(['plan', '--check'])).toMatchObject({ code: 20 });
  });

  test('and one whose folder moved is compared with what it was', async () => {
    const clone = twoRoots();
    clone.git('mv', 'apps/prod', 'apps/production');
    clone.write({
      'kruise.yaml': ROOTS.replace('path: apps/prod', 'path: apps/production'),
      'apps/production/web.yaml': web('1.26'),
    });
    expect((await clone.kruise(['plan'])).out).toContain('nginx:1.25 → nginx:1.26');
  });

  test('all are written, or none', async () => {
    const clone = twoRoots();
    clone.write({ 'apps/prod/web.yaml': web('1.26'), 'apps/staging/web.yaml': `${web('1.26')}a: [\n` });
    const ran = await clone.kruise(['plan']);
    expect(ran).toMatchObject({ code: 1, out: '' });
    expect(ran.err).not.toContain('wrote');
    expect(ran.err).toContain('staging (apps/staging)\nerror[KR1004]');
    expect(ran.err).toContain('other roots were not written, because of these errors\n');
    expect(existsSync(join(clone.folder, 'plans'))).toBe(false);
  });

  test('and problems of kruise.yaml are reported once', async () => {
    const rules = 'steps: [{match: {name: web}}, {match: {name: none}}]\nignore: [none]\n';
    const clone = twoRoots(`${ROOTS}${rules}`);
    const ran = await clone.kruise(['validate']);
    expect(ran).toMatchObject({ code: 0, out: '2 objects in 2 files: valid.\n' });
    expect(ran.err.match(/warning\[KR4006\]/g)).toHaveLength(1);
    expect((await clone.kruise(['plan'])).err.match(/warning\[KR4006\]/g)).toHaveLength(1);
    // Of a part it is not known.
    expect((await clone.kruise(['plan', 'apps/prod'])).err).not.toContain('KR4006');
    clone.write({ 'kruise.yaml': `${ROOTS}step: []\n`, 'apps/prod/web.yaml': 'a: [' });
    const wrong = await clone.kruise(['plan']);
    expect(wrong).toMatchObject({ code: 1, out: '' });
    expect(wrong.err).toContain('error[KR2001]');
    expect(wrong.err).toContain('1 error\nnothing was written\n');
  });
});

test('a command to a rollout names the folder of plans of one root', async () => {
  const clone = twoRoots();
  clone.write({ 'apps/prod/web.yaml': web('1.26'), 'apps/staging/web.yaml': web('1.27') });
  await clone.kruise(['plan']);
  const { spec } = parse(clone.read(planOf('prod'))) as { spec: { digest: string } };
  const pause = ['pause', 'CloneSet/web', '-n', 'shop', '-o', 'yaml'];
  const ran = await clone.kruise([...pause, '--out', 'plans/prod']);
  expect(parse(ran.out)).toMatchObject({ spec: { digest: spec.digest } });
  expect((await clone.kruise(pause)).err).toContain('of several roots, name one: --out plans/ROOT\n');
});

describe('paths select roots', () => {
  test('at, below or above them', async () => {
    const clone = twoRoots();
    clone.write({ 'apps/prod/web.yaml': web('1.26'), 'apps/staging/web.yaml': web('1.26') });
    const titles = async (...paths: string[]): Promise<string[]> =>
      [...(await clone.kruise(['plan', ...paths])).out.matchAll(/^(\w+) \(apps/gm)].map(
        ([, name = '']) => name,
      );
    expect(await titles('apps')).toEqual(['prod', 'staging']);
    expect(await titles('apps/prod')).toEqual(['prod']);
    expect(await titles('apps/prod/web.yaml')).toEqual(['prod']);
    expect(await titles('apps/prod/web.yaml', 'apps/staging')).toEqual(['prod', 'staging']);
  });

  test('others are planned as without roots, but not in the same run', async () => {
    const clone = twoRoots();
    clone.write({ 'more/api.yaml': cloneSet({ name: 'api' }) });
    expect((await clone.kruise(['plan', 'more'])).out).toBe(
      '  + CloneSet shop/api: new, 10 pods; the first rollout needs no plan\n\nPlan: 0 to roll out, 1 to create.\n',
    );
    expect((await clone.kruise(['plan', 'more', 'apps/prod'])).err).toMatch(
      /^kruise plan: \S+\/more is in no root of kruise\.yaml; name paths in roots, or add a root\n$/,
    );
  });
});

describe('the output of several roots', () => {
  test('is one document', async () => {
    const clone = twoRoots();
    clone.write({ 'apps/prod/web.yaml': web('1.26'), 'apps/staging/web.yaml': web('1.26') });
    const { out: json } = await clone.kruise(['plan', '-o', 'json'], '.', { CI: 'true' });
    expect(JSON.parse(json)).toMatchObject({
      format: '1',
      diagnostics: [],
      roots: [
        { root: 'prod', path: 'apps/prod', changes: [{ name: 'web' }] },
        { root: 'staging', changes: [{ name: 'web' }] },
      ],
    });
    const { out: yaml } = await clone.kruise(['plan', '-o', 'yaml'], '.', { CI: 'true' });
    expect(yaml.split('---\n').map((text) => (parse(text) as { kind: string }).kind)).toEqual([
      'RolloutPlan',
      'RolloutPlan',
    ]);
    const { out: page } = await clone.kruise(['plan', '-o', 'markdown'], '.', { CI: 'true' });
    expect(page.match(/^# .*$/gm)).toEqual(['# prod', '# staging']);
  });
});
