import type { Case } from './diagnostic-cases.ts';
import { cloneSet } from './manifests.ts';
import type { RunOptions } from './manifests.ts';

const clean = cloneSet();
const changed = cloneSet({ image: 'nginx:1.27' });
const kruiseYaml = (text: string): Record<string, string> => ({ 'head/kruise.yaml': text });
const validate: RunOptions = { args: ['validate', 'head'] };

function rule(text: string): Pick<Case, 'head' | 'files' | 'options'> {
  return { head: clean, files: { 'head/kruise.yaml': `steps: [${text}]\ndefault: {}` }, options: validate };
}

/** A rule with two batches and these checks between them. */
function checks(text: string, known = ''): Pick<Case, 'head' | 'files' | 'options'> {
  const config = `${known}steps:\n- {match: {}, batches: [{to: 1}, {to: 100%}],\n  between: {check: ${text}}}\n`;
  return { head: clean, files: { 'head/kruise.yaml': config }, options: validate };
}

/** Rules of kruise.yaml that do not have the intended effect. */
export const configCases: readonly Case[] = [
  {
    what: 'rule without a target',
    ...rule('{match: {name: wbe}}'),
    expected: ['KR4006 head/kruise.yaml:1:24'],
  },
  {
    what: 'rule behind one that takes all',
    ...rule('{match: {}}, {match: {name: web}}'),
    expected: ['KR4006 head/kruise.yaml:1:23'],
  },
  {
    what: 'rule that is used',
    ...rule('{match: {kind: CloneSet, namespace: shop, name: web}}'),
    expected: [],
  },
  {
    what: 'kind misspelled',
    ...rule('{match: {kind: Cloneset}}'),
    expected: ['KR4007 head/kruise.yaml:1:24'],
  },
  {
    what: 'kind of another group',
    ...rule('{match: {kind: Rollout}}'),
    expected: ['KR4007 head/kruise.yaml:1:24'],
  },
  {
    what: 'kind for later',
    ...rule('{match: {kind: EphemeralJob}}'),
    expected: ['KR4008 head/kruise.yaml:1:24'],
  },
  {
    what: 'a command that is not allowed',
    head: clean,
    files: kruiseYaml('roots: [{name: a, path: ., render: [c]}]\n'),
    expected: ['KR4032 head/kruise.yaml:1:28'],
  },
  {
    what: 'a command that cannot be run',
    head: clean,
    files: kruiseYaml('roots: [{name: a, path: ., render: [c]}]\n'),
    options: { args: ['validate', 'head', '--allow-render'] },
    expected: ['KR4033 head/kruise.yaml:1:28'],
  },
  {
    what: 'roots that are invalid',
    head: clean,
    files: kruiseYaml(
      "roots: [{name: a, path: .}, {name: a, path: x/../../y}, {name: b, path: /, render: ['']}]\n",
    ),
    expected: [
      ...['KR4034 head/kruise.yaml:1:36', 'KR4034 head/kruise.yaml:1:45'],
      ...['KR4034 head/kruise.yaml:1:73', 'KR4034 head/kruise.yaml:1:85'],
    ],
  },
  {
    what: 'roots that are invalid beside some of a wrong form',
    head: clean,
    files: kruiseYaml(
      'roots: [{name: a, path: 5}, {name: b, path: ../x}, null, {name: c, path: .}, {name: c, path: ./q}]\n',
    ),
    options: validate,
    expected: [
      'KR2002 head/kruise.yaml:1:25',
      'KR4034 head/kruise.yaml:1:45',
      'KR2002 head/kruise.yaml:1:52',
      ...['KR4034 head/kruise.yaml:1:85', 'KR4034 head/kruise.yaml:1:94'],
    ],
  },
  {
    what: 'ignored files that do not exist',
    head: clean,
    files: { 'head/kruise.yaml': 'ignore: [web.yml, old/**]\n' },
    options: validate,
    expected: ['KR4030 head/kruise.yaml:1:10', 'KR4030 head/kruise.yaml:1:19'],
  },
  {
    what: 'a path that is ignored',
    head: clean,
    files: { 'kruise.yaml': 'ignore: [/head/drafts]\n', 'head/drafts/deep/api.yaml': 'a: [' },
    options: { args: ['validate', 'head/drafts/deep', 'head/web.yaml'] },
    expected: ['KR4031 kruise.yaml:1:10'],
  },
  {
    what: 'a pattern that negates',
    head: clean,
    files: { 'head/kruise.yaml': "ignore: ['!web.yaml']\n" },
    options: validate,
    expected: ['KR2005 head/kruise.yaml:1:10'],
  },
  { what: 'rule without match', ...rule('{timeout: 5m}'), expected: ['KR2004 head/kruise.yaml:1:9'] },
  {
    what: 'kruise.yml',
    head: clean,
    files: { 'head/kruise.yml': '' },
    options: validate,
    expected: ['KR4009'],
  },
  {
    what: 'kruise.yaml that is a folder',
    head: clean,
    files: { 'head/kruise.yaml/x': '' },
    options: validate,
    expected: ['KR4009'],
  },
  {
    what: 'kruise.yaml that is a broken link',
    head: clean,
    options: { ...validate, links: { 'head/kruise.yaml': 'nowhere' } },
    expected: ['KR4009'],
  },
  {
    what: 'batches that round to the same',
    base: clean,
    head: changed,
    files: { 'head/kruise.yaml': 'steps: [{match: {}, batches: [{to: 5%}, {to: 10%}, {to: 100%}]}]' },
    expected: ['KR4010 head/kruise.yaml:1:46'],
  },
  {
    what: 'batch of nothing',
    ...rule('{match: {}, batches: [{to: 0%}, {to: 100%}]}'),
    expected: ['KR4011 head/kruise.yaml:1:36'],
  },
  {
    what: 'gates without batches',
    ...rule('{match: {}, between: {soak: 1m}, approve: [1]}'),
    expected: ['KR4012 head/kruise.yaml:1:21', 'KR4012 head/kruise.yaml:1:42'],
  },
  {
    what: 'settings of a batch that another replaces',
    ...rule(
      '{match: {}, timeout: 9m, batches: [{to: 1, atLeast: 1, timeout: 1m}, {to: 2, atLeast: 3, timeout: 1m}, {to: 50%, window: {}, timeout: 1m}, {to: 100%, atLeast: 2, timeout: 1m}]}',
    ),
    expected: [
      'KR4026 head/kruise.yaml:1:21',
      'KR4026 head/kruise.yaml:1:52',
      'KR4026 head/kruise.yaml:1:79',
      'KR4026 head/kruise.yaml:1:122',
      'KR4026 head/kruise.yaml:1:159',
    ],
  },
  {
    what: 'soak of nothing',
    ...rule('{match: {}, batches: [{to: 1}, {to: 100%}], between: {soak: 0s}}'),
    expected: ['KR4013 head/kruise.yaml:1:69'],
  },
  {
    what: 'durations beyond 30 days',
    ...rule(
      '{match: {}, timeout: 721h, batches: [{to: 1, timeout: 9999h}, {to: 100%}], between: {soak: 44000m}}',
    ),
    expected: [
      'KR4014 head/kruise.yaml:1:30',
      'KR4014 head/kruise.yaml:1:63',
      'KR4014 head/kruise.yaml:1:100',
    ],
  },
  {
    what: 'an invalid duration, reported once',
    ...rule('{match: {}, timeout: "5", batches: [{to: 1}, {to: 100%}], between: {soak: ""}}'),
    expected: ['KR2005 head/kruise.yaml:1:30', 'KR2005 head/kruise.yaml:1:83'],
  },
  {
    what: 'checks by name and with what they need',
    ...checks(
      '[pods, {use: pods, args: {available: 80%, restarts: "1"}, for: 5m}, {use: error-rate, args: {x: z}}]',
    ),
    expected: [],
  },
  {
    what: 'checks that are listed, and one that is misspelled',
    ...checks('[pods, latency, {use: eror-rate}, nods]', 'checks: [error-rate, latency]\n'),
    expected: ['KR4037 head/kruise.yaml:4:42', 'KR4037 head/kruise.yaml:4:54'],
  },
  {
    what: 'a list of checks that is no list',
    ...checks('[latency]', 'checks: latency\n'),
    expected: ['KR2002 head/kruise.yaml:1:9'],
  },
  {
    what: 'argument that a built-in check does not have',
    ...checks('[{use: pods, args: {availble: 80%}}]'),
    expected: ['KR4015 head/kruise.yaml:3:40'],
  },
  {
    what: 'values that built-in checks do not take',
    ...checks('[{use: pods, args: {available: 120%, restarts: "-1"}}, {use: nodes, args: {conditions: ""}}]'),
    expected: [
      'KR4015 head/kruise.yaml:3:40',
      'KR4015 head/kruise.yaml:3:57',
      'KR4015 head/kruise.yaml:3:95',
    ],
  },
  {
    what: 'argument that is no text',
    ...checks('[{use: pods, args: {restarts: 0}}]'),
    expected: ['KR2002 head/kruise.yaml:3:50'],
  },
  {
    what: 'text of a check that tools replace',
    ...checks('[{use: rate, args: {a: "${A}", containers: b}}, "${C}"]'),
    expected: [
      'KR4016 head/kruise.yaml:3:43',
      'KR4016 head/kruise.yaml:3:51',
      'KR4016 head/kruise.yaml:3:68',
    ],
  },
  {
    what: 'check without a name, and one with a field that is not known',
    ...checks('[{args: {}}, {use: a, fro: 5m}]'),
    expected: ['KR2004 head/kruise.yaml:3:21', 'KR2001 head/kruise.yaml:3:42'],
  },
  {
    what: 'check for longer than 30 days',
    ...checks('[{use: a, for: 721h}]'),
    expected: ['KR4014 head/kruise.yaml:3:35'],
  },
  {
    what: 'check for what is no duration',
    ...checks('[{use: a, for: "5"}]'),
    expected: ['KR2005 head/kruise.yaml:3:35'],
  },
];
