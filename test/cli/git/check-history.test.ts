import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cloneSet } from '../../compiler/world/manifests.ts';
import { type Clone, repositoryWith } from './clone.ts';

const web = (tag: string): string => cloneSet({ image: `nginx:${tag}` });
const api = (tag: string): string => cloneSet({ name: 'api', image: `api:${tag}` });
const PLAN = 'plans/shop/cloneset-web/plan.yaml';
const check = (clone: Clone, ...words: readonly string[]): ReturnType<Clone['kruise']> =>
  clone.kruise(['plan', '--check', ...words]);

/** A repository whose main branch has web at each of the tags, each change planned and merged. */
async function mainWith(...tags: readonly string[]): Promise<Clone> {
  const [first = '', ...others] = tags;
  const clone = repositoryWith({ 'web.yaml': web(first), 'api.yaml': api('1') });
  for (const tag of others) await merge(clone, `to-${tag}`, { 'web.yaml': web(tag) });
  return clone;
}

async function merge(clone: Clone, branch: string, files: Readonly<Record<string, string>>): Promise<void> {
  clone.git('checkout', '--quiet', '-b', branch);
  clone.write(files);
  expect(await clone.kruise(['plan'])).toMatchObject({ code: 0 });
  clone.commit(branch);
  clone.git('checkout', '--quiet', 'main');
  clone.git('merge', '--quiet', '--no-ff', '-m', `merge ${branch}`, branch);
}

describe('a change that is taken back passes', () => {
  test.each<[string, string[], (clone: Clone) => unknown]>([
    ['with git revert, of the first plan', ['1', '2'], (clone) => revert(clone)],
    ['with git revert, of a later plan', ['1', '2', '3'], (clone) => revert(clone)],
    ['with the plan of the change', ['1', '2'], (clone) => clone.commit('back', { 'web.yaml': web('1') })],
    [
      'without any plan',
      ['1', '2', '3'],
      (clone) => clone.commit('back', { 'web.yaml': web('2'), [PLAN]: undefined }),
    ],
    [
      'with a plan of its own',
      ['1', '2'],
      async (clone) => {
        clone.write({ 'web.yaml': web('1') });
        await clone.kruise(['plan']);
        clone.commit('back');
      },
    ],
  ])('%s', async (_what, tags, back) => {
    const clone = await mainWith(...tags);
    clone.git('checkout', '--quiet', '-b', 'back');
    await back(clone);
    const ran = await check(clone);
    expect(ran.err).not.toContain('error');
    expect(ran).toMatchObject({ code: 0, out: expect.stringContaining('Plan: 1 to roll out') });
  });

  test.each<[string, string[]]>([
    ['the first plan', ['1', '2']],
    ['a later plan', ['1', '2', '3']],
  ])('after git revert of %s a run leaves what the check accepts', async (_what, tags) => {
    const clone = await mainWith(...tags);
    clone.git('checkout', '--quiet', '-b', 'back');
    revert(clone);
    expect((await clone.kruise(['plan'])).err).toContain('plans are up to date\n');
    expect(clone.git('status', '--porcelain')).toBe('');
  });

  test('and says in every output that gates are skipped, and that no plan is needed', async () => {
    const clone = await mainWith('1', '2', '3');
    const says = 'This goes back to where the plan at base starts.';
    clone.write({ 'web.yaml': web('2') });
    const back = await clone.kruise(['plan']);
    expect(back.out).toContain(says);
    expect(back.out).toContain('goes back without gates and soaks, and needs no plan.');
    expect(clone.read(PLAN.replace('plan.yaml', 'forecast.md'))).toContain(says);
    expect((await clone.kruise(['plan', '-o', 'markdown'])).out).toContain(says);
    const found = JSON.parse((await clone.kruise(['plan', '-o', 'json'])).out) as { changes: unknown[] };
    expect(found.changes).toContainEqual(expect.objectContaining({ name: 'web', goesBack: true }));
    clone.write({ 'web.yaml': web('4') });
    expect((await clone.kruise(['plan'])).out).not.toContain(says);
  });

  test('but not with an edited plan, and not where the plan at base does not start', async () => {
    const clone = await mainWith('1', '2');
    clone.git('checkout', '--quiet', '-b', 'back');
    clone.write({ 'web.yaml': web('1'), [PLAN]: clone.read(PLAN).replace('"100%"', '"50%"') });
    expect(await check(clone)).toMatchObject({ code: 21 });
    clone.git('checkout', '--quiet', '--', PLAN);
    clone.write({ 'web.yaml': web('0') });
    expect(await check(clone)).toMatchObject({ code: 20 });
  });
});

function revert(clone: Clone): void {
  clone.git('revert', '--no-edit', '-m', '1', 'HEAD');
}

describe('a plan of another base', () => {
  test('after main moved on: stale, and a rebase with a new plan mends it', async () => {
    const clone = await mainWith('1');
    clone.git('checkout', '--quiet', '-b', 'feature');
    clone.write({ 'web.yaml': web('3') });
    await clone.kruise(['plan']);
    clone.commit('feature');
    expect(await check(clone)).toMatchObject({ code: 0 });
    clone.git('checkout', '--quiet', 'main');
    await merge(clone, 'other', { 'web.yaml': web('2') });
    clone.git('checkout', '--quiet', 'feature');
    const moved = await check(clone);
    expect(moved).toMatchObject({ code: 22 });
    expect(moved.err).toContain(`KR3020]: ${PLAN} was made against another base: main has a newer plan of`);
    expect(moved.err).toContain('help: run and commit: git rebase main && kruise plan\n');
    // A run that writes says the same, and is no error: the plan is the right one for its base.
    const written = await clone.kruise(['plan']);
    expect(written).toMatchObject({ code: 0 });
    expect(written.err).toContain('plans are up to date\n');
    expect(written.err).toContain(
      `${PLAN} was made against another base: main has a newer plan of CloneSet shop/web; run and commit: git rebase main && kruise plan\n`,
    );
    clone.git('rebase', '--quiet', '--strategy-option', 'theirs', 'main');
    const rebased = await check(clone);
    expect(rebased).toMatchObject({ code: 22 });
    expect(rebased.err).toContain(
      'it does not start from the template that CloneSet shop/web has at this base',
    );
    expect(rebased.err).toContain('help: run and commit: kruise plan\n');
    await clone.kruise(['plan']);
    expect(await check(clone)).toMatchObject({ code: 0 });
  });

  test('main moved on with another target: in order', async () => {
    const clone = await mainWith('1');
    clone.git('checkout', '--quiet', '-b', 'feature');
    clone.write({ 'web.yaml': web('3') });
    await clone.kruise(['plan']);
    clone.commit('feature');
    clone.git('checkout', '--quiet', 'main');
    await merge(clone, 'other', { 'api.yaml': api('2') });
    clone.git('checkout', '--quiet', 'feature');
    expect(await check(clone)).toMatchObject({ code: 0 });
  });

  test('a base that is older than the plan at head', async () => {
    const clone = await mainWith('1', '2', '3', '4');
    const ran = await check(clone, '--base', 'HEAD~2');
    expect(ran).toMatchObject({ code: 22 });
    expect(ran.err).toContain(`KR3014]: ${PLAN} was made against a newer base`);
  });
});

describe('plans whose change is over', () => {
  test('the plan of a target that was removed is removed with its forecast, also later', async () => {
    const clone = await mainWith('1', '2');
    const plan = clone.read(PLAN);
    clone.git('checkout', '--quiet', '-b', 'remove');
    clone.write({ 'web.yaml': undefined });
    const removed = await clone.kruise(['plan']);
    expect(removed.err).toContain(`removed ${PLAN}: CloneSet shop/web has no manifest any more\n`);
    expect(readdirSync(join(clone.folder, 'plans/shop/cloneset-web'))).toEqual(['forecast.md']);
    clone.commit('removed');
    clone.git('checkout', '--quiet', '-B', 'main');
    clone.commit('left over', { [PLAN]: plan });
    const later = await check(clone, '--base', 'HEAD~1');
    expect(later).toMatchObject({ code: 20 });
    expect(later.err).toContain('KR3021');
    await clone.kruise(['plan']);
    expect(existsSync(join(clone.folder, PLAN))).toBe(false);
  });

  test('other plans stay if only a part is compared', async () => {
    const clone = await mainWith('1', '2');
    clone.write({ 'api.yaml': api('2') });
    expect(await clone.kruise(['plan', 'api.yaml'])).toMatchObject({ code: 0 });
    expect(existsSync(join(clone.folder, PLAN))).toBe(true);
    expect(await check(clone, 'api.yaml')).toMatchObject({ code: 0 });
  });

  test('a plan that was deleted comes back, with its forecast', async () => {
    const clone = await mainWith('1', '2');
    clone.git('rm', '-r', '--quiet', 'plans');
    expect(await check(clone)).toMatchObject({ code: 20 });
    await clone.kruise(['plan']);
    clone.git('add', '--all');
    expect(clone.git('status', '--porcelain')).toBe('');
  });
});

describe('a plan outside of the folder of plans', () => {
  test.each([
    {
      ...{ what: 'below', at: '.', other: 'services' },
      places: [`services/${PLAN}`, PLAN],
      help: `remove it: rm services/${PLAN}; or, if services is what is synced, plan there: cd services && kruise plan`,
    },
    {
      ...{ what: 'above', at: 'services', other: '.' },
      places: [`../${PLAN}`, PLAN],
      help: `plan in .., whose folder of plans has it: cd .. && kruise plan; or, if this folder is what is synced, remove it: rm ../${PLAN}`,
    },
  ])(
    '$what the folder of the run is an error that names both places',
    async ({ at, other, places, help }) => {
      const clone = repositoryWith({ 'services/web.yaml': web('1') });
      clone.git('checkout', '--quiet', '-b', 'feature');
      clone.write({ 'services/web.yaml': web('2') });
      await clone.kruise(['plan'], other);
      for (const words of [['plan'], ['plan', '--check']]) {
        const ran = await clone.kruise(words, at);
        expect(ran).toMatchObject({ code: words.length === 1 ? 1 : 20 });
        const [found = '', wanted = ''] = places;
        expect(ran.err).toContain(
          `error[KR3022]: ${found} holds a plan of CloneSet shop/web, whose plan belongs in ${wanted}\n  --> ${found}:5:9\n`,
        );
        expect(ran.err).toContain(`help: ${help}\n`);
      }
      expect(clone.git('status', '--porcelain', '--untracked-files=all').match(/plan\.yaml/g)).toHaveLength(
        1,
      );
    },
  );
});

describe('a run that writes nothing', () => {
  test.each([[], ['--check']])('lists no files as JSON if a manifest has an error', async (...words) => {
    const clone = await mainWith('1', '2');
    clone.write({ 'web.yaml': web('3').replace('replicas', 'replcas') });
    const ran = await clone.kruise(['plan', '-o', 'json', ...words]);
    expect(ran.code).toBe(1);
    expect(JSON.parse(ran.out)).toMatchObject({ files: [], diagnostics: [{ code: 'KR2001' }] });
  });

  test.each([
    [['--dry-run'], 'nothing was written: --dry-run\n'],
    [['--dry-run', '--detailed-exitcode'], 'nothing was written: --dry-run\n'],
    [['-o', 'json'], 'nothing was written: -o json\n'],
    [['-o', 'yaml'], 'nothing was written: -o yaml\n'],
    [['-o', 'markdown'], 'nothing was written: -o markdown\n'],
  ])('%s says what it would write', async (words, last) => {
    const clone = repositoryWith({ 'web.yaml': web('1') });
    clone.write({ 'web.yaml': web('2') });
    const ran = await clone.kruise(['plan', ...words]);
    expect(ran.code).toBe(words.includes('--detailed-exitcode') ? 2 : 0);
    expect(ran.err).toContain(`would write ${PLAN}\n`);
    expect(ran.err.endsWith(last)).toBe(true);
    expect(clone.git('status', '--porcelain')).toBe(' M web.yaml\n');
  });

  test('--dry-run is no check, also in CI', async () => {
    const clone = repositoryWith({ 'web.yaml': web('1') });
    clone.write({ 'web.yaml': web('2') });
    expect(await clone.kruise(['plan', '--dry-run'], '.', { CI: 'true' })).toMatchObject({ code: 0 });
    expect(await check(clone, '--dry-run')).toMatchObject({ code: 1 });
  });
});

describe('a change that is refused', () => {
  test.each([
    ['no pod can be updated', { spec: '    maxUnavailable: 0\n    maxSurge: 0' }, [], 23],
    ['the same without a check', { spec: '    maxUnavailable: 0\n    maxSurge: 0' }, undefined, 1],
    ['by --strict', { container: '        imge: a' }, ['--strict'], 23],
    ['an error in the manifest', { replicas: 'many' }, [], 1],
  ])('%s: its exit code', async (_what, parts, words, code) => {
    const clone = repositoryWith({ 'web.yaml': web('1') });
    clone.write({ 'web.yaml': cloneSet({ image: 'nginx:2', ...parts }) });
    const ran = await clone.kruise(['plan', ...(words === undefined ? [] : ['--check', ...words])]);
    expect(ran).toMatchObject({ code });
  });
});

test('of several problems the exit code is the most basic, and all are listed', async () => {
  const names = ['a', 'b', 'c', 'd'];
  const all = (tag: string): Record<string, string> =>
    Object.fromEntries(names.map((name) => [`${name}.yaml`, cloneSet({ name, image: `${name}:${tag}` })]));
  const planOf = (name: string): string => `plans/shop/cloneset-${name}/plan.yaml`;
  const clone = repositoryWith(all('1'));
  clone.git('checkout', '--quiet', '-b', 'feature');
  clone.write(all('2'));
  await clone.kruise(['plan']);
  clone.commit('feature');
  clone.git('checkout', '--quiet', 'main');
  clone.write({ 'd.yaml': cloneSet({ name: 'd', image: 'd:3' }) });
  await clone.kruise(['plan']);
  clone.commit('main');
  clone.git('checkout', '--quiet', 'feature');
  const steps: [code: number, listed: string[], files: Record<string, string | undefined>][] = [
    [22, ['KR3020'], {}],
    [22, ['KR3018', 'KR3020'], { [planOf('b')]: undefined }],
    [
      21,
      ['KR3018', 'KR3001', 'KR3020'],
      { [planOf('a')]: clone.read(planOf('a')).replace('"100%"', '"50%"') },
    ],
    // Without plans that can be compared, it still counts that one was edited.
    [
      21,
      ['KR2103', 'KR3001'],
      { 'c.yaml': cloneSet({ name: 'c', image: 'c:2', spec: '    maxUnavailable: 0\n    maxSurge: 0' }) },
    ],
    [1, ['KR1026', 'KR2103', 'KR3001'], { 'd.yaml': 'a: [' }],
  ];
  for (const [code, listed, files] of steps) {
    clone.write(files);
    const ran = await check(clone);
    const codes = [...ran.err.matchAll(/error\[(KR\d+)\]/g)].map(([, each]) => each);
    expect([ran.code, new Set(codes)], listed.join()).toEqual([code, new Set(listed)]);
  }
});

test('a plan that supersedes what base has never had is of a newer base, also where nothing changes', async () => {
  const clone = await mainWith('1', '2', '3');
  const plan = clone.read(PLAN);
  clone.git('checkout', '--quiet', '--orphan', 'other');
  clone.git('rm', '-r', '--quiet', '--force', 'plans');
  clone.commit('without plans');
  clone.git('checkout', '--quiet', '-b', 'next');
  clone.commit('with one', { [PLAN]: plan });
  const words = ['--base', 'other'];
  const ran = await check(clone, ...words);
  expect(ran).toMatchObject({ code: 22 });
  expect(ran.err).toContain(`KR3014]: ${PLAN} was made against a newer base`);
  expect(await clone.kruise(['plan', ...words])).toMatchObject({ code: 1 });
  expect(clone.read(PLAN)).toBe(plan);
});
