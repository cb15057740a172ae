import type { Case } from './diagnostic-cases.ts';
import { cloneSet } from './manifests.ts';

const three = ['web', 'db', 'cache'].map((name) => cloneSet({ name })).join('---\n');
const elsewhere = `${cloneSet()}---\n${cloneSet({ name: 'db', namespace: 'data' })}`;

/** `after` in the rules of three CloneSets, all in the namespace shop. */
function rules(lines: readonly string[], head = three): Pick<Case, 'head' | 'files' | 'options'> {
  const files = {
    'head/kruise.yaml': ['steps:', ...lines.map((line) => `- ${line}`), 'default: {}', ''].join('\n'),
  };
  return { head, files, options: { args: ['validate', 'head'] } };
}

export const orderCases: readonly Case[] = [
  {
    what: 'one after the other',
    ...rules(['{match: {name: web}, after: [{kind: CloneSet, name: db}, {kind: CloneSet, name: cache}]}']),
    expected: [],
  },
  {
    what: 'all after one of them, which does not wait for itself',
    ...rules(['{match: {}, after: [{kind: CloneSet, name: db}]}']),
    expected: [],
  },
  {
    what: 'after itself, by name',
    ...rules(['{match: {name: web}, after: [{kind: CloneSet, name: web}]}']),
    expected: ['KR4017 head/kruise.yaml:2:55'],
  },
  {
    what: 'after itself, by kind and name',
    ...rules(['{match: {kind: CloneSet, name: web}, after: [{kind: CloneSet, name: web}]}']),
    expected: ['KR4017 head/kruise.yaml:2:71'],
  },
  {
    what: 'two for each other',
    ...rules([
      '{match: {name: web}, after: [{kind: CloneSet, name: db}]}',
      '{match: {name: db}, after: [{kind: CloneSet, name: web}]}',
    ]),
    expected: ['KR4018 head/kruise.yaml:3:23'],
  },
  {
    what: 'a cycle of three, reported once although two of its targets exist in two namespaces',
    ...rules(
      [
        '{match: {name: web}, after: [{kind: CloneSet, name: db}]}',
        '{match: {name: db}, after: [{kind: CloneSet, name: cache}]}',
        '{match: {name: cache}, after: [{kind: CloneSet, name: web}]}',
      ],
      `${three}---\n${three.replaceAll('namespace: shop', 'namespace: blog')}`,
    ),
    expected: ['KR4018 head/kruise.yaml:4:26'],
  },
  {
    what: 'two circles through one target',
    ...rules([
      '{match: {name: web}, after: [{kind: CloneSet, name: db}, {kind: CloneSet, name: cache}]}',
      '{match: {name: db}, after: [{kind: CloneSet, name: web}]}',
      '{match: {name: cache}, after: [{kind: CloneSet, name: web}]}',
    ]),
    expected: ['KR4018 head/kruise.yaml:3:23', 'KR4018 head/kruise.yaml:4:26'],
  },
  {
    what: 'a rule for all that names two of them',
    ...rules(['{match: {}, after: [{kind: CloneSet, name: db}, {kind: CloneSet, name: cache}]}']),
    expected: ['KR4018 head/kruise.yaml:2:15'],
  },
  {
    what: 'a circle that an earlier rule opens',
    ...rules(['{match: {name: db}, group: first}', '{match: {}, after: [{kind: CloneSet, name: db}]}']),
    expected: [],
  },
  {
    what: 'after an unknown target',
    ...rules(['{match: {name: web}, after: [{kind: CloneSet, name: bd}]}']),
    expected: ['KR4019 head/kruise.yaml:2:55'],
  },
  {
    what: 'after a target of another namespace',
    ...rules(['{match: {name: web}, after: [{kind: CloneSet, name: db}]}', '{match: {}}'], elsewhere),
    expected: ['KR4019 head/kruise.yaml:2:55'],
  },
  {
    what: 'after a target of another namespace, by that namespace',
    ...rules(
      ['{match: {name: web}, after: [{kind: CloneSet, namespace: data, name: db}]}', '{match: {}}'],
      elsewhere,
    ),
    expected: ['KR4020 head/kruise.yaml:2:60'],
  },
  {
    what: 'after a target of its own namespace, by that namespace',
    ...rules(['{match: {name: web}, after: [{kind: CloneSet, namespace: shop, name: db}]}']),
    expected: [],
  },
  {
    what: 'after a kind that does not exist',
    ...rules(['{match: {}, after: [{kind: Cloneset, name: db}]}']),
    expected: ['KR4007 head/kruise.yaml:2:30'],
  },
  {
    what: 'after an invalid name, in an invalid group',
    ...rules(['{match: {}, group: "a b", after: [{kind: CloneSet, name: "${DB}"}]}']),
    expected: ['KR2005 head/kruise.yaml:2:22', 'KR2005 head/kruise.yaml:2:60'],
  },
  {
    what: 'after more than a plan can hold',
    ...rules([
      `{match: {}, after: [${Array.from({ length: 51 }, (_, i) => `{kind: CloneSet, name: c${i}}`).join(', ')}]}`,
    ]),
    expected: ['KR2005 head/kruise.yaml:2:22'],
  },
  {
    what: 'circles are errors of a plan, too',
    base: three,
    ...rules(['{match: {}, after: [{kind: CloneSet, name: db}, {kind: CloneSet, name: cache}]}']),
    options: {},
    expected: ['KR4018 head/kruise.yaml:2:15'],
  },
];
