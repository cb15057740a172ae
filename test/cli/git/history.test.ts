import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { RolloutPlanSpec } from '../../../schemas/generated/types/rolloutplan.ts';
import { cloneSet } from '../../compiler/world/manifests.ts';
import { type Clone, repositoryWith } from './clone.ts';

const web = (tag: string): string => cloneSet({ image: `nginx:${tag}` });
const PLAN = 'plans/shop/cloneset-web/plan.yaml';

const specIn = (clone: Clone, path = PLAN): RolloutPlanSpec =>
  (parse(clone.read(path)) as { spec: RolloutPlanSpec }).spec;

/** Commits a change with its plan on main. */
async function planned(clone: Clone, file: string, tag: string, at = '.'): Promise<void> {
  clone.write({ [file]: web(tag) });
  expect(await clone.kruise(['plan', '--base', 'HEAD'], at)).toMatchObject({ code: 0 });
  clone.commit(tag);
}

/** What a plan lists of plans before the one at base. */
const listed = ({ from, supersedes }: RolloutPlanSpec): unknown => [
  from.filter(({ depart }) => depart === true).map(({ hash }) => hash),
  supersedes,
];

describe('earlier versions of a plan', () => {
  test('are found after its folder was moved', async () => {
    const clone = repositoryWith({ 'web.yaml': web('1.25') });
    await planned(clone, 'web.yaml', '1.26');
    const { to, digest } = specIn(clone);
    clone.git('revert', '--no-edit', 'HEAD');
    clone.git('mv', '--verbose', 'web.yaml', 'web.yml');
    await planned(clone, 'web.yml', '1.27');
    const second = specIn(clone);
    clone.write({ 'deploy/kept': '' });
    for (const name of ['web.yml', 'plans'])
      renameSync(join(clone.folder, name), join(clone.folder, 'deploy', name));
    clone.commit('move');
    const moved = await clone.kruise(['plan', '--base', 'HEAD'], 'deploy');
    expect(moved.out).toBe('Plan: 0 to roll out, 1 unchanged.\n');
    clone.git('rm', '--quiet', '-r', 'deploy/plans');
    clone.commit('no plans');
    clone.write({ 'deploy/web.yml': web('1.28') });
    expect(await clone.kruise(['plan'], 'deploy')).toMatchObject({ code: 0 });
    expect(listed(specIn(clone, `deploy/${PLAN}`))).toEqual([[to.hash], [second.digest, digest]]);
  });

  test('are found where the change itself moves their folder', async () => {
    const clone = repositoryWith({ 'deploy/web.yaml': web('1.25') });
    await planned(clone, 'deploy/web.yaml', '1.26', 'deploy');
    const { digest, from, to } = specIn(clone, `deploy/${PLAN}`);
    for (const name of ['web.yaml', 'plans'])
      renameSync(join(clone.folder, 'deploy', name), join(clone.folder, name));
    clone.write({ 'web.yaml': web('1.27') });
    const ran = await clone.kruise(['plan']);
    expect(ran.out).toContain('nginx:1.26 → nginx:1.27');
    const next = specIn(clone);
    expect(next.from.map(({ hash, depart }) => [hash, depart])).toEqual([
      [to.hash, undefined],
      [from[0]?.hash, undefined],
    ]);
    expect(next.supersedes).toEqual([digest]);
    expect((await clone.kruise(['plan', '--base', 'HEAD'], '.', { CI: 'true' })).code).toBe(0);
  });

  test('are not those of the same target elsewhere in the repository', async () => {
    const clone = repositoryWith({ 'prod/web.yaml': web('1.25'), 'test/web.yaml': web('1.25') });
    for (const tag of ['1.26', '1.27']) await planned(clone, 'test/web.yaml', tag, 'test');
    clone.write({ 'prod/web.yaml': web('1.28') });
    expect(await clone.kruise(['plan'], 'prod')).toMatchObject({ code: 0 });
    expect(listed(specIn(clone, `prod/${PLAN}`))).toEqual([[], undefined]);
  });

  test('are read together, and the newest twenty of each alone', async () => {
    const names = Array.from({ length: 30 }, (_, index) => `web-${index}`);
    const all = (tag: string): Record<string, string> =>
      Object.fromEntries(names.map((name) => [`${name}.yaml`, cloneSet({ name, image: `nginx:${tag}` })]));
    const clone = repositoryWith(all('1.25'));
    const first = await clone.kruise(['plan']);
    expect(first.gits).toEqual(['rev-parse', 'ls-files', 'cat-file', 'ls-tree', 'cat-file']);
    clone.write(all('1.26'));
    const unplanned = await clone.kruise(['plan']);
    expect(unplanned.gits).toEqual([...first.gits, 'log']);
    const plan = 'plans/shop/cloneset-web-0/plan.yaml';
    const other = 'plans/shop/cloneset-web-1/plan.yaml';
    const { to, digest } = specIn(clone, other);
    clone.commit('planned');
    for (let version = 0; version < 21; version++)
      clone.commit('edited', { [plan]: `version: ${version}\n` });
    clone.git('rm', '--quiet', '-r', 'plans');
    clone.commit('no plans', all('1.25'));
    clone.write(all('1.27'));
    const ran = await clone.kruise(['plan']);
    expect(ran.gits).toEqual([...unplanned.gits, 'cat-file', 'cat-file']);
    expect(listed(specIn(clone, other))).toEqual([[to.hash], [digest]]);
    expect(listed(specIn(clone, plan))).toEqual([[], undefined]);
  });

  test('are read whatever the repository configures for its log, and nothing too large', async () => {
    const clone = repositoryWith({ 'web.yaml': web('1.25'), [PLAN]: `#${'x'.repeat(600_000)}\n` });
    clone.commit('none', { [PLAN]: undefined });
    await planned(clone, 'web.yaml', '1.26');
    const { digest } = specIn(clone);
    clone.git('revert', '--no-edit', 'HEAD');
    clone.write({ 'web.yaml': web('1.27') });
    for (const [name, value] of [
      ['log.showRoot', 'false'],
      ['log.follow', 'true'],
      ['log.diffMerges', 'off'],
      ['log.showSignature', 'true'],
      ['diff.renames', 'copies'],
      ['core.quotePath', 'true'],
      ['format.pretty', 'full'],
      ['color.ui', 'always'],
    ] as const)
      clone.git('config', name, value);
    expect(await clone.kruise(['plan'])).toMatchObject({ code: 0 });
    expect(specIn(clone).supersedes).toEqual([digest]);
  });
});
