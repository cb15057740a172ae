import { describe, expect, test } from 'vitest';
import { LIFECYCLE_LABEL } from '../../../semantics/pod/types.ts';
import { actions, back, decide, type Given, snapshotOf, step } from './model.ts';

const DRAIN = 'example.com/drain';
const READY = 'example.com/ready';
const GUARD = 'example.com/guard';
const lifecycle = {
  preDelete: { labelsHandler: { [DRAIN]: 'true' } },
  inPlaceUpdate: { labelsHandler: { [READY]: 'true' } },
};
const guards = { preNormal: { labelsHandler: { [GUARD]: 'true' } } };
const inPlace = { podUpdatePolicy: 'InPlaceIfPossible' };

type Labels = Readonly<Record<string, string>>;
const held: Labels = { [DRAIN]: 'true', [READY]: 'true' };
const state = (name: string, labels: Labels = held): Labels => ({ [LIFECYCLE_LABEL]: name, ...labels });

/** Every pod carries the handlers, but for those whose labels are given. */
function given(
  pods: string,
  labels: Readonly<Record<number, Labels>> = {},
  more: Partial<Given> = {},
): Given {
  const ordinals = pods.split(' ').map((text) => Number.parseInt(text, 10));
  const all = Object.fromEntries(ordinals.map((ordinal) => [ordinal, { ...held, ...labels[ordinal] }]));
  for (const [ordinal, own] of Object.entries(labels)) all[ordinal] = { ...own };
  return { replicas: 3, max: 2, lifecycle, pods, labels: all, ...more };
}
const ordered = (of: Given): Given => ({ ...of, policy: 'OrderedReady', max: 1 });
const waits = (of: Given, envelope?: Parameters<typeof decide>[1]): string[] =>
  decide(of, envelope)
    .explanations.map(({ about, reason }) => `${about} ${reason}`)
    .filter((text) => text.includes('waits for hook'));

describe('preDelete (OpenKruise advanced-statefulset, rule 6.10)', () => {
  test.each<[string, Given, string[]]>([
    [
      'scale-in prepares the pods (AS-37)',
      given('0n 1n 2n 3n 4n'),
      ['set lifecycle PreparingDelete 4', 'set lifecycle PreparingDelete 3'],
    ],
    ['they wait (AS-37)', given('0n 1n 2n 3n', { 3: state('PreparingDelete') }), []],
    [
      'and go when they are let go (AS-37)',
      given('0n 1n 2n 3n', { 3: state('PreparingDelete', {}) }),
      ['delete 3'],
    ],
    ['ordered: one at a time', ordered(given('0n 1n 2n 3n 4n')), ['set lifecycle PreparingDelete 4']],
    [
      'ordered: the next one waits for it',
      ordered(given('0n 1n 2n 3n 4n', { 4: state('PreparingDelete') })),
      [],
    ],
    [
      'ordered: what is prepared goes, though a lower one is broken',
      ordered(given('0n 1n 2n 3n! 4n', { 4: state('PreparingDelete', {}) })),
      ['delete 4'],
    ],
    ['a marked pod is prepared', given('0n 1n 2nx'), ['set lifecycle PreparingDelete 2']],
    ['a pod that has ended is prepared', given('0n 1n 2nf'), ['set lifecycle PreparingDelete 2']],
    [
      'recreation prepares',
      given('0 1 2n'),
      ['set lifecycle PreparingDelete 1', 'set lifecycle PreparingDelete 0'],
    ],
    ['within the budget', given('0 1 2', { 1: state('PreparingDelete'), 2: state('PreparingDelete') }), []],
    [
      'one is let go, and no other pod is taken before it is back',
      given('0 1 2', { 1: state('PreparingDelete'), 2: state('PreparingDelete', {}) }),
      ['delete 2'],
    ],
    [
      'replicas are raised again: the pod goes back, whatever marks it (AS-37)',
      given(
        '0n 1n 2n',
        { 2: state('PreparingDelete') },
        { lifecycle: { preDelete: { ...lifecycle.preDelete, markPodNotReady: true } } },
      ),
      ['set lifecycle Normal 2'],
    ],
  ])('%s', (_, of, acts) => {
    expect(actions(of)).toEqual(acts);
  });

  test('reports what the pods wait for', () => {
    const of = given('0n 1n 2n 3n', { 3: state('PreparingDelete') });
    expect(waits(of)).toEqual([
      'web-3 waits for hook preDelete, label example.com/drain=true: kubectl label pod web-3 -n shop example.com/drain-',
    ]);
    expect(snapshotOf(of).rollout.pods.map(({ name }) => name)).toEqual(['web-0', 'web-1', 'web-2']);
  });

  test.each<[string, Given, ReturnType<typeof step>, string[]]>([
    ['a step of one', given('0 1 2'), step(1), ['set lifecycle PreparingDelete 2']],
    [
      'no other pod is taken for one that waits',
      given('0 1 2', { 2: state('PreparingDelete') }),
      step(1),
      [],
    ],
    [
      'nor for several',
      given('0 1 2', { 1: state('PreparingDelete'), 2: state('PreparingDelete') }),
      step(2),
      [],
    ],
    [
      'a plan that has stopped: the pod goes back',
      given('0 1 2', { 2: state('PreparingDelete') }),
      step(1, { moving: false }),
      ['set lifecycle Normal 2'],
    ],
    [
      'it goes back: the pod stays',
      given('0 1 2', { 2: state('PreparingDelete') }, { live: 'old' }),
      back(),
      ['set lifecycle Normal 2'],
    ],
  ])('under a plan, recreation: %s', (_, of, envelope, acts) => {
    expect(actions(of, envelope)).toEqual(acts);
  });
});

describe('inPlaceUpdate (OpenKruise advanced-statefulset, rule 6.10)', () => {
  const update = (pods: string, labels: Readonly<Record<number, Labels>> = {}): Given =>
    given(pods, labels, { rolling: inPlace });
  test.each<[string, Given, string[]]>([
    [
      'the highest pods are prepared (AS-38)',
      update('0 1 2'),
      ['set lifecycle PreparingUpdate 2', 'set lifecycle PreparingUpdate 1'],
    ],
    ['they wait (AS-38)', update('0 1 2', { 1: state('PreparingUpdate'), 2: state('PreparingUpdate') }), []],
    [
      'one is let go: it is drained',
      update('0 1 2', { 1: state('PreparingUpdate'), 2: state('PreparingUpdate', {}) }),
      ['drain 2'],
    ],
    [
      'and updated (AS-38)',
      update('0 1 2d', { 2: state('PreparingUpdate', {}) }),
      ['update in place 2', 'set lifecycle PreparingUpdate 1'],
    ],
    [
      'its update is complete (AS-38)',
      update('0n 1n 2n', { 2: state('Updating', {}) }),
      ['set lifecycle Updated 2'],
    ],
    ['it waits for the hook to be back (AS-38)', update('0n 1n 2n', { 2: state('Updated', {}) }), []],
    ['which uses up the budget', ordered(update('0 1 2n', { 2: state('Updated', {}) })), []],
    ['and is back (AS-38)', update('0n 1n 2n', { 2: state('Updated') }), ['set lifecycle Normal 2']],
  ])('%s', (_, of, acts) => {
    expect(actions(of)).toEqual(acts);
  });

  test.each<[string, Given, ReturnType<typeof step>, string[]]>([
    ['a step of one', update('0 1 2'), step(1), ['set lifecycle PreparingUpdate 2']],
    ['no other pod is taken for it', update('0 1 2', { 2: state('PreparingUpdate') }), step(1), []],
    [
      'one with a lower ordinal comes first if it is prepared',
      update('0 1 2', { 0: state('PreparingUpdate', {}) }),
      step(1),
      ['drain 0'],
    ],
    [
      'going back: a prepared pod stays',
      { ...update('0 1 2', { 2: state('PreparingUpdate') }), live: 'old' },
      back(),
      ['set lifecycle Normal 2'],
    ],
  ])('under a plan: %s', (_, of, envelope, acts) => {
    expect(actions(of, envelope)).toEqual(acts);
  });
});

describe('preNormal (OpenKruise advanced-statefulset, rule 6.10)', () => {
  const guarded = (pods: string, labels: Readonly<Record<number, Labels>> = {}): Given =>
    given(pods, labels, { lifecycle: guards });
  const stateOfCreated = (of: Given): (string | undefined)[] =>
    decide(of).actions.flatMap((action) =>
      action.do === 'create' ? [action.object.metadata.labels?.[LIFECYCLE_LABEL]] : [],
    );
  test('a new pod waits in PreparingNormal (AS-36)', () => {
    expect(stateOfCreated(guarded('0n 1n'))).toEqual(['PreparingNormal']);
    expect(stateOfCreated(given('0n 1n'))).toEqual(['Normal']);
  });

  test.each<[string, Given, string[]]>([
    [
      'it is not available, and OrderedReady stops (AS-36)',
      ordered(guarded('0n 1n', { 1: state('PreparingNormal', {}) })),
      [],
    ],
    [
      'until the hook is there (AS-36)',
      ordered(guarded('0n 1n', { 1: state('PreparingNormal', { [GUARD]: 'true' }) })),
      ['set lifecycle Normal 1'],
    ],
    ['Parallel does not stop', guarded('0n 1n', { 1: state('PreparingNormal', {}) }), ['create 2@new']],
  ])('%s', (_, of, acts) => {
    expect(actions(of)).toEqual(acts);
  });
});
