import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cloneSet } from '../../compiler/world/manifests.ts';
import { cloneIn, emptyFolder, repositoryWith } from './clone.ts';

const web = (tag: string): string => cloneSet({ image: `nginx:${tag}` });
const POINTER = `version https://git-lfs.github.com/spec/v1\noid sha256:${'4d7a2146'.repeat(8)}\nsize 500\n`;
const CRYPT = '\0GITCRYPT\0\u0001\u0002';

describe.each([
  ['a pointer of Git LFS', POINTER, 'git lfs pull'],
  ['encrypted by git-crypt', CRYPT, 'git-crypt unlock'],
])('a file that is %s', (what, text, command) => {
  test('is an error at head, and names the command', async () => {
    const clone = repositoryWith({ 'web.yaml': web('1.25') });
    clone.write({ 'web.yaml': text });
    clone.git('add', '.');
    for (const words of [['plan'], ['plan', '--staged'], ['validate']]) {
      const ran = await clone.kruise(words);
      expect(ran.code, words.join(' ')).toBe(1);
      expect(ran.err, words.join(' ')).toContain(`the file is ${what}, so its manifests are unknown`);
      expect(ran.err, words.join(' ')).toContain(`run ${command}\n`);
    }
  });

  test('is an error at base, and a worktree of the base is the way out', async () => {
    const clone = repositoryWith({ 'web.yaml': text });
    clone.write({ 'web.yaml': web('1.26') });
    const ran = await clone.kruise(['plan']);
    expect(ran.code).toBe(1);
    expect(ran.err).toContain(`at base: the file is ${what}`);
    expect(ran.err).toContain('git worktree add ../base REF');
    const base = join(emptyFolder(), 'base');
    clone.git('worktree', 'add', '--quiet', '--detach', base);
    cloneIn(base).write({ 'web.yaml': web('1.25') });
    expect((await clone.kruise(['plan', '--base-dir', base])).out).toContain('nginx:1.25 → nginx:1.26');
  });
});
