import type { Case } from './diagnostic-cases.ts';
import { cloneSet } from './manifests.ts';

const two = `${cloneSet()}---\n${cloneSet({ name: 'db', namespace: 'data' })}`;

/** Checks kruise.yaml together with the CloneSets shop/web and data/db. */
function config(text: string, head = two): Pick<Case, 'head' | 'files' | 'options'> {
  return { head, files: { 'head/kruise.yaml': text }, options: { args: ['validate', 'head'] } };
}

/** Which targets a rule of kruise.yaml matches, and what happens to those that none matches. */
export const matchCases: readonly Case[] = [
  {
    what: 'asterisks, lists and labels',
    ...config(
      [
        'steps:',
        '- match: {kind: [CloneSet], namespace: [shop, other], name: "w*"}',
        '- match: {namespace: d*a, name: "*", labels: {tier: "front*"}}',
        '',
      ].join('\n'),
      `${cloneSet()}---\n${cloneSet({ name: 'db', namespace: 'data' }).replace('metadata:\n', 'metadata:\n  labels: {tier: front-end}\n')}`,
    ),
    expected: [],
  },
  {
    what: 'a label that the target does not have',
    ...config('steps: [{match: {labels: {tier: "*"}}}]\ndefault: {}'),
    expected: ['KR4006 head/kruise.yaml:1:33'],
  },
  {
    what: 'one of two kinds misspelled',
    ...config('steps: [{match: {kind: [CloneSet, Cloneset]}}]'),
    expected: ['KR4007 head/kruise.yaml:1:35'],
  },
  {
    what: 'signs that no name has',
    ...config(
      'steps: [{match: {namespace: "shop|blog", name: ["web-[0-9]", Web], labels: {"a b": "x y"}}}]\ndefault: {}',
    ),
    expected: [
      'KR4006 head/kruise.yaml:1:10',
      'KR4021 head/kruise.yaml:1:29',
      'KR4021 head/kruise.yaml:1:49',
      'KR4021 head/kruise.yaml:1:62',
      'KR4021 head/kruise.yaml:1:77',
      'KR4021 head/kruise.yaml:1:84',
    ],
  },
  {
    what: 'a pattern that YAML reads as an alias',
    ...config('steps: [{match: {name: *-canary}}]'),
    expected: ['KR1012 head/kruise.yaml:1:24'],
  },
  {
    what: 'an empty list',
    ...config('steps: [{match: {name: []}}]'),
    expected: ['KR2005 head/kruise.yaml:1:24'],
  },
  {
    what: 'targets without a rule',
    ...config('images: any\nsteps: [{match: {name: web}}]'),
    expected: ['KR4022 head/kruise.yaml:2:1'],
  },
  {
    what: 'targets without a rule, strictly',
    ...config('steps: [{match: {name: web}}]\nunmatched: error'),
    expected: ['KR4023 head/kruise.yaml:2:1'],
  },
  {
    what: 'targets without a rule of a configuration that has none',
    ...config('unmatched: warn'),
    expected: ['KR4022 head/kruise.yaml:1:1'],
  },
  {
    what: 'unmatched beside a default',
    ...config('steps: [{match: {name: [web, api]}}]\ndefault: {}\nunmatched: error'),
    expected: ['KR4026 head/kruise.yaml:3:1'],
  },
  {
    what: 'a default and unmatched beside a rule for every target',
    ...config('steps: [{match: {}}]\ndefault: {timeout: 9m}\nunmatched: error'),
    expected: ['KR4026 head/kruise.yaml:2:1', 'KR4026 head/kruise.yaml:3:1'],
  },
  {
    what: 'a default beside a rule whose match has a mistake',
    ...config('steps: [{match: {nam: web}}]\ndefault: {timeout: 9m}'),
    expected: ['KR2001 head/kruise.yaml:1:18'],
  },
  { what: 'no rules at all', ...config('images: any'), expected: [] },
  {
    what: 'a default',
    ...config('steps: [{match: {name: web}}]\ndefault: {batches: [{to: 1}, {to: 100%}]}'),
    expected: [],
  },
  {
    what: 'a default with a match and with mistakes',
    ...config('default: {match: {}, batches: [{to: 50%}, {to: 20%}], after: [{kind: CloneSett, name: a}]}'),
    expected: [
      'KR2001 head/kruise.yaml:1:11',
      'KR4002 head/kruise.yaml:1:48',
      'KR4003 head/kruise.yaml:1:48',
      'KR4007 head/kruise.yaml:1:70',
    ],
  },
];

const changed = cloneSet({ image: 'nginx:1.27' });

function batches(text: string, head = changed): Pick<Case, 'base' | 'head' | 'files'> {
  return {
    base: cloneSet(),
    head,
    files: { 'head/kruise.yaml': `steps:\n- {match: {}, batches: [${text}]}\n` },
  };
}

/** Three targets, two of which have as many replicas. */
function three(tag: string): string {
  const replicas = [3, 3, 4].map(String);
  return replicas
    .map((each, index) => cloneSet({ name: `w${index}`, image: `nginx:${tag}`, replicas: each }))
    .join('---\n');
}

/** Batches that update no further pod. */
export const batchCases: readonly Case[] = [
  { what: 'a count after a percentage', ...batches('{to: 5%}, {to: 3}, {to: 100%}'), expected: [] },
  {
    what: 'a count after a percentage of at least as many',
    ...batches('{to: 5%, atLeast: 3}, {to: 3}, {to: 100%}'),
    expected: ['KR4002 head/kruise.yaml:2:52'],
  },
  {
    what: 'a first batch of nothing',
    ...batches('{to: 0}, {to: 100%}'),
    expected: ['KR4002 head/kruise.yaml:2:30'],
  },
  {
    what: 'windows of nothing',
    ...batches('{to: 1, window: {maxUnavailable: 0, maxSurge: 0%}}, {to: 100%}'),
    expected: ['KR4024 head/kruise.yaml:2:41'],
  },
  {
    what: 'a window of nothing for this target, which has no surge',
    ...batches('{to: 1, window: {maxUnavailable: 0}}, {to: 100%, window: {maxUnavailable: 1}}'),
    expected: ['KR4024 head/kruise.yaml:2:41'],
  },
  {
    what: 'a window of nothing for a target that does not change',
    ...batches('{to: 1, window: {maxUnavailable: 0}}, {to: 100%}', cloneSet()),
    expected: ['KR4024 head/kruise.yaml:2:41'],
  },
  {
    what: 'a window of nothing in one state',
    ...batches('{to: 1, window: {maxUnavailable: 0}}, {to: 100%}'),
    options: { args: ['validate', 'head'] },
    expected: ['KR4024 head/kruise.yaml:2:41'],
  },
  {
    what: 'a window of nothing for a target whose own limits leave nothing either, and for one without pods',
    ...batches(
      '{to: 1, window: {maxUnavailable: 0}}, {to: 100%}',
      `${cloneSet({ spec: '    maxUnavailable: 0' })}---\n${cloneSet({ name: 'none', replicas: '0' })}`,
    ),
    options: { args: ['validate', 'head'] },
    expected: ['KR2103 head/web.yaml:12:21'],
  },
  {
    what: 'waves of pods that are updated',
    ...batches('{to: 1}, {to: 100%, parallelism: 10%, spread: zone}'),
    expected: ['KR4027 head/kruise.yaml:2:45', 'KR4027 head/kruise.yaml:2:63'],
  },
  {
    what: 'a parallelism of 0',
    ...batches('{to: 1}, {to: 100%, parallelism: 0%}'),
    expected: ['KR4027 head/kruise.yaml:2:45', 'KR4029 head/kruise.yaml:2:58'],
  },
  {
    what: 'the same window with surge',
    ...batches(
      '{to: 1, window: {maxUnavailable: 0}}, {to: 100%}',
      cloneSet({ image: 'nginx:1.27', spec: '    maxSurge: 1' }),
    ),
    expected: [],
  },
  {
    what: 'batches that idle for several targets, once for those of as many replicas',
    ...batches('{to: 10%}, {to: 15%}, {to: 100%}', three('1.27')),
    base: three('1.25'),
    expected: ['KR4010 head/kruise.yaml:2:41', 'KR4010 head/kruise.yaml:2:41'],
  },
  {
    what: 'batches beyond the partition',
    ...batches(
      '{to: 10%}, {to: 50%}, {to: 80%}, {to: 100%}',
      cloneSet({ image: 'nginx:1.27', spec: '    partition: 5' }),
    ),
    expected: ['KR4010 head/kruise.yaml:2:52'],
  },
  {
    what: 'a count that no target has',
    ...batches('{to: 50}, {to: 100%}'),
    expected: ['KR4025 head/kruise.yaml:2:30'],
  },
  {
    what: 'a count that a target in a broken document may have',
    ...batches('{to: 50}, {to: 100%}', `${changed}---\n${cloneSet({ name: 'big', replicas: '[100' })}`),
    expected: ['KR1004 head/web.yaml:26:13'],
  },
  {
    what: 'counts for a percentage at the end',
    ...batches('{to: 50}, {to: 100}'),
    expected: ['KR4025 head/kruise.yaml:2:30', 'KR4003 head/kruise.yaml:2:40'],
  },
  {
    what: 'percentages without the sign',
    ...batches('{to: "50"}, {to: 0.5}, {to: 100%}'),
    expected: ['KR2005 head/kruise.yaml:2:30', 'KR2002 head/kruise.yaml:2:42'],
  },
];

/** Mistakes of shape and of meaning in one file are reported together. */
export const mixedCases: readonly Case[] = [
  {
    what: 'wrong shapes beside wrong meanings',
    ...config(
      [
        'stepz: []',
        'images: tagg',
        'steps:',
        '- match: {kind: Cloneset}',
        '  timeout: 5',
        '  batches: [{to: 50%, timeout: x}, {to: 20%, sometimes: 1}, {to: 100%}]',
        '  between: {soak: 0s, chek: []}',
        '- batches: [{to: 50%}]',
        '- just text',
        '',
      ].join('\n'),
    ),
    expected: [
      'KR2001 head/kruise.yaml:1:1',
      'KR2003 head/kruise.yaml:2:9',
      'KR4007 head/kruise.yaml:4:17',
      'KR2002 head/kruise.yaml:5:12',
      'KR2005 head/kruise.yaml:6:32',
      'KR4002 head/kruise.yaml:6:41',
      'KR2001 head/kruise.yaml:6:46',
      'KR4013 head/kruise.yaml:7:19',
      'KR2001 head/kruise.yaml:7:23',
      'KR2004 head/kruise.yaml:8:3',
      'KR4003 head/kruise.yaml:8:18',
      'KR2002 head/kruise.yaml:9:3',
    ],
  },
  {
    what: 'a value that readers disagree about, and another mistake',
    ...config('steps: [{match: {}, onFailure: no, batches: [{to: 50%}]}]'),
    expected: ['KR1006 head/kruise.yaml:1:32', 'KR4003 head/kruise.yaml:1:51'],
  },
  {
    what: 'faulty batches, whose number is not known',
    ...config('steps: [{match: {}, batches: 5, between: {soak: 1m}, approve: [1]}]'),
    expected: ['KR2002 head/kruise.yaml:1:30'],
  },
];
