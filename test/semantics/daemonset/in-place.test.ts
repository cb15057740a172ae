import { describe, expect, test } from 'vitest';
import { actions, back, decide, type Given, hashOf, reasons } from './model.ts';

const inPlace = (pods: string, more: Partial<Given> = {}): Given => ({
  nodes: 'n1 n2 n3',
  pods,
  rolling: { rollingUpdateType: 'InPlaceIfPossible', maxUnavailable: 1 },
  ...more,
});

const HOLD = { hold: 'yes' };
const hooked = (pods: string, labels: Given['labels'] = {}, more: Partial<Given> = {}): Given => ({
  nodes: 'n1 n2 n3 n4 n5',
  pods,
  rolling: { maxUnavailable: 2 },
  spec: { lifecycle: { preDelete: { labelsHandler: HOLD } } },
  labels,
  ...more,
});
const ALL = { n1: HOLD, n2: HOLD, n3: HOLD, n4: HOLD, n5: HOLD };

type Row = readonly [what: string, given: Given, acts: readonly string[]];

describe('in place (rule 6.7)', () => {
  test.each<Row>([
    ['an image: the pod is drained first (DS-37)', inPlace('n1g n2g n3g'), ['drain n3']],
    ['then its image changes (DS-37)', inPlace('n1g n2g n3d'), ['update in place n3']],
    ['no other pod before it is back (DS-37)', inPlace('n1g n2g n3ni'), []],
    ['a changed environment makes a new pod (DS-38)', inPlace('n1g n2g n3g', { live: 'mid' }), ['delete n3']],
    ['and only within the budget (DS-38)', inPlace('n1g n2g n3mg!', { live: 'mid' }), []],
    ['a pod without the gate is recreated (DS-39)', inPlace('n1g n2g n3'), ['delete n3']],
    [
      'a drained pod comes before others, so that it does not stay out of traffic',
      inPlace('n1d n2g n3g'),
      ['update in place n1'],
    ],
    [
      'one that is no longer to be updated gets its traffic back',
      inPlace('n1g n2g n3d', { live: 'old' }),
      ['set InPlaceUpdateReady=True n3'],
    ],
    [
      'so does one that waits behind a partition',
      inPlace('n1g n2g n3d', {
        rolling: { rollingUpdateType: 'InPlaceIfPossible', maxUnavailable: 1, partition: 3 },
      }),
      ['set InPlaceUpdateReady=True n3'],
    ],
    [
      'burstReplicas limits how many change at once',
      inPlace('n1g! n2g! n3g!', { spec: { burstReplicas: 2 } }),
      ['drain n3', 'drain n2'],
    ],
  ])('%s', (_what, given, acts) => {
    expect(actions(given)).toEqual(acts);
  });

  test('label, state and event have the hash alone (DS-37)', () => {
    const [update] = decide(inPlace('n1g n2g n3d')).actions;
    const { metadata } = (update?.do === 'patch' ? update.body : {}) as {
      metadata?: { labels: Record<string, string>; annotations: Record<string, string> };
    };
    expect(metadata?.labels).toMatchObject({ 'controller-revision-hash': 'new' });
    const state = metadata?.annotations['apps.kruise.io/inplace-update-state'] ?? '{}';
    expect(JSON.parse(state)).toMatchObject({ revision: 'new' });
    expect(update?.event).toEqual({
      type: 'Normal',
      reason: 'SuccessfulUpdatePodInPlace',
      message: 'successfully update pod n3 in-place(revision new)',
    });
  });
});

describe('the hook preDelete (rule 6.8)', () => {
  test.each<Row>([
    [
      'as many pods as the budget allows are prepared, and none is deleted (DS-40)',
      hooked('n1 n2 n3 n4 n5', ALL),
      ['set lifecycle PreparingDelete n5', 'set lifecycle PreparingDelete n4'],
    ],
    ['no other pod meanwhile (DS-40)', hooked('n1 n2 n3 n4p n5p', ALL), []],
    [
      'once the hook lets it go it is deleted (DS-40)',
      hooked('n1 n2 n3 n4p n5p', { n4: HOLD }),
      ['delete n5'],
    ],
    ['then its node gets a new one (DS-40)', hooked('n1 n2 n3 n4p', { n4: HOLD }), ['create n5@new']],
    [
      'the template goes back: it is deleted all the same (DS-41)',
      hooked('n1 n2 n3 n4 n5p', {}, { live: 'old' }),
      ['delete n5'],
    ],
    [
      'the template goes back, and the hook still holds it (DS-41)',
      hooked('n1 n2 n3 n4 n5p', ALL, { live: 'old' }),
      [],
    ],
    [
      'a new pod that waits for its deletion uses the budget, beside an old one, too',
      hooked('n1 n2 n3 n4 n5 n5npy', { n5b: HOLD }, { rolling: { maxUnavailable: 1 } }),
      [],
    ],
    [
      'a node that is not eligible waits for the hook, too',
      hooked('n1n n2n', { n2: HOLD }, { nodes: 'n1 n2x' }),
      ['set lifecycle PreparingDelete n2'],
    ],
  ])('%s', (_what, given, acts) => {
    expect(actions(given)).toEqual(acts);
  });

  test('a pod that waits says for what', () => {
    expect(reasons(hooked('n1n n2n n3n n4n n5p', ALL))['n5']).toBe(
      'waits for hook preDelete, label hold=yes: kubectl label pod n5 -n ops hold-',
    );
  });
});

test('on the way back a node that the bound does not select goes to what it had left there', () => {
  const envelope = back([], {
    goal: hashOf('mid'),
    stable: hashOf('mid'),
    retained: { hash: hashOf('old'), n: 1 },
    selector: { matchLabels: { pool: 'gpu' } },
  });
  const rolling = { rollingUpdateType: 'InPlaceIfPossible', maxUnavailable: 2 };
  // From the new revision to the old one there is a way in place, and none to the third one.
  expect(actions({ nodes: 'n1 n2l', pods: 'n1ng n2ng', rolling, live: 'mid' }, envelope)).toEqual([
    'delete n2',
    'drain n1',
  ]);
});
