import { describe, expect, test } from 'vitest';
import { inSequence } from '../../../semantics/decision.ts';
import type { Envelope } from '../../../semantics/plan/envelope.ts';
import { actions, back, decide, type Given, hashes, ownStrategy, step } from './model.ts';

/** Five pods with claims, and the ordinals that are on record as made at the new revision. */
const given = (pods: string, made?: string): Given => ({
  replicas: 5,
  pods,
  max: 2,
  claims: '0 1 2 3 4',
  ...(made !== undefined && { made }),
});

/** What is written on revisions: `web-new: 0,3-4`. */
function records(of: Given, envelope: Envelope): string[] {
  return decide(of, envelope).actions.flatMap((action) => {
    if (action.kind !== 'ControllerRevision' || action.do !== 'patch') return [];
    const { annotations } = action.body['metadata'] as { annotations: Record<string, string | null> };
    return [`${action.name}: ${String(annotations['plan.kruise.io/made-at'])}`];
  });
}

const held = step(5, { goal: hashes.old });

describe('the data of an ordinal outranks the bound of a step', () => {
  test.each<[what: string, given: Given, envelope: Envelope, acts: string[]]>([
    [
      'a lost pod comes back where its claims are',
      given('1 2 3', '0'),
      step(1),
      ['create 0@new', 'create 4@old'],
    ],
    ['it uses up its part of the step', given('1 2 3 4', '0'), step(1), ['create 0@new']],
    ['beyond what the step allows, too', given('1 2 3n 4n', '0,3-4'), step(2), ['create 0@new']],
    ['then nothing more is taken', given('0n 1 2 3n 4n', '0,3-4'), step(2), []],
    ['below the partition, too', { ...given('1 2 3 4n', '0,4'), partition: 2 }, step(2), ['create 0@new']],
    [
      'going back, all are made where it goes',
      { ...given('1 2 3 4', '0'), live: 'old' },
      back(),
      ['create 0@old'],
    ],
  ])('%s', (_what, of, envelope, acts) => {
    // Going back clears the record first.
    const { made: _, ...cleared } = of;
    expect(actions(records(of, envelope).length > 0 ? cleared : of, envelope)).toEqual(acts);
  });
});

test.each<[claims: string, revision: string]>([
  ['0 1 2 3 4', 'web-new'],
  ['1 2 3 4', 'web-old'],
])('it does so only while the claim is there: %s', (claims, revision) => {
  const decided = decide({ ...given('1 2 3', '0,4'), claims }, step(1));
  const pod = inSequence(decided.actions).find(
    (action) => action.do === 'create' && action.object.metadata.name === 'web-0',
  );
  expect(pod?.do === 'create' && pod.object.metadata.labels).toMatchObject({
    'controller-revision-hash': revision,
  });
});

describe('the record of ordinals', () => {
  test('is written before the pod is created, and nothing else is done', () => {
    const of = given('0 1 2 3');
    expect(records(of, step(1))).toEqual(['web-new: 4']);
    expect(actions(of, step(1))).toEqual([]);
    expect(actions({ ...of, made: '4' }, step(1))).toEqual(['create 4@new']);
  });

  test.each<[what: string, given: Given, envelope: Envelope, written: string[]]>([
    ['has the pods that were updated in place', given('0n 1 2 3n 4n', '4'), step(3), ['web-new: 0,3-4']],
    ['keeps those that are lost', given('0 1 2 4n', '3-4'), step(2), []],
    ['and those of ordinals that are scaled in', { ...given('0 1 2n', '2,4'), replicas: 3 }, step(1), []],
    ['drops those that are on another revision again', given('0 1 2 3 4n', '3-4'), step(1), ['web-new: 4']],
    ['does not have pods that wait for their turn', given('0 1 2 3 4nt', '4'), step(1), []],
    ['ends when no plan leads there', given('0n 1n 2n 3n 4n', '0-4'), held, ['web-new: null']],
    [
      'ends when it is stable',
      given('0n 1n 2n 3n 4n', '0-4'),
      step(5, { stable: hashes.new }),
      ['web-new: null'],
    ],
    [
      'ends with the strategy of the target alone',
      given('0n 1n 2n 3n 4n', '0-4'),
      ownStrategy(),
      ['web-new: null'],
    ],
    [
      'is not made of a text that is none',
      given('0 1 2 3 4', 'x,-3,0-2000000000'),
      step(0),
      ['web-new: 5-99999'],
    ],
  ])('%s', (_what, of, envelope, written) => {
    expect(records(of, envelope)).toEqual(written);
  });

  test('is not needed without claims', () => {
    const { claims: _, ...of } = given('0 1 2 3 4n');
    expect(records(of, step(1))).toEqual([]);
  });
});
