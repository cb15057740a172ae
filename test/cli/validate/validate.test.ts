import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cloneSet } from '../../compiler/world/manifests.ts';
import { cloneIn, emptyFolder, repositoryWith } from '../git/clone.ts';

const web = cloneSet();
const api = cloneSet({ name: 'api' });
const broken = web.replace('replicas: 10', 'replicas: ten');
const brokenApi = api.replace('replicas: 10', 'replicas: ten');

describe('kruise validate reads', () => {
  test('a file outside of the working directory, with the kruise.yaml of its repository', async () => {
    const other = repositoryWith({
      'apps/web.yaml': web.replace('nginx:1.25', 'nginx'),
      'kruise.yaml': 'images: any',
    });
    const here = cloneIn(emptyFolder());
    const file = join(other.folder, 'apps/web.yaml');
    expect(await here.kruise(['validate', file])).toMatchObject({
      code: 0,
      out: '1 object in 1 file: valid.\n',
    });
    other.write({ 'apps/kruise.yaml': 'images: tag' });
    expect((await here.kruise(['validate', file])).err).toContain('warning[KR2109]');
  });

  test('several paths, here and elsewhere', async () => {
    const other = repositoryWith({ 'apps/web.yaml': web, 'more/api.yaml': brokenApi });
    const here = cloneIn(emptyFolder());
    here.write({ 'a/web.yaml': web, 'b.yaml': api, 'c/broken.yaml': broken });
    const paths = ['a', 'b.yaml', join(other.folder, 'apps'), join(other.folder, 'more/api.yaml')];
    const ran = await here.kruise(['validate', ...paths, '-o', 'json']);
    expect(ran.code).toBe(1);
    expect(JSON.parse(ran.out)).toMatchObject({
      objects: 4,
      files: 4,
      diagnostics: [{ code: 'KR2002', file: join(other.folder, 'more/api.yaml') }],
    });
    const related = await here.kruise(['validate', '../' + other.folder.split('/').at(-1) + '/apps']);
    expect(related).toMatchObject({ code: 0 });
  });

  test('each folder outside of git by itself', async () => {
    const [one, two] = [cloneIn(emptyFolder()), cloneIn(emptyFolder())];
    one.write({ 'web.yaml': web });
    two.write({ 'web.yaml': web });
    const ran = await cloneIn(emptyFolder()).kruise(['validate', one.folder, two.folder]);
    expect(ran).toMatchObject({ code: 0, out: '2 objects in 2 files: valid.\n' });
  });

  test('the same object in two paths of one repository', async () => {
    const other = repositoryWith({ 'a/web.yaml': web, 'b/web.yaml': web });
    const paths = [join(other.folder, 'a'), join(other.folder, 'b')];
    const ran = await cloneIn(emptyFolder()).kruise(['validate', ...paths]);
    expect(ran.err).toContain('error[KR1016]: CloneSet shop/web is declared twice');
  });
});

describe('kruise validate - reads standard input', () => {
  const here = cloneIn(emptyFolder());
  const validate = (input: string, ...more: string[]) =>
    here.kruise(['validate', '-', ...more], '.', {}, input);

  test('with several documents and Lists, at their lines', async () => {
    const list = `apiVersion: v1\nkind: List\nitems:\n- ${broken.trimEnd().replaceAll('\n', '\n  ')}\n`;
    const ran = await validate(`${api}---\n${list}`);
    expect(ran).toMatchObject({ code: 1, out: '' });
    expect(ran.err).toContain('  --> <stdin>:29:15\n');
    expect(await validate(`${api}---\n---\n${web}`)).toMatchObject({
      code: 0,
      out: '2 objects in 1 file: valid.\n',
    });
  });

  test('next to files', async () => {
    here.write({ 'web.yaml': web });
    expect(await validate(api, 'web.yaml')).toMatchObject({ code: 0, out: '2 objects in 2 files: valid.\n' });
    expect((await validate(web, 'web.yaml')).err).toContain('error[KR1016]');
  });

  test('and takes an empty one for a command that failed', async () => {
    expect(await validate('\n')).toMatchObject({
      code: 1,
      out: '',
      err: 'kruise validate: standard input is empty; see whether the command before it failed\n',
    });
    expect(await validate('# nothing\n')).toMatchObject({ code: 0 });
  });
});
