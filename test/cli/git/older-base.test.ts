import { describe, expect, test } from 'vitest';
import { cloneSet } from '../../compiler/world/manifests.ts';
import { type Clone, cloneOf, repositoryWith } from './clone.ts';

const web = (tag: string): string => cloneSet({ image: `nginx:${tag}` });
const api = (tag: string): string => cloneSet({ name: 'api', image: `api:${tag}` });

/** Main has three commits; `feature` begins at the last one, and changes `web` with a plan. */
async function withFeature(): Promise<Clone> {
  const clone = repositoryWith({ 'web.yaml': web('1') });
  clone.commit('api', { 'api.yaml': api('1') });
  clone.git('branch', 'release');
  clone.commit('next', { 'api.yaml': api('2') });
  clone.git('checkout', '--quiet', '-b', 'feature');
  clone.write({ 'web.yaml': web('2') });
  expect(await clone.kruise(['plan'])).toMatchObject({ code: 0 });
  clone.commit('feature');
  return clone;
}

describe('a base that is older than where head left its branch', () => {
  test.each([['HEAD~2'], ['main~1'], ['main^1'], ['HEAD~3'], ['v1']])(
    '%s is an error that names the fix',
    async (base) => {
      const clone = await withFeature();
      clone.git('tag', 'v1', 'main~1');
      const left = clone.git('rev-parse', 'main').slice(0, 12);
      for (const words of [['plan'], ['plan', '--check'], ['plan', '--check', 'web.yaml']]) {
        const ran = await clone.kruise([...words, `--base=${base}`]);
        expect(ran, words.join(' ')).toMatchObject({ code: 1, out: '' });
        expect(ran.err).toContain(
          `kruise plan: the base ${base} is older than ${left}, at which HEAD left main; leave --base out, or name the branch: --base main; `,
        );
      }
      expect(clone.git('status', '--porcelain')).toBe('');
    },
  );

  test('a branch that was not pulled is one', async () => {
    const origin = repositoryWith({ 'web.yaml': web('1') });
    const clone = cloneOf(origin);
    clone.commit('pushed by somebody else', { 'api.yaml': api('1') });
    clone.git('push', '--quiet', 'origin', 'main:refs/heads/other');
    clone.git('update-ref', 'refs/remotes/origin/main', 'HEAD');
    clone.git('checkout', '--quiet', '-b', 'feature');
    clone.git('branch', '--quiet', '--force', 'main', 'HEAD~1');
    clone.commit('feature', { 'web.yaml': web('2') });
    const ran = await clone.kruise(['plan', '--base', 'main', '--dry-run']);
    expect(ran).toMatchObject({ code: 1, out: '' });
    expect(ran.err).toContain('the base main is older than');
    expect(await clone.kruise(['plan', '--dry-run'])).toMatchObject({ code: 0 });
  });

  test('another branch is one only where CI names the branch', async () => {
    const origin = await withFeature();
    const clone = cloneOf(origin, '--branch', 'feature');
    clone.git('remote', 'set-head', 'origin', 'main');
    const words = ['plan', '--check', '--base', 'origin/release', 'web.yaml'];
    expect((await clone.kruise(words)).err).not.toContain('is older than');
    const named = await clone.kruise(words, '.', { CI: 'true', GITHUB_BASE_REF: 'main' });
    expect(named).toMatchObject({ code: 1, out: '' });
    expect(named.err).toContain('the base origin/release is older than');
    const release = { CI: 'true', GITHUB_BASE_REF: 'release' };
    expect((await clone.kruise(words, '.', release)).err).not.toContain('is older than');
  });

  test('paths of a change that main has already are planned from before it', async () => {
    const clone = await withFeature();
    expect(await clone.kruise(['plan', 'api.yaml', '--base', 'main~1'])).toMatchObject({ code: 0 });
    expect(clone.git('status', '--porcelain', '--untracked-files=all')).toContain('cloneset-api/plan.yaml');
    clone.commit('afterwards');
    expect(await clone.kruise(['plan', '--check'])).toMatchObject({ code: 0 });
  });

  test('what main has already is compared with any base', async () => {
    const clone = await withFeature();
    clone.git('checkout', '--quiet', 'main');
    for (const words of [
      ['plan', '--dry-run', '--base', 'HEAD~2'],
      ['plan', '--dry-run', '--base', 'HEAD~1'],
    ])
      expect(await clone.kruise(words), words.join(' ')).toMatchObject({ code: 0 });
    const before = clone.git('rev-parse', 'HEAD~2').trim();
    const push = { CI: 'true', CI_COMMIT_BEFORE_SHA: before };
    expect((await clone.kruise(['plan'], '.', push)).err).toContain(`base: ${before.slice(0, 12)}, at`);
  });

  test('a base after it is a part of the change', async () => {
    const clone = await withFeature();
    clone.commit('more', { 'web.yaml': web('3') });
    expect(await clone.kruise(['plan', '--base', 'HEAD~1'])).toMatchObject({ code: 0 });
  });
});

describe('a tag of the name of a branch', () => {
  test('is no branch to compare with, and is what git takes where it is named', async () => {
    const clone = repositoryWith({ 'web.yaml': web('1') });
    clone.git('checkout', '--quiet', '-b', 'trunk');
    clone.git('tag', 'trunk');
    clone.git('branch', '--quiet', '-D', 'main');
    clone.git('tag', 'main');
    clone.git('tag', 'master');
    clone.commit('second', { 'web.yaml': web('2') });
    clone.write({ 'web.yaml': web('3') });
    expect((await clone.kruise(['plan', '--dry-run'])).err).toContain('base: HEAD, at ');
    expect((await clone.kruise(['plan', '--base', 'main'])).err).toBe(
      'kruise plan: main is a tag here, and no branch; for the tag: refs/tags/main\n',
    );
    expect((await clone.kruise(['plan', '--dry-run', '--base', 'refs/tags/main'])).out).toContain(
      'nginx:1 →',
    );
    const both = await clone.kruise(['plan', '--dry-run', '--base', 'trunk']);
    expect(both.err).toContain(
      'trunk is a tag and a branch: this is the tag; for the branch, --base heads/trunk\n',
    );
    expect(both.out).toContain('nginx:1 →');
    const branch = await clone.kruise(['plan', '--dry-run', '--base', 'heads/trunk']);
    expect(branch.err).not.toContain('is a tag');
    expect(branch.out).toContain('nginx:2 →');
  });
});
