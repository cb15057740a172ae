import type { Case } from './diagnostic-cases.ts';
import { cloneSet, type RunOptions } from './manifests.ts';

const clean = cloneSet();
const validate: RunOptions = { args: ['validate', 'head'] };

/** Manifests with several mistakes: all are reported at once, and none of their consequences. */
export const manyCases: readonly Case[] = [
  {
    what: 'every mistake of a manifest at once',
    head: cloneSet({
      name: 'Web_1',
      selector: 'other',
      replicas: -1,
      spec: '    maxUnavailable: 0\n    priorityStrategy: {weightPriority: [{weight: 1, matchSelector: {}}]}',
      pod: '      restartPolicy: Never',
    })
      .replace(/ {8}image: .*\n/, '')
      .replace(
        'updateStrategy:',
        'lifecycle: {preDelete: {labelsHandler: {apps.kruise.io/a: b}}}\n  updateStrategy:',
      ),
    options: validate,
    expected: [
      'KR1021 head/web.yaml:4:9',
      'KR2005 head/web.yaml:7:13',
      'KR2101 head/web.yaml:9:24',
      'KR2180 head/web.yaml:10:15',
      'KR2005 head/web.yaml:10:61',
      'KR2005 head/web.yaml:14:68',
      'KR2123 head/web.yaml:20:15',
      'KR2105 head/web.yaml:21:22',
    ],
  },
  {
    what: 'no diagnostic for a consequence: the selector is of another type',
    head: clean.replace('matchLabels: {app: web}', 'matchLabels: web'),
    options: validate,
    expected: ['KR2002 head/web.yaml:9:18'],
  },
  {
    what: 'no diagnostic for a consequence: a budget that is misspelled',
    head: cloneSet({ spec: '    maxUnavailable: 0\n    maxSurg: 1' }),
    options: validate,
    expected: ['KR2001 head/web.yaml:13:5'],
  },
  {
    what: 'no diagnostic for a consequence: the labels are of another type',
    head: clean.replace(/(metadata:\n? *labels: ?)\{app: web\}/, '$1web'),
    options: validate,
    expected: ['KR2002 head/web.yaml:14:15'],
  },
  {
    what: 'no template, and a budget that never moves',
    head: cloneSet({ spec: '    maxUnavailable: 0' }).replace(/ {2}template:\n[^]*$/, ''),
    options: validate,
    expected: ['KR2004 head/web.yaml:6:1', 'KR2103 head/web.yaml:12:21'],
  },
  {
    what: 'documents around one with a syntax error',
    head: [
      cloneSet({ name: 'a', replicas: '[4' }),
      cloneSet({ name: 'b', replicas: 'four' }),
      cloneSet({ name: 'c' }).replace('kind: ', 'kind '),
      cloneSet({ name: 'd', image: '"nginx:1' }),
      cloneSet({ name: 'e', replicas: -1 }),
    ].join('---\n'),
    base: ['a', 'b', 'c', 'd', 'e'].map((name) => cloneSet({ name })).join('---\n'),
    expected: [
      'KR1004 head/web.yaml:7:13',
      'KR2002 head/web.yaml:26:13',
      'KR1004 head/web.yaml:40:1',
      'KR1004 head/web.yaml:75:16',
      'KR2005 head/web.yaml:83:13',
    ],
  },
  {
    what: 'a syntax error at base, and mistakes at head',
    head: [cloneSet({ name: 'a', replicas: 'four' }), cloneSet({ name: 'b', image: 'nginx' })].join('---\n'),
    base: [cloneSet({ name: 'a', replicas: '[4' }), cloneSet({ name: 'b' })].join('---\n'),
    expected: ['KR1004 base/web.yaml:7:13', 'KR2002 head/web.yaml:7:13', 'KR2109 head/web.yaml:37:16'],
  },
  {
    what: 'two documents with duplicate keys, and one with another mistake',
    head: [
      cloneSet({ name: 'a', spec: '    maxSurge: 1\n    maxSurge: 2' }),
      cloneSet({ name: 'b', replicas: -1 }),
    ].join('---\n'),
    options: validate,
    expected: ['KR1005 head/web.yaml:13:5', 'KR2005 head/web.yaml:28:13'],
  },
];
