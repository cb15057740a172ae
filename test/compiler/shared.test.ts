import { expect, test } from 'vitest';
import { sidecarSet } from './world/injector-cases.ts';
import { cloneSet, kruise } from './world/manifests.ts';

const before = { web: cloneSet(), api: cloneSet({ name: 'api' }) };
/** Both are rolled out, and each selects the pods of both. */
const both = {
  web: cloneSet({ image: 'nginx:1.27', selector: 'web' }),
  api: cloneSet({ name: 'api', image: 'nginx:1.27' }).replaceAll('app: api', 'app: web'),
};

/** The forecasts of the run, by the folder of the plan. */
async function forecasts(files: Record<string, string>): Promise<Record<string, string>> {
  const { host } = await kruise(files);
  return Object.fromEntries(
    [...host.files].flatMap(([path, text]) => {
      const [, folder] = /plans\/(.+)\/forecast\.md$/.exec(path) ?? [];
      return folder === undefined ? [] : [[folder, String(text)]];
    }),
  );
}

/** Two workloads at base and head, in files of these names. */
const inFiles = (web: string, api: string): Record<string, string> => ({
  [`base/${web}`]: before.web,
  [`base/${api}`]: before.api.replaceAll('app: api', 'app: web'),
  [`head/${web}`]: both.web,
  [`head/${api}`]: both.api,
});

test('a selector of two workloads stands in both forecasts, whatever the files are called', async () => {
  const one = await forecasts(inFiles('a.yaml', 'b.yaml'));
  expect(Object.keys(one).sort()).toEqual(['shop/cloneset-api', 'shop/cloneset-web']);
  for (const text of Object.values(one))
    expect(text).toContain('the selector of CloneSet shop/api also matches the pods of CloneSet shop/web');
  // Warnings are listed file by file.
  const sorted = (texts: Record<string, string>): string[][] =>
    Object.values(texts).map((text) => text.split('\n').sort());
  expect(sorted(await forecasts(inFiles('b.yaml', 'a.yaml')))).toEqual(sorted(one));
});

test('a budget that blocks everything stands in the forecast of each workload that it covers', async () => {
  const budget = [
    'apiVersion: policy/v1',
    'kind: PodDisruptionBudget',
    'metadata: {name: all, namespace: shop}',
    'spec: {maxUnavailable: 0, selector: {matchLabels: {app: web}}}',
    '',
  ].join('\n');
  const found = await forecasts({ ...inFiles('a.yaml', 'b.yaml'), 'head/budget.yaml': budget });
  expect(Object.keys(found)).toHaveLength(2);
  for (const text of Object.values(found))
    expect(text).toContain('lets no pod of CloneSet shop/api and CloneSet shop/web be unavailable');
});

test('a volume of a set and of a workload stands in both forecasts', async () => {
  const set = (image: string): string =>
    sidecarSet({
      container: `name: mesh, image: "${image}", volumeMounts: [{name: data, mountPath: /data}]`,
      spec: '  volumes: [{name: data, emptyDir: {}}]',
    });
  const pod = '      volumes: [{name: data, hostPath: {path: /data}}]';
  const found = await forecasts({
    'base/set.yaml': set('mesh:1'),
    'base/web.yaml': cloneSet({ pod }),
    'head/set.yaml': set('mesh:2'),
    'head/web.yaml': cloneSet({ pod, image: 'nginx:1.27' }),
  });
  expect(Object.keys(found).sort()).toEqual(['_cluster/sidecarset-mesh', 'shop/cloneset-web']);
  for (const text of Object.values(found))
    expect(text).toContain(
      'SidecarSet mesh has the volume data, and selects pods that have one of their own',
    );
});
