import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { githubWorkflow, gitlabPipeline } from '../../cli/init/texts.ts';
import { cloneSet, kruise } from '../compiler/world/manifests.ts';

const kustomization = (resources: readonly string[], kind = 'Kustomization'): string =>
  `kind: ${kind}\nresources: [${resources.join(', ')}]\n`;

async function init(files: Record<string, string>, args: readonly string[] = []) {
  const { host, code } = await kruise(files, { args: ['init', ...args] });
  const written = [...host.files].filter(([path]) => !Object.hasOwn(files, path.replace('/repo/', '')));
  return {
    host,
    code,
    written: new Map(written.map(([path, text]) => [path.replace('/repo/', ''), String(text)])),
  };
}

describe('kruise init', () => {
  test('an empty folder: a configuration that kruise accepts, and what to type next', async () => {
    const { host, code, written } = await init({ 'README.md': '' });
    expect([code, host.err]).toEqual([0, '']);
    expect([...written.keys()].sort()).toEqual(['.gitattributes', 'kruise.yaml']);
    expect(written.get('.gitattributes')).toBe('plans/** text eol=lf -merge\n');
    expect(host.out).toContain(
      'Found no manifest of apps.kruise.io yet.\nWrote kruise.yaml, .gitattributes.\n',
    );
    expect(host.out).toMatch(
      /"Plan rollouts"\n {2}# write a manifest of apps\.kruise\.io, then\n {2}kruise validate\n$/,
    );
    // What it wrote, beside other files and no manifest yet, is nothing to complain about.
    const config = { 'kruise.yaml': written.get('kruise.yaml') ?? '', 'compose.yaml': 'services: {}\n' };
    const validated = await kruise(config, { args: ['validate'] });
    expect([validated.code, validated.host.err]).toEqual([0, '']);
    const named = { ...config, 'kruise.yaml': 'steps: [{match: {name: web}}]\n' };
    expect((await kruise(named, { args: ['validate'] })).host.err).toContain('KR4006');
  });

  test('what it writes is valid, and plans in three batches', async () => {
    const { written } = await init({ 'manifests/web.yaml': cloneSet() });
    const config = written.get('kruise.yaml') ?? '';
    const { host, code } = await kruise(
      {
        'base/web.yaml': cloneSet({ image: 'nginx:1' }),
        'head/web.yaml': cloneSet({ image: 'nginx:2' }),
        'head/kruise.yaml': config,
        'base/kruise.yaml': config,
      },
      { args: ['plan', 'head', '--base-dir', 'base'] },
    );
    expect(code).toBe(0);
    expect(host.err).not.toContain('error');
    expect(host.out).toContain('soak');
  });

  test('plain manifests, by the folders at the top', async () => {
    const { host } = await init({
      'apps/shop/web.yaml': cloneSet(),
      'infra/budget.yaml': 'apiVersion: policy.kruise.io/v1alpha1\nkind: PodUnavailableBudget\n',
      'json/one-line.json': '{"kind":"StatefulSet","apiVersion":"apps.kruise.io/v1beta1"}',
      'lists/all.yaml':
        'apiVersion: v1\nkind: List\nitems:\n- apiVersion: apps.kruise.io/v1alpha1\n  kind: CloneSet\n',
      'other/deployment.yaml': 'apiVersion: apps/v1\nkind: Deployment\n',
      'notes/ours.yaml': '# apiVersion: apps.kruise.io/v1alpha1\n',
      'node_modules/a/web.yaml': cloneSet(),
      '.hidden/web.yaml': cloneSet(),
    });
    expect(host.out).toContain(
      'Found manifests in apps/, manifests in infra/, manifests in json/, manifests in lists/.\n',
    );
  });

  test('kustomize: each overlay that no other takes is a root', async () => {
    const { host, written } = await init({
      'base/kustomization.yaml': kustomization(['web.yaml']),
      'base/web.yaml': cloneSet(),
      'overlays/prod/kustomization.yaml': kustomization(['../../base', 'https://example.com/a']),
      'overlays/dev/kustomization.yml': kustomization(['../../base/']),
      'parts/kustomization.yaml': kustomization([], 'Component'),
      'tools/prod/kustomization.yaml': kustomization([]),
    });
    expect(written.get('kruise.yaml')).toContain(`roots:
  - { name: dev, path: overlays/dev, render: [kubectl, kustomize, .] }
  - { name: overlays-prod, path: overlays/prod, render: [kubectl, kustomize, .] }
  - { name: tools-prod, path: tools/prod, render: [kubectl, kustomize, .] }
`);
    expect(host.out).toContain('  kruise plan --allow-render\n');
  });

  test('a chart, beside plain manifests', async () => {
    const { host, written } = await init({
      'chart/Chart.yaml': 'name: web\n',
      'chart/templates/web.yaml': cloneSet(),
      'manifests/db.yaml': cloneSet({ name: 'db' }),
    });
    expect(written.get('kruise.yaml')).toContain(`roots:
  - { name: manifests, path: manifests }
  - { name: chart, path: chart, render: [helm, template, chart, .] }
`);
    expect(host.out).toContain('Add namespace and values of each release');
  });

  test('GitHub gets a workflow', async () => {
    const { written } = await init({ '.git/HEAD': '', '.github/CODEOWNERS': '', 'web.yaml': cloneSet() });
    const workflow = written.get('.github/workflows/kruise-plans.yaml');
    expect(workflow).toMatch(/\/deploy\/ci\/github\/plan@v\S+ # where you keep kruise\n$/);
    // The page shows the same one.
    const page = readFileSync(new URL('../../docs/how-to/ci.md', import.meta.url), 'utf8');
    expect(page).toContain(`\`\`\`yaml\n${workflow}\`\`\`\n`);
  });

  test('the pipelines name files that exist, and render where kruise.yaml has commands', () => {
    const texts = [githubWorkflow('0.1.0', true), gitlabPipeline('0.1.0', true)];
    for (const text of texts) {
      const [, path = ''] = /\/(deploy\/ci\/[\w/.-]+)/.exec(text) ?? [];
      expect(existsSync(new URL(`../../${path}`, import.meta.url)), path).toBe(true);
      expect(JSON.stringify(parse(text))).toContain('--allow-render');
    }
    // The job that writes a note knows no manifest, and has the variables of the template alone.
    const template = parse(
      readFileSync(new URL('../../deploy/ci/gitlab.yml', import.meta.url), 'utf8'),
    ) as object;
    const { variables } = parse(texts[1] ?? '') as { variables: object };
    expect(Object.keys((template as { variables: object }).variables)).toEqual(Object.keys(variables));
  });

  test('it adds to .gitattributes once, and replaces nothing', async () => {
    const { written, host } = await init({ '.gitattributes': '*.png binary' });
    expect([...written.keys()]).toEqual(['kruise.yaml']);
    expect(host.files.get('/repo/.gitattributes')).toBe('*.png binary\nplans/** text eol=lf -merge\n');
    const again = await init({ '.gitattributes': 'plans/** text\n' });
    expect(again.host.files.get('/repo/.gitattributes')).toBe('plans/** text\n');
    const there = await init({ 'kruise.yaml': 'steps: []\n' });
    expect([there.code, there.written.size]).toEqual([1, 0]);
    expect(there.host.err).toBe(
      'kruise init: kruise.yaml is there already; nothing was written; kruise plan uses it\n',
    );
  });

  test('below a kruise.yaml that counts already it writes none', async () => {
    const files = {
      '/repo/.git/HEAD': '',
      '/repo/kruise.yaml': 'steps: []\n',
      '/repo/apps/web.yaml': cloneSet(),
    };
    const { host, code } = await kruise(files, { args: ['init'], cwd: '/repo/apps' });
    expect(code).toBe(1);
    expect(host.err).toContain('/repo/kruise.yaml is there already');
  });

  test('folders that differ in letters of names alone are roots of different names', async () => {
    const { written } = await init({
      'a_b/web.yaml': cloneSet(),
      'a-b/web.yaml': cloneSet({ name: 'other' }),
      'chart/Chart.yaml': '',
    });
    expect(written.get('kruise.yaml')).toContain(`  - { name: a-b, path: a-b }
  - { name: a-b-2, path: a_b }
`);
  });

  test('--dry-run prints the files and writes none', async () => {
    const { host, written } = await init({ 'web.yaml': cloneSet() }, ['--dry-run']);
    expect(written.size).toBe(0);
    expect(host.out).toMatch(/^--- kruise.yaml\n# How the workloads/);
  });

  test('paths of a repository are text: they reach neither terminal nor YAML as more', async () => {
    const { host, written } = await init({ 'a: b\u001b[31m/kustomization.yaml': kustomization([]) });
    expect(host.out).not.toContain('\u001b');
    expect(written.get('kruise.yaml')).toContain('path: "a: b\\u001b[31m", render:');
  });
});
