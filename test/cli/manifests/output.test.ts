import { describe, expect, test } from 'vitest';
import { kruise } from '../../compiler/world/manifests.ts';

const job = {
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'AdvancedCronJob',
  metadata: { name: 'tidy', namespace: 'shop', annotations: { note: 'a\u202eb' } },
  spec: {
    schedule: '0 * * * *',
    template: {
      jobTemplate: {
        spec: {
          template: { spec: { restartPolicy: 'Never', containers: [{ name: 'tidy', image: 'tidy:1' }] } },
        },
      },
    },
  },
};
const other = '{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}}\n';
const config = (text: string): Record<string, string> => ({ 'kruise.yaml': text });

async function build(files: Record<string, string>, ...args: string[]) {
  const { host, code } = await kruise(files, { args: ['build', 'apps', ...args] });
  return { code, err: host.err, out: host.out, files: host.files };
}

describe('a .json file', () => {
  test.each(['a.json', 'a.JSON'])('is written as JSON: %s', async (name) => {
    const source = { [`apps/${name}`]: JSON.stringify(job), 'apps/other.json': other };
    const { files } = await build(source, '-o', 'built');
    const text = String(files.get(`/repo/built/${name}`));
    expect(JSON.parse(text)).toMatchObject({ kind: 'CronJob', metadata: job.metadata });
    expect(text).not.toContain('\u202e');
    expect(String(files.get('/repo/built/other.json')), 'byte for byte').toBe(other);
    const written = { [`built/${name}`]: text, 'built/other.json': other };
    expect((await build({ ...source, ...written }, '-o', 'built', '--check')).code).toBe(0);
  });

  test('with sidecars, too', async () => {
    const set = `apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata: {name: log}
spec:
  selector: {matchLabels: {app: web}}
  containers: [{name: log, image: "log:1"}]
`;
    const deployment = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', namespace: 'shop' },
      spec: {
        template: {
          metadata: { labels: { app: 'web' } },
          spec: { containers: [{ name: 'web', image: 'web:1' }] },
        },
      },
    };
    const source = { 'apps/set.yaml': set, 'apps/web.json': JSON.stringify(deployment) };
    const { files, err } = await build(source, '--sidecars', '-o', 'built');
    expect(err).toContain('sidecars in 1 of 1 template');
    expect(JSON.stringify(JSON.parse(String(files.get('/repo/built/web.json'))))).toContain(
      '"image":"log:1"',
    );
  });

  test('is YAML in the stream of all files', async () => {
    const { out } = await build({ 'apps/a.json': JSON.stringify(job) });
    expect(out).toContain('# Built by kruise build from a.json');
    expect(out).toContain('\nkind: CronJob\n');
  });
});

describe('built files that plans would read', () => {
  const source = { 'apps/a.json': JSON.stringify(job) };
  const hint =
    'kruise build: kruise plan and kruise validate read built, too: add built to ignore in kruise.yaml\n';
  test.each([
    ['are named', 'images: tag\n', true],
    ['are named where something else is ignored', 'ignore: [other]\n', true],
    ['are not where they are ignored', 'ignore: [built]\n', false],
    ['are not where they are ignored by a pattern', 'ignore: ["built/**"]\n', false],
    ['are not where they are in no root', 'roots: [{name: apps, path: apps}]\n', false],
    ['are named where they are in a root', 'roots: [{name: all, path: .}]\n', true],
  ])('%s', async (_name, text, isNamed) => {
    const { err } = await build({ ...source, ...config(text) }, '-o', 'built');
    expect(err.includes(hint)).toBe(isNamed);
  });

  test('what the hint says is so', async () => {
    const set =
      'apiVersion: apps.kruise.io/v1beta1\nkind: SidecarSet\nmetadata: {name: log}\nspec: {selector: {matchLabels: {app: web}}, containers: [{name: log, image: "log:1"}]}\n';
    const twice = { 'apps/set.yaml': set, 'built/set.yaml': set };
    const validate = async (text: string) =>
      (await kruise({ ...twice, ...config(text) }, { args: ['validate'] })).host.err;
    expect(await validate('images: tag\n')).toContain('KR1016');
    expect(await validate('ignore: [built]\n')).not.toContain('KR1016');
  });
});

test('what lies in a folder that is ignored is not built', async () => {
  const text = JSON.stringify(job);
  const source = { 'apps/a.json': text, 'apps/charts/b.json': text.replace('tidy', 'other') };
  const { files } = await build({ ...source, ...config('ignore: [charts, built]\n') }, '-o', 'built');
  expect([...files.keys()].filter((path) => path.startsWith('/repo/built/'))).toEqual(['/repo/built/a.json']);
});
