import { describe, expect, test } from 'vitest';
import type { CloneSetParts } from './world/manifests.ts';
import { updatedByHand } from './world/change-cases.ts';
import { cloneSet, diagnosticsOf, kruise } from './world/manifests.ts';
import { outputOf } from './world/output.ts';

const batches = 'batches: [{to: 50%}, {to: 100%}]';
const policy = (text: string, value: string): string =>
  text.replace(
    '  namespace: shop\n',
    `  namespace: shop\n  annotations: {plan.kruise.io/policy: ${value}}\n`,
  );

describe('messages on the terminal and in forecast.md', () => {
  const v2 = { image: 'nginx:2' };
  test.each<[string, CloneSetParts, CloneSetParts, string | undefined, string[], string[]]>([
    ['no kruise.yaml', {}, v2, undefined, ['Steps: one, there is no kruise.yaml.'], []],
    ['no rule', {}, v2, 'steps: [{match: {name: x}}]', ['no rule of kruise.yaml matches\\.'], []],
    [
      'the second rule',
      {},
      v2,
      `steps: [{match: {name: x}}, {match: {}, ${batches}}]`,
      ['Steps: rule 2 of kruise.yaml.'],
      [],
    ],
    ['a failure halts', {}, v2, undefined, ['If a step fails, the rollout halts there.'], []],
    [
      'a failure reverts',
      {},
      v2,
      'steps: [{match: {}, onFailure: Revert}]',
      ['If a step fails, the pods go back.'],
      [],
    ],
    [
      'paused',
      {},
      { ...v2, spec: '    paused: true' },
      undefined,
      ['paused', 'once it is resumed|as long as the target itself is paused'],
      ['at a time', '/10', 'rounds', 'fails when'],
    ],
    [
      'no replicas',
      { replicas: 0 },
      { ...v2, replicas: 0 },
      undefined,
      ['there are no replicas'],
      ['at a time', 'fails when', '0/0', '0 pods', 'of 0'],
    ],
    [
      'all held',
      {},
      { ...v2, spec: '    partition: 100%' },
      undefined,
      ['the partition retains all 10 pods on the old revision'],
      ['at a time', 'fails when', 'If a step fails'],
    ],
    [
      'some held',
      {},
      { ...v2, spec: '    partition: 4' },
      undefined,
      ['The partition keeps 4 of 10 pods on the old revision.'],
      [],
    ],
    [
      'one pod',
      { replicas: 1 },
      { ...v2, replicas: 1 },
      undefined,
      [],
      ['1/1 pods', '1 pods', '1 replicas', 'pods of 1'],
    ],
    [
      'extra only',
      {},
      { ...v2, spec: '    maxUnavailable: 0\n    maxSurge: 2' },
      undefined,
      [String.raw`At most 2 extra at a time\.`],
      ['0 down', 'most 0'],
    ],
    [
      'a percentage that is rounded up',
      {},
      { ...v2, spec: '    maxUnavailable: 25%' },
      undefined,
      [String.raw`At most 3 at a time \(25% of 10, rounded up; 2 of 5, 5 of 20\)\.`],
      [],
    ],
    [
      'percentages with extra pods',
      {},
      { ...v2, spec: '    maxUnavailable: 25%\n    maxSurge: 30%' },
      undefined,
      [
        String.raw`At most 2 at a time \(25% of 10, rounded down; 1 of 5, 5 of 20\), with up to 3 extra \(30% of 10; 2 of 5, 6 of 20\)\.`,
      ],
      [],
    ],
    [
      'a count',
      {},
      { ...v2, spec: '    maxUnavailable: 3' },
      undefined,
      [String.raw`At most 3 at a time\.`],
      ['of 10, rounded'],
    ],
    [
      'replicas with the template',
      {},
      { ...v2, replicas: 14 },
      undefined,
      ['and replicas 10 to 14, which needs no plan'],
      [],
    ],
    [
      'settings with the template',
      {},
      { ...v2, spec: '    maxUnavailable: 1\n  minReadySeconds: 5' },
      undefined,
      ['Also changed: maxUnavailable from 20% to 1, minReadySeconds from 0 to 5.'],
      [],
    ],
    [
      'checks with and without a time',
      {},
      v2,
      `steps: [{match: {}, ${batches}, timeout: 9m, between: {check: [errors, {use: pods, args: {restarts: "1", available: 80%}, for: 5m}]}}]`,
      [
        'check errors: must pass once',
        'check pods \\(available=80%, restarts=1\\): must pass for 5m',
        'Checking takes 5m, plus checks that may wait. Updates may take 18m',
      ],
      ['By itself', 'not soak'],
    ],
    [
      'soaks and checks',
      {},
      v2,
      `steps: [{match: {}, ${batches}, between: {soak: 10m, check: [{use: errors, for: 90s}]}}]`,
      ['Soaking takes 10m, checking 1m30s, plus checks that may wait. '],
      [],
    ],
    [
      'a check that passes once',
      {},
      v2,
      `steps: [{match: {}, ${batches}, between: {check: [errors]}}]`,
      ['There is no soak, but checks may wait. '],
      ['By itself', 'takes'],
    ],
    [
      'a soak and a check',
      {},
      v2,
      `steps: [{match: {}, ${batches}, between: {soak: 1m, check: [errors]}}]`,
      ['Soaking takes 1m, plus checks that may wait. An update step fails'],
      ['checking'],
    ],
    [
      'a soak alone',
      {},
      v2,
      `steps: [{match: {}, ${batches}, between: {soak: 1m}}]`,
      ['Soaking takes 1m. '],
      ['may wait'],
    ],
    [
      'predecessors, and the rollout queue',
      {},
      v2,
      'steps: [{match: {}, group: late, after: [{kind: CloneSet, name: db}]}]',
      ['It starts only after CloneSet db is settled.', 'In the rollout queue it belongs to group late.'],
      [],
    ],
    [
      'who comes first, of many',
      {},
      v2,
      `steps: [{match: {}, after: [${[1, 2, 3, 4, 5, 6, 7].map((n) => `{kind: CloneSet, name: a${n}}`).join(', ')}]}]`,
      ['after CloneSet a1, CloneSet a2, CloneSet a3, CloneSet a4, CloneSet a5 and 2 more are settled.'],
      ['in line'],
    ],
    [
      'recreated by default',
      { type: '' },
      { ...v2, type: '' },
      undefined,
      ['updateStrategy.type is ReCreate, the default'],
      [],
    ],
    [
      'recreated as written',
      { type: 'ReCreate' },
      { ...v2, type: 'ReCreate' },
      undefined,
      ['updateStrategy.type is ReCreate'],
      ['the default'],
    ],
  ])('%s', async (_what, base, head, config, present, absent) => {
    const { human, page } = await outputOf(base, head, config);
    for (const text of [human, page]) {
      for (const part of present) expect(text).toMatch(new RegExp(part));
      for (const part of absent) expect(text).not.toContain(part);
    }
  });

  test('omitted replicas are noted in the head of the table', async () => {
    const { page, err } = await outputOf({}, { ...v2, replicas: '' });
    expect(page).toContain('| step | what | pod of 1 (replicas left out) | of 2 |');
    expect(err).not.toContain('KR2110');
  });
});

describe('a round updates a pod, or creates one at the new revision', () => {
  const recreated = { image: 'nginx:2', pod: '      priorityClassName: high' };
  test.each<[string, CloneSetParts, string]>([
    [
      'extra ones only',
      { ...recreated, spec: '    maxUnavailable: 0\n    maxSurge: 1' },
      '1 extra at a time, in 3 rounds',
    ],
    [
      'extra ones, in place',
      { image: 'nginx:2', spec: '    maxUnavailable: 0\n    maxSurge: 1' },
      '1 extra at a time, in 3 rounds',
    ],
    ['one down', { ...recreated, spec: '    maxUnavailable: 1' }, '1 at a time, in 3 rounds'],
    [
      'one down and one extra',
      { ...recreated, spec: '    maxUnavailable: 1\n    maxSurge: 1' },
      '1 unavailable, 1 extra at a time, in 2 rounds',
    ],
    ['all at once', { ...recreated, spec: '    maxUnavailable: 3' }, 'update to 100%, 3 at a time  3/3'],
    [
      'all extra at once',
      { ...recreated, spec: '    maxUnavailable: 0\n    maxSurge: 3' },
      'update to 100%, 3 extra at a time  3/3',
    ],
  ])('%s', async (_what, head, expected) => {
    const { human } = await outputOf({ replicas: 3, spec: head.spec ?? '' }, { ...head, replicas: 3 });
    expect(human).toContain(expected);
  });
});

describe('messages about changes without a plan', () => {
  test.each<[string, string, string, string]>([
    [
      'settings by name',
      cloneSet(),
      cloneSet({ spec: '    maxUnavailable: 1\n  minReadySeconds: 5' }),
      'settings only (maxUnavailable, minReadySeconds); no pod changes',
    ],
    [
      'a policy',
      cloneSet(),
      policy(cloneSet(), 'Required'),
      'settings only (plan.kruise.io/policy); no pod changes',
    ],
    [
      'pods to delete',
      cloneSet(),
      cloneSet({ spec: '  scaleStrategy: {podsToDelete: [a]}' }),
      'settings only (podsToDelete); 1 pod to delete by name\n',
    ],
    [
      'scaling and settings',
      cloneSet(),
      cloneSet({ replicas: 12, spec: '    maxSurge: 1' }),
      'replicas 10 to 12; scaling needs no plan; also changed: maxSurge',
    ],
  ])('%s', async (_what, base, head, expected) => {
    const { host } = await kruise({ 'base/web.yaml': base, 'head/web.yaml': head });
    expect(host.out).toContain(expected);
  });

  test.each([
    ['nothing', cloneSet(), 'Plan: 0 to roll out, 1 unchanged.'],
    ['a rollout', cloneSet({ image: 'nginx:2' }), 'Plan: 1 to roll out.'],
  ])('the last sentence omits zeros: %s', async (_what, head, expected) => {
    const { host } = await kruise({ 'base/web.yaml': cloneSet(), 'head/web.yaml': head });
    expect(host.out.trimEnd().split('\n').at(-1)).toBe(expected);
  });
});

describe('kruise.yaml is found', () => {
  const rules = 'steps: [{match: {}, batches: [{to: 1}, {to: 100%}]}]';
  test.each([
    ['in the root', 'head/kruise.yaml', '/repo', {}, true],
    ['above it, up to the working directory', 'kruise.yaml', '/repo', {}, true],
    ['not above the working directory', '/kruise.yaml', '/repo', {}, false],
    ['above it, up to the root of git', '/kruise.yaml', '/repo', { '/.git/HEAD': '' }, true],
    ['not above the root of git', '/kruise.yaml', '/repo', { '/repo/.git/HEAD': '' }, false],
    ['not outside the working directory', 'kruise.yaml', '/elsewhere', {}, false],
  ])('%s', async (_what, path, cwd, more, found) => {
    const files = {
      '/repo/base/web.yaml': cloneSet(),
      '/repo/head/web.yaml': cloneSet({ image: 'nginx:2' }),
    };
    const at = path.startsWith('/') ? path : `/repo/${path}`;
    const { host } = await kruise(
      { ...files, ...more, [at]: rules },
      { cwd, args: ['plan', '/repo/head', '--base-dir', '/repo/base'] },
    );
    expect(host.out).toContain(found ? 'batch-2' : 'there is no kruise.yaml');
  });
});

test('kruise.yaml is found in a folder that is not listable', async () => {
  const { host } = await kruise(
    {
      '/repo/base/web.yaml': cloneSet(),
      '/repo/head/web.yaml': cloneSet({ image: 'nginx:2' }),
      '/repo/kruise.yaml': 'steps: [{match: {}, batches: [{to: 1}, {to: 100%}]}]',
    },
    { locked: ['/repo'] },
  );
  expect(host.out).toContain('batch-2');
});

describe('kruise validate counts', () => {
  test.each([
    ['no file', { 'head/x.txt': '' }, 1, 'no *.yaml, *.yml or *.json file in head'],
    [
      'no object of a planned kind',
      { 'head/x.yaml': 'kind: Service\n' },
      0,
      '1 file, and no object in it that this version plans.',
    ],
    [
      'a kind that this version does not plan',
      { 'head/x.yaml': 'apiVersion: apps.kruise.io/v1alpha1\nkind: EphemeralJob\n' },
      0,
      'this version does not plan: 1 EphemeralJob',
    ],
    ['one of two files', { 'head/x.yaml': '', 'head/web.YAML': cloneSet() }, 0, '1 object in 1 file: valid.'],
    [
      'what this version does not execute is a warning',
      { 'head/w.yaml': updatedByHand },
      0,
      'warning[KR2136]',
    ],
  ])('%s', async (_what, files, expected, text) => {
    const { host, code } = await kruise(files, { args: ['validate', 'head'] });
    expect({ code, said: host.out + host.err }).toEqual({
      code: expected,
      said: expect.stringContaining(text),
    });
  });
});

test.each([
  ['partition: 0.5', 'a whole number or a percentage such as "20%"'],
  ['maxUnavailable: "5"', 'a whole number or a percentage such as "20%"'],
])('%s is formatted in words', async (field, expected) => {
  const files = { 'head/web.yaml': cloneSet({ spec: `    ${field}` }) };
  const { all } = await diagnosticsOf(files, { args: ['validate', 'head'] });
  expect(all.map(({ message }) => message)).toEqual([expect.stringContaining(expected)]);
});

test.each([
  [
    '{match: {}, timeout: "5"}',
    'steps[0].timeout must be a duration such as 10m or 1h30m, found the text "5"',
  ],
  ['{match: {}, timeout: 999h}', "steps[0].timeout is '999h', more than the limit of 30 days (720h)"],
])('the duration in %s is formatted in words', async (rule, expected) => {
  const files = { 'head/web.yaml': cloneSet(), 'head/kruise.yaml': `steps: [${rule}]` };
  const { all } = await diagnosticsOf(files, { args: ['validate', 'head'] });
  expect(all.map(({ message }) => message)).toEqual([expected]);
});
