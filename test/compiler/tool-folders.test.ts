import { describe, expect, test } from 'vitest';
import { memoryHost } from '../cli/world/memory-host.ts';
import { main } from '../../cli/dispatch.ts';
import { cloneSet, kruise } from './world/manifests.ts';

const web = cloneSet();

describe('a folder of kustomize or Helm is refused with the command that renders it', () => {
  test.each([
    ['kustomization.yaml', 'a kustomization', 'kubectl kustomize'],
    ['kustomization.yml', 'a kustomization', 'kubectl kustomize'],
    ['Kustomization', 'a kustomization', 'kubectl kustomize'],
    ['Chart.yaml', 'a Helm chart', 'helm template RELEASE'],
  ])('%s', async (file, what, command) => {
    const files = { 'head/app/web.yaml': web, [`head/app/${file}`]: '', 'base/app/web.yaml': web };
    const { host, code } = await kruise(files);
    expect(code).toBe(1);
    expect(host.err).toContain(`head/app is ${what}, not a folder of manifests\n`);
    expect(host.err).toContain(
      `: ${command} head/app | kruise plan -f - --base-file FILE. Or let kruise run it: `,
    );
  });

  test('also the file itself, and the working directory', async () => {
    const files = { 'app/web.yaml': web, 'app/kustomization.yaml': '' };
    const named = await kruise(files, { args: ['validate', 'app/kustomization.yaml'] });
    expect(named.host.err).toContain('error[KR1028]: app is a kustomization');
    const here = await kruise(
      { '/repo/app/kustomization.yaml': '' },
      { args: ['validate'], cwd: '/repo/app' },
    );
    expect(here.host.err).toContain('kubectl kustomize . |');
  });

  test.each([
    ['app/kustomization.yaml', 'app/web.yaml', 'app is a kustomization'],
    ['chart/Chart.yaml', 'chart/web.yaml', 'chart is a Helm chart'],
    ['chart/Chart.yaml', 'chart/templates', 'chart is a Helm chart'],
    ['chart/Chart.yaml', 'chart/templates/more/web.yaml', 'chart is a Helm chart'],
  ])('with %s, also %s in it', async (tool, named, message) => {
    const files = {
      [tool]: '',
      [named.endsWith('yaml') ? named : `${named}/web.yaml`]: web,
      'base/.keep': '',
    };
    for (const args of [['validate'], ['plan', '--base-dir', 'base']]) {
      const ran = await kruise(files, { args: [...args, named] });
      expect(ran.code).toBe(1);
      expect(ran.host.err).toContain(`error[KR1028]: ${message}, not a folder of manifests\n`);
    }
  });

  test('but not above the repository, and not where kruise.yaml ignores the file of the tool', async () => {
    const files = { 'Chart.yaml': '', 'one/.git/HEAD': '', 'one/apps/web.yaml': web };
    expect(await kruise(files, { args: ['validate', 'one/apps'] })).toMatchObject({ code: 0 });
    const ignored = { 'kruise.yaml': 'ignore: [Chart.yaml]\n', 'Chart.yaml': '', 'apps/web.yaml': web };
    const other = await kruise(ignored, { args: ['validate', 'apps'] });
    expect(other.host.err).toBe('');
  });

  test('a folder below it, and a folder of that name, are read', async () => {
    const files = { 'app/base/web.yaml': web, 'app/kustomization.yaml': '', 'more/Chart.yaml/api.yaml': web };
    for (const named of ['app/base', 'app/base/web.yaml'])
      expect(await kruise(files, { args: ['validate', named] })).toMatchObject({ code: 0 });
    expect(await kruise(files, { args: ['validate', 'more'] })).toMatchObject({ code: 0 });
  });

  test('but not in the folder of plans, where kustomization.yaml may list the plans for Flux', async () => {
    const files = { 'head/web.yaml': web, 'head/plans/kustomization.yaml': '', 'base/web.yaml': web };
    expect(await kruise(files)).toMatchObject({ code: 0 });
  });

  test('where kubectl is missing, with kustomize', async () => {
    const host = {
      ...memoryHost({ 'kustomization.yaml': '' }),
      hasProgram: (name: string) => name !== 'kubectl',
    };
    let printed = '';
    await main({ ...host, stderr: (text) => void (printed += text) }, ['validate']);
    expect(printed).toContain('plan its output: kustomize build . | kruise plan');
  });
});
