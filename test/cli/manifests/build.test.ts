import { describe, expect, test } from 'vitest';
import { kruise } from '../../compiler/world/manifests.ts';
import { cloneSet } from '../../compiler/world/manifests.ts';

const set = `# the mesh
apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata: {name: mesh}
spec:
  selector: {matchLabels: {app: web}}
  containers: [{name: mesh, image: "mesh:1"}]
`;
const podTemplate = `{metadata: {labels: {app: web}}, spec: {restartPolicy: Never, containers: [{name: web, image: "web:1"}]}}`;
const workload = (apiVersion: string, kind: string, spec: string): string =>
  `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: web, namespace: shop}\nspec: ${spec}\n`;
const deployment = workload('apps/v1', 'Deployment', `{template: ${podTemplate}}`);

async function built(
  files: Readonly<Record<string, string>>,
  args: readonly string[] = ['build', 'apps', '--sidecars'],
): Promise<{ code: number; out: string; err: string; files: ReadonlyMap<string, unknown> }> {
  const { host, code } = await kruise(files, { args: [...args] });
  return { code, out: host.out, err: host.err, files: host.files };
}

describe('kruise build --sidecars', () => {
  test.each<[what: string, text: string]>([
    ['a Deployment', deployment],
    ['a CronJob', workload('batch/v1', 'CronJob', `{jobTemplate: {spec: {template: ${podTemplate}}}}`)],
    [
      'a pod',
      workload('v1', 'Pod', '{containers: [{name: web, image: "web:1"}]}').replace(
        'name: web,',
        'name: web, labels: {app: web},',
      ),
    ],
    ['a CloneSet', cloneSet().replaceAll('app: web', 'app: web')],
    [
      'a kind that nobody knows',
      workload('example.org/v1', 'Thing', `{parts: {main: {template: ${podTemplate}}}}`),
    ],
    [
      'an item of a List',
      `apiVersion: v1\nkind: List\nitems:\n- ${deployment.trim().replaceAll('\n', '\n  ')}\n`,
    ],
  ])('writes them into %s', async (_what, text) => {
    const { code, out, err } = await built({ 'apps/a.yaml': set, 'apps/b.yaml': text });
    expect(err).toContain('sidecars in 1 of 1 template');
    expect(out).toMatch(/- name: mesh\n +image: mesh:1/);
    expect(out).toContain('kruise.io/sidecarset-injected-list: mesh');
    expect(code).toBe(0);
  });

  test('refuses a template with a container of the name of a sidecar, and writes nothing', async () => {
    const { code, out, err } = await built({
      'apps/a.yaml': set,
      'apps/b.yaml': deployment.replace('name: web, image', 'name: mesh, image'),
    });
    expect(err).toContain('SidecarSet mesh cannot be injected: the pod has the container mesh of its own');
    expect([code, out]).toEqual([1, '']);
  });

  test('leaves other documents as they are written, comments included', async () => {
    const other = '# mine\nkind: ConfigMap\napiVersion: v1\nmetadata: {name: x} # here\n';
    const { out } = await built({ 'apps/a.yaml': `${set}---\n${other}---\n${deployment}` });
    expect(out.startsWith(`${set}---\n${other}---\napiVersion: apps/v1\n`)).toBe(true);
  });

  test('writes all files below a folder, and what it wrote builds to itself', async () => {
    const first = await built({ 'apps/a.yaml': set, 'apps/deep/b.yaml': deployment }, [
      'build',
      'apps',
      '--sidecars',
      '--out',
      'built',
    ]);
    expect(first.err).toContain('sidecars in 1 of 1 template, 2 files in built');
    const a = String(first.files.get('/repo/built/a.yaml'));
    const b = String(first.files.get('/repo/built/deep/b.yaml'));
    expect(a).toBe(set);
    const again = await built({ 'apps/a.yaml': a, 'apps/deep/b.yaml': b });
    expect(again.out).toBe(`${a}---\n${b}`);
    expect(again.err).toContain('sidecars in 0 of 1 template');
  });

  test('names manifests of the folder that it did not write: a manifest that is gone leaves one', async () => {
    const args = ['build', 'apps', '--sidecars', '--out', 'built'];
    const left = { 'built/b.yaml': deployment, 'built/deep/c.yaml': deployment, 'built/notes.md': '' };
    const { err, code, files } = await built({ 'apps/a.yaml': set, ...left }, args);
    expect(err).toContain(
      'kruise build: built holds 2 manifests that were not built now: built/b.yaml, built/deep/c.yaml. Delete each whose source is gone\n',
    );
    expect(code).toBe(0);
    expect(files.has('/repo/built/b.yaml')).toBe(true);
    const clean = await built({ 'apps/a.yaml': set, 'built/a.yaml': set }, args);
    expect(clean.err).not.toContain('holds');
  });

  test('knows namespaces by their manifests, and says which it does not know', async () => {
    const selecting = set.replace('spec:', 'spec:\n  namespaceSelector: {matchLabels: {team: a}}');
    const namespace = 'apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, labels: {team: a}}\n';
    const known = await built({
      'apps/a.yaml': selecting,
      'apps/b.yaml': deployment,
      'apps/n.yaml': namespace,
    });
    expect(known.err).toBe('sidecars in 1 of 1 template\n');
    const unknown = await built({ 'apps/a.yaml': selecting, 'apps/b.yaml': deployment });
    expect(unknown.err).toBe(
      'kruise build: SidecarSet mesh selects namespaces by labels, and no manifest of the namespace shop is here: it is not injected there\nsidecars in 0 of 1 template\n',
    );
  });

  test.each<[what: string, files: Record<string, string>, code: string]>([
    ['a set that cannot be read', { 'apps/a.yaml': set.replace('selector', 'selektor') }, 'KR2001'],
    [
      'two sets that fight',
      { 'apps/a.yaml': set, 'apps/c.yaml': set.replace('name: mesh}', 'name: b}') },
      'KR2190',
    ],
    [
      'a template without a source of resources',
      {
        'apps/a.yaml': set.replace(
          'image: "mesh:1"',
          'image: "mesh:1", resourcesPolicy: {targetContainersMode: sum, targetContainersNameRegex: ^x$, resourcesExpr: {limits: {cpu: cpu}}}',
        ),
      },
      'KR2191',
    ],
    ['a file that is no YAML', { 'apps/a.yaml': set, 'apps/c.yaml': 'a: [\n' }, 'KR1026'],
  ])('writes nothing with %s', async (_what, files, code) => {
    const ran = await built({ 'apps/b.yaml': deployment, ...files }, [
      'build',
      'apps',
      '--sidecars',
      '--out',
      'built',
    ]);
    expect(ran.err).toContain(`error[${code}]`);
    expect(ran.err).toContain('kruise build: nothing was written');
    expect([...ran.files.keys()].filter((path) => path.includes('/built/'))).toEqual([]);
    expect(ran.code).toBe(1);
  });

  test.each<[args: string[], problem: string]>([
    [['apps', '--check'], '--check needs --out'],
    [['apps', '--sidecars', '--strict'], '--strict is about kinds of Kubernetes'],
    [
      ['apps', '--sidecars', '--out', 'apps/built'],
      '--out apps/built and the manifests in apps are not apart',
    ],
    [['--sidecars', '--out', 'built'], '--out built and the manifests in /repo are not apart'],
    [['apps', '--sidecars', '--out', '../built'], 'is not below the working directory'],
    [['-', 'apps', '--sidecars'], '- takes neither paths nor --out beside it'],
  ])('refuses %j', async (args, problem) => {
    const ran = await built({ 'apps/a.yaml': set }, ['build', ...args]);
    expect(ran.err).toContain(problem);
    expect(ran.code).toBe(1);
  });
});
