import type { Case } from './diagnostic-cases.ts';

const validate = { args: ['validate', 'head'] };

/** Lines of a valid SidecarSet; `spec` has lines below `spec:`, `container` fields of its container, in braces. */
function sidecarSet({
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
];
