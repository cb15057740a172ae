import { type Dirent, existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { kruise } from '../../compiler/world/manifests.ts';
import { web } from '../../stories/manifests.ts';
import { repositoryWith } from '../git/clone.ts';

const job = `apiVersion: apps.kruise.io/v1beta1
kind: AdvancedCronJob
metadata: {name: tidy, namespace: shop}
spec:
  schedule: "0 * * * *"
  template:
    jobTemplate:
      spec: {template: {spec: {restartPolicy: Never, containers: [{name: tidy, image: "tidy:1"}]}}}
`;
const config = `roots:
  - { name: prod, path: built/prod, source: { path: apps } }
  - { name: staging, path: built/staging, source: { path: overlays/staging, render: [sh, render.sh] } }
  - { name: tools, path: tools }
`;
const files = {
  'kruise.yaml': config,
  'apps/tidy.yaml': job,
  'apps/web.yaml': web(),
  'overlays/staging/render.sh': ': > ran\nsed s/shop/staging/ ../../apps/tidy.yaml\n',
  'tools/a.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n',
};

interface Ran {
  code: number;
  err: string;
  /** The files below `built`. */
  built: Record<string, string>;
  isRendered: boolean;
}

async function build(
  args: readonly string[] = ['--allow-render'],
  more: Record<string, string> = {},
): Promise<Ran> {
  const clone = repositoryWith({ ...files, ...more });
  const { folder } = clone;
  const { code, err } = await clone.kruise(['build', ...args]);
  const within = (top: string): string[] =>
    existsSync(top) ? readdirSync(top, { recursive: true, withFileTypes: true }).flatMap(filePath) : [];
  const top = join(folder, 'built');
  const built = within(top).map((path) => [path.slice(top.length + 1), readFileSync(path, 'utf8')] as const);
  const isRendered = existsSync(join(folder, 'overlays/staging/ran'));
  return { code, err, built: Object.fromEntries(built), isRendered };
}

function filePath(entry: Dirent): string[] {
  return entry.isFile() ? [join(entry.parentPath, entry.name)] : [];
}

describe('a build of the roots of kruise.yaml', () => {
  test('compiles each source into the folder of its root', async () => {
    const { code, err, built, isRendered } = await build();
    expect([code, Object.keys(built).sort()]).toEqual([
      0,
      ['prod/tidy.yaml', 'prod/web.yaml', 'staging/manifests.yaml'],
    ]);
    expect(built['prod/tidy.yaml']).toContain('kind: CronJob\n');
    expect(built['prod/web.yaml'], 'it stays').toBe(web());
    expect(built['staging/manifests.yaml']).toMatch(/kind: CronJob\n(.*\n)+ {2}namespace: staging\n/);
    expect(isRendered).toBe(true);
    expect(err).not.toContain('to ignore');
    const again = Object.fromEntries(Object.entries(built).map(([path, text]) => [`built/${path}`, text]));
    const check = ['--allow-render', '--check'];
    expect((await build(check, again)).code).toBe(0);
    const differing = await build(check, { ...again, 'built/staging/manifests.yaml': job });
    expect([differing.code, differing.err]).toEqual([20, expect.stringContaining('built/staging/manifests')]);
  });

  test('runs no command and writes nothing without --allow-render', async () => {
    const { code, err, built, isRendered } = await build([]);
    expect([code, built, isRendered]).toEqual([1, {}, false]);
    expect(err).toContain('KR4032');
  });

  test('writes no folder if one of them fails', async () => {
    const { code, built } = await build(undefined, { 'apps/b.yaml': job.replace('0 * *', 'x * *') });
    expect([code, built]).toEqual([1, {}]);
  });

  test('refuses a source around another root, whose manifests would be planned twice', async () => {
    const inner = '  - { name: inner, path: apps/inner, source: { path: other } }\n';
    const { code, err, built } = await build(undefined, {
      'kruise.yaml': config + inner,
      'other/tidy.yaml': job.replace('name: tidy', 'name: other'),
    });
    expect([code, built]).toEqual([1, {}]);
    expect(err.replaceAll(/\s+/g, ' ')).toContain('the source of prod and the folder of the root inner');
  });

  test.each([
    [
      'a source that is not there',
      '{ path: nowhere }',
      'the source of the root prod does not exist: nowhere',
    ],
    ['a source around its root', '{ path: built }', 'the source of prod and the folder of the root prod'],
    ['a source in another root', '{ path: tools/x }', 'the source of prod and the folder of the root tools'],
    ['a source elsewhere', '{ path: ../x }', 'leads out of the folder of kruise.yaml'],
  ])('refuses %s', async (_what, source, problem) => {
    const { code, err, built } = await build(undefined, {
      'kruise.yaml': config.replace('{ path: apps }', source),
    });
    expect([code, built]).toEqual([1, {}]);
    expect(err).toContain('KR4034');
    expect(err.replaceAll(/\s+/g, ' ')).toContain(problem);
  });
});

describe('links do not lead a build into what it writes', () => {
  const apart = 'are not apart';
  test.each<[what: string, link: [at: string, to: string], args: string[], problem: string]>([
    ['--out is the source', ['out', 'apps'], ['apps', '-o', 'out'], apart],
    ['--out is in the source', ['out', 'apps'], ['apps', '-o', 'out/new'], apart],
    ['the source is --out', ['in', 'apps'], ['in', '-o', 'apps'], apart],
    ['the source is in --out', ['in', 'apps'], ['in', '-o', 'apps/new', '--check'], apart],
    ['a folder of the source is --out', ['apps/more', '../tools'], ['apps', '-o', 'tools'], 'KR1015'],
    [
      'a file of the source is in --out',
      ['apps/a.yaml', '../tools/a.yaml'],
      ['apps', '-o', 'tools'],
      'KR1015',
    ],
    ['a root is the source of another', ['built', '.'], ['--allow-render'], 'are one folder by a link'],
    ['two folders are one', ['built/staging', 'prod'], ['--allow-render'], 'are one file'],
  ])('%s', async (_what, [at, to], args, problem) => {
    const roots = config.replace('built/prod', 'built/apps').replace('built/staging', 'built/x');
    const isRooted = args[0] === '--allow-render';
    const clone = repositoryWith({
      ...files,
      'kruise.yaml': !isRooted ? '' : at === 'built' ? roots : config,
      ...(at === 'built/staging' && {
        'overlays/staging/render.sh': 'cat ../../apps/tidy.yaml',
        'built/prod/.keep': '',
      }),
      'apps/manifests.yaml': job.replace('name: tidy', 'name: other'),
    });
    symlinkSync(to, join(clone.folder, at));
    const { code, err } = await clone.kruise(['build', ...args]);
    expect([code, err.replaceAll(/\s+/g, ' ')]).toEqual([1, expect.stringContaining(problem)]);
    expect(clone.git('status', '--porcelain', '-uall').trim(), 'nothing is written').toBe(`?? ${at}`);
  });
});

test('a plan reads the folders of the roots alone: what is compiled gets no plan, and what stays has one', async () => {
  const { built } = await build();
  const state = (folder: string, image: string): Record<string, string> => ({
    [`${folder}/kruise.yaml`]: config.split('\n').slice(0, 2).join('\n'),
    [`${folder}/apps/tidy.yaml`]: job.replace('tidy:1', `tidy:${image}`),
    [`${folder}/apps/web.yaml`]: web({ image }),
    [`${folder}/built/prod/tidy.yaml`]: String(built['prod/tidy.yaml']).replace('tidy:1', `tidy:${image}`),
    [`${folder}/built/prod/web.yaml`]: web({ image }),
  });
  const { host, code } = await kruise(
    { ...state('head', 'nginx:2'), ...state('base', 'nginx:1') },
    { args: ['plan', 'head', '--base-dir', 'base'] },
  );
  expect(code).toBe(0);
  const plans = [...host.files.keys()].filter((path) => path.endsWith('/plan.yaml'));
  expect(plans).toEqual([expect.stringContaining('/head/plans/prod/')]);
  expect(host.err + host.out).not.toContain('AdvancedCronJob');
});
