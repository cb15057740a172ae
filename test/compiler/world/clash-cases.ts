import type { Case } from './diagnostic-cases.ts';
import { sidecarSet } from './injector-cases.ts';
import { cloneSet } from './manifests.ts';

const validate = { args: ['validate', 'head'] };
const roots = { 'head/kruise.yaml': 'roots: [{name: a, path: a}, {name: b, path: b}]\n' };

/** A workload of the namespace shop; `spec` has fields of its pods. */
const workload = (apiVersion: string, kind: string, spec: string, more = ''): string =>
  [
    `apiVersion: ${apiVersion}`,
    `kind: ${kind}`,
    'metadata: {name: web, namespace: shop}',
    `spec: {${more}template: {metadata: {labels: {app: web}}, spec: {${spec}}}}`,
    '',
  ].join('\n');
const deployment = workload('apps/v1', 'Deployment', 'containers: [{name: mesh, image: "shop:1"}]');
const clean = workload('apps/v1', 'Deployment', 'containers: [{name: web, image: "shop:1"}]');
const job = (kind: string, spec: string): string =>
  workload('batch/v1', kind, 'containers: [{name: mesh, image: "shop:1"}]', spec);
const init = (name: string, more = ''): string => `  initContainers: [{name: ${name}, image: "i:1"${more}}]`;
const ofTeam = '  namespaceSelector: {matchLabels: {team: a}}';
const volumes = (volume: string): string => `  volumes: [{name: data, ${volume}}]`;
const mounts = 'name: mesh, image: "mesh:1", volumeMounts: [{name: data, mountPath: /data}]';

const against = (
  parts: Parameters<typeof sidecarSet>[0],
  other: string,
): Pick<Case, 'head' | 'files' | 'options'> => ({
  head: sidecarSet(parts),
  files: { 'head/pods.yaml': other },
  options: validate,
});

/** Sets that add something under a name that the pods have of their own. */
export const clashCases: readonly Case[] = [
  ...[
    ['a Deployment', deployment],
    ['a DaemonSet', deployment.replace('Deployment', 'DaemonSet')],
    ['a Job', job('Job', '')],
    ['a CronJob', job('CronJob', 'jobTemplate: {spec: {').replace(/\n$/, '}}\n')],
    ['a workload of a planned kind', cloneSet().replace('- name: nginx', '- name: mesh')],
    [
      'a pod',
      'apiVersion: v1\nkind: Pod\nmetadata: {name: web, labels: {app: web}}\nspec: {containers: [{name: mesh}]}\n',
    ],
  ].map(([kind, text = '']) => ({
    what: `a sidecar with the name of a container of ${kind}`,
    ...against({}, text),
    expected: ['KR2217 head/web.yaml:7:23'],
  })),
  {
    what: 'a sidecar with the name of a container, as a change',
    head: sidecarSet({ container: 'name: mesh, image: "mesh:2"' }),
    base: sidecarSet(),
    files: { 'head/pods.yaml': deployment, 'base/pods.yaml': deployment },
    expected: ['KR2217 head/web.yaml:7:23'],
  },
  {
    what: 'an init container with the name of one',
    ...against(
      { spec: init('prepare') },
      workload('apps/v1', 'Deployment', 'containers: [{name: c}], initContainers: [{name: prepare}]'),
    ),
    expected: ['KR2217 head/web.yaml:8:27'],
  },
  {
    what: 'an init container with the name of a container',
    ...against({ spec: init('web') }, clean),
    expected: ['KR2217 head/web.yaml:8:27'],
  },
  {
    what: 'half of a hot pair with the name of a container',
    ...against(
      {
        container:
          'name: mesh, image: "mesh:1", upgradeStrategy: {upgradeType: HotUpgrade, hotUpgradeEmptyImage: "e:1"}',
      },
      deployment.replace('name: mesh', 'name: mesh-2'),
    ),
    expected: ['KR2217 head/web.yaml:7:23'],
  },
  {
    what: 'a container that a sidecar is meant to replace',
    ...against({}, deployment.replace('image:', 'env: [{name: IS_INJECTED, value: "true"}], image:')),
    expected: [],
  },
  {
    what: 'a set that injects nothing',
    ...against({ spec: '  injectionStrategy: {paused: true}' }, deployment),
    expected: [],
  },
  {
    what: 'a set for other pods',
    ...against({}, deployment.replace('app: web', 'app: db') + clean.replace(/^/, '---\n')),
    expected: [],
  },
  {
    what: 'a namespace of which nothing is known',
    ...against({ spec: ofTeam }, deployment),
    expected: ['KR2222 head/web.yaml:7:23'],
  },
  {
    what: 'a namespace that is not selected',
    ...against(
      { spec: ofTeam },
      `${deployment}---\napiVersion: v1\nkind: Namespace\nmetadata: {name: shop, labels: {team: b}}\n---\n${clean.replaceAll('shop', 'pay')}`,
    ),
    expected: [],
  },
  {
    what: 'a workload of another root',
    files: { ...roots, 'head/a/set.yaml': sidecarSet(), 'head/b/pods.yaml': deployment },
    options: validate,
    expected: ['KR2222 head/a/set.yaml:7:23'],
  },
  {
    what: 'another volume of one name',
    ...against(
      { container: mounts, spec: volumes('emptyDir: {}') },
      workload(
        'apps/v1',
        'Deployment',
        'containers: [{name: c}], volumes: [{name: data, configMap: {name: c}}]',
      ),
    ),
    expected: ['KR2218 head/web.yaml:8:20'],
  },
  {
    what: 'a volume with the name of a claim template',
    ...against(
      { container: mounts, spec: volumes('emptyDir: {}') },
      workload(
        'apps/v1',
        'StatefulSet',
        'containers: [{name: c}]',
        'volumeClaimTemplates: [{metadata: {name: data}}], ',
      ),
    ),
    expected: ['KR2218 head/web.yaml:8:20'],
  },
  {
    what: 'equal volumes of one name',
    ...against(
      { container: mounts, spec: volumes('emptyDir: {}') },
      workload('apps/v1', 'Deployment', 'containers: [{name: c}], volumes: [{name: data, emptyDir: {}}]'),
    ),
    expected: [],
  },
  {
    what: 'init containers in another order than that of their names',
    head: sidecarSet({ spec: '  initContainers: [{name: z, image: "i:1"}, {name: a, image: "i:2"}]' }),
    options: validate,
    expected: ['KR2219 head/web.yaml:8:3'],
  },
  {
    what: 'init containers in the order of their names, before and after those of the pod',
    head: sidecarSet({
      spec: '  initContainers: [{name: b, image: "i:1"}, {name: a, image: "i:2", podInjectPolicy: BeforeAppContainer}]',
    }),
    options: validate,
    expected: [],
  },
];
