import { expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import { invalidDistribution } from '../../../semantics/resourcedistribution/invalid.ts';

const names = (...list: string[]): JsonObject => ({ list: list.map((name) => ({ name })) });
const configMap = (more: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'settings' },
  data: { color: 'red' },
  ...more,
});
const secret = (more: JsonObject = {}): JsonObject => ({ ...configMap(), kind: 'Secret', data: {}, ...more });

function faults(resource: JsonObject, targets: JsonObject = {}): string[] {
  return invalidDistribution({
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'ResourceDistribution',
    metadata: { name: 'x' },
    spec: { resource, targets },
  }).map(({ path, rule }) => `${path.slice(1).join('.')} ${rule}`);
}

/** With a kibibyte for all else that the spec has. */
const FREE = (640 * 1024) / 2 - 1024;

test.each<[what: string, resource: JsonObject]>([
  ['a ConfigMap (RD-2)', configMap()],
  ['a Secret (RD-2)', secret({ data: { a: 'YQ==' }, stringData: { b: 'ü' }, type: 'Opaque' })],
  ['base64 in lines', secret({ data: { a: 'YWFh\nYWFh\r\n' } })],
  ['no data', configMap({ data: null })],
  ['just enough', configMap({ data: { a: 'x'.repeat(FREE) } })],
  ['just enough of base64', secret({ data: { a: 'YWJj'.repeat(FREE / 4) } })],
])('%s is valid', (_what, resource) => {
  expect(faults(resource)).toEqual([]);
});

test.each<[what: string, resource: JsonObject, fault: string]>([
  ['a Deployment (RD-2)', configMap({ kind: 'Deployment' }), 'resource.kind must be ConfigMap or Secret'],
  ['a ConfigMap of another group', configMap({ apiVersion: 'x/v1' }), 'resource.apiVersion must be v1'],
  ['nothing', {}, 'resource.apiVersion must be v1'],
  ['no name', configMap({ metadata: {} }), 'resource.metadata.name must not be empty'],
  [
    'a name that is none',
    configMap({ metadata: { name: 'A_b' } }),
    'resource.metadata.name a lowercase RFC 1123 subdomain must consist',
  ],
  [
    'a key that is none (RD-6)',
    configMap({ data: { 'a b': '' } }),
    'resource.data.a b is no key: a valid config key',
  ],
  ['a value that is no text', configMap({ data: { a: 1 } }), 'resource.data.a must be a text'],
  ['data that is no map', configMap({ data: ['a'] }), 'resource.data must be a map'],
  [
    'a key in both maps',
    configMap({ binaryData: { color: 'YQ==' } }),
    'resource.binaryData.color must not be in data, too',
  ],
  [
    'binary data that is no base64',
    configMap({ binaryData: { a: '?' } }),
    'resource.binaryData.a must be base64',
  ],
  ['a Secret that is not base64', secret({ data: { a: 'pass!' } }), 'resource.data.a must be base64'],
  [
    'too much',
    configMap({ data: { a: 'x'.repeat(FREE), b: 'x'.repeat(1024) } }),
    ' must take at most 655360 bytes in memory, two for each character, and takes',
  ],
  ['immutable, a text', configMap({ immutable: 'yes' }), 'resource.immutable must be true or false'],
  [
    'the token of an account',
    secret({ type: 'kubernetes.io/service-account-token' }),
    'resource.type must not be kubernetes.io/service-account-token',
  ],
  [
    'labels that are no map',
    configMap({ metadata: { name: 'a', labels: 'x' } }),
    'resource.metadata.labels must be a map',
  ],
  [
    'a label that is none',
    configMap({ metadata: { name: 'a', labels: { 'a b': 'x' } } }),
    'resource.metadata.labels Invalid value',
  ],
])('%s is refused', (_what, resource, fault) => {
  const found = faults(resource);
  expect(found).toHaveLength(1);
  expect(found[0]).toContain(fault);
});

test.each<[what: string, targets: JsonObject, fault: string]>([
  [
    'a namespace in both lists (RD-4)',
    { includedNamespaces: names('a', 'b'), excludedNamespaces: names('b') },
    'targets.includedNamespaces.list.1.name must not be in excludedNamespaces, too',
  ],
  [
    'a namespace without a name',
    { includedNamespaces: names('') },
    'targets.includedNamespaces.list.0.name must not be empty',
  ],
  [
    'no name of a namespace',
    { excludedNamespaces: names('A') },
    'targets.excludedNamespaces.list.0.name a lowercase RFC 1123 label',
  ],
  [
    'an operator that there is not (RD-5)',
    { namespaceSelector: { matchExpressions: [{ key: 'a', operator: 'Has' }] } },
    'targets.namespaceSelector.matchExpressions.0.operator must be In, NotIn, Exists or DoesNotExist',
  ],
  [
    'the same in v1alpha1',
    { namespaceLabelSelector: { matchLabels: { a: 'b c' } } },
    'targets.namespaceLabelSelector.matchLabels.a a label value has at most 63',
  ],
])('%s is refused', (_what, targets, fault) => {
  const found = faults(configMap(), targets);
  expect(found).toHaveLength(1);
  expect(found[0]).toContain(fault);
});

test('no value is in a message', () => {
  const found = faults(secret({ data: { a: 'hunter2!', 'b c': 'hunter2!' }, stringData: { d: 2 } }));
  expect(found).toHaveLength(3);
  expect(found.join()).not.toContain('hunter2');
});
