import { expect, test } from 'vitest';
import { kruise } from '../../compiler/world/manifests.ts';

const job = `apiVersion: apps.kruise.io/v1beta1
kind: AdvancedCronJob
metadata: {name: tidy, namespace: shop}
spec:
  schedule: "0 * * * *"
  template:
    jobTemplate:
      spec: {template: {spec: {restartPolicy: Never, containers: [{name: tidy, image: "tidy:1"}]}}}
`;
const other = '# mine\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n';

async function build(files: Record<string, string>, ...args: string[]) {
  const { host, code } = await kruise(files, { args: ['build', 'apps', '-o', 'built', ...args] });
  return { code, err: host.err, files: host.files };
}

test('-o writes the same files, and --check compares them with the source', async () => {
  const source = { 'apps/a.yaml': job, 'apps/deep/b.yaml': other };
  const first = await build(source);
  expect([first.code, first.err]).toEqual([
    0,
    'kruise build: AdvancedCronJob shop/tidy is a CronJob, exact\n1 object of OpenKruise: 1 exact, 0 lowered, 0 for a runtime, 2 files in built\n',
  ]);
  const written = {
    'built/a.yaml': String(first.files.get('/repo/built/a.yaml')),
    'built/deep/b.yaml': other,
  };
  expect(String(first.files.get('/repo/built/deep/b.yaml')), 'byte for byte').toBe(other);
  const same = await build({ ...source, ...written }, '--check');
  expect([same.code, same.err]).toEqual([
    0,
    'kruise build: AdvancedCronJob shop/tidy is a CronJob, exact\nbuilt is what the source gives\n',
  ]);
  const cases: [change: Record<string, string>, says: string][] = [
    [{ 'apps/a.yaml': job.replace('tidy:1', 'tidy:2') }, '1 file differs from the source: built/a.yaml'],
    [{ 'built/deep/b.yaml': `${other}\n` }, '1 file differs from the source: built/deep/b.yaml'],
    [{ 'built/c.yaml': job }, 'the source of built/c.yaml is gone'],
  ];
  for (const [change, says] of cases) {
    const { code, err, files } = await build({ ...source, ...written, ...change }, '--check');
    expect(err).toContain(`kruise build: ${says}\n`);
    expect(code).toBe(20);
    for (const [path, text] of Object.entries({ ...written, ...change }))
      expect(String(files.get(`/repo/${path}`)), 'nothing is written').toBe(text);
  }
  expect((await build(source, '--check')).err).toContain('2 files differ from the source');
});
