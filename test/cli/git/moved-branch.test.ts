import { describe, expect, test } from 'vitest';
import { cloneSet } from '../../compiler/world/manifests.ts';
import { type Clone, cloneOf, repositoryWith } from './clone.ts';
import { typeAll } from './typed.ts';

const web = (tag: string, parts = {}): string => cloneSet({ image: `nginx:${tag}`, ...parts });
const api = (tag: string): string => cloneSet({ name: 'api', image: `api:${tag}` });
const RULE = 'steps: [{match: {kind: CloneSet}, batches: [{to: 1}, {to: 100%}], approve: [1]}]\n';
const CI = { CI: 'true', GITHUB_BASE_REF: 'main' };

/** A forge with a planned change of web on `feature`, and what came to main since. */
async function forgeWith(main: Readonly<Record<string, string>>): Promise<Clone> {
  const forge = repositoryWith({ 'web.yaml': web('1'), 'api.yaml': api('1'), 'kruise.yaml': '{}\n' });
  forge.git('checkout', '--quiet', '-b', 'feature');
  forge.write({ 'web.yaml': web('2') });
  expect(await forge.kruise(['plan'])).toMatchObject({ code: 0 });
  forge.commit('feature');
  forge.git('checkout', '--quiet', 'main');
  forge.commit('meanwhile', main);
  return forge;
}

/** What CI checks out: the head of the branch, or the commit that the forge would merge. */
function checkout(forge: Clone, what: 'head' | 'merge'): Clone {
  const clone = cloneOf(forge, '--branch', 'feature');
  if (what === 'head') return clone;
  clone.git('checkout', '--quiet', '--detach', 'origin/main');
  clone.git('merge', '--quiet', '--no-ff', '-m', 'merge', 'origin/feature');
  return clone;
}

/** Types what a check says in a clone of a person, and pushes the result. */
async function mend(forge: Clone, err: string): Promise<void> {
  const desk = cloneOf(forge, '--branch', 'feature');
  const command = /run and commit: (.*)\n/.exec(err)?.[1] ?? '';
  await typeAll(desk, command);
  desk.commit('as the check says');
  desk.git('push', '--quiet', '--force', 'origin', 'feature');
}

describe('what came to main meanwhile', () => {
  test.each([
    ['head', 22, 'the kruise.yaml of origin/main has another rule for CloneSet shop/web'],
    ['merge', 20, 'its steps are not what the manifests and kruise.yaml give now'],
  ] as const)('an approval rule is not bypassed by a check of the %s', async (what, code, why) => {
    const forge = await forgeWith({ 'kruise.yaml': RULE });
    const ran = await checkout(forge, what).kruise(['plan', '--check'], '.', CI);
    expect(ran.err).toContain(why);
    expect(ran).toMatchObject({ code });
    await mend(forge, ran.err);
    const again = await checkout(forge, what).kruise(['plan', '--check'], '.', CI);
    expect(again, again.err).toMatchObject({ code: 0 });
  });

  test('a setting that refuses what no rule matches is not bypassed either', async () => {
    const forge = await forgeWith({ 'kruise.yaml': 'unmatched: error\n' });
    const ran = await checkout(forge, 'head').kruise(['plan', '--check'], '.', CI);
    expect(ran.err).toContain('the kruise.yaml of origin/main has other settings');
    expect(ran).toMatchObject({ code: 22 });
  });

  test('another target, and a comment in kruise.yaml, are no reason to refuse', async () => {
    const forge = await forgeWith({ 'api.yaml': api('2'), 'kruise.yaml': '# none\n{}\n' });
    for (const what of ['head', 'merge'] as const) {
      const ran = await checkout(forge, what).kruise(['plan', '--check', 'web.yaml'], '.', CI);
      expect(ran, ran.err).toMatchObject({ code: 0 });
    }
  });

  test('a change of a target of the branch makes its plan stale', async () => {
    const forge = await forgeWith({ 'web.yaml': web('1', { replicas: 3 }) });
    const clone = checkout(forge, 'head');
    const ran = await clone.kruise(['plan', '--check'], '.', CI);
    expect(ran).toMatchObject({ code: 22 });
    expect(ran.err).toContain('origin/main has changed CloneSet shop/web since');
    const desk = await clone.kruise(['plan', '--base', 'origin/main']);
    expect(desk.err).toContain('origin/main has changed CloneSet shop/web since');
  });
});

describe('a branch whose change goes to another branch', () => {
  /** `develop` has changed web and api since main, `feature` changes api on top of it. */
  async function stacked(): Promise<Clone> {
    const forge = repositoryWith({ 'web.yaml': web('1'), 'api.yaml': api('1') });
    forge.git('checkout', '--quiet', '-b', 'develop');
    forge.commit('by a bot', { 'web.yaml': web('2'), 'api.yaml': api('2') });
    forge.git('checkout', '--quiet', '-b', 'feature');
    forge.commit('feature', { 'api.yaml': api('3') });
    forge.git('checkout', '--quiet', 'main');
    return forge;
  }

  test('is planned against that branch by the command that the check prints', async () => {
    const forge = await stacked();
    const env = { CI: 'true', GITHUB_BASE_REF: 'develop' };
    const ran = await checkout(forge, 'head').kruise(['plan', '--check'], '.', env);
    expect(ran).toMatchObject({ code: 20 });
    await mend(forge, ran.err);
    const again = await checkout(forge, 'head').kruise(['plan', '--check'], '.', env);
    expect(again, again.err).toMatchObject({ code: 0 });
  });

  test('may begin at main and go to an older branch', async () => {
    const forge = await stacked();
    forge.git('branch', 'release', 'main');
    forge.commit('main', { 'web.yaml': web('4') });
    forge.git('checkout', '--quiet', '-B', 'feature');
    forge.commit('backport', { 'api.yaml': api('5'), 'web.yaml': web('6') });
    forge.git('checkout', '--quiet', 'main');
    const env = { CI: 'true', GITHUB_BASE_REF: 'release' };
    const ran = await checkout(forge, 'head').kruise(['plan', '--check'], '.', env);
    expect(ran).toMatchObject({ code: 20 });
    await mend(forge, ran.err);
    const again = await checkout(forge, 'head').kruise(['plan', '--check'], '.', env);
    expect(again, again.err).toMatchObject({ code: 0 });
  });

  test('is not refused for a target that it does not change', async () => {
    const forge = await stacked();
    forge.git('checkout', '--quiet', 'feature');
    const ran = await forge.kruise(['plan', '--base', 'develop', '--dry-run']);
    expect(ran, ran.err).toMatchObject({ code: 0 });
    forge.git('checkout', '--quiet', 'main');
    forge.commit('main', { 'web.yaml': web('4') });
    forge.git('checkout', '--quiet', '-b', 'topic');
    forge.commit('topic', { 'api.yaml': api('9') });
    // The change is cut from main: `web` is another one there, and not a part of the change.
    const other = await forge.kruise(['plan', 'api.yaml', '--base', 'develop', '--dry-run']);
    expect(other.err).not.toContain('CloneSet shop/web');
  });
});
