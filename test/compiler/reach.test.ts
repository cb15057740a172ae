import { describe, expect, test } from 'vitest';
import { reachOf } from '../../compiler/reach/reach.ts';
import { cloneSet, kruise } from './world/manifests.ts';

function meshSet(image: string, more = ''): string {
  return [
    'apiVersion: apps.kruise.io/v1beta1',
    'kind: SidecarSet',
    'metadata: {name: mesh}',
    'spec:',
    '  selector: {matchExpressions: [{key: app, operator: Exists}]}',
    more,
    `  containers: [{name: mesh, image: "${image}"}]`,
    '',
  ].join('\n');
}

const workload = (kind: string, name: string, namespace: string, spec: string): string =>
  [
    `apiVersion: ${kind === 'Job' ? 'batch/v1' : 'apps/v1'}`,
    `kind: ${kind}`,
    `metadata: {name: ${name}, namespace: ${namespace}}`,
    `spec: {${spec}template: {metadata: {labels: {app: ${name}}}, spec: {containers: [{name: c, image: "c:1"}]}}}`,
    '---',
    '',
  ].join('\n');

const workloads = [
  workload('Deployment', 'web', 'shop', 'replicas: 8, '),
  workload('DaemonSet', 'log', 'ops', ''),
  workload('Job', 'sum', 'shop', 'parallelism: 3, '),
  'apiVersion: v1\nkind: Pod\nmetadata: {name: one, namespace: ops, labels: {app: one}}\nspec: {containers: [{name: c, image: "c:1"}]}\n',
].join('');

async function planned(
  files: Record<string, string>,
  more = '',
): Promise<{ plan: string; forecast: string; json: unknown }> {
  const both = Object.entries(files).flatMap(([name, text]) => [
    [`base/${name}`, text] as const,
    [`head/${name}`, text] as const,
  ]);
  const all = {
    ...Object.fromEntries(both),
    'base/set.yaml': meshSet('mesh:1', more),
    'head/set.yaml': meshSet('mesh:2', more),
  };
  const { host } = await kruise(all);
  const { host: inJson } = await kruise(all, { args: ['plan', 'head', '--base-dir', 'base', '-o', 'json'] });
  const at = (name: string): string =>
    String(host.files.get(`/repo/head/plans/_cluster/sidecarset-mesh/${name}`));
  const { changes } = JSON.parse(inJson.out) as { changes: { kind: string; selects?: unknown }[] };
  return {
    plan: at('plan.yaml'),
    forecast: at('forecast.md'),
    json: changes.find(({ kind }) => kind === 'SidecarSet')?.selects,
  };
}

describe('the plan of a target that selects pods of other owners', () => {
  test('names the workloads that it selects in the manifests, and is for the sum of their pods', async () => {
    const { forecast, json } = await planned({
      'pods.yaml': workloads,
      'api.yaml': cloneSet({ name: 'api' }),
    });
    expect(forecast).toContain(
      'In the manifests it selects 5 workloads in 2 namespaces with at least 23 pods: ' +
        'DaemonSet ops/log, Pod ops/one, CloneSet shop/api, Deployment shop/web and Job shop/sum. The numbers are for 23 pods.',
    );
    expect(forecast).toContain('| step | what | pods of 23 |');
    expect(json).toMatchObject({ namespaces: 2, pods: 23, mayBeMore: true, possible: 0 });
  });

  test('is the same whatever pods there are', async () => {
    const [none, some] = [await planned({}), await planned({ 'pods.yaml': workloads })];
    expect(some.plan).toBe(none.plan);
    expect(some.plan).toContain('digest');
  });

  test('is for examples where the manifests have no such pod', async () => {
    const { forecast, json } = await planned({ 'kruise.yaml': '{}\n' });
    expect(forecast).toContain(
      'How many pods it selects is not in the manifests. The numbers are for 100 pods.',
    );
    expect(forecast).toContain('pods of 10 | of 100 | of 1000 |');
    expect(json).toMatchObject({ workloads: [], pods: 0 });
  });

  test('is for examples where a workload has no pod now', async () => {
    const { forecast } = await planned({
      'pods.yaml': workload('Deployment', 'web', 'shop', 'replicas: 0, '),
    });
    expect(forecast).toContain(
      'In the manifests it selects 1 workload in 1 namespace with 0 pods: Deployment shop/web. The numbers are for 100 pods.',
    );
    expect(forecast).toContain('The columns are examples: the manifests have no number of pods.');
  });

  test('is for the number of kruise.yaml, whatever the manifests have', async () => {
    const manifests: readonly Record<string, string>[] = [{}, { 'pods.yaml': workloads }];
    for (const files of manifests) {
      const { forecast } = await planned({ ...files, 'kruise.yaml': 'assume: {pods: 250}\n' });
      expect(forecast).toContain('The numbers are for 250 pods, as kruise.yaml assumes.');
      expect(forecast).toContain('| step | what | pods of 250 |');
      expect(forecast).not.toContain('is not in the manifests');
    }
  });

  test('counts namespaces by the labels of their manifests, and says which may be more', async () => {
    const namespace = 'apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, labels: {mesh: "on"}}\n';
    const selector = '  namespaceSelector: {matchLabels: {mesh: "on"}}';
    const { forecast } = await planned({ 'pods.yaml': workloads, 'ns.yaml': namespace }, selector);
    expect(forecast).toContain(
      'In the manifests it selects 2 workloads in 1 namespace with 11 pods: Deployment shop/web and Job shop/sum. ' +
        'It may select 2 workloads in namespaces whose labels are in no manifest.',
    );
  });

  test('says so of a change for new pods only, too', async () => {
    const { host } = await kruise({
      'base/set.yaml': meshSet('mesh:1'),
      'head/set.yaml': meshSet('mesh:1').replace('"}]', '", command: [sh]}]'),
      'head/pods.yaml': workloads,
    });
    expect(host.out).toContain('In the manifests it selects 4 workloads');
  });

  test('says of a new one what the manifests have', async () => {
    const { host } = await kruise({
      'base/x.yaml': '',
      'head/set.yaml': meshSet('m:1'),
      'head/p.yaml': workloads,
    });
    expect(host.out).toContain('; the manifests have 13 pods that it selects, in 4 workloads');
  });
});

test('a plan of several roots compares the sets of all of them', async () => {
  const rooted = (folder: string): Record<string, string> => ({
    [`${folder}/kruise.yaml`]: 'roots: [{name: a, path: a}, {name: b, path: b}]\n',
    [`${folder}/a/set.yaml`]: meshSet('mesh:1'),
    [`${folder}/b/set.yaml`]: meshSet('mesh:1').replace('name: mesh', 'name: logs'),
  });
  const { host, code } = await kruise({ ...rooted('base'), ...rooted('head') });
  expect(host.err.match(/KR2196\]: .*/g)).toEqual([
    'KR2196]: SidecarSet mesh and, in another root, SidecarSet logs select the same pods, and both have the container mesh',
  ]);
  expect(code).toBe(0);
});

test('an explanation is for the number of kruise.yaml, or for an example', async () => {
  for (const [config, pods] of [
    ['{}', 100],
    ['assume: {pods: 40}', 40],
  ] as const) {
    const files = { 'kruise.yaml': `${config}\n`, 'head/set.yaml': meshSet('mesh:1') };
    const { host, code } = await kruise(files, { args: ['explain', 'head/set.yaml'] });
    expect(host.err).toBe('');
    expect(host.out).toContain(`The numbers are for ${pods} pods`);
    expect(code).toBe(0);
  }
});

describe('a selector of namespaces', () => {
  const template = {
    labels: { app: 'web' },
    path: ['spec', 'template'],
    reads: [],
    content: '',
    containers: [],
    volumes: [],
  };
  const one = { id: 'web', group: 'apps', kind: 'Deployment', name: 'web', templates: [template], pods: 2 };
  const reach = (
    namespace: string | undefined,
    key: string,
    namespaces = new Map<string, Record<string, string>>(),
  ) => {
    const namespaceSelector = { matchLabels: { [key]: 'shop' } };
    const found = reachOf(
      {
        selector: { matchLabels: { app: 'web' } },
        namespaceSelector,
        workload: undefined,
        own: undefined,
      },
      { workloads: [{ ...one, namespace }], namespaces },
    );
    return [found.workloads.length, found.possible];
  };

  test.each([
    ['by name', 'shop', 'kubernetes.io/metadata.name', [1, 0]],
    ['by another name', 'pay', 'kubernetes.io/metadata.name', [0, 0]],
    ['by a label of an unknown namespace', 'shop', 'team', [0, 1]],
    [
      'by name, where the manifest of the workload names none',
      undefined,
      'kubernetes.io/metadata.name',
      [0, 1],
    ],
  ] as const)('%s', (_, namespace, key, expected) => {
    expect(reach(namespace, key)).toEqual(expected);
  });

  test('by a label that the manifest of the namespace does not have', () => {
    expect(reach('shop', 'team', new Map([['shop', { tier: 'a' }]]))).toEqual([0, 0]);
  });
});
