import { describe, expect, test } from 'vitest';
import { repositoryWith, type Clone } from '../cli/git/clone.ts';
import { cloneSet } from '../compiler/world/manifests.ts';

const web = (tag: string): string => cloneSet({ image: `nginx:${tag}` });
const api = (tag: string): string => cloneSet({ name: 'api', image: `api:${tag}` });
const check = (clone: Clone): ReturnType<Clone['kruise']> => clone.kruise(['plan', '--check']);

/** Main has a configuration; `feature` changes files and the configuration. */
function change(
  base: Readonly<Record<string, string>>,
  head: Readonly<Record<string, string | undefined>>,
): Clone {
  const clone = repositoryWith(base);
  clone.git('checkout', '--quiet', '-b', 'feature');
  clone.commit('feature', head);
  return clone;
}

describe('a change cannot take a workload out of the check', () => {
  const base = { 'kruise.yaml': '{}\n', 'a/web.yaml': web('1'), 'b/api.yaml': api('1') };

  test.each([
    ['by ignore', { 'kruise.yaml': 'ignore: [a]\n', 'a/web.yaml': web('2') }, 'ignore'],
    ['by ignore, where it is removed', { 'kruise.yaml': 'ignore: [a]\n', 'a/web.yaml': undefined }, 'ignore'],
    ['by roots', { 'kruise.yaml': 'roots: [{name: b, path: b}]\n', 'a/web.yaml': web('2') }, 'roots'],
  ] as const)('%s', async (_how, head, by) => {
    const clone = change(base, head);
    const ran = await check(clone);
    expect(ran).toMatchObject({ code: 23 });
    expect(ran.err).toContain(
      `error[KR3035]: CloneSet shop/web is at base, and ${by} of kruise.yaml at head leaves it out`,
    );
    const written = await clone.kruise(['plan', '--dry-run']);
    expect(written).toMatchObject({ code: 0 });
    expect(written.err).toContain('warning[KR3035]');
    // Once it was let go of on purpose, later changes pass.
    clone.git('checkout', '--quiet', '-B', 'main');
    clone.git('checkout', '--quiet', '-b', 'next');
    expect(await check(clone)).toMatchObject({ code: 0 });
  });

  test('by ignore and a copy that looks new', async () => {
    const head = { 'kruise.yaml': 'ignore: [a]\n', 'c/web.yaml': web('2'), 'a/web.yaml': undefined };
    const ran = await check(change(base, head));
    expect(ran).toMatchObject({ code: 20 });
    expect(ran.err).toContain('KR3018]: plans/shop/cloneset-web/plan.yaml is missing');
  });

  test.each([
    ['ignores', { 'kruise.yaml': 'ignore: [c]\n' }, 'c', 'ignore'],
    ['ignores in a folder', { 'kruise.yaml': 'ignore: [lib]\n' }, 'b/lib', 'ignore'],
    ['has no root for', { 'kruise.yaml': 'roots: [{name: b, path: b}]\n' }, 'c', 'roots'],
  ] as const)('by a move to what kruise.yaml %s', async (_how, configuration, folder, by) => {
    const moved = { [`${folder}/web.yaml`]: web('2'), 'a/web.yaml': undefined };
    const ran = await check(change(base, { ...configuration, ...moved }));
    expect(ran).toMatchObject({ code: 23 });
    if (by === 'ignore')
      expect(ran.err).toContain(
        `CloneSet shop/web is at base, and moved to ${folder}/web.yaml, which ignore of kruise.yaml at head leaves out`,
      );
    else expect(ran.err).toContain('KR3035]: CloneSet shop/web is at base');
  });

  const two = 'roots:\n- {name: a, path: a}\n- {name: b, path: b}\n';
  test.each([
    ['that another root ignores', two, `${two}ignore: [b/lib]\n`, 'b/lib', 'ignore'],
    ['of a root that is gone', `${two}- {name: c, path: c}\n`, two, 'c', 'roots'],
  ] as const)('by a move to a folder %s', async (_how, before, after, folder, by) => {
    const clone = change(
      { ...base, 'c/other.yaml': cloneSet({ name: 'other' }), 'kruise.yaml': before },
      { 'kruise.yaml': after, [`${folder}/web.yaml`]: web('2'), 'a/web.yaml': '' },
    );
    const ran = await check(clone);
    expect(ran).toMatchObject({ code: 23 });
    expect(ran.err).toContain(
      `CloneSet shop/web is at base, and moved to ${folder}/web.yaml, which ${by} of kruise.yaml at head leaves out`,
    );
  });

  test('but a copy in what is left out is no move', async () => {
    const head = { 'kruise.yaml': 'ignore: [docs]\n', 'docs/web.yaml': web('2'), 'b/api.yaml': api('1') };
    expect((await check(change(base, head))).err).not.toContain('KR3035');
  });

  test('by a root that is gone', async () => {
    const roots = 'roots:\n- {name: a, path: a}\n- {name: b, path: b}\n';
    const rendered = `${roots}- {name: c, path: c, render: [cat, web.yaml]}\n`;
    const clone = change(
      { ...base, 'c/web.yaml': web('1'), 'kruise.yaml': rendered },
      { 'kruise.yaml': 'roots:\n- {name: b, path: b}\n' },
    );
    const ran = await check(clone);
    expect(ran).toMatchObject({ code: 23 });
    expect(ran.err).toContain('KR3035]: CloneSet shop/web is at base');
    expect(ran.err).toContain('KR3035]: the root c is at base');
  });

  test('but may leave out what base leaves out, and begin with a configuration', async () => {
    const ignoring = { ...base, 'kruise.yaml': 'ignore: [a]\n' };
    const same = change(ignoring, { 'kruise.yaml': 'ignore: [a, "*.tmp"]\n', 'a/web.yaml': web('2') });
    expect((await check(same)).err).not.toContain('KR3035');
    const first = change(
      { 'a/web.yaml': web('1'), 'b/api.yaml': api('1') },
      { 'kruise.yaml': 'ignore: [a]\n' },
    );
    expect(await check(first)).toMatchObject({ code: 0 });
  });
});
