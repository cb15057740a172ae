import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cloneSet } from '../../compiler/world/manifests.ts';
import { type Clone, cloneIn, emptyFolder, repositoryWith } from './clone.ts';

const web = (tag: string): string => cloneSet({ image: `nginx:${tag}` });
const api = (tag: string): string => cloneSet({ name: 'api', image: `api:${tag}` });
const PLAN = 'plans/shop/cloneset-web/plan.yaml';
const API = 'plans/shop/cloneset-api/plan.yaml';
const changed = (clone: Clone): string[] =>
  clone.git('status', '--porcelain', '--untracked-files=all').split('\n').filter(Boolean);
const isThere = (clone: Clone, path: string): boolean => existsSync(join(clone.folder, path));

/** Two services below a kruise.yaml, each with a planned change that is merged. */
async function planned(): Promise<Clone> {
  const clone = repositoryWith({
    'kruise.yaml': '{}\n',
    'services/web/web.yaml': web('1'),
    'services/api/api.yaml': api('1'),
  });
  clone.write({ 'services/web/web.yaml': web('2'), 'services/api/api.yaml': api('2') });
  expect(await clone.kruise(['plan'])).toMatchObject({ code: 0 });
  clone.commit('planned');
  return clone;
}

describe('plans lie beside the kruise.yaml that was found', () => {
  test.each([
    ['in a subfolder', [], 'services/web'],
    ['for a subfolder', ['services/web'], '.'],
    ['for a file', ['web.yaml'], 'services/web'],
    ['for a subfolder of one', ['web'], 'services'],
  ] as const)('of a run %s', async (_where, words, at) => {
    const clone = await planned();
    clone.write({ 'services/web/web.yaml': web('3'), 'services/api/api.yaml': api('3') });
    expect(await clone.kruise(['plan', ...words], at)).toMatchObject({ code: 0 });
    expect(clone.read(PLAN)).toContain('nginx:3');
    // What is not below its paths is left to other runs.
    expect(changed(clone).filter((line) => line.includes('cloneset-api'))).toEqual([]);
    clone.write({ 'services/api/api.yaml': api('2') });
    clone.commit('next');
    expect(await clone.kruise(['plan', '--check', '--base', 'HEAD~1'])).toMatchObject({ code: 0 });
    expect(await clone.kruise(['validate', ...words], at)).toMatchObject({ code: 0 });
  });

  test('and a target that is removed below the paths takes its plan along', async () => {
    const clone = await planned();
    clone.write({ 'services/web/web.yaml': undefined });
    const ran = await clone.kruise(['plan'], 'services');
    expect(ran).toMatchObject({ code: 0 });
    expect(isThere(clone, PLAN)).toBe(false);
    expect(isThere(clone, API)).toBe(true);
  });

  test('and not where kruise.yaml is below, or there is none', async () => {
    const clone = repositoryWith({ 'services/web/web.yaml': web('1'), 'services/web/kruise.yaml': '{}\n' });
    clone.write({ 'services/web/web.yaml': web('2') });
    expect(await clone.kruise(['plan', 'services/web/web.yaml'])).toMatchObject({ code: 0 });
    expect(isThere(clone, PLAN)).toBe(true);
    clone.git('clean', '-fdq');
    expect(await clone.kruise(['plan', 'services'])).toMatchObject({ code: 0 });
    expect(isThere(clone, `services/${PLAN}`)).toBe(true);
  });

  test('and of a base in a folder that stands for the root, or for what is planned', async () => {
    const clone = await planned();
    const base = cloneIn(emptyFolder());
    base.write({ 'services/web/web.yaml': web('2'), 'web.yaml': web('2') });
    for (const folder of [base.folder, join(base.folder, 'services/web')]) {
      clone.write({ 'services/web/web.yaml': web('3') });
      const ran = await clone.kruise(['plan', 'services/web', '--base-dir', folder]);
      expect(ran.out).toContain('nginx:2 → nginx:3');
      expect(ran.out).toContain('Plan: 1 to roll out.');
      expect(clone.read(PLAN)).toContain('nginx:3');
      clone.git('checkout', '--quiet', '.');
    }
  });
});
