import type { Case } from './diagnostic-cases.ts';
import { cloneSet } from './manifests.ts';

const clean = cloneSet();
const changed = cloneSet({ image: 'nginx:1.27' });
const broken = 'kind: A\na: [\n';
const config = (name: string, kind = 'ConfigMap', namespace = 'shop'): string =>
  `apiVersion: v1\nkind: ${kind}\nmetadata: {name: ${name}, namespace: ${namespace}}\ndata: {}\n`;

/** A pod that names one object in one place; `at` has lines below the container or the pod. */
const naming = (at: { container?: string; pod?: string }): Pick<Case, 'base' | 'head'> => ({
  base: cloneSet(at),
  head: cloneSet({ ...at, image: 'nginx:1.27' }),
});
const env = (ref: string, more = ''): { container: string } => ({
  container: `        env: [{name: A, valueFrom: {${ref}: {name: old, key: a${more}}}}]`,
});
const volume = (source: string): { pod: string } => ({ pod: `      volumes: [{name: v, ${source}}]` });

/** What a change does to objects that are no workloads, or leaves as they are. */
export const unchangedCases: readonly Case[] = [
  {
    what: 'a broken file that no manifest needs, as it was',
    head: changed,
    files: { 'base/x.yaml': broken, 'head/x.yaml': broken },
    expected: ['KR1040 head/x.yaml:2:4'],
  },
  {
    what: 'two of them, with one text',
    head: changed,
    files: { 'base/x.yaml': broken, 'head/x.yaml': broken, 'base/y.yaml': broken, 'head/y.yaml': broken },
    expected: ['KR1040 head/x.yaml:2:4'],
  },
  {
    what: 'a broken file that this change has touched',
    head: changed,
    files: { 'base/x.yaml': `${broken}# as before\n`, 'head/x.yaml': broken },
    expected: ['KR1026 head/x.yaml:2:4'],
  },
  {
    what: 'a broken file that is new, with the text of another one',
    head: changed,
    files: { 'base/x.yaml': broken, 'head/x.yaml': broken, 'head/a.yaml': broken },
    expected: ['KR1026 head/a.yaml:2:4'],
  },
  {
    what: 'the same, where the other one is read first',
    head: changed,
    files: { 'base/a.yaml': broken, 'head/a.yaml': broken, 'head/x.yaml': broken },
    expected: ['KR1026 head/a.yaml:2:4'],
  },
  {
    what: 'a broken file that has held a workload',
    head: changed,
    files: { 'base/x.yaml': cloneSet({ name: 'api' }), 'head/x.yaml': broken },
    expected: ['KR1026 head/x.yaml:2:4'],
  },
  {
    what: 'a broken file that names a workload, as it was',
    head: changed,
    files: { 'base/x.yaml': `${clean}a: [\n`, 'head/x.yaml': `${clean}a: [\n` },
    expected: ['KR1004 base/x.yaml:19:4', 'KR1004 head/x.yaml:19:4'],
  },
  ...(
    [
      ['a variable', env('configMapKeyRef'), 'ConfigMap', 61],
      ['a secret variable', env('secretKeyRef'), 'Secret', 58],
      ['all variables', { container: '        envFrom: [{configMapRef: {name: old}}]' }, 'ConfigMap', 41],
      ['all secret variables', { container: '        envFrom: [{secretRef: {name: old}}]' }, 'Secret', 38],
      ['a volume', volume('configMap: {name: old}'), 'ConfigMap', 45],
      ['a secret volume', volume('secret: {secretName: old}'), 'Secret', 48],
      ['a part of a volume', volume('projected: {sources: [{secret: {name: old}}]}'), 'Secret', 65],
      ['a volume of a driver', volume('csi: {driver: d, nodePublishSecretRef: {name: old}}'), 'Secret', 73],
      ['a pull secret', { pod: '      imagePullSecrets: [{name: old}]' }, 'Secret', 33],
    ] as const
  ).map(([what, at, kind, column]) => ({
    what: `an object that is gone, and that ${what} still names`,
    ...naming(at),
    files: { 'base/old.yaml': config('old', kind) },
    expected: [`KR2221 head/web.yaml:19:${column}`],
  })),
  {
    what: 'an object that is gone, and that only base names',
    base: cloneSet(env('configMapKeyRef')),
    head: cloneSet({ container: env('configMapKeyRef').container.replace('old', 'new') }),
    files: { 'base/conf.yaml': config('old'), 'head/conf.yaml': config('new') },
    expected: ['KR2221 head/web.yaml:12:3', 'KR2138 head/web.yaml:19:55'],
  },
  {
    what: 'one that went to another file',
    ...naming(env('configMapKeyRef')),
    files: { 'base/conf.yaml': config('old'), 'head/other.yaml': config('old') },
    expected: [],
  },
  {
    what: 'one of another namespace',
    ...naming(env('configMapKeyRef')),
    files: { 'base/conf.yaml': config('old', 'ConfigMap', 'pay') },
    expected: [],
  },
  {
    what: 'one that is optional',
    ...naming(env('configMapKeyRef', ', optional: true')),
    files: { 'base/conf.yaml': config('old') },
    expected: [],
  },
  {
    what: 'one of another kind',
    ...naming(env('secretKeyRef')),
    files: { 'base/conf.yaml': config('old') },
    expected: [],
  },
];
