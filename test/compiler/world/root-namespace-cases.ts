import type { Case } from './diagnostic-cases.ts';
import { sidecarSet } from './injector-cases.ts';
import { cloneSet } from './manifests.ts';

const NAME = 'kubernetes.io/metadata.name';

/** The root `team`, which is for the namespaces shop and pay. */
const inRoot = (what: string, text: string, expected: readonly string[]): Case => ({
  what: `in a root for two namespaces: ${what}`,
  files: {
    'head/kruise.yaml': 'roots: [{name: team, path: team, namespaces: [shop, pay]}]\n',
    'head/team/web.yaml': text,
  },
  options: { args: ['validate', 'head'] },
  expected: expected.map((each) => `${each.split(' ')[0]} head/team/web.yaml:${each.split(' ')[1]}`),
});

const set = (spec: string): string => sidecarSet({ spec: `  ${spec}` });

/** A ResourceDistribution with these targets. */
const copying = (targets: string, version = 'v1beta1'): string =>
  [
    `apiVersion: apps.kruise.io/${version}`,
    'kind: ResourceDistribution',
    'metadata: {name: settings}',
    'spec:',
    '  resource: {apiVersion: v1, kind: ConfigMap, metadata: {name: settings}}',
    '  targets:',
    '    # who gets it',
    `    ${targets}`,
    '',
  ].join('\n');

/** The list of namespaces of a root. */
export const rootNamespaceCases: readonly Case[] = [
  inRoot('a set of every namespace', sidecarSet(), ['KR2198 5:1']),
  inRoot('a set of namespaces with a label', set('namespaceSelector: {matchLabels: {team: shop}}'), [
    'KR2198 8:3',
  ]),
  inRoot(
    'a set of another namespace',
    set(`namespaceSelector: {matchExpressions: [{key: ${NAME}, operator: In, values: [shop, ops]}]}`),
    ['KR2198 8:3'],
  ),
  inRoot(
    'a set of all namespaces but one',
    set(`namespaceSelector: {matchExpressions: [{key: ${NAME}, operator: NotIn, values: [ops]}]}`),
    ['KR2198 8:3'],
  ),
  inRoot('a set of its namespaces', set(`namespaceSelector: {matchLabels: {${NAME}: pay, team: a}}`), []),
  inRoot(
    'a set of both',
    set(`namespaceSelector: {matchExpressions: [{key: ${NAME}, operator: In, values: [shop, pay]}]}`),
    [],
  ),
  inRoot(
    'a set of another namespace, in the older version',
    sidecarSet({ version: 'v1alpha1', spec: '  namespace: ops' }),
    ['KR2198 8:3'],
  ),
  inRoot(
    'a set of its own, in the older version',
    sidecarSet({ version: 'v1alpha1', spec: '  namespace: pay' }),
    [],
  ),
  inRoot('a set of its own by a field that its version drops', sidecarSet({ spec: '  namespace: pay' }), [
    'KR2198 5:1',
    'KR2112 8:3',
  ]),
  inRoot('copies in every namespace', copying('allNamespaces: true'), ['KR2198 8:5']),
  inRoot(
    'copies in every namespace but one',
    copying('allNamespaces: true\n    excludedNamespaces: {list: [{name: ops}]}'),
    ['KR2198 8:5'],
  ),
  inRoot('copies by a label of others', copying('namespaceSelector: {matchLabels: {team: a}}'), [
    'KR2198 8:5',
  ]),
  inRoot(
    'copies by a label of others, in the older version',
    copying('namespaceLabelSelector: {matchLabels: {team: a}}', 'v1alpha1'),
    ['KR2198 8:5'],
  ),
  inRoot('copies in another one by its label', copying(`namespaceSelector: {matchLabels: {${NAME}: ops}}`), [
    'KR2198 8:5',
  ]),
  inRoot(
    'copies in others by name',
    copying('includedNamespaces: {list: [{name: shop}, {name: ops}, {name: dev}]}'),
    ['KR2198 8:54'],
  ),
  inRoot('copies in its own by name', copying('includedNamespaces: {list: [{name: shop}, {name: pay}]}'), []),
  inRoot(
    'copies in its own by label',
    copying(`namespaceSelector: {matchExpressions: [{key: ${NAME}, operator: In, values: [shop, pay]}]}`),
    [],
  ),
  inRoot('copies by an empty selector, which is nothing', copying('namespaceSelector: {}'), []),
  inRoot('a workload in its namespace', cloneSet(), []),
  inRoot('a workload in another one', cloneSet({ namespace: 'ops' }), ['KR2198 5:14']),
  inRoot('a workload without a namespace', cloneSet({ namespace: '' }), []),
  {
    what: 'a namespace of a root that is none',
    files: {
      'head/kruise.yaml': 'roots: [{name: team, path: ., namespaces: [Shop]}]\n',
      'head/web.yaml': cloneSet(),
    },
    options: { args: ['validate', 'head'] },
    expected: ['KR2005 head/kruise.yaml:1:44'],
  },
];
