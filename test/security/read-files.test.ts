import { renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cloneSet } from '../compiler/world/manifests.ts';
import { folderWith, kruiseIn } from './on-disk.ts';

/** No YAML, so that a reader that gets it would show its first line in a frame. */
const SECRET = '{ "token": hunter2 apps.kruise.io\n';
const web = cloneSet();
const files = {
  'repo/.git/HEAD': '',
  'repo/apps/web.yaml': web,
  'repo/shared/kruise.yaml': 'steps: []\n',
  'repo/shared/web.yaml': web,
  'home/secret.yaml': SECRET,
  'home/more/kruise.yaml': SECRET,
  'home/more/web.yaml': SECRET,
};
const exported = Object.fromEntries(Object.entries(files).filter(([path]) => path !== 'repo/.git/HEAD'));

/** Runs `kruise` in `repo`, or a folder below it, where each path is a link. */
async function withLinks(
  links: Readonly<Record<string, string>>,
  words: readonly string[],
  { cwd = 'repo', from = files }: { cwd?: string; from?: Readonly<Record<string, string>> } = {},
): Promise<{ code: number; all: string }> {
  const folder = folderWith(from);
  for (const [path, target] of Object.entries(links)) symlinkSync(target, join(folder, path));
  const { code, out, err } = await kruiseIn(join(folder, cwd), ...words);
  return { code, all: (out + err).replaceAll(folder, '') };
}

const json = ['-o', 'json'];

describe('security 9: reading files', () => {
  test.each([
    ['kruise.yaml', { 'repo/kruise.yaml': '../home/secret.yaml' }, ['validate'], 'kruise.yaml'],
    [
      'kruise.yaml above the folder that is planned',
      { 'repo/kruise.yaml': '../home/secret.yaml' },
      ['validate', 'apps'],
      'kruise.yaml',
    ],
    ['a named file', { 'repo/x.yaml': '../home/secret.yaml' }, ['validate', 'x.yaml'], 'x.yaml'],
    ['a named folder', { 'repo/x': '../home/more' }, ['validate', 'x'], 'x'],
    ['a named file in a linked folder', { 'repo/x': '../home/more' }, ['validate', 'x/web.yaml'], 'x'],
    ['a named folder in a linked folder', { 'repo/x': '../home' }, ['validate', 'x/more'], 'x'],
    ['a file in the tree', { 'repo/apps/x.yaml': '../../home/secret.yaml' }, ['validate'], 'apps/x.yaml'],
    ['a folder in the tree', { 'repo/apps/x': '../../home/more' }, ['validate'], 'apps/x'],
    [
      'a file for a sandbox',
      { 'repo/x.yaml': '../home/secret.yaml' },
      ['sandbox', '--load', 'x.yaml'],
      'x.yaml',
    ],
    ['a folder for a sandbox', { 'repo/x': '../home/more' }, ['sandbox', '--load', 'x'], 'x'],
  ] as const)(
    '%s that is a link out of the repository is refused, and its content is not printed',
    async (_what, links, words, link) => {
      for (const output of words[0] === 'validate' ? [[], json] : [[]]) {
        const { code, all } = await withLinks(links, [...words, ...output]);
        expect(code).toBe(1);
        expect(all).toContain('KR1015');
        expect(all).toMatch(
          new RegExp(`the link ${link} leads out of the (repository|folder) and is not followed`),
        );
        expect(all).not.toMatch(/hunter2|token/);
      }
    },
  );

  test.each([
    ['kruise.yaml', { 'repo/kruise.yaml': '../home/secret.yaml' }, ['validate']],
    ['a file in a linked folder', { 'repo/x': '../home/more' }, ['validate', 'x/web.yaml']],
  ] as const)(
    'outside of git no link out of the working directory is followed: %s',
    async (_what, links, words) => {
      const { code, all } = await withLinks(links, words, { from: exported });
      expect(code).toBe(1);
      expect(all).toContain('leads out of the folder and is not followed');
      expect(all).not.toMatch(/hunter2|token/);
    },
  );

  test.each([
    ['kruise.yaml', { 'repo/kruise.yaml': 'shared/kruise.yaml' }, ['validate', 'apps'], 'repo'],
    [
      'kruise.yaml out of the folder',
      { 'repo/apps/kruise.yaml': '../shared/kruise.yaml' },
      ['validate'],
      'repo/apps',
    ],
    ['a named file', { 'repo/apps/x.yaml': '../shared/web.yaml' }, ['validate', 'x.yaml'], 'repo/apps'],
    ['a named folder', { 'repo/apps/x': '../shared' }, ['validate', 'x'], 'repo/apps'],
  ] as const)('a link within the repository is followed: %s', async (_what, links, words, cwd) => {
    const { code, all } = await withLinks(links, words, { cwd });
    expect({ code, all }).toMatchObject({ code: 0 });
    expect(all).toContain('valid');
  });

  test.each([
    ['kruise.yaml', { 'repo/kruise.yaml': 'kruise.yaml' }, ['validate'], 'KR4009'],
    ['a named file', { 'repo/x.yaml': 'y.yaml', 'repo/y.yaml': 'x.yaml' }, ['validate', 'x.yaml'], 'KR1015'],
    ['a named folder', { 'repo/x': 'x' }, ['validate', 'x'], 'KR1015'],
    ['a folder in the tree', { 'repo/apps/x': '..' }, ['validate'], 'KR1015'],
  ] as const)('a loop is a diagnostic: %s', async (_what, links, words, code) => {
    const found = await withLinks(links, words);
    expect(found.code).toBe(1);
    expect(found.all).toContain(code);
  });

  test('kruise.yaml is not searched above the git root', async () => {
    const { code, all } = await withLinks({}, ['validate', 'apps'], {
      from: { ...files, 'kruise.yaml': SECRET },
    });
    expect({ code, all }).toMatchObject({ code: 0 });
  });

  test.each([
    ['refused in a repository', files, 'the link c.yaml leads out of the repository'],
    ['read elsewhere, as where a ConfigMap is mounted', exported, 'c.yaml is not valid YAML'],
  ])('the configuration of the runtime by a link is %s', async (_what, from, expected) => {
    const { code, all } = await withLinks(
      { 'repo/c.yaml': '../home/secret.yaml' },
      ['run', '--config', 'c.yaml', '--kubeconfig', 'none'],
      { from },
    );
    expect(code).toBe(1);
    expect(all).toContain(expected);
  });

  test('a folder or a file for a sandbox that a user names outside of the repository is read', async () => {
    const folder = folderWith({
      ...files,
      'else/web.yaml': web,
      'else/bad.yaml': 'kind: [ # apps.kruise.io\n',
    });
    const repo = join(folder, 'repo');
    const valid = await kruiseIn(repo, 'validate', join(folder, 'else'));
    expect(valid.err).toContain('bad.yaml');
    const loaded = await kruiseIn(repo, 'sandbox', '--load', join(folder, 'else/bad.yaml'));
    expect(loaded.err).toContain('KR1004');
  });
});

describe('security 9: --base-dir is a root of its own', () => {
  const plan = async (change: (folder: string) => void): Promise<{ code: number; all: string }> => {
    const folder = folderWith({ ...files, 'base/.git': 'gitdir: x\n', 'base/apps/web.yaml': web });
    change(folder);
    const { code, out, err } = await kruiseIn(
      join(folder, 'repo'),
      'plan',
      '--base-dir',
      '../base',
      'apps/web.yaml',
    );
    return { code, all: out + err };
  };

  test('as it is', async () => {
    expect(await plan(() => {})).toMatchObject({ code: 0 });
  });

  test.each([
    ['a file that leads to the head', 'apps/web.yaml', '../../repo/apps/web.yaml'],
    ['a folder that leads elsewhere', 'apps', '../home/more'],
  ])('%s', async (_what, at, target) => {
    const { code, all } = await plan((folder) => {
      renameSync(join(folder, 'base', at), join(folder, 'aside'));
      symlinkSync(target, join(folder, 'base', at));
    });
    expect(code).toBe(1);
    expect(all).toMatch(/KR1015.*at base: the link .*leads out of the repository/);
    expect(all).not.toContain('hunter2');
  });

  test('a folder of the repository that is a link to another place is not taken for it', async () => {
    const folder = folderWith({ ...files, 'else/.git/HEAD': '', 'else/apps/web.yaml': SECRET });
    symlinkSync('../else', join(folder, 'repo/base'));
    const { code, out, err } = await kruiseIn(
      join(folder, 'repo'),
      'plan',
      '--base-dir',
      'base',
      'apps/web.yaml',
    );
    expect(code).toBe(1);
    expect(out + err).toContain('at base: the link base leads out of the repository');
    expect(out + err).not.toContain('hunter2');
  });
});

describe('security 5: a link to a folder above another repository', () => {
  const strangers = {
    ...files,
    'home/other/.git/HEAD': '',
    'home/other/secret.yaml': SECRET,
    'home/other/kruise.yaml': SECRET,
    'home/other/web.yaml': SECRET,
    'home/other/apps/web.yaml': SECRET,
  };
  const gitFile = Object.fromEntries(
    Object.entries({ ...strangers, 'home/other/.git': 'gitdir: ../elsewhere\n' }).filter(
      ([path]) => path !== 'home/other/.git/HEAD',
    ),
  );
  const toHome = { 'repo/x': '../home' };

  test.each([
    ['a file', toHome, ['validate', 'x/other/secret.yaml'], 'x'],
    ['the repository', toHome, ['validate', 'x/other'], 'x'],
    ['a folder of it', toHome, ['validate', 'x/other/apps'], 'x'],
    ['a path with ..', toHome, ['validate', 'apps/../x/./other/apps/../web.yaml'], 'x'],
    ['a link two folders deep', { 'repo/apps/x': '../../home' }, ['validate', 'apps/x/other'], 'apps/x'],
    ['a link to a link', { 'repo/x': 'y', 'repo/y': '../home' }, ['validate', 'x/other'], 'x'],
    [
      'a link behind a link',
      { 'repo/x': 'apps', 'repo/apps/y': '../../home' },
      ['validate', 'x/y/other'],
      'x/y',
    ],
    [
      'the root of the disk',
      { 'repo/x': '/' },
      (folder: string) => ['validate', `x${folder}/home/other`],
      'x',
    ],
    ['the base', toHome, ['plan', 'apps', '--base-dir', 'x/other'], 'x'],
    ['the folder that is planned', toHome, ['plan', 'x/other', '--base-dir', 'apps'], 'x'],
    ['the folder of plans', toHome, ['plan', '--base-dir', 'apps', '--out', 'x/other'], 'x'],
    [
      'kruise.yaml by two links',
      { ...toHome, 'repo/apps/kruise.yaml': '../x/other/secret.yaml' },
      ['validate', 'apps'],
      'apps/kruise.yaml',
    ],
    ['a file for a sandbox', toHome, ['sandbox', '--load', 'x/other/secret.yaml'], 'x'],
    ['a folder for a sandbox', toHome, ['sandbox', '--load', 'x/other'], 'x'],
    [
      'the configuration of the runtime',
      toHome,
      ['run', '--config', 'x/other/web.yaml', '--kubeconfig', 'none'],
      'x',
    ],
  ] as const)(
    'is refused, and nothing of the other repository is printed: %s',
    async (_what, links, words, link) => {
      for (const from of [strangers, gitFile]) {
        const folder = folderWith(from);
        for (const [path, target] of Object.entries(links)) symlinkSync(target, join(folder, path));
        const typed = typeof words === 'function' ? words(folder) : words;
        const { code, out, err } = await kruiseIn(join(folder, 'repo'), ...typed);
        expect(code).toBe(1);
        expect(out + err).toMatch(new RegExp(`the link ${link} leads out of the (repository|folder)`));
        expect(out + err).not.toMatch(/hunter2|token/);
      }
    },
  );

  test('a link out of a repository within a repository is refused as well', async () => {
    const inner = {
      'repo/sub/.git': 'gitdir: x\n',
      'repo/sub/web.yaml': web,
      'repo/vendor/lib/.git/HEAD': '',
    };
    const { code, all } = await withLinks(
      { 'repo/sub/x': '../vendor' },
      ['validate', 'sub/x/lib/secret.yaml'],
      { from: { ...files, ...inner, 'repo/vendor/lib/secret.yaml': SECRET } },
    );
    expect(code).toBe(1);
    expect(all).toContain('the link sub/x leads out of the repository');
    expect(all).not.toMatch(/hunter2|token/);
  });

  test.each([
    ['a repository within the repository', {}, ['validate', 'sub/web.yaml'], 'repo'],
    ['one reached by a link within the repository', { 'repo/x': 'sub' }, ['validate', 'x/web.yaml'], 'repo'],
    ['a link to the folder above a repository', { 'repo/x': 'deep' }, ['validate', 'x/sub'], 'repo'],
    ['a link of the user to the repository', { mine: 'repo' }, ['validate', 'mine/apps'], ''],
    ['a link of the user above the repository', { mine: '.' }, ['validate', 'mine/repo/apps'], ''],
    [
      'a link of the user above a repository within it',
      { mine: '.' },
      ['validate', 'mine/repo/deep/sub'],
      '',
    ],
    [
      'a link in a repository that a link of the user leads to',
      { mine: '.', 'repo/x': 'apps' },
      ['validate', 'mine/repo/x'],
      '',
    ],
    ['a working directory below a link of the user', { mine: '.' }, ['validate', 'apps'], 'mine/repo'],
  ] as const)('a link within the outer repository is read: %s', async (_what, links, words, cwd) => {
    const inner = {
      'repo/sub/.git': 'gitdir: ../.git/modules/sub\n',
      'repo/sub/web.yaml': web,
      'repo/deep/sub/.git/HEAD': '',
      'repo/deep/sub/web.yaml': web,
    };
    const { code, all } = await withLinks(links, words, { from: { ...files, ...inner }, cwd });
    expect({ code, all }).toMatchObject({ code: 0 });
    expect(all).toContain('valid');
  });
});
