import { expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { targetNamespaces } from '../../../semantics/resourcedistribution/namespaces.ts';
import { normalizeDistribution } from '../../../semantics/resourcedistribution/normalize.ts';

const namespace = (name: string, labels = {}, more = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, labels, ...more },
});
const A = { team: 'a' };
const all = [
  namespace('default'),
  namespace('kube-system', A),
  namespace('kube-public', A),
  namespace('kube-node-lease'),
  namespace('kruise-system', A),
  namespace('a1', A),
  namespace('a2', A),
  namespace('b1'),
  namespace('ending', A, { deletionTimestamp: '2026-01-01T00:00:00Z' }),
];
const names = (...list: string[]): JsonObject => ({ list: list.map((name) => ({ name })) });
const matchLabels = A;

/** `a1 ending(gone)`, for the targets of a manifest. */
function targets(spec: JsonObject, version = 'v1beta1'): string {
  const { targets: read } = normalizeDistribution({
    apiVersion: `apps.kruise.io/${version}`,
    kind: 'ResourceDistribution',
    metadata: { name: 'x' },
    spec: { targets: spec },
  });
  return targetNamespaces(read, all)
    .map(({ name, is }) => (is === 'open' ? name : `${name}(${is})`))
    .join(' ');
}

test.each<[what: string, spec: JsonObject, expected: string]>([
  ['those that are named, in their order', { includedNamespaces: names('b1', 'a1', 'a1') }, 'a1 b1'],
  ['one that does not exist', { includedNamespaces: names('none', 'ending') }, 'ending(gone) none(gone)'],
  [
    'all but those of Kubernetes and of the runtime (RD-8)',
    { allNamespaces: true },
    'a1 a2 b1 default ending(gone) kube-node-lease',
  ],
  [
    'all, whatever else is named',
    { allNamespaces: true, includedNamespaces: names('none') },
    'a1 a2 b1 default ending(gone) kube-node-lease',
  ],
  [
    'none of Kubernetes, though it is named (RD-9)',
    { includedNamespaces: names('kube-system', 'kube-public') },
    '',
  ],
  ['a closed one that is named', { includedNamespaces: names('kruise-system') }, 'kruise-system(closed)'],
  ['those that labels select', { namespaceSelector: { matchLabels } }, 'a1 a2 ending(gone)'],
  ['those, in v1alpha1 (RD-25)', { namespaceLabelSelector: { matchLabels } }, 'a1 a2 ending(gone)'],
  ['none by an empty selector (RD-10)', { namespaceSelector: {} }, ''],
  ['none by a selector without terms', { namespaceSelector: { matchLabels: {}, matchExpressions: [] } }, ''],
  ['none by nothing', {}, ''],
  [
    'named or selected (section 10, item 6)',
    { includedNamespaces: names('b1'), namespaceSelector: { matchLabels } },
    'a1 a2 b1 ending(gone)',
  ],
  [
    'none that is excluded (RD-13)',
    { namespaceSelector: { matchLabels }, excludedNamespaces: names('a2', 'ending') },
    'a1',
  ],
  [
    'none that is excluded from all',
    { allNamespaces: true, excludedNamespaces: names('a1', 'ending') },
    'a2 b1 default kube-node-lease',
  ],
])('%s', (_what, spec, expected) => {
  expect(targets(spec)).toBe(expected);
});
