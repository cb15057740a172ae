import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { openRepository } from '../../../cli/git/repository.ts';
import { TooMuch } from '../../../compiler/host.ts';
import { cloneSet } from '../../compiler/world/manifests.ts';
import { cloneIn, cloneOf, emptyFolder, repositoryWith } from './clone.ts';

const web = (tag: string): string => cloneSet({ image: `nginx:${tag}` });
const api = (tag: string): string => cloneSet({ name: 'api', image: `api:${tag}` });

/** Git sees the environment of the process. */
const set: string[] = [];
function setEnv(name: string, value: string): void {
  set.push(name);
  process.env[name] = value;
}
afterEach(() => {
  for (const name of set.splice(0)) delete process.env[name];
});

describe('the index', () => {
  test('may leave out files that are there all the same', async () => {
    const clone = repositoryWith({ 'web.yaml': web('1.25'), 'api.yaml': api('1') });
    clone.git('update-index', '--skip-worktree', 'api.yaml');
    clone.write({ 'web.yaml': web('1.26') });
    expect((await clone.kruise(['plan'])).out).toContain('Plan: 1 to roll out, 1 unchanged.\n');
    clone.write({ 'api.yaml': undefined });
    expect((await clone.kruise(['plan'])).err).toContain('the sparse checkout leaves out api.yaml;');
  });

  test('may leave out the configuration, which is an error', async () => {
    const origin = repositoryWith({
      'kruise.yaml': 'steps: [{match: {}, batches: [{to: 50%}, {to: 100%}]}]\n',
      'services/web.yaml': web('1.25'),
    });
    const clone = cloneOf(origin);
    clone.git('sparse-checkout', 'set', '--no-cone', '/services/');
    clone.write({ 'services/web.yaml': web('1.26') });
    for (const at of ['.', 'services']) {
      const ran = await clone.kruise(['plan'], at);
      expect(ran, at).toMatchObject({ code: 1, out: '' });
      expect(ran.err, at).toContain('the sparse checkout leaves out kruise.yaml;');
    }
  });

  test('may have a conflict, which matters where it is read', async () => {
    const clone = repositoryWith({ 'services/web.yaml': web('1.25'), 'teams/api.yaml': api('1') });
    clone.git('checkout', '--quiet', '-b', 'topic');
    clone.commit('topic', { 'teams/api.yaml': api('2') });
    clone.git('checkout', '--quiet', 'main');
    clone.commit('main', { 'teams/api.yaml': api('3'), 'services/web.yaml': web('1.26') });
    clone.git('checkout', '--quiet', 'topic');
    expect(() => clone.git('merge', '--quiet', 'main')).toThrow(/conflict|merge/i);
    const refused = await clone.kruise(['plan', '--staged']);
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toContain('teams/api.yaml is not merged; resolve the conflict, and add the file');
    expect(await clone.kruise(['plan', '--staged'], 'services')).toMatchObject({ code: 0 });
    expect(await clone.kruise(['plan', '--staged', 'services'])).toMatchObject({ code: 0 });
  });

  test('may be older than the plans in the working tree, whose edits are not lost silently', async () => {
    const clone = repositoryWith({ 'web.yaml': web('1.25') });
    clone.write({ 'web.yaml': web('1.26') });
    clone.git('add', '.');
    const first = await clone.kruise(['plan', '--staged']);
    expect(first.err).toContain('stage them, too: git add plans\n');
    const plan = 'plans/shop/cloneset-web/plan.yaml';
    const again = await clone.kruise(['plan', '--staged']);
    expect(again.err).not.toContain('KR3010');
    clone.git('add', '.');
    expect((await clone.kruise(['plan', '--staged'])).err).toContain('plans are up to date\n');
    clone.write({ 'web.yaml': web('1.27'), [plan]: clone.read(plan).replace('"100%"', '"50%"') });
    clone.git('add', 'web.yaml');
    expect((await clone.kruise(['plan', '--staged'])).err).toContain(
      `warning[KR3010]: ${plan} was edited: kruise plan overwrites it`,
    );
  });

  test('that a hook of another repository names is not read', async () => {
    const other = repositoryWith({ 'api.yaml': api('1') });
    const clone = repositoryWith({ 'web.yaml': web('1.25') });
    clone.write({ 'web.yaml': web('1.26') });
    clone.git('add', '.');
    setEnv('GIT_INDEX_FILE', join(other.folder, '.git/index'));
    const env = { GIT_INDEX_FILE: join(other.folder, '.git/index') };
    expect((await clone.kruise(['plan', '--staged'], '.', env)).out).toContain('nginx:1.25 → nginx:1.26');
  });

  test('of a commit in progress is read', async () => {
    const clone = repositoryWith({ 'web.yaml': web('1.25') });
    clone.write({ 'web.yaml': web('1.26') });
    const index = join(clone.folder, '.git/next-index-1.lock');
    clone.git('read-tree', '--index-output', index, 'HEAD');
    clone.git('add', '.');
    for (const path of [index, '.git/next-index-1.lock']) {
      setEnv('GIT_INDEX_FILE', path);
      const ran = await clone.kruise(['plan', '--staged'], '.', { GIT_INDEX_FILE: path });
      expect(ran.out, path).toBe('Plan: 0 to roll out, 1 unchanged.\n');
    }
  });
});

describe('what git refuses', () => {
  test('is shown without what it traces, and with the whole command that helps', async () => {
    const folder = join(emptyFolder(), 'a folder');
    const clone = repositoryWith({ 'web.yaml': web('1.25') });
    clone.git('worktree', 'add', '--quiet', '--detach', folder);
    setEnv('GIT_TRACE', '1');
    setEnv('GIT_TEST_ASSUME_DIFFERENT_OWNER', '1');
    const ran = await cloneIn(folder).kruise(['plan']);
    expect(ran.err).toContain(`git cannot read the repository: detected dubious ownership`);
    expect(ran.err).toContain(`git config --global --add safe.directory '${folder}'\n`);
  });

  test('is not taken for a missing git where there is too much', () => {
    const git = (): never => {
      throw new TooMuch('git lists more than 256 MiB here');
    };
    expect(() => openRepository({ git, env: {} }, '/')).toThrow(
      expect.objectContaining({
        message: 'git lists more than 256 MiB here',
        help: 'plan a folder of the repository: kruise plan DIR',
      }),
    );
  });
});
