import type { Case } from './diagnostic-cases.ts';

const validate = { args: ['validate', 'head'] };

/** Lines of a valid SidecarSet; `spec` has lines below `spec:`, `container` fields of its container, in braces. */
export function sidecarSet({
  name = 'mesh',
  version = 'v1beta1',
  container = 'name: mesh, image: "mesh:1"',
  spec = '',
}: {
  name?: string;
  version?: string;
  container?: string;
  spec?: string;
} = {}): string {
  return [
    `apiVersion: apps.kruise.io/${version}`,
    'kind: SidecarSet',
    'metadata:',
    `  name: ${name}`,
    'spec:',
    '  selector: {matchLabels: {app: web}}',
    `  containers: [{${container}}]`,
    ...(spec === '' ? [] : [spec]),
    '',
  ].join('\n');
}

const one = (parts: Parameters<typeof sidecarSet>[0]): Pick<Case, 'head' | 'options'> => ({
  head: sidecarSet(parts),
  options: validate,
});
const hot =
  'name: mesh, image: "mesh:1", upgradeStrategy: {upgradeType: HotUpgrade, hotUpgradeEmptyImage: "e:1"}';

function canary(name: string, base: string): string {
  const annotations = `{apps.kruise.io/sidecarset-canary: "true", apps.kruise.io/sidecarset-base: ${base}}`;
  return sidecarSet({
    name: `${name}\n  annotations: ${annotations}`,
    spec: '  updateStrategy: {type: NotUpdate}',
  });
}

const deployment = (app: string): string =>
  [
    'apiVersion: apps/v1',
    'kind: Deployment',
    `metadata: {name: ${app}, namespace: shop}`,
    `spec: {template: {metadata: {labels: {app: ${app}}}, spec: {containers: [{name: c, image: "c:1"}]}}}`,
    '',
  ].join('\n');

const namespace = (name: string, labels: string): string =>
  `apiVersion: v1\nkind: Namespace\nmetadata: {name: ${name}, labels: {${labels}}}\n`;

const CANARY = '  updateStrategy: { selector: { matchLabels: { track: canary } } }\n';
const ENFORCE = 'pod-security.kubernetes.io/enforce';
const NAME = 'kubernetes.io/metadata.name';
const CONFINED = 'securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}';

/** In a root each, so that they are read in one run. */
const roots = { 'head/kruise.yaml': 'roots: [{name: a, path: a}, {name: b, path: b}]\n' };

/** Kinds that add to new pods. */
export const injectorCases: readonly Case[] = [
  { what: 'a set', ...one({}), expected: [] },
  { what: 'a misspelled field', ...one({ spec: '  volume: []' }), expected: ['KR2001 head/web.yaml:8:3'] },
  {
    what: 'a misspelled field of a container',
    ...one({ container: 'name: mesh, image: "mesh:1", comand: [sh]' }),
    expected: ['KR2006 head/web.yaml:7:46'],
  },
  {
    what: 'a value that is none',
    ...one({ container: 'name: mesh, image: "mesh:1", podInjectPolicy: Before' }),
    expected: ['KR2003 head/web.yaml:7:63'],
  },
  { what: 'no image', ...one({ container: 'name: mesh' }), expected: ['KR2123 head/web.yaml:7:23'] },
  {
    what: 'an image without tag',
    ...one({ container: 'name: mesh, image: mesh' }),
    expected: ['KR2109 head/web.yaml:7:36'],
  },
  {
    what: 'a mount of nothing',
    ...one({ container: 'name: mesh, image: "mesh:1", volumeMounts: [{name: v, mountPath: /v}]' }),
    expected: ['KR2148 head/web.yaml:7:68'],
  },
  {
    what: 'a name of a container that Kubernetes refuses',
    ...one({ container: 'name: Mesh, image: "mesh:1"' }),
    expected: ['KR2201 head/web.yaml:7:23'],
  },
  {
    what: 'a rule of admission',
    ...one({ spec: '  updateStrategy: {selector: {matchLabels: {a: b}}, partition: 1}' }),
    expected: ['KR2005 head/web.yaml:8:64'],
  },
  {
    what: 'a field of the other version',
    ...one({ spec: '  namespace: shop' }),
    expected: ['KR2112 head/web.yaml:8:3'],
  },
  {
    what: 'a version that nothing serves',
    ...one({ version: 'v1' }),
    expected: ['KR1019 head/web.yaml:1:13'],
  },
  {
    what: 'a namespace',
    ...one({ name: 'mesh\n  namespace: shop' }),
    expected: ['KR2005 head/web.yaml:5:3'],
  },
  {
    what: 'two sets with one container, in two files, in any order',
    head: sidecarSet({ name: 'b' }),
    files: { 'head/z.yaml': sidecarSet({ name: 'a' }) },
    options: validate,
    expected: ['KR2190 head/web.yaml:7:23'],
  },
  {
    what: 'two sets that select different pods',
    head: sidecarSet({ name: 'b' }),
    files: { 'head/z.yaml': sidecarSet({ name: 'a' }).replace('app: web', 'app: db') },
    options: validate,
    expected: [],
  },
  {
    what: 'one set twice',
    head: sidecarSet(),
    files: { 'head/z.yaml': sidecarSet() },
    options: validate,
    expected: ['KR1016 head/z.yaml:4:9'],
  },
  {
    what: 'another command, as a change',
    head: sidecarSet({ container: 'name: mesh, image: "mesh:1", command: [b]' }),
    base: sidecarSet({ container: 'name: mesh, image: "mesh:1", command: [a]' }),
    expected: ['KR2192 head/web.yaml:7:46'],
  },
  {
    what: 'a new container, as a change: OpenKruise refuses it, and here new pods get it (SS-43)',
    head: sidecarSet({ container: 'name: mesh, image: "mesh:1"}, {name: log, image: "log:1"' }),
    base: sidecarSet(),
    expected: ['KR2192 head/web.yaml:7:47'],
  },
  {
    what: 'a container that is gone, as a change (SS-43)',
    head: sidecarSet(),
    base: sidecarSet({ container: 'name: mesh, image: "mesh:1"}, {name: log, image: "log:1"' }),
    expected: ['KR2192 head/web.yaml:7:3'],
  },
  {
    what: 'annotations for pods: every key is allowed, as git reviews the set (SS-20)',
    ...one({ spec: '  patchPodMetadata: [{annotations: {example.com/scrape: "true"}}]' }),
    expected: [],
  },
  {
    what: 'another image, for the pods of a selector of the update',
    head: `${sidecarSet().replace('mesh:1', 'mesh:2')}${CANARY}`,
    base: sidecarSet(),
    expected: [],
  },
  {
    what: 'another command, for new pods of a selector of the update',
    head: `${sidecarSet({ container: 'name: mesh, image: "mesh:1", command: [b]' })}${CANARY}`,
    base: sidecarSet({ container: 'name: mesh, image: "mesh:1", command: [a]' }),
    expected: ['KR2192 head/web.yaml:7:46'],
  },
  {
    what: 'another upgrade type, as a change',
    head: sidecarSet({ container: hot }),
    base: sidecarSet(),
    expected: ['KR2192 head/web.yaml:7:46', 'KR2005 head/web.yaml:7:77'],
  },
  {
    what: 'another image, as a change',
    head: sidecarSet().replace('mesh:1', 'mesh:2'),
    base: sidecarSet(),
    expected: [],
  },
  {
    what: 'a canary of a canary',
    head: canary('c', 'b'),
    files: { 'head/z.yaml': canary('b', 'a').replace('name: mesh, image', 'name: other, image') },
    options: validate,
    expected: ['KR2005 head/web.yaml:5:91'],
  },
  {
    what: 'a set that selects none of the pods',
    ...one({}),
    files: { 'head/pods.yaml': deployment('db') },
    expected: ['KR2193 head/web.yaml:6:3'],
  },
  {
    what: 'a new set that pins a revision',
    head: sidecarSet({ spec: '  injectionStrategy: {revision: {revisionName: mesh-5d8f}}' }),
    expected: ['KR2120 base/web.yaml:4:9', 'KR2199 head/web.yaml:8:33'],
  },
  {
    what: 'a set that pins the revision of another one',
    head: sidecarSet({ spec: '  injectionStrategy: {revision: {revisionName: logs-5d8f}}' }),
    base: sidecarSet(),
    expected: ['KR2005 head/web.yaml:8:48'],
  },
  {
    what: 'a set that selects none of the namespaces',
    ...one({ spec: '  namespaceSelector: {matchLabels: {mesh: "on"}}' }),
    files: { 'head/pods.yaml': deployment('web'), 'head/ns.yaml': namespace('shop', 'mesh: "off"') },
    expected: ['KR2193 head/web.yaml:6:3'],
  },
  {
    what: 'a set of which no manifest says what its namespaces have',
    ...one({ spec: '  namespaceSelector: {matchLabels: {mesh: "on"}}' }),
    files: { 'head/pods.yaml': deployment('web') },
    expected: [],
  },
  {
    what: 'a set that selects none of the pods, as a change',
    head: sidecarSet().replace('mesh:1', 'mesh:2'),
    base: sidecarSet(),
    files: { 'head/pods.yaml': deployment('db') },
    expected: ['KR2193 head/web.yaml:6:3'],
  },
  {
    what: 'a set that selects pods of another root',
    files: { ...roots, 'head/a/set.yaml': sidecarSet(), 'head/b/pods.yaml': deployment('web') },
    options: validate,
    expected: [],
  },
  {
    what: 'a set that selects pods of no root',
    files: { ...roots, 'head/a/set.yaml': sidecarSet(), 'head/b/pods.yaml': deployment('db') },
    options: validate,
    expected: ['KR2193 head/a/set.yaml:6:3'],
  },
  {
    what: 'a container that a selected namespace refuses',
    ...one({ container: 'name: mesh, image: "mesh:1", securityContext: {privileged: true}' }),
    files: { 'head/pods.yaml': deployment('web'), 'head/ns.yaml': namespace('shop', `${ENFORCE}: baseline`) },
    expected: ['KR2194 head/web.yaml:7:23'],
  },
  {
    what: 'a container that another namespace refuses',
    ...one({ container: 'name: mesh, image: "mesh:1", securityContext: {privileged: true}' }),
    files: { 'head/pods.yaml': deployment('web'), 'head/ns.yaml': namespace('pay', `${ENFORCE}: baseline`) },
    expected: [],
  },
  {
    what: 'a container that restricted refuses, and baseline does not',
    ...one({ spec: '  namespaceSelector: {matchExpressions: [{key: t, operator: Exists}]}' }),
    files: {
      'head/a.yaml': namespace('shop', `t: a, ${ENFORCE}: restricted`),
      'head/b.yaml': namespace('pay', `t: b, ${ENFORCE}: baseline`),
    },
    expected: ['KR2194 head/web.yaml:7:23'],
  },
  {
    what: 'a container that restricted accepts',
    ...one({ container: `name: mesh, image: "mesh:1", ${CONFINED}` }),
    files: {
      'head/pods.yaml': deployment('web'),
      'head/ns.yaml': namespace('shop', `${ENFORCE}: restricted`),
    },
    expected: [],
  },
  {
    what: 'a volume of the node in a namespace that refuses it',
    ...one({
      container: `name: mesh, image: "mesh:1", volumeMounts: [{name: log, mountPath: /log}], ${CONFINED}`,
      spec: '  volumes: [{name: log, hostPath: {path: /var/log}}]',
    }),
    files: {
      'head/pods.yaml': deployment('web'),
      'head/ns.yaml': namespace('shop', `${ENFORCE}: restricted`),
    },
    expected: ['KR2194 head/web.yaml:8:20'],
  },
  {
    what: 'a namespace without injection, by name',
    ...one({ spec: `  namespaceSelector: {matchLabels: {${NAME}: kube-system}}` }),
    expected: ['KR2195 head/web.yaml:8:3'],
  },
  {
    what: 'a namespace without injection, in a list of names',
    ...one({
      spec: `  namespaceSelector: {matchExpressions: [{key: ${NAME}, operator: In, values: [shop, kruise-system]}]}`,
    }),
    expected: ['KR2195 head/web.yaml:8:3'],
  },
  {
    what: 'the only namespace of the old version, without injection',
    ...one({ version: 'v1alpha1', spec: '  namespace: kube-system' }),
    expected: ['KR2195 head/web.yaml:8:3'],
  },
  {
    what: 'all namespaces but one',
    ...one({
      spec: `  namespaceSelector: {matchExpressions: [{key: ${NAME}, operator: NotIn, values: [dev]}]}`,
    }),
    expected: [],
  },
  {
    what: 'sets of two roots with one container',
    files: {
      ...roots,
      'head/a/set.yaml': sidecarSet({ name: 'b' }),
      'head/b/set.yaml': sidecarSet({ name: 'a' }),
    },
    options: validate,
    expected: ['KR2196 head/a/set.yaml:7:23'],
  },
  {
    what: 'one set in two roots, with another container each',
    files: {
      ...roots,
      'head/a/set.yaml': sidecarSet(),
      'head/b/set.yaml': sidecarSet().replace('mesh:1', 'mesh:2'),
    },
    options: validate,
    expected: [],
  },
];
