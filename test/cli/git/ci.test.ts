import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cloneSet } from '../../compiler/world/manifests.ts';
import { type Clone, cloneOf, repositoryWith } from './clone.ts';

const web = (tag: string): string => cloneSet({ image: `nginx:${tag}` });
const idOf = (clone: Clone, revision: string): string => clone.git('rev-parse', revision).slice(0, 12);

/** main with two commits after the first, each with another image and without plans. */
function pushed(): Clone {
  const clone = repositoryWith({ 'web.yaml': web('1.25') });
  clone.commit('second', { 'web.yaml': web('1.26') });
  clone.commit('third', { 'web.yaml': web('1.27') });
  return clone;
}

describe('a build of the branch that changes go to', () => {
  test('compares with the last commit, and says so', async () => {
    const clone = pushed();
    const ran = await clone.kruise(['plan'], '.', { CI: 'true' });
    expect(ran.code).toBe(20);
    expect(ran.err).toContain(
      `base: HEAD^1, at ${idOf(clone, 'HEAD^1')}: main has HEAD already, so its last commit is compared\n`,
    );
    expect(ran.out).toContain('nginx:1.26 → nginx:1.27');
    const named = await clone.kruise(['plan', '--head', 'main~1'], '.', { CI: 'true' });
    expect(named.err).toContain(`base: main~1^1, at ${idOf(clone, 'HEAD~2')}: main has main~1 already`);
  });

  test.each([
    ['CI_COMMIT_BEFORE_SHA', (id: string): string => id],
    ['DRONE_COMMIT_BEFORE', (id: string): string => id],
    ['GIT_PREVIOUS_COMMIT', (id: string): string => id],
    ['TRAVIS_COMMIT_RANGE', (id: string): string => `${id.slice(0, 12)}...cafecafecafe`],
  ])('compares with the commit before the push where %s names it', async (variable, text) => {
    const clone = pushed();
    const before = clone.git('rev-parse', 'HEAD~2').trim();
    const ran = await clone.kruise(['plan'], '.', { CI: 'true', [variable]: text(before) });
    expect(ran.err).toContain(
      `base: ${before.slice(0, 12)}, at ${before.slice(0, 12)}: main has HEAD already, so what was pushed is compared (${variable})\n`,
    );
    expect(ran.out).toContain('nginx:1.25 → nginx:1.27');
  });

  test('compares with the commit before the push that the event of GitHub names', async () => {
    const clone = pushed();
    const before = clone.git('rev-parse', 'HEAD~2').trim();
    const env = { CI: 'true', GITHUB_EVENT_PATH: join(clone.folder, '.git/event.json') };
    for (const [text, expected] of [
      [JSON.stringify({ before }), 'nginx:1.25 → nginx:1.27'],
      [JSON.stringify({ before: '0'.repeat(40) }), 'nginx:1.26 → nginx:1.27'],
      [JSON.stringify({ before: '--output=x' }), 'nginx:1.26 → nginx:1.27'],
      ['null', 'nginx:1.26 → nginx:1.27'],
      ['{', 'nginx:1.26 → nginx:1.27'],
    ] as const) {
      clone.write({ '.git/event.json': text });
      expect((await clone.kruise(['plan'], '.', env)).out, text).toContain(expected);
    }
  });

  test('of the merge queue of GitHub compares with the branch that it merges into', async () => {
    const origin = repositoryWith({ 'web.yaml': web('1.25') });
    origin.git('branch', 'release-1');
    origin.commit('second', { 'web.yaml': web('1.26') });
    const clone = cloneOf(origin);
    clone.git('checkout', '--quiet', '--detach', 'origin/release-1');
    clone.commit('queued', { 'web.yaml': web('1.27') });
    const event = { merge_group: { base_ref: 'refs/heads/release-1', base_sha: 'x' } };
    clone.write({ '.git/event.json': JSON.stringify(event) });
    const file = { CI: 'true', GITHUB_EVENT_PATH: join(clone.folder, '.git/event.json') };
    const ran = await clone.kruise(['plan'], '.', { ...file, GITHUB_EVENT_NAME: 'merge_group' });
    expect(ran.err).toContain(`base: origin/release-1, at ${idOf(clone, 'origin/release-1')}`);
    expect(ran.out).toContain('nginx:1.25 → nginx:1.27');
    // Another event says nothing of a queue.
    expect((await clone.kruise(['plan'], '.', file)).err).not.toContain('release-1');
  });

  test('compares with the last commit where the one before the push is unknown, or head itself', async () => {
    const clone = pushed();
    for (const [before, expected] of [
      [
        'cafe'.repeat(10),
        'so its last commit is compared (this clone lacks the commit that CI_COMMIT_BEFORE_SHA names)\n',
      ],
      ['0'.repeat(40), 'so its last commit is compared\n'],
      [clone.git('rev-parse', 'HEAD').trim(), 'so its last commit is compared\n'],
    ] as const) {
      const ran = await clone.kruise(['plan'], '.', { CI: 'true', CI_COMMIT_BEFORE_SHA: before });
      expect(ran.err, before).toContain(expected);
      expect(ran.code, before).toBe(20);
    }
  });

  test('a shallow clone without the commit before the push is refused: its last commit may not be all', async () => {
    const origin = pushed();
    const before = origin.git('rev-parse', 'HEAD~2').trim();
    const clone = cloneOf(origin, '--depth', '2');
    const ran = await clone.kruise(['plan'], '.', { CI: 'true', CI_COMMIT_BEFORE_SHA: before });
    expect(ran).toMatchObject({ code: 1, out: '' });
    expect(ran.err).toBe(
      `kruise plan: origin/HEAD has HEAD already, and this shallow clone lacks the commit before the push (CI_COMMIT_BEFORE_SHA: ${before.slice(0, 12)}); ` +
        'fetch its history: git fetch --unshallow (in CI: fetch-depth: 0, or GIT_DEPTH: 0)\n',
    );
  });

  test('a shallow clone of one commit is refused, and a first commit is named as one', async () => {
    const clone = cloneOf(pushed(), '--depth', '1');
    const ran = await clone.kruise(['plan'], '.', { CI: 'true' });
    expect(ran).toMatchObject({ code: 1, out: '' });
    expect(ran.err).toBe(
      'kruise plan: origin/HEAD has HEAD already, and this shallow clone has no older commit to compare with; ' +
        'fetch its history: git fetch --unshallow (in CI: fetch-depth: 0, or GIT_DEPTH: 0)\n',
    );
    const first = await repositoryWith({ 'web.yaml': web('1.25') }).kruise(['plan'], '.', { CI: 'true' });
    expect(first.err).toContain(': it is the first commit, so only what is not committed is compared\n');
  });

  test('a base that is named stays the base, and says that it has head', async () => {
    const clone = pushed();
    const ran = await clone.kruise(['plan', '--base', 'main'], '.', { CI: 'true' });
    expect(ran.err).toContain(': it has HEAD already, so no commit is compared\n');
    expect(ran.code).toBe(0);
  });

  test.each(['', 'false', '0'])('a desk where CI is %j compares with the last commit', async (CI) => {
    const clone = pushed();
    clone.write({ 'web.yaml': web('1.28') });
    const ran = await clone.kruise(['plan'], '.', { CI });
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.out).toContain('nginx:1.27 → nginx:1.28');
    clone.git('checkout', '--quiet', '-b', 'topic');
    clone.git('branch', '--quiet', '-D', 'main');
    expect((await clone.kruise(['plan'], '.', { CI })).err).toContain('base: HEAD, at ');
  });

  test('a branch that only the remote has is named', async () => {
    const origin = pushed();
    origin.git('branch', 'release');
    const clone = cloneOf(origin);
    for (const option of ['--base', '--head'])
      expect((await clone.kruise(['plan', option, 'release'])).err, option).toBe(
        'kruise plan: release is no commit, branch or tag of this repository; the one of the remote is origin/release\n',
      );
  });
});
