import {
  existsSync,
  lstatSync,
  readFileSync,
  readdirSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { nodeMachine } from '../../compiler/cli/machine.ts';
import { nodeHost } from '../../compiler/cli/node-host.ts';
import { HostError } from '../../compiler/host.ts';
import { cloneSet } from '../compiler/world/manifests.ts';
import { folderWith, kruiseIn } from './on-disk.ts';

const SECRET = 'what the user has\n';
const states = {
  'base/web.yaml': cloneSet({ image: 'nginx:1' }),
  'repo/.git/HEAD': '',
  'repo/web.yaml': cloneSet({ image: 'nginx:2' }),
  'home/file': SECRET,
};
const planned = 'plans/shop/cloneset-web/plan.yaml';
const plan = (folder: string) => kruiseIn(join(folder, 'repo'), 'plan', '--base-dir', '../base');

/** The names that a writer of this process used before they could not be guessed. */
const guessed = (path: string): string => `${path}.kruise-${process.pid}`;

describe('security 4: kruise plan', () => {
  test('a committed link under the name of a temporary file is left alone, and so is what it leads to', async () => {
    const folder = folderWith({ ...states, 'repo/plans/shop/cloneset-web/': '' });
    const link = guessed(join(folder, 'repo', planned));
    symlinkSync(join(folder, 'home/file'), link);
    const { code, err } = await plan(folder);
    expect({ code, err }).toMatchObject({ code: 0 });
    expect(readFileSync(join(folder, 'home/file'), 'utf8')).toBe(SECRET);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(folder, 'repo', planned), 'utf8')).toContain('kind: RolloutPlan');
  });

  test.each(['plan.yaml', 'forecast.md'])(
    'a link in the place of %s is replaced, not followed',
    async (name) => {
      const folder = folderWith({ ...states, 'repo/plans/shop/cloneset-web/': '', 'repo/mine': SECRET });
      const at = join(folder, 'repo/plans/shop/cloneset-web', name);
      symlinkSync('../../../mine', at);
      await plan(folder);
      expect(readFileSync(join(folder, 'repo/mine'), 'utf8')).toBe(SECRET);
    },
  );

  test.each([
    ['plans', '../home'],
    ['plans/shop', '../../home'],
    ['plans/shop/cloneset-web', '../../../home'],
  ])('%s as a link out of the repository is refused, and nothing is written', async (at, target) => {
    const folder = folderWith({ ...states, [`repo/${at}/`]: '' });
    renameSync(join(folder, 'repo', at), join(folder, 'aside'));
    symlinkSync(target, join(folder, 'repo', at));
    const { code, err } = await plan(folder);
    expect(code).toBe(1);
    expect(err).toContain(`the link ${at} leads out of`);
    expect(readdirSync(join(folder, 'home'))).toEqual(['file']);
    expect(readFileSync(join(folder, 'home/file'), 'utf8')).toBe(SECRET);
  });

  test('links within the repository are written through', async () => {
    const folder = folderWith({ ...states, 'repo/generated/': '' });
    symlinkSync('generated', join(folder, 'repo/plans'));
    expect((await plan(folder)).code).toBe(0);
    expect(readdirSync(join(folder, 'repo/generated/shop/cloneset-web'))).toEqual([
      'forecast.md',
      'plan.yaml',
    ]);
  });
});

describe('security 4: the writer of outputs', () => {
  const write = (files: { path: string; text: string | undefined }[], inside: string): unknown => {
    try {
      nodeHost().write(files, inside);
      return undefined;
    } catch (error) {
      return error;
    }
  };

  test.each([
    ['a folder', 'repo/plans', 'repo/plans/a/b/x.yaml', '../home'],
    ['a folder in the middle', 'repo/plans/a', 'repo/plans/a/b/x.yaml', '../../home'],
    ['a folder that is not there yet', 'repo/plans', 'repo/plans/x.yaml', '../home/new'],
  ])('goes through no link out of its folder: %s', (_what, at, path, target) => {
    const folder = folderWith({ ...states, 'repo/plans/': '', 'repo/plans/z': '' });
    if (at === 'repo/plans') renameSync(join(folder, at), join(folder, 'aside'));
    symlinkSync(target, join(folder, at));
    const files = [
      { path: join(folder, 'repo/good.yaml'), text: 'x' },
      { path: join(folder, path), text: 'x' },
    ];
    expect(write(files, join(folder, 'repo'))).toBeInstanceOf(HostError);
    expect(readdirSync(join(folder, 'home'))).toEqual(['file']);
    expect(existsSync(join(folder, 'repo/good.yaml'))).toBe(false);
  });

  test('removes nothing through a link out of its folder', () => {
    const folder = folderWith(states);
    symlinkSync('../home', join(folder, 'repo/plans'));
    const files = [{ path: join(folder, 'repo/plans/file'), text: undefined }];
    expect(write(files, join(folder, 'repo'))).toBeInstanceOf(HostError);
    expect(readFileSync(join(folder, 'home/file'), 'utf8')).toBe(SECRET);
  });

  test('a folder that becomes a link while it is written into is seen before anything is in place', () => {
    const folder = folderWith({ ...states, 'repo/plans/': '' });
    const plans = join(folder, 'repo/plans');
    const files = [
      { path: join(plans, 'x.yaml'), text: 'x' },
      {
        path: join(folder, 'repo/late.yaml'),
        get text() {
          if (lstatSync(plans).isDirectory()) {
            renameSync(plans, join(folder, 'aside'));
            symlinkSync('../home', plans);
          }
          return 'late';
        },
      },
    ];
    expect(write(files, join(folder, 'repo'))).toBeInstanceOf(HostError);
    expect(readdirSync(join(folder, 'home'))).toEqual(['file']);
    expect(existsSync(join(folder, 'repo/late.yaml'))).toBe(false);
  });

  test('what is refused leaves no temporary file and no folder', () => {
    const folder = folderWith({ ...states, 'repo/there/x': '' });
    const files = [
      { path: join(folder, 'repo/new/a.yaml'), text: 'x' },
      { path: join(folder, 'repo/there'), text: 'x' },
    ];
    expect(write(files, join(folder, 'repo'))).toBeInstanceOf(HostError);
    expect(readdirSync(join(folder, 'repo')).sort()).toEqual(['.git', 'there', 'web.yaml']);
  });
});

describe('security 4: files of the sandbox', () => {
  const machine = nodeMachine();
  const made: readonly (readonly [string, (path: string) => void])[] = [
    ['a new file', (path) => void machine.createPrivate(path, 'mine')],
    ['a file that is replaced', (path) => machine.replacePrivate(path, 'mine')],
    ['a state', (path) => machine.open(path).replace(['mine'])],
  ];

  test.each(made)('%s leaves a link under the name of a temporary file alone', (_what, make) => {
    const folder = folderWith(states);
    const path = join(folder, 'repo/state');
    symlinkSync('../home/file', guessed(path));
    make(path);
    expect(readFileSync(join(folder, 'home/file'), 'utf8')).toBe(SECRET);
    expect(readFileSync(path, 'utf8')).toBe('mine');
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test('a state is private, and its name is no one’s to guess, from the moment it is made', () => {
    const folder = folderWith();
    const seen: string[] = [];
    function* lines(): Iterable<string> {
      yield 'x'.repeat(2 << 20);
      for (const name of readdirSync(folder))
        seen.push(`${name} ${(statSync(join(folder, name)).mode & 0o777).toString(8)}`);
    }
    const mask = process.umask(0);
    try {
      machine.open(join(folder, 'state')).replace(lines());
    } finally {
      process.umask(mask);
    }
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatch(new RegExp(`^state\\.kruise-${process.pid}-[0-9a-f]{24} 600$`));
  });

  test('a state that fails while it is written leaves nothing', () => {
    const folder = folderWith();
    const path = join(folder, 'state');
    writeFileSync(path, 'before');
    function* broken(): Iterable<string> {
      yield 'x';
      throw new HostError('no space is left');
    }
    expect(() => machine.open(path).replace(broken())).toThrow('no space is left');
    expect(readdirSync(folder)).toEqual(['state']);
    expect(readFileSync(path, 'utf8')).toBe('before');
  });

  test('nothing is added to what is a link by now', () => {
    const folder = folderWith(states);
    symlinkSync('home/file', join(folder, 'state'));
    expect(() => machine.open(join(folder, 'state')).append('x')).toThrow(HostError);
    expect(readFileSync(join(folder, 'home/file'), 'utf8')).toBe(SECRET);
  });

  test.each([
    ['--state as a link to a file', 'state', 'state', '../home/empty'],
    ['--state in a linked folder', 'state', 'here/state', '../home'],
    ['--kubeconfig in a linked folder', 'kubeconfig', 'here/config', '../home'],
  ])('kruise sandbox makes nothing outside of the repository: %s', async (_what, option, path, target) => {
    const folder = folderWith({ ...states, 'home/empty': '' });
    symlinkSync(target, join(folder, 'repo', path.split('/')[0] ?? ''));
    const words = ['sandbox', `--${option}`, path, '--nodes', '0', '--load', 'none.yaml'];
    const { code, err } = await kruiseIn(join(folder, 'repo'), ...words);
    expect(code).toBe(1);
    expect(err).toContain(`${path} is reached by a link that leads out of the repository`);
    expect(readdirSync(join(folder, 'home')).sort()).toEqual(['empty', 'file']);
  });
});
