import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { cloneSet } from '../compiler/world/manifests.ts';
import { cloneOf, emptyFolder, repositoryWith, type Clone } from '../cli/git/clone.ts';
import { bundleKruise } from '../cli/world/bundle.ts';
import { root } from './cluster.ts';

const web = (tag: string): string => cloneSet({ image: `nginx:${tag}` });
const api = (tag: string): string => cloneSet({ name: 'api', image: `api:${tag}` });
const PLAN = 'plans/shop/cloneset-web/plan.yaml';
const API_PLAN = 'plans/shop/cloneset-api/plan.yaml';

let program = '';
beforeAll(async () => {
  const folder = emptyFolder();
  const bundle = await bundleKruise(folder);
  program = join(folder, 'kruise');
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${bundle}" "$@"\n`);
  chmodSync(program, 0o755);
}, 120_000);

interface Ran {
  code: number | null;
  err: string;
}

function script(clone: Clone, name: string, ...args: readonly string[]): Ran {
  const { status, stderr } = spawnSync('sh', [join(root, 'deploy/ci', name), ...args], {
    cwd: clone.folder,
    encoding: 'utf8',
    env: {
      PATH: process.env['PATH'],
      HOME: clone.folder,
      GIT_CONFIG_NOSYSTEM: '1',
      KRUISE: program,
      CI: 'true',
    },
  });
  return { code: status, err: stderr };
}

/** A repository on main, and a clone of it with a branch `feature`, as a pull request is one. */
function pullRequest(): { origin: Clone; clone: Clone } {
  const origin = repositoryWith({ 'web.yaml': web('1.25'), 'api.yaml': api('1') });
  const clone = cloneOf(origin);
  clone.git('checkout', '--quiet', '-b', 'feature');
  return { origin, clone };
}

/** What CI checks out: the merge of the branch into main as it is now. */
function checkOutMerge(clone: Clone): void {
  clone.git('fetch', '--quiet', 'origin');
  const head = clone.git('rev-parse', 'HEAD').trim();
  clone.git('checkout', '--quiet', '--detach', 'origin/main');
  clone.git('merge', '--quiet', '--no-edit', head);
}

function plan(clone: Clone): Ran & { files: (name: string) => string } {
  const out = emptyFolder();
  const ran = script(clone, 'plan.sh', out, '--base', 'origin/main');
  return { ...ran, files: (name) => readFileSync(join(out, name), 'utf8') };
}

describe('the job that checks plans, without a secret', () => {
  test('a branch with its plan passes, and has a comment', async () => {
    const { clone } = pullRequest();
    clone.write({ 'web.yaml': web('1.26') });
    await clone.kruise(['plan']);
    clone.commit('second');
    checkOutMerge(clone);
    const { code, files } = plan(clone);
    expect([code, files('annotations.txt').includes('::error')]).toEqual([0, false]);
    expect(files('comment.md')).toMatch(/^# Plan: 1 to roll out, 1 unchanged\.\n/);
    expect(JSON.parse(files('plan.json'))).toMatchObject({ groups: [{ kind: 'CloneSet' }] });
  }, 120_000);

  test('a fork without the plan fails with 20, and says why in each file', () => {
    const { origin, clone: fork } = pullRequest();
    fork.commit('no plan', { 'web.yaml': web('1.26') });
    // The forge fetches the head of the fork, and merges it.
    const ci = cloneOf(origin);
    ci.git('fetch', '--quiet', `file://${fork.folder}`, 'feature');
    ci.git('merge', '--quiet', '--no-edit', 'FETCH_HEAD');
    const { code, files } = plan(ci);
    expect(code).toBe(20);
    expect(files('annotations.txt')).toMatch(
      /^::error title=KR3018::plans\/shop\/cloneset-web\/plan.yaml is missing/,
    );
    expect(files('comment.md')).toMatch(/^# The check failed\n\n- error \*\*KR3018\*\*: /);
    expect(JSON.parse(files('code-quality.json'))).toMatchObject([
      { check_name: 'KR3018', severity: 'major' },
      {},
    ]);
  }, 120_000);

  test('a stale plan: the target has another size on main since', async () => {
    const { origin, clone } = pullRequest();
    clone.write({ 'web.yaml': web('1.26') });
    await clone.kruise(['plan']);
    clone.commit('second');
    origin.write({ 'web.yaml': cloneSet({ image: 'nginx:1.25', replicas: 20 }), 'api.yaml': api('2') });
    await origin.kruise(['plan']);
    origin.commit('meanwhile');
    checkOutMerge(clone);
    const { code, files } = plan(clone);
    expect(code).toBe(20);
    expect(files('comment.md')).toMatch(/^# The check failed\n/);
  }, 120_000);

  test('an error in a manifest is annotated at its line', () => {
    const { clone } = pullRequest();
    clone.commit('broken', { 'web.yaml': cloneSet({ replicas: 'many' }) });
    const { code, files } = plan(clone);
    expect(code).toBe(1);
    expect(files('annotations.txt')).toMatch(/^::error file=web.yaml,line=7,col=13,title=KR20\d\d::/);
  }, 120_000);
});

describe('the bot that commits plans', () => {
  const bot = (clone: Clone): Ran => script(clone, 'commit-plans.sh', 'origin/main', 'feature');
  const onOrigin = (origin: Clone, path: string): string => {
    try {
      return origin.git('show', `feature:${path}`);
    } catch {
      return '';
    }
  };
  /** A branch with a change, pushed. */
  function pushed(files: Readonly<Record<string, string>>): { origin: Clone; clone: Clone } {
    const both = pullRequest();
    both.clone.commit('change', files);
    both.clone.git('push', '--quiet', 'origin', 'feature');
    return both;
  }

  test('pushes the plan that is missing, which the check of the merge accepts, and does nothing after it', async () => {
    const { origin, clone } = pushed({ 'web.yaml': web('1.26') });
    // Main has gone on with another target, so that the merge is no commit of the branch.
    origin.write({ 'api.yaml': api('2') });
    await origin.kruise(['plan']);
    origin.commit('meanwhile');
    clone.git('fetch', '--quiet', 'origin');
    expect(bot(clone)).toMatchObject({
      code: 0,
      err: expect.stringContaining('pushed plans to feature') as string,
    });
    expect(onOrigin(origin, PLAN)).toContain('kind: RolloutPlan');
    expect(onOrigin(origin, API_PLAN)).toBe('');
    expect(clone.git('log', '-1', '--format=%an').trim()).toBe('kruise');
    const next = cloneOf(origin);
    next.git('checkout', '--quiet', 'feature');
    expect(bot(next).err).toContain('nothing is added to it');
    checkOutMerge(next);
    expect(plan(next).code).toBe(0);
  }, 240_000);

  test('commits nothing where the check passes', () => {
    const { origin, clone } = pushed({ 'README.md': 'text\n' });
    const before = origin.git('rev-parse', 'feature');
    expect(bot(clone)).toMatchObject({ code: 0, err: expect.stringContaining('in order') as string });
    expect(origin.git('rev-parse', 'feature')).toBe(before);
  }, 120_000);

  test('leaves a plan that somebody edited to a person', async () => {
    const { origin, clone } = pullRequest();
    clone.write({ 'web.yaml': web('1.26') });
    await clone.kruise(['plan']);
    clone.write({ [PLAN]: clone.read(PLAN).replace('100%', '99%') });
    clone.commit('edited');
    clone.git('push', '--quiet', 'origin', 'feature');
    const { code, err } = bot(clone);
    expect(code).toBe(21);
    expect(err).toContain('exit code 21 is for a person');
    expect(onOrigin(origin, PLAN)).toContain('99%');
  }, 120_000);

  test('does not push over a newer commit', () => {
    const { origin, clone } = pushed({ 'web.yaml': web('1.26') });
    const other = cloneOf(origin, '--branch', 'feature');
    other.commit('newer', { 'README.md': 'text\n' });
    other.git('push', '--quiet', 'origin', 'feature');
    expect(bot(clone).code).not.toBe(0);
    expect(origin.git('log', '-1', '--format=%s', 'feature').trim()).toBe('newer');
  }, 120_000);

  test('does not make a branch again that is gone, nor write to another one of its name', () => {
    const { origin, clone } = pushed({ 'web.yaml': web('1.26') });
    origin.git('branch', '-D', 'feature');
    expect(bot(clone)).toMatchObject({
      code: 1,
      err: expect.stringContaining('nothing is pushed') as string,
    });
    expect(origin.git('branch', '--list', 'feature')).toBe('');
    // A fork whose branch is called main, like that of the repository.
    const [main, head] = [origin.git('rev-parse', 'main'), clone.git('rev-parse', 'feature').trim()];
    clone.git('checkout', '--quiet', head);
    expect(script(clone, 'commit-plans.sh', 'origin/main', 'main').code).toBe(1);
    expect(origin.git('rev-parse', 'main')).toBe(main);
  }, 240_000);

  test('says which commit is missing', () => {
    const { clone } = pushed({ 'web.yaml': web('1.26') });
    const { code, err } = script(clone, 'commit-plans.sh', 'origin/develop', 'feature');
    expect([code, err]).toEqual([
      1,
      'commit-plans: origin/develop is not in this clone: fetch it with its history\n',
    ]);
  });

  test('touches nothing of a working tree with changes', () => {
    const { clone } = pushed({ 'web.yaml': web('1.26') });
    clone.write({ 'notes.txt': 'mine\n' });
    expect(bot(clone)).toMatchObject({ code: 1 });
    expect(clone.read('notes.txt')).toBe('mine\n');
  }, 120_000);
});

test('the hook refuses a commit without the plan of what is staged', async () => {
  const { clone } = pullRequest();
  // As the page has it: the hook of the package, and its program.
  const [hooks, modules] = ['.git/hooks', 'node_modules/.bin'].map((path) => join(clone.folder, path));
  for (const folder of [hooks, modules]) mkdirSync(folder ?? '', { recursive: true });
  symlinkSync(join(root, 'deploy/ci/pre-commit'), join(hooks ?? '', 'pre-commit'));
  symlinkSync(program, join(modules ?? '', 'kruise'));
  clone.write({ '.git/info/exclude': 'node_modules\n' });
  clone.write({ 'web.yaml': web('1.26') });
  clone.git('add', 'web.yaml');
  expect(() => clone.git('commit', '--quiet', '-m', 'no plan')).toThrow(/KR3018/);
  await clone.kruise(['plan']);
  clone.git('add', '.');
  clone.git('commit', '--quiet', '-m', 'with its plan');
  expect(clone.git('log', '-1', '--format=%s').trim()).toBe('with its plan');
}, 120_000);

test('every script is valid for sh', () => {
  for (const name of ['kruise.sh', 'plan.sh', 'commit-plans.sh', 'pre-commit']) {
    const path = join(root, 'deploy/ci', name);
    expect(existsSync(path)).toBe(true);
    execFileSync('sh', ['-n', path]);
  }
});
