import type { Case } from './diagnostic-cases.ts';
import { cloneSet } from './manifests.ts';

const clean = cloneSet();
const LABEL = 'policy.kruise.io/delete-protection';

interface Parts {
  apiVersion?: string;
  namespace?: string;
  name?: string;
  /** Undefined: it has no label. */
  value?: string | undefined;
  /** A line below the metadata. */
  more?: string;
}

/** A manifest whose label is at 5:12, and its value at 5:48. */
export function labelled(
  kind: string,
  { apiVersion = 'v1', namespace = 'shop', name = 'conf', value, more }: Parts = {},
): string {
  return [
    `apiVersion: ${apiVersion}`,
    `kind: ${kind}`,
    'metadata:',
    `  name: ${name}`,
    `  labels: {${value === undefined ? '' : `${LABEL}: ${value}`}}`,
    ...(namespace === '' ? [] : [`  namespace: ${namespace}`]),
    ...(more === undefined ? [] : [more]),
    '',
  ].join('\n');
}

const always = labelled('ConfigMap', { value: 'Always' });
const deployment = (value: string, spec: string): string =>
  labelled('Deployment', { apiVersion: 'apps/v1', value, more: `spec: {${spec}}` });
const web = clean.replace('  namespace: shop\n', `  namespace: shop\n  labels: {${LABEL}: Always}\n`);
const generated = (hash: string, value = 'Always'): string =>
  labelled('ConfigMap', { name: `conf-${hash}`, value });
const REMOVED = ['KR2224 base/x.yaml:5:12'];
const MAYBE = ['KR2230 base/x.yaml:5:12'];

/** What base has, and head has in its place; `[]`: it is removed. */
const removal = (what: string, base: string, head: string | undefined, expected: string[]): Case => ({
  what,
  head: clean,
  files: { 'base/x.yaml': base, ...(head === undefined ? {} : { 'head/x.yaml': head }) },
  expected,
});

export const protectionCases: readonly Case[] = [
  removal('a protected object that is removed', always, undefined, REMOVED),
  removal(
    'one of a kind that nothing else knows',
    labelled('Widget', { apiVersion: 'example.com/v1', value: 'Always' }),
    undefined,
    MAYBE,
  ),
  removal(
    'one that writes out a namespace',
    labelled('ConfigMap', { namespace: '', value: 'Always' }),
    always,
    MAYBE,
  ),
  removal('one that leaves out its namespace', always, labelled('ConfigMap', { namespace: '' }), MAYBE),
  {
    what: 'one without a namespace, and another one in a namespace that was there before',
    head: clean,
    files: {
      'base/x.yaml': labelled('ConfigMap', { namespace: '', value: 'Always' }),
      'base/y.yaml': labelled('ConfigMap'),
      'head/y.yaml': labelled('ConfigMap'),
    },
    expected: REMOVED,
  },
  removal(
    'one in another namespace',
    always,
    labelled('ConfigMap', { namespace: 'pay', value: 'Always' }),
    REMOVED,
  ),
  removal(
    'one with another name',
    always,
    labelled('ConfigMap', { name: 'config', value: 'Always' }),
    REMOVED,
  ),
  removal(
    'one of another kind',
    deployment('Always', 'replicas: 1'),
    labelled('StatefulSet', { apiVersion: 'apps/v1' }),
    REMOVED,
  ),
  removal(
    'one of another group',
    labelled('StatefulSet', { apiVersion: 'apps/v1', value: 'Always' }),
    labelled('StatefulSet', { apiVersion: 'example.com/v1' }),
    REMOVED,
  ),
  removal(
    'a generated one whose content is another',
    generated('2456789bcd'),
    generated('2456789bck'),
    REMOVED,
  ),
  removal('one whose label is removed first', always, labelled('ConfigMap'), []),
  removal(
    'one of another version',
    labelled('Ingress', { apiVersion: 'networking.k8s.io/v1beta1', value: 'Always' }),
    labelled('Ingress', { apiVersion: 'networking.k8s.io/v1' }),
    [],
  ),
  removal(
    'a Namespace that says a namespace',
    labelled('Namespace', { value: 'Always' }),
    labelled('Namespace', { namespace: '' }),
    [],
  ),
  removal(
    'a Deployment with replicas, Cascading',
    deployment('Cascading', 'replicas: 2'),
    undefined,
    REMOVED,
  ),
  removal('a Deployment without a number, Cascading', deployment('Cascading', ''), undefined, REMOVED),
  removal('a Deployment without replicas, Cascading', deployment('Cascading', 'replicas: 0'), undefined, []),
  removal('a Deployment without replicas, Always', deployment('Always', 'replicas: 0'), undefined, REMOVED),
  removal(
    'a Namespace, Cascading',
    labelled('Namespace', { namespace: '', value: 'Cascading' }),
    undefined,
    REMOVED,
  ),
  removal(
    'a Service, Cascading, which protects nothing',
    labelled('Service', { value: 'Cascading' }),
    undefined,
    [],
  ),
  removal('one whose value is a typo', labelled('ConfigMap', { value: 'always' }), undefined, []),
  {
    what: 'a protected object that goes to another file',
    head: clean,
    files: { 'base/x.yaml': always, 'head/more/y.yaml': always },
    expected: [],
  },
  {
    what: 'a protected object in a list, which goes out of it',
    head: clean,
    files: {
      'base/x.yaml': `apiVersion: v1\nkind: List\nitems:\n- ${always.trimEnd().replaceAll('\n', '\n  ')}\n`,
      'head/x.yaml': 'apiVersion: v1\nkind: List\nitems: []\n',
    },
    expected: ['KR2224 base/x.yaml:8:14'],
  },
  {
    what: 'all that is removed, at once, one of a kind of ours among it',
    base: web,
    head: `${clean.replace('name: web', 'name: shop')}`,
    files: { 'base/x.yaml': `${always}---\n${generated('2456789bcd')}` },
    expected: [
      'KR2120 base/web.yaml:4:9',
      'KR2224 base/web.yaml:6:12',
      'KR2224 base/x.yaml:5:12',
      'KR2224 base/x.yaml:12:12',
    ],
  },
  {
    what: 'a protected object that is removed by the change that ignores it',
    head: clean,
    files: {
      'base/kruise.yaml': '{}',
      'base/x.yaml': always,
      'head/kruise.yaml': 'ignore: [x.yaml]',
    },
    expected: ['KR2224 base/x.yaml:5:12'],
  },
  {
    what: 'a protected object that is ignored, and stays',
    head: clean,
    files: {
      'base/kruise.yaml': '{}',
      'base/x.yaml': always,
      'head/x.yaml': `# changed\n${always}`,
      'head/kruise.yaml': 'ignore: [x.yaml]',
    },
    expected: [],
  },
  ...(['plan', 'validate'] as const).map((command) => ({
    what: `values that protect nothing, in ${command}`,
    head: clean,
    files: {
      'head/a.yaml': labelled('ConfigMap', { value: 'always' }),
      'head/b.yaml': labelled('Secret', { value: '[Always]' }),
      'head/c.yaml': labelled('Service', { value: 'Cascading' }),
      'head/d.yaml': labelled('Secret', { value: 'Always' }),
      'head/e.yaml': deployment('Cascading', 'replicas: 1'),
    },
    ...(command === 'validate' && { options: { args: ['validate', 'head'] } }),
    expected: [
      'KR2226 head/a.yaml:5:48',
      'KR2226 head/b.yaml:5:48',
      'KR2227 head/c.yaml:5:48',
      'KR2227 head/d.yaml:5:12',
    ],
  })),
];
