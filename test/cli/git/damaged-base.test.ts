import { describe, expect, test } from 'vitest';
import { cloneSet } from '../../compiler/world/manifests.ts';
import { type Clone, repositoryWith } from './clone.ts';

const web = (tag: string): string => cloneSet({ image: `nginx:${tag}` });
const api = (tag: string): string => cloneSet({ name: 'api', image: `api:${tag}` });
const PLAN = 'plans/shop/cloneset-web/plan.yaml';
const check = (clone: Clone, ...words: readonly string[]): ReturnType<Clone['kruise']> =>
  clone.kruise(['plan', '--check', ...words]);

const damages: readonly [what: string, damage: (text: string) => string][] = [
  ['was edited', (text) => text.replace('"100%"', '"50%"')],
  ['is invalid', (text) => text.replace('  steps:', '  stages:')],
  ['is a conflict', (text) => `<<<<<<< HEAD\n${text}=======\n${text}>>>>>>> other\n`],
  ['is empty', () => ''],
  ['is for another target', (text) => text.replace('namespace: shop', 'namespace: prod')],
];

/** Main has web changed with a plan, and then somebody damaged the plan there. The branch `next` begins at that commit. */
async function damagedMain(damage: (text: string) => string): Promise<{ clone: Clone; intact: string }> {
  const clone = repositoryWith({ 'web.yaml': web('1'), 'api.yaml': api('1') });
  clone.git('checkout', '--quiet', '-b', 'change');
  clone.write({ 'web.yaml': web('2') });
  expect(await clone.kruise(['plan'])).toMatchObject({ code: 0 });
  clone.commit('change');
  clone.git('checkout', '--quiet', 'main');
  clone.git('merge', '--quiet', '--ff-only', 'change');
  const intact = clone.read(PLAN);
  clone.commit('damaged', { [PLAN]: damage(intact) });
  clone.git('checkout', '--quiet', '-b', 'next');
  return { clone, intact };
}

/** The check of a branch, and that of main after it was merged there. */
async function isGreen(clone: Clone): Promise<void> {
  expect(await check(clone)).toMatchObject({ code: 0 });
  const before = clone.git('rev-parse', 'main').trim();
  clone.git('checkout', '--quiet', 'main');
  clone.git('merge', '--quiet', '--no-ff', '-m', 'merge', 'next');
  const push = await clone.kruise(['plan'], '.', { CI: 'true', CI_COMMIT_BEFORE_SHA: before });
  expect(push).toMatchObject({ code: 0 });
  clone.git('checkout', '--quiet', '-b', 'later');
  const later = await check(clone);
  expect(later).toMatchObject({ code: 0 });
  expect(later.err).not.toContain('KR3025');
}

describe.each(damages)('a plan on main that %s', (_what, damage) => {
  test('is refused at head, and kruise plan restores it', async () => {
    const { clone, intact } = await damagedMain(damage);
    const refused = await check(clone);
    expect(refused.code).toBe(21);
    expect(refused.err).toContain('warning[KR3025]');
    expect(await clone.kruise(['plan'])).toMatchObject({ code: 0 });
    expect(clone.read(PLAN)).toBe(intact);
    clone.commit('mended');
    await isGreen(clone);
  });
});

const [edited, , , , renamed] = damages;
describe.each([edited, renamed].flatMap((each) => (each === undefined ? [] : [each])))(
  'a plan on main that %s',
  (_what, damage) => {
    test('is restored with git checkout', async () => {
      const { clone } = await damagedMain(damage);
      clone.git('checkout', 'main~1', '--', PLAN);
      clone.commit('mended');
      await isGreen(clone);
    });

    test.each([[PLAN], ['plans/shop/cloneset-web']])('is removed with git rm %s', async (path) => {
      const { clone } = await damagedMain(damage);
      clone.git('rm', '-r', '--quiet', path);
      clone.commit('removed');
      await isGreen(clone);
    });

    test('does not stop a run for another target', async () => {
      const { clone } = await damagedMain(damage);
      clone.write({ 'api.yaml': api('2') });
      const ran = await clone.kruise(['plan', 'api.yaml']);
      expect(ran).toMatchObject({ code: 0 });
      expect(ran.err).not.toContain('KR3');
      clone.commit('api');
      expect(await check(clone, 'api.yaml')).toMatchObject({ code: 0 });
      expect(await check(clone)).toMatchObject({ code: 21 });
      await clone.kruise(['plan']);
      clone.commit('mended');
      await isGreen(clone);
    });

    test('leaves the next change of its target a plan that knows the one before', async () => {
      const { clone, intact } = await damagedMain(damage);
      const digest = (text: string): string => /digest: (.*)/.exec(text)?.[1] ?? '';
      clone.write({ 'web.yaml': web('3') });
      const ran = await clone.kruise(['plan']);
      expect(ran).toMatchObject({ code: 0 });
      expect(ran.err).toContain('its newest valid version in the history counts instead');
      expect(clone.read(PLAN)).toContain(`supersedes:\n  - ${digest(intact)}`);
      clone.commit('next');
      await isGreen(clone);
    });

    test('can be planned again', async () => {
      const { clone } = await damagedMain(damage);
      expect(await clone.kruise(['plan', '--again', '--target', 'CloneSet/web'])).toMatchObject({ code: 0 });
      expect(clone.read(PLAN)).toContain('attempt: 2');
      clone.commit('again');
      await isGreen(clone);
    });

    test('and a change of its target that began before: is no newer plan', async () => {
      const { clone } = await damagedMain(damage);
      clone.git('checkout', '--quiet', '-b', 'older', 'main~1');
      clone.write({ 'web.yaml': web('3') });
      await clone.kruise(['plan']);
      clone.commit('older');
      expect(await check(clone)).toMatchObject({ code: 0 });
    });
  },
);

describe('a plan that was never valid in the history', () => {
  test('counts as missing, is removed, and can be planned from before as the help says', async () => {
    const clone = repositoryWith({ 'web.yaml': web('1') });
    clone.write({ 'web.yaml': web('2') });
    await clone.kruise(['plan']);
    clone.commit('with an edited plan', { [PLAN]: clone.read(PLAN).replace('"100%"', '"50%"') });
    clone.git('checkout', '--quiet', '-b', 'next');
    const refused = await check(clone);
    expect(refused.code).toBe(21);
    expect(refused.err).toContain(
      'the plan of CloneSet shop/web was edited, and no cluster executes it: it counts as missing',
    );
    const [, command = ''] = /\(COMMIT\): kruise (.*)/.exec(refused.err) ?? [];
    const ran = await clone.kruise(command.replace('COMMIT', 'main').split(' '));
    expect(ran).toMatchObject({ code: 0 });
    clone.commit('planned');
    await isGreen(clone);
  });

  test('a run against the same base removes it', async () => {
    const clone = repositoryWith({ 'web.yaml': web('1') });
    clone.write({ 'web.yaml': web('2') });
    await clone.kruise(['plan']);
    clone.commit('with an edited plan', { [PLAN]: clone.read(PLAN).replace('"100%"', '"50%"') });
    clone.git('checkout', '--quiet', '-b', 'next');
    const ran = await clone.kruise(['plan']);
    expect(ran).toMatchObject({ code: 0 });
    expect(clone.git('status', '--porcelain')).toContain(` D ${PLAN}`);
    clone.commit('removed');
    await isGreen(clone);
  });
});

test('two plans for one target on main: the one at its place counts, and the other is removed', async () => {
  const { clone, intact } = await damagedMain((text) => text);
  clone.git('checkout', '--quiet', 'main');
  clone.commit('copied', { 'plans/copy/plan.yaml': intact });
  clone.git('checkout', '--quiet', '-B', 'next');
  const refused = await check(clone);
  expect(refused.code).toBe(21);
  expect(refused.err).toContain(
    'warning[KR3025]: at base two plans are for CloneSet shop/web: the one at its place counts',
  );
  expect(await clone.kruise(['plan'])).toMatchObject({ code: 0 });
  clone.commit('mended');
  await isGreen(clone);
});

test('what another version may have sealed is an error', async () => {
  const { clone } = await damagedMain((text) => text);
  const { planDigest } = await import('../../../semantics/plan/digest.ts');
  const { parse, stringify } = await import('yaml');
  const plan = parse(clone.read(PLAN)) as {
    spec: Parameters<typeof planDigest>[0] & { digest: string; extra?: string };
  };
  plan.spec.extra = 'a field of tomorrow';
  plan.spec.digest = planDigest(plan.spec);
  clone.git('checkout', '--quiet', 'main');
  clone.commit('newer', { [PLAN]: stringify(plan) });
  clone.git('checkout', '--quiet', '-B', 'next');
  const ran = await clone.kruise(['plan', '--dry-run']);
  expect(ran.code).toBe(1);
  expect(ran.err).toContain('error[KR3002]');
});
