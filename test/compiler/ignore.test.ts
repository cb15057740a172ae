import { describe, expect, test } from 'vitest';
import { ignoreList } from '../../compiler/load/ignore.ts';
import { cloneSet, diagnosticsOf, kruise } from './world/manifests.ts';

const web = cloneSet();

describe('a pattern of ignore', () => {
  test.each([
    ['drafts', 'drafts', true],
    ['drafts', 'apps/drafts', true],
    ['drafts/', 'apps/drafts', true],
    ['drafts', 'apps/drafts.yaml', false],
    ['/drafts', 'apps/drafts', false],
    ['./drafts', 'drafts', true],
    ['apps/drafts', 'apps/drafts', true],
    ['apps/drafts', 'more/apps/drafts', false],
    ['*.tmpl.yaml', 'a/web.tmpl.yaml', true],
    ['*.tmpl.yaml', 'a/web.yaml', false],
    ['apps/*/old', 'apps/shop/old', true],
    ['apps/*/old', 'apps/shop/deep/old', false],
    ['apps/**/old', 'apps/old', true],
    ['apps/**/old', 'apps/shop/deep/old', true],
    ['apps/**', 'apps', true],
    ['apps/**', 'apps/web.yaml', true],
    ['**/test', 'a/b/test', true],
    ['web?.yaml', 'web1.yaml', true],
    ['web?.yaml', 'web.yaml', false],
    ['a*b*c', 'aXbYbc', true],
    ['a*b*c', 'aXbYbd', false],
    ['.', 'a', false],
  ])('%s and %s: %j', (pattern, path, isIgnored) => {
    expect(ignoreList([pattern]).has(path)).toBe(isIgnored);
  });

  test('with many stars is matched without trying all ways', () => {
    const pattern = `${'*a'.repeat(200)}b`;
    const folders = `${'**/'.repeat(200)}b`;
    const names = `${'a'.repeat(2_000)}/${'a/'.repeat(1_000)}a`;
    expect(ignoreList([pattern, folders]).has(names)).toBe(false);
  });

  test('is unused only where it could have matched', () => {
    const unused = (pattern: string, paths: string[]): number => ignoreList([pattern]).unused(paths).length;
    expect(unused('old', [''])).toBe(1);
    expect(unused('old', ['apps'])).toBe(0);
    expect(unused('apps/old', ['apps'])).toBe(1);
    expect(unused('apps/old/x', ['apps/new'])).toBe(0);
    expect(unused('apps/*/x', ['apps/new'])).toBe(0);
    const list = ignoreList(['old', '*']);
    list.has('old');
    expect(list.unused([''])).toEqual([]);
  });
});

describe('ignored files', () => {
  const ignore = (...patterns: string[]) => ({ 'head/kruise.yaml': JSON.stringify({ ignore: patterns }) });

  test('are read neither at head nor at base', async () => {
    const files = {
      'head/web.yaml': web,
      'head/drafts/broken.yaml': 'a: [',
      'base/web.yaml': web,
      'base/old/api.yaml': cloneSet({ name: 'api' }),
      ...ignore('drafts', 'old/**'),
    };
    const { host, code } = await kruise(files);
    expect(host.err).toBe('');
    expect({ code, out: host.out }).toMatchObject({ code: 0, out: 'Plan: 0 to roll out, 1 unchanged.\n' });
  });

  test('may be folders of Helm and kustomize', async () => {
    const files = {
      'head/web.yaml': web,
      'head/chart/Chart.yaml': '',
      'head/more/charts/a/Chart.yaml': '',
      'head/kustomization.yaml': '',
    };
    const all = { ...files, ...ignore('/chart', 'more/charts/**', 'kustomization.yaml') };
    expect(await diagnosticsOf(all, { args: ['validate', 'head'] })).toMatchObject({ positions: [] });
  });

  test('are relative to kruise.yaml, also in a run over a part', async () => {
    const files = {
      'kruise.yaml': 'ignore: [head/apps/old, elsewhere/old]\n',
      'head/apps/web.yaml': web,
      'head/apps/old/a.yaml': 'a: [',
      'base/web.yaml': web,
      'base/old/a.yaml': 'a: [',
    };
    const { host, code } = await kruise(files, { args: ['plan', 'head/apps', '--base-dir', 'base'] });
    expect({ code, err: host.err }).toEqual({ code: 0, err: '' });
  });

  test('that are named are not read, and the run says why', async () => {
    const files = { 'kruise.yaml': 'ignore: [drafts]\n', 'drafts/web.yaml': web };
    const { host, code } = await kruise(files, { args: ['validate', 'drafts/web.yaml'] });
    expect(code).toBe(1);
    expect(host.err).toContain("warning[KR4031]: drafts/web.yaml is not read: 'drafts' ignores it");
    expect(host.err).toContain('  --> kruise.yaml:1:10\n');
    expect(host.err).toContain('no *.yaml, *.yml or *.json file in drafts/web.yaml\n');
  });
});
