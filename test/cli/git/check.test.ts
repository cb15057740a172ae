import { renameSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cloneSet } from '../../compiler/world/manifests.ts';
import { type Clone, repositoryWith } from './clone.ts';

const web = (tag: string, parts = {}): string => cloneSet({ image: `nginx:${tag}`, ...parts });
const api = (tag: string): string => cloneSet({ name: 'api', image: `api:${tag}` });
const FOLDER = 'plans/shop/cloneset-web';
const PLAN = `${FOLDER}/plan.yaml`;

/** A repository with a change of `web.yaml` on a branch, planned and committed. */
async function withPlan(files: Readonly<Record<string, string>> = {}): Promise<Clone> {
  const clone = repositoryWith({ 'web.yaml': web('1.25'), ...files });
  clone.git('checkout', '--quiet', '-b', 'feature');
  clone.write({ 'web.yaml': web('1.26') });
  expect(await clone.kruise(['plan'])).toMatchObject({ code: 0 });
  clone.commit('second');
  return clone;
}

const edit = (clone: Clone, from: string | RegExp, to: string): void =>
  clone.write({ [PLAN]: clone.read(PLAN).replace(from, to) });
const move = (clone: Clone, from: string, to: string): void => {
  mkdirSync(join(clone.folder, to, '..'), { recursive: true });
  renameSync(join(clone.folder, from), join(clone.folder, to));
};

const statusOf = (clone: Clone): string => clone.git('status', '--porcelain', '--untracked-files=all');

interface Situation {
  what: string;
  files?: Readonly<Record<string, string>>;
  /** What is done to the branch. */
  change: (clone: Clone) => unknown;
  code: number;
  /** The code of the only error, the file that it names, and why. */
  error: string;
}

const situations: readonly Situation[] = [
  {
    what: 'a plan is missing',
    change: (clone) => clone.write({ [PLAN]: undefined }),
    code: 20,
    error: `KR3018]: ${PLAN} is missing: the template of CloneSet shop/web changes`,
  },
  {
    what: 'the forecast is missing',
    change: (clone) => clone.write({ [`${FOLDER}/forecast.md`]: undefined }),
    code: 20,
    error: `KR3018]: ${FOLDER}/forecast.md is missing: it is the forecast of the plan of CloneSet shop/web`,
  },
  {
    what: 'the forecast was edited',
    change: (clone) => clone.write({ [`${FOLDER}/forecast.md`]: 'nothing happens\n' }),
    code: 20,
    error: `KR3019]: ${FOLDER}/forecast.md is out of date`,
  },
  {
    what: 'the manifest changed again',
    change: (clone) => clone.write({ 'web.yaml': web('1.27') }),
    code: 20,
    error: `KR3019]: ${PLAN} is out of date: it leads to another template than that of CloneSet shop/web`,
  },
  {
    what: 'kruise.yaml changed',
    change: (clone) =>
      clone.write({ 'kruise.yaml': 'steps: [{match: {}, batches: [{to: 1}, {to: 100%}]}]\n' }),
    code: 20,
    error: `KR3019]: ${PLAN} is out of date: its steps are not what the manifests and kruise.yaml give now`,
  },
  {
    what: 'the change was taken back in the branch',
    change: (clone) => clone.write({ 'web.yaml': web('1.25') }),
    code: 20,
    error: `KR3021]: ${PLAN} is obsolete: CloneSet shop/web does not change`,
  },
  {
    what: 'the target was removed',
    files: { 'api.yaml': api('1') },
    change: (clone) => clone.write({ 'web.yaml': undefined }),
    code: 20,
    error: `KR3021]: ${PLAN} is obsolete: CloneSet shop/web has no manifest any more`,
  },
  {
    what: 'the plan was moved in the folder of plans',
    change: (clone) => move(clone, PLAN, 'plans/web/plan.yaml'),
    code: 20,
    error: `KR3022]: plans/web/plan.yaml holds a plan of CloneSet shop/web, whose plan belongs in ${PLAN}`,
  },
  {
    what: 'the plan is twice in the folder of plans',
    change: (clone) => clone.write({ 'plans/copy/plan.yaml': clone.read(PLAN) }),
    code: 21,
    error: 'KR3003]: two plans are for CloneSet shop/web',
  },
  {
    what: 'the steps were edited',
    change: (clone) => edit(clone, '"100%"', '"50%"'),
    code: 21,
    error: 'KR3001]: the plan was edited: its digest is h1:',
  },
  {
    what: 'the namespace was edited',
    change: (clone) => edit(clone, 'namespace: shop', 'namespace: prod'),
    code: 21,
    error:
      "KR3023]: the plan was edited: its metadata.namespace is 'prod', but the plan of CloneSet shop/web has 'shop'",
  },
  {
    what: 'an annotation was added',
    change: (clone) => edit(clone, '  annotations:', '  annotations:\n    a: b'),
    code: 21,
    error: 'KR3023]: the plan was edited: its metadata.annotations is {"a":"b",',
  },
  {
    what: 'the plan is no plan',
    change: (clone) => edit(clone, '  steps:', '  stages:'),
    code: 21,
    error: 'KR3002]: the plan is invalid',
  },
];

describe('kruise plan --check', () => {
  test.each(situations)('$what: exit code $code, and one run of kruise plan mends it', async (situation) => {
    const clone = await withPlan(situation.files);
    await situation.change(clone);
    const before = statusOf(clone);
    const ran = await clone.kruise(['plan', '--check']);
    expect(ran).toMatchObject({ code: situation.code });
    expect(ran.err).toContain(`error[${situation.error}`);
    expect(ran.err.match(/error\[/g)).toHaveLength(1);
    expect(ran.err).toContain('help: run and commit: kruise plan\n');
    expect(ran.err).toContain(`(exit code ${situation.code})\n`);
    expect(statusOf(clone)).toBe(before);
    expect(await clone.kruise(['plan'])).toMatchObject({ code: 0 });
    expect(await clone.kruise(['plan', '--check'])).toMatchObject({ code: 0 });
  });

  test('says once what mends several problems', async () => {
    const clone = repositoryWith({ 'web.yaml': web('1.25'), 'api.yaml': api('1') });
    clone.git('checkout', '--quiet', '-b', 'feature');
    clone.commit('both', { 'web.yaml': web('1.26'), 'api.yaml': api('2') });
    const ran = await clone.kruise(['plan', '--check']);
    expect(ran.err.match(/KR3018/g)).toHaveLength(2);
    expect(ran.err.match(/run and commit/g)).toHaveLength(1);
    expect(ran.err).toContain('2 errors\nhelp for all of these: run and commit: kruise plan\n');
    const json = JSON.parse((await clone.kruise(['plan', '--check', '-o', 'json'])).out) as {
      diagnostics: { code: string; help: string }[];
    };
    const missing = json.diagnostics.filter(({ code }) => code === 'KR3018');
    expect(missing.map(({ help }) => help)).toEqual(Array(2).fill('run and commit: kruise plan'));
  });

  test('is what a run does where CI is set', async () => {
    const clone = await withPlan();
    for (const words of [['plan'], ['plan', '--check', '--base', 'main']])
      expect(await clone.kruise(words, '.', { CI: 'true' }), words.join(' ')).toMatchObject({ code: 0 });
    clone.write({ [PLAN]: undefined });
    const before = statusOf(clone);
    const ran = await clone.kruise(['plan'], '.', { CI: 'true' });
    expect(ran.err).toContain('help: run and commit: kruise plan --base main\n');
    expect(ran.err).toContain('(exit code 20); CI is set, so nothing is written\n');
    expect(ran).toMatchObject({ code: 20 });
    expect(statusOf(clone)).toBe(before);
  });

  test('of a build of main names the commit before it, which is the same in every clone', async () => {
    const clone = repositoryWith({ 'web.yaml': web('1.25') });
    const first = clone.git('rev-parse', 'HEAD').slice(0, 12);
    clone.commit('merged without a plan', { 'web.yaml': web('1.26') });
    const ran = await clone.kruise(['plan'], '.', { CI: 'true' });
    expect(ran).toMatchObject({ code: 20 });
    expect(ran.err).toContain(`help: run and commit: kruise plan --base ${first}\n`);
    expect(await clone.kruise(['plan', '--base', first])).toMatchObject({ code: 0 });
    clone.commit('planned afterwards');
    expect(await clone.kruise(['plan'], '.', { CI: 'true' })).toMatchObject({ code: 0 });
  });

  test('the namespace of a standing plan was edited', async () => {
    const clone = await withPlan();
    clone.git('checkout', '--quiet', '-B', 'main');
    clone.git('checkout', '--quiet', '-B', 'feature');
    edit(clone, 'namespace: shop', 'namespace: prod');
    expect(await clone.kruise(['plan', '--check'])).toMatchObject({ code: 21 });
    await clone.kruise(['plan']);
    expect(clone.git('status', '--porcelain')).toBe('');
  });

  test('the forecast of a target that does not change is that of base', async () => {
    const clone = repositoryWith({ 'web.yaml': web('1.25'), 'api.yaml': api('1') });
    clone.git('checkout', '--quiet', '-b', 'feature');
    clone.write({ 'web.yaml': web('1.26'), 'api.yaml': api('2') });
    await clone.kruise(['plan']);
    clone.commit('both');
    clone.git('branch', '--force', 'main');
    const forecast = `${FOLDER}/forecast.md`;
    const text = clone.read(forecast);
    const edited = [
      [text.replace('10 pods', '1 pod'), `KR3019]: ${forecast} is out of date: base has another forecast`],
      [undefined, `KR3018]: ${forecast} is missing: base has this forecast`],
    ] as const;
    for (const [written, error] of edited) {
      clone.write({ [forecast]: written });
      const ran = await clone.kruise(['plan', '--check']);
      expect(ran).toMatchObject({ code: 20 });
      expect(ran.err).toContain(`error[${error}, and CloneSet shop/web does not change`);
      // The forecasts of base are read together.
      expect(ran.gits.filter((name) => name === 'cat-file')).toHaveLength(3);
      expect(await clone.kruise(['plan'])).toMatchObject({ code: 0 });
      expect(clone.git('status', '--porcelain')).toBe('');
    }
    clone.git('rm', '--quiet', forecast);
    clone.commit('without a forecast');
    clone.git('branch', '--force', 'main');
    clone.write({ [forecast]: text });
    const ran = await clone.kruise(['plan', '--check']);
    expect(ran).toMatchObject({ code: 20 });
    expect(ran.err).toContain(`error[KR3021]: ${forecast} is obsolete: base has a plan without a forecast`);
  });
});
