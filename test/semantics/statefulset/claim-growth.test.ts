import { describe, expect, test } from 'vitest';
import type { StatefulSetStatus } from '../../../schemas/generated/types/statefulset.ts';
import type { Envelope } from '../../../semantics/plan/envelope.ts';
import type { Action } from '../../../semantics/decision.ts';
import { back, decide, type Given, hashes, step } from './model.ts';

/** `grow 2`, `delete 2`, `drain 2`. */
function textOf(action: Action): string {
  const name = action.do === 'create' ? action.object.metadata.name : action.name;
  const verb = action.do === 'create' ? 'create' : action.verb.split(' ')[0];
  return `${verb} ${name.replace(/^.*-/, '')}`;
}

const acts = (given: Given, envelope?: Envelope): string[] =>
  decide(given, ...(envelope === undefined ? [] : [envelope])).actions.map(textOf);

const all = { replicas: 4, pods: '0n 1n 2n 3n', growsTo: '2Gi', max: 2 };
const old = { replicas: 4, pods: '0 1 2 3', growsTo: '2Gi', max: 2 };

describe('claims that grow with their templates (OpenKruise advanced-statefulset, 6.11)', () => {
  test.each<[what: string, given: Given, acts: string[]]>([
    [
      'the highest ordinals first, within the budget (AS-43)',
      { ...all, claims: '0 1 2 3' },
      ['grow 3', 'grow 2'],
    ],
    ['the next once a volume has grown (AS-43)', { ...all, claims: '0 1 2r 3g' }, ['grow 1']],
    ['none while the budget is used', { ...all, claims: '0 1 2r 3r' }, []],
    ['one whose file system a node resizes uses up none', { ...all, claims: '0 1 2r 3w' }, ['grow 1']],
    ['no pod changes for it (AS-43)', { ...all, claims: '0g 1g 2g 3g' }, []],
    ['none that is larger already (AS-46)', { ...all, growsTo: '500Mi', claims: '0 1 2 3g' }, []],
    ['none with OnDelete', { ...all, claims: '0 1 2 3', onDelete: true }, []],
    ['none while paused', { ...all, claims: '0 1 2 3', rolling: { paused: true } }, []],
    ['none that the partition retains', { ...all, claims: '0 1 2 3', partition: 3 }, ['grow 3']],
    [
      'none without a volume, or of another class; they stop nothing',
      { ...all, claims: '0 1 2u 3c' },
      ['grow 1', 'grow 0'],
    ],
    [
      'that of a broken pod beyond the budget',
      { ...all, max: 1, pods: '0n 1n! 2n 3n', claims: '0 1 2g 3g' },
      ['grow 1'],
    ],
    [
      'with OrderedReady one at a time',
      { ...all, policy: 'OrderedReady', max: 1, claims: '0 1 2 3' },
      ['grow 3'],
    ],
    ['before its pod is updated (AS-45)', { ...old, claims: '0 1 2 3' }, ['grow 3', 'grow 2']],
    ['a pod is updated once its claim has grown (AS-45)', { ...old, claims: '0 1 2r 3g' }, ['delete 3']],
    [
      'or once only its node has to resize it (AS-45)',
      { ...old, claims: '0 1 2 3w' },
      ['delete 3', 'grow 2'],
    ],
  ])('%s', (_what, given, expected) => {
    expect(acts(given)).toEqual(expected);
  });

  test('a step of a plan grows the claims of the pods that it updates', () => {
    expect(acts({ ...old, claims: '0 1 2 3' }, step(1))).toEqual(['grow 3']);
  });

  test.each<[what: string, claims: string, allowed: number, acts: string[]]>([
    ['the first', '0 1 2 3', 1, ['grow 3']],
    ['no more while it grows', '0 1 2 3r', 1, []],
    ['no more once it has grown', '0 1 2 3g', 1, []],
    ['the next step', '0 1 2 3g', 2, ['grow 2']],
    ['one that is large already counts', '0g 1 2 3', 2, ['grow 3']],
  ])(
    'a step grows the claims of so many pods, where only claims change: %s',
    (_, claims, allowed, expected) => {
      expect(acts({ ...all, claims }, step(allowed, { stable: hashes.new }))).toEqual(expected);
    },
  );

  test('none without a plan for them', () => {
    const { growsClaims: _, ...unplanned } = step(4);
    expect(acts({ ...all, claims: '0 1 2 3' }, { ...unplanned, stable: hashes.new })).toEqual([]);
    expect(acts({ ...old, claims: '0 1 2 3' }, unplanned)).toEqual(['delete 3', 'delete 2']);
  });

  test('a change that is held grows no claim', () => {
    const held = step(0, { goal: back().goal, moving: false });
    expect(acts({ ...old, claims: '0 1 2 3' }, held)).toEqual([]);
  });

  test('during a revert no pod waits for its claims', () => {
    const given = { ...all, pods: '0 1 2 3n', live: 'old' as const, claims: '0 1 2 3r' };
    expect(acts(given, back())).toEqual(['delete 3']);
  });

  test('the patch has the size of the template, and the version that it was decided on', () => {
    const [action] = decide({ ...all, claims: '0 1 2 3' }).actions;
    expect(action).toMatchObject({
      body: { metadata: {}, spec: { resources: { requests: { storage: '2Gi' } } } },
      event: { reason: 'SuccessfulResize', message: 'resize claim data-web-3 to 2Gi' },
    });
  });
});

test.each([
  ['claims of one size', '0 1 2 3', '1Gi', 4, 4],
  ['a smaller template (AS-46)', '0g 1g 2g 3g', '1Gi', 4, 4],
  ['claims that grow', '0 1 2r 3g', '2Gi', 2, 1],
  ['another class, a missing one, one that goes, one out of range', '0 1c 2t 7', '1Gi', 1, 1],
])('status.volumeClaims: %s', (_what, claims, growsTo, compatibleReplicas, compatibleReadyReplicas) => {
  const status = decide({ ...all, claims, growsTo }).status as StatefulSetStatus;
  expect(status.volumeClaims).toEqual([
    { volumeClaimName: 'data', compatibleReplicas, compatibleReadyReplicas },
  ]);
});
