import { chmodSync, existsSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { findBinaries } from '../../e2e/binaries.ts';
import { cloneSet } from '../../compiler/world/manifests.ts';
import { type Clone, emptyFolder, repositoryWith } from '../git/clone.ts';

const template = cloneSet({ image: 'nginx:TAG' });
const web = (tag: string): string => cloneSet({ image: `nginx:${tag}` });
const PLAN = 'shop/cloneset-web/plan.yaml';
const ALLOWED = ['plan', '--allow-render'];

/** Prints the manifest of the base with the tag of the root, and leaves a trace. */
const script = '#!/bin/sh\n: > ran\nsed "s/TAG/$(cat tag)/" ../base/web.yaml\n';

function rendered(roots: string, files: Readonly<Record<string, string>> = {}): Clone {
  return repositoryWith({
    'kruise.yaml': `roots:\n${roots}`,
    'base/web.yaml': template,
    '.gitignore': 'ran\n',
    'prod/tag': '1.25',
    'prod/render.sh': script,
    ...files,
  });
}

const prod = '- {name: prod, path: prod, render: [sh, render.sh]}\n';

/** The folder of temporary folders. */
let temporary = '';
beforeEach(() => {
  temporary = emptyFolder();
  vi.stubEnv('TMPDIR', temporary);
});
afterEach(() => {
  vi.unstubAllEnvs();
  const left = readdirSync(temporary).filter((name) => name.startsWith('kruise-render-'));
  if (left.length > 0) throw new Error(`left behind: ${left.join(', ')}`);
});

describe('a root with a command', () => {
  test('runs nothing without --allow-render, and says what would run', async () => {
    const staging = '- {name: staging, path: base, render: [helm, template, "a b", .]}\n';
    const clone = rendered(prod + staging);
    for (const command of ['plan', 'validate']) {
      const ran = await clone.kruise([command]);
      expect(ran).toMatchObject({ code: 1, out: '' });
      expect(ran.err).toContain('error[KR4032]: the root prod is rendered by a command: sh render.sh\n');
      expect(ran.err).toContain('help: allow it with --allow-render; it runs in prod of head, and of base\n');
      expect(ran.err).toContain("by a command: helm template 'a b' .\n  --> kruise.yaml:3:");
    }
    expect(existsSync(join(clone.folder, 'prod/ran'))).toBe(false);
  });

  test('is planned as what it prints, at head in the working tree, at base in the files of the commit', async () => {
    const clone = rendered(prod, { 'a/web.yaml': web('1.25'), 'b/web.yaml': web('1.26') });
    // At base, the script of base runs on the files of base.
    clone.write({ 'prod/tag': '1.26', 'prod/render.sh': `${script}echo '# later'\n` });
    const ran = await clone.kruise(ALLOWED);
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.out).toContain('nginx:1.25 → nginx:1.26');
    expect(ran.err).toContain(`wrote plans/prod/${PLAN}\n`);
    await clone.kruise(['plan', 'b', '--base-dir', 'a']);
    expect(clone.read(`plans/prod/${PLAN}`)).toBe(clone.read(`b/plans/${PLAN}`));
    expect(await clone.kruise(ALLOWED, '.', { CI: 'true' })).toMatchObject({ code: 0 });
    expect(JSON.stringify(ran)).not.toContain('kruise-render-');
  });

  test('is planned in the same way from a subfolder, a path, a commit, the index and a folder', async () => {
    const clone = rendered(prod);
    clone.write({ 'prod/tag': '1.26' });
    await clone.kruise(ALLOWED);
    const first = clone.read(`plans/prod/${PLAN}`);
    const isSame = { code: 0 };
    const CI = { CI: 'true' };
    expect(await clone.kruise(ALLOWED, 'prod', CI)).toMatchObject(isSame);
    expect(await clone.kruise([...ALLOWED, 'prod'], '.', CI)).toMatchObject(isSame);
    expect(await clone.kruise([...ALLOWED, '-f', 'prod'], '.', CI)).toMatchObject(isSame);
    clone.git('add', '--all');
    clone.write({ 'prod/tag': '9' });
    expect(await clone.kruise([...ALLOWED, '--staged'], '.', CI)).toMatchObject(isSame);
    clone.git('checkout', '--quiet', '-b', 'next');
    clone.git('commit', '--quiet', '-m', 'staged');
    expect(await clone.kruise([...ALLOWED, '--head', 'next', '--base', 'main'])).toMatchObject(isSame);
    const base = join(temporary, 'base');
    clone.git('worktree', 'add', '--quiet', '--detach', base, 'main');
    clone.write({ 'prod/tag': '1.26' });
    expect(await clone.kruise([...ALLOWED, '--base-dir', base], '.', CI)).toMatchObject(isSame);
    expect(clone.read(`plans/prod/${PLAN}`)).toBe(first);
    clone.git('worktree', 'remove', base);
  });

  test('has at base the modes and links of the commit', async () => {
    const clone = rendered('- {name: prod, path: prod, render: [./link.sh]}\n');
    chmodSync(join(clone.folder, 'prod/render.sh'), 0o755);
    symlinkSync('render.sh', join(clone.folder, 'prod/link.sh'));
    clone.commit('a link to a program');
    clone.write({ 'prod/tag': '1.26' });
    const ran = await clone.kruise(ALLOWED);
    expect(ran.out).toContain('nginx:1.25 → nginx:1.26');
  });

  test('is compared with the branch that the change goes to, if the base is another one', async () => {
    const clone = rendered(prod);
    clone.git('branch', 'release');
    clone.commit('main', { 'prod/tag': '1.26' });
    clone.git('checkout', '--quiet', '-b', 'feature');
    clone.write({ 'prod/tag': '1.27' });
    const ran = await clone.kruise([...ALLOWED, '--base', 'release']);
    expect(ran.code).toBe(1);
    expect(ran.err).toContain(
      'error[KR3015]: CloneSet shop/web has another template on main than at the base release',
    );
    clone.write({ 'prod/tag': '1.26' });
    expect(await clone.kruise([...ALLOWED, '--base', 'release'])).toMatchObject({ code: 0 });
    clone.commit('broken', { 'prod/render.sh': 'exit 3\n' });
    clone.git('checkout', '--quiet', '-B', 'main');
    clone.git('checkout', '--quiet', '-B', 'feature');
    clone.write({ 'prod/render.sh': script });
    expect((await clone.kruise([...ALLOWED, '--base', 'release'])).err).toContain(
      'the root prod at main was not rendered: sh render.sh ended with exit code 3',
    );
  });

  test('that base has in another folder was moved', async () => {
    const clone = rendered(prod);
    clone.git('mv', 'prod', 'production');
    clone.write({
      'kruise.yaml': 'roots:\n- {name: prod, path: production, render: [sh, render.sh]}\n',
      'production/tag': '1.26',
    });
    expect((await clone.kruise(ALLOWED)).out).toContain('nginx:1.25 → nginx:1.26');
  });

  test('that base does not have is new', async () => {
    const clone = repositoryWith({ 'README.md': '' });
    clone.write({ 'kruise.yaml': `roots:\n${prod}`, 'base/web.yaml': template });
    clone.write({ 'prod/tag': '1.25', 'prod/render.sh': script });
    expect((await clone.kruise(ALLOWED)).out).toContain('1 to create');
  });

  test.each([
    ['echo broken >&2; exit 3', 'ended with exit code 3: broken\n'],
    [
      'for i in 1 2 3 4; do echo line $i >&2; done; exit 1',
      'ended with exit code 1: line 2 | line 3 | line 4\n',
    ],
    ['exit 1', 'ended with exit code 1, and gives no reason\n'],
    ['kill -9 $$', 'was ended by SIGKILL, and gives no reason\n'],
    ['', 'printed nothing\n'],
  ])('reports a command that fails: %s', async (line, problem) => {
    const clone = rendered(prod, { 'prod/render.sh': `${line}\n` });
    const ran = await clone.kruise(ALLOWED);
    expect(ran).toMatchObject({ code: 1, out: '' });
    expect(ran.err).toContain(
      `error[KR4033]: the root prod at head was not rendered: sh render.sh ${problem}`,
    );
    expect(ran.err).toContain('nothing was written\n');
  });

  test('reports one that fails at base, without the path of the temporary folder', async () => {
    const clone = rendered(prod, { 'prod/render.sh': 'echo "in $PWD/x" >&2; exit 1\n' });
    clone.write({ 'prod/render.sh': script });
    const ran = await clone.kruise(ALLOWED);
    expect(ran.err).toContain(
      'the root prod at base was not rendered: sh render.sh ended with exit code 1: in prod/x\n',
    );
  });

  test('reports a missing program and folder', async () => {
    const clone = rendered(
      '- {name: a, path: prod, render: [no-such-program]}\n- {name: b, path: none, render: [sh]}\n',
    );
    const ran = await clone.kruise(ALLOWED);
    expect(ran.err).toContain('no-such-program is not a program here\n');
    expect(ran.err).toContain('help: install it, or correct the command\n');
    expect(ran.err).toContain('error[KR4034]: the path of the root b does not exist: none\n');
    expect(ran.err).toContain('2 errors\n');
  });

  test('shows the lines of what was printed', async () => {
    const clone = rendered(prod);
    clone.write({ 'base/web.yaml': template.replace('replicas: 10', 'replicas: x') });
    const ran = await clone.kruise(ALLOWED);
    expect(ran.err).toContain('  --> <prod at head>:7:13\n');
    expect(ran.err).toContain(' 7 |   replicas: x\n');
  });

  const kubectl = findBinaries().at(-1)?.path;
  test.skipIf(kubectl === undefined)('may be kubectl kustomize', async () => {
    const clone = repositoryWith({
      'kruise.yaml': `roots: [{name: prod, path: overlays/prod, render: ['${kubectl}', kustomize, .]}]\n`,
      'base/web.yaml': cloneSet({ image: 'nginx' }),
      'base/kustomization.yaml': 'resources: [web.yaml]\n',
      'overlays/prod/kustomization.yaml':
        "resources: [../../base]\nimages: [{name: nginx, newTag: '1.25'}]\n",
    });
    clone.write({
      'overlays/prod/kustomization.yaml':
        "resources: [../../base]\nimages: [{name: nginx, newTag: '1.26'}]\n",
    });
    expect((await clone.kruise(ALLOWED)).out).toContain('nginx:1.25 → nginx:1.26');
  });
});
