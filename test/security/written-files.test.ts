import {
  existsSync,
  lstatSync,
  readFileSync,
  readdirSync,
  renameSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { main } from '../../cli/dispatch.ts';
import { nodeMachine } from '../../cli/machine/node-machine.ts';
import { nodeHost } from '../../cli/machine/node-host.ts';
import { HostError } from '../../compiler/host.ts';
import { cloneSet } from '../compiler/world/manifests.ts';
import { folderWith, hostIn, kruiseIn } from './on-disk.ts';

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
  test('a committed link with the name of a temporary file is not followed or changed', async () => {
    const folder = folderWith({ ...states, 'repo/plans/shop/cloneset-web/': '' });
    const link = guessed(join(folder, 'repo', planned));
    symlinkSync(join(folder, 'home/file'), link);
    const { code, err } = await plan(folder);
    expect({ code, err }).toMatchObject({ code: 0 });
    expect(readFileSync(join(folder, 'home/file'), 'utf8')).toBe(SECRET);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(folder, 'repo', planned), 'utf8')).toContain('kind: RolloutPlan');
  });

  test.each(['plan.yaml', 'forecast.md'])('a link instead of %s is replaced, not followed', async (name) => {
    const folder = folderWith({ ...states, 'repo/plans/shop/cloneset-web/': '', 'repo/mine': SECRET });
    const at = join(folder, 'repo/plans/shop/cloneset-web', name);
    symlinkSync('../../../mine', at);
    await plan(folder);
    expect(readFileSync(join(folder, 'repo/mine'), 'utf8')).toBe(SECRET);
  });

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

  test('links within the repository are followed', async () => {
    const folder = folderWith({ ...states, 'repo/generated/': '' });
    symlinkSync('generated', join(folder, 'repo/plans'));
    expect((await plan(folder)).code).toBe(0);
    expect(readdirSync(join(folder, 'repo/generated/shop/cloneset-web'))).toEqual([
      'forecast.md',
      'plan.yaml',
    ]);
  });
});

describe('security 5: kruise plan writes into no other repository', () => {
  const strangers = {
    ...states,
    'repo/apps/web.yaml': cloneSet({ image: 'nginx:2' }),
    'repo/base/web.yaml': cloneSet({ image: 'nginx:1' }),
    'home/other/.git/HEAD': '',
    'home/other/web.yaml': cloneSet({ image: 'nginx:2' }),
  };
  const written = (folder: string): string[] => readdirSync(join(folder, 'home/other')).sort();

  test.each([
    ['the folder that is planned', ['x/other', '--base-dir', 'base']],
    ['the folder of plans', ['--base-dir', '../base', '--out', 'x/other']],
    ['a new folder of plans', ['--base-dir', '../base', '--out', 'x/other/new']],
  ])('through a link to the folder above it: %s', async (_what, words) => {
    const folder = folderWith(strangers);
    symlinkSync('../home', join(folder, 'repo/x'));
    const { code, err } = await kruiseIn(join(folder, 'repo'), 'plan', ...words);
    expect(code).toBe(1);
    expect(err).toMatch(/link .* leads out of/);
    expect(written(folder)).toEqual(['.git', 'web.yaml']);
  });

  test('if the planned folder becomes a link while the plans are printed', async () => {
    const folder = folderWith(strangers);
    const apps = join(folder, 'repo/apps');
    const host = hostIn(join(folder, 'repo'));
    host.stdout = () => {
      if (!lstatSync(apps).isDirectory()) return;
      renameSync(apps, join(folder, 'aside'));
      symlinkSync('../home/other', apps);
    };
    expect(await main(host, ['plan', 'apps', '--base-dir', '../base'])).toBe(1);
    expect(host.err).toContain('the link apps leads out of the repository');
    expect(written(folder)).toEqual(['.git', 'web.yaml']);
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
  ])('follows no link out of its folder: %s', (_what, at, path, target) => {
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

  test('deletes nothing through a link out of its folder', () => {
    const folder = folderWith(states);
    symlinkSync('../home', join(folder, 'repo/plans'));
    const files = [{ path: join(folder, 'repo/plans/file'), text: undefined }];
    expect(write(files, join(folder, 'repo'))).toBeInstanceOf(HostError);
    expect(readFileSync(join(folder, 'home/file'), 'utf8')).toBe(SECRET);
  });

  test('a folder that becomes a link during the write is detected before files are moved', () => {
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

  test('a file in whose place others need a folder is refused before any is written', () => {
    const folder = folderWith(states);
    const files = ['a', 'c', 'c/d/e.yaml'].map((path) => ({ path: join(folder, 'repo', path), text: 'x' }));
    expect(write(files, join(folder, 'repo'))).toBeInstanceOf(HostError);
    expect(readdirSync(join(folder, 'repo')).sort()).toEqual(['.git', 'web.yaml']);
  });

  test('a refused write leaves no temporary file and no folder', () => {
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

  test.each(made)('%s does not follow a link with the name of a temporary file', (_what, make) => {
    const folder = folderWith(states);
    const path = join(folder, 'repo/state');
    symlinkSync('../home/file', guessed(path));
    make(path);
    expect(readFileSync(join(folder, 'home/file'), 'utf8')).toBe(SECRET);
    expect(readFileSync(path, 'utf8')).toBe('mine');
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test('a state file is private, and its temporary name is unpredictable, from its creation on', () => {
    const folder = folderWith();
    const observed: string[] = [];
    function* lines(): Iterable<string> {
      yield 'x'.repeat(2 << 20);
      for (const name of readdirSync(folder))
        observed.push(`${name} ${(statSync(join(folder, name)).mode & 0o777).toString(8)}`);
    }
    const mask = process.umask(0);
    try {
      machine.open(join(folder, 'state')).replace(lines());
    } finally {
      process.umask(mask);
    }
    expect(observed).toHaveLength(1);
    expect(observed[0]).toMatch(new RegExp(`^state\\.kruise-${process.pid}-[0-9a-f]{24} 600$`));
  });

  test('a failed write of a state leaves no file', () => {
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

  const HOUR = 3_600_000;
  test.each([
    ['of the last hour stays, for its process may run in another container', 0.9 * HOUR, true],
    ['that is older is removed', 1.1 * HOUR, false],
    ['from the future stays', -HOUR, true],
  ])('security 17: a draft %s', (_what, age, stays) => {
    const folder = folderWith();
    // No process of this machine has this id.
    const other = join(folder, `state.kruise-4194305-${'0'.repeat(24)}`);
    writeFileSync(other, 'half of a state');
    const at = new Date(Date.now() - age);
    utimesSync(other, at, at);
    machine.open(join(folder, 'state')).replace(['mine']);
    expect(existsSync(other)).toBe(stays);
  });

  test('nothing is appended to a file that has become a link', () => {
    const folder = folderWith(states);
    symlinkSync('home/file', join(folder, 'state'));
    expect(() => machine.open(join(folder, 'state')).append('x')).toThrow(HostError);
    expect(readFileSync(join(folder, 'home/file'), 'utf8')).toBe(SECRET);
  });

  test.each([
    ['--state as a link to a file', 'state', 'state', '../home/empty'],
    ['--state in a linked folder', 'state', 'here/state', '../home'],
    ['--kubeconfig in a linked folder', 'kubeconfig', 'here/config', '../home'],
    ['--state in a repository behind a link', 'state', 'here/other/state', '../home'],
    ['--kubeconfig in a repository behind a link', 'kubeconfig', 'here/other/config', '../home'],
  ])('kruise sandbox creates nothing outside of the repository: %s', async (_what, option, path, target) => {
    const folder = folderWith({ ...states, 'home/empty': '', 'home/other/.git/HEAD': '' });
    symlinkSync(target, join(folder, 'repo', path.split('/')[0] ?? ''));
    const words = ['sandbox', `--${option}`, path, '--nodes', '0', '--load', 'none.yaml'];
    const { code, err } = await kruiseIn(join(folder, 'repo'), ...words);
    expect(code).toBe(1);
    expect(err).toContain(`${path} is reached by a link that leads out of the repository`);
    expect(readdirSync(join(folder, 'home')).sort()).toEqual(['empty', 'file', 'other']);
    expect(readdirSync(join(folder, 'home/other'))).toEqual(['.git']);
  });
});
