import { describe, expect, test } from 'vitest';
import { normalizeDaemonSet } from '../../../semantics/daemonset/normalize.ts';
import { observeDaemonSet } from '../../../semantics/daemonset/observe.ts';
import type { NodeLimit } from '../../../semantics/node/step-limit.ts';
import type { Envelope } from '../../../semantics/plan/envelope.ts';
import * as fc from '../../property.ts';
import {
  actions,
  actionsIn,
  back,
  type Given,
  NOW,
  nodesOf,
  podsOf,
  revisionsOf,
  step,
  targetOf,
} from './model.ts';

const gpu = { matchLabels: { pool: 'gpu' } };
const NODES = 'n1 n2 n3l n4l n5';
const five = (pods: string, more: Partial<Given> = {}): Given => ({
  nodes: NODES,
  pods,
  rolling: { maxUnavailable: 5 },
  ...more,
});
/** A step about the nodes with `pool: gpu`, which allows so many of them beside others. */
const onGpu = (allowed: number, beyond = 0): Envelope =>
  step(allowed + beyond, { nodes: { within: { selector: gpu, beyond } } });

describe('a step about nodes with labels', () => {
  test.each<[what: string, given: Given, envelope: Envelope, acts: string[]]>([
    ['takes these alone', five('n1 n2 n3 n4 n5'), onGpu(2), ['delete n4', 'delete n3']],
    ['and no more of them than its size', five('n1 n2 n3 n4 n5'), onGpu(1), ['delete n4']],
    ['is over with them', five('n1 n2 n3n n4n n5'), onGpu(2), []],
    ['others that have the change use nothing of it', five('n1 n2n n3 n4 n5n'), onGpu(1, 2), ['delete n4']],
    ['nor does one of them that is lost', five('n1 n2n n3 n4n'), onGpu(1, 2), ['create n5@new']],
    ['beyond what had it, a lost one is old', five('n1n n2n n3 n4n'), onGpu(1, 2), ['create n5@old']],
    ['one of its own that is lost is new again', five('n1 n2 n3 n5'), onGpu(1), ['create n4@new']],
    ['within its size', five('n1 n2 n3n n5'), onGpu(1), ['create n4@old']],
    [
      'the bound of the manifest holds, too',
      five('n1 n2 n3 n4 n5', { rolling: { maxUnavailable: 5, selector: { matchLabels: { pool: 'cpu' } } } }),
      onGpu(2),
      [],
    ],
    [
      'and its partition',
      five('n1 n2 n3 n4 n5', { rolling: { maxUnavailable: 5, partition: 4 } }),
      onGpu(2),
      ['delete n4'],
    ],
    ['its window', five('n1 n2 n3 n4 n5', { rolling: { maxUnavailable: 1 } }), onGpu(2), ['delete n4']],
    [
      'with surge',
      five('n1 n2 n3 n4 n5', { rolling: { maxUnavailable: 0, maxSurge: 5 } }),
      onGpu(1),
      ['create n4@new'],
    ],
    ['what goes on another node uses nothing of it', five('n1t n2 n3 n4 n5'), onGpu(1), ['delete n4']],
    [
      'nor does what is yet to go there',
      five('n1p n2t n3 n4 n5'),
      onGpu(2),
      ['delete n1', 'delete n4', 'delete n3'],
    ],
    ['what goes on one of its own does', five('n1 n2 n3t n4 n5'), onGpu(1), []],
    ['a node that goes to its end uses its part', five('n1 n2 n3 n4nt n5'), onGpu(1), []],
  ])('%s', (_what, given, envelope, acts) => {
    expect(actions(given, envelope)).toEqual(acts);
  });

  test('an unlabeled step after it takes none of its nodes back, and goes by name', () => {
    expect(actions(five('n1 n2 n3n n4n n5'), step(2))).toEqual([]);
    expect(actions(five('n1 n2 n3n n4n n5'), step(3))).toEqual(['delete n5']);
  });
});

/** The nodes are in the zones that their letters say: `n1a n2b n3-`, `-`: none. */
function inZones(given: Given, zones: string): Given & { zones: Record<string, string> } {
  const of = Object.fromEntries(
    zones
      .split(' ')
      .map((word) => [word.slice(0, -1), word.slice(-1)] as const)
      .filter(([, zone]) => zone !== '-'),
  );
  return {
    ...given,
    nodes: zones
      .split(' ')
      .map((word) => word.slice(0, -1))
      .join(' '),
    zones: of,
  };
}

/** What one reconcile does where nodes have zones. */
function decided(given: ReturnType<typeof inZones>, envelope: Envelope): { acts: string[]; reasons: object } {
  const target = targetOf(given);
  const placement = nodesOf(given.nodes).map((node) => {
    const zone = given.zones[node.metadata.name];
    const labels: Record<string, string> = zone === undefined ? {} : { zone };
    return { ...node, metadata: { ...node.metadata, labels } };
  });
  const snapshot = observeDaemonSet(
    {
      target,
      pods: podsOf(given),
      revisions: revisionsOf(given),
      placement,
      takenNames: new Set(),
      now: NOW,
    },
    normalizeDaemonSet(target),
    { unsupported: [], invalid: [] },
  );
  const decision = snapshot.decide(envelope, undefined, new Set(), [], undefined);
  return {
    acts: actionsIn(decision.actions),
    reasons: Object.fromEntries(decision.explanations.map(({ about, reason }) => [about, reason])),
  };
}

const ZONES = 'n1b n2a n3a n4b n5-';
const spread = (allowed: number, broken: string[] = []): Envelope => {
  const nodes: NodeLimit = { spread: 'zone', broken };
  return step(allowed, { nodes });
};

describe('a step that goes by failure domains', () => {
  test.each<[what: string, pods: string, envelope: Envelope, expected: string[], zones?: string]>([
    ['one after the other, each by name', 'n1 n2 n3 n4 n5', spread(5), ['delete n3', 'delete n2']],
    ['the next one once the first is done', 'n1 n2n n3n n4 n5', spread(5), ['delete n4', 'delete n1']],
    ['not before', 'n1 n2n n3n! n4 n5', spread(5), []],
    ['those without one last', 'n1n n2n n3n n4n n5', spread(5), ['delete n5']],
    ['its size is by domains, too', 'n1 n2 n3 n4 n5', spread(3), ['delete n3', 'delete n2']],
    ['a node of the domain that is going on', 'n1 n2 n3n! n4 n5', spread(5), ['delete n2']],
    ['a broken node waits for its turn', 'n1! n2n n3n! n4 n5', spread(5), []],
    ['and needs no budget then', 'n1! n2n n3n n4 n5', spread(5), ['delete n1', 'delete n4']],
    [
      'a node that was broken before keeps no other domain waiting',
      'n1 n2n n3n! n4 n5',
      spread(5, ['n3']),
      ['delete n4', 'delete n1'],
    ],
    ['all at once without it', 'n1 n2 n3 n4 n5', step(5), [5, 4, 3, 2, 1].map((n) => `delete n${n}`)],
    ['a way back does not wait', 'n1n n2n n3n n4n n5n', back(), [5, 4, 3, 2, 1].map((n) => `delete n${n}`)],
  ])('%s', (_what, pods, envelope, expected, zones = ZONES) => {
    const live = envelope.back === undefined ? 'new' : 'old';
    const given = inZones({ nodes: '', pods, rolling: { maxUnavailable: 5 }, live }, zones);
    expect(decided(given, envelope).acts).toEqual(expected);
  });

  test('within the budget', () => {
    const given = inZones({ nodes: '', pods: 'n1 n2 n3 n4 n5', rolling: { maxUnavailable: 1 } }, ZONES);
    const found = decided(given, spread(5));
    expect(found.acts).toEqual(['delete n3']);
    expect(found.reasons).toEqual({
      n2: 'is updated once fewer than 1 node is without an available pod',
    });
  });

  test('what waits says so', () => {
    const given = inZones({ nodes: '', pods: 'n1 n2n n3n! n4 n5', rolling: { maxUnavailable: 5 } }, ZONES);
    expect(decided(given, spread(5)).reasons).toEqual({
      n4: 'is updated once no node of another failure domain is being updated',
    });
  });

  test('with surge', () => {
    const given = inZones(
      { nodes: '', pods: 'n1 n2 n3 n4 n5', rolling: { maxUnavailable: 0, maxSurge: 5 } },
      ZONES,
    );
    expect(decided(given, spread(5)).acts).toEqual(['create n2@new', 'create n3@new']);
  });

  test('a pod that was drained in another domain is updated, as it is out of traffic', () => {
    const given = inZones(
      {
        nodes: '',
        pods: 'n1d n2g n3ng! n4g n5g',
        rolling: { rollingUpdateType: 'InPlaceIfPossible', maxUnavailable: 5 },
      },
      ZONES,
    );
    expect(decided(given, spread(5)).acts).toContain('update in place n1');
  });
});

test('whatever the pods are, no more nodes of either side are taken than a step says', () => {
  const names = ['n1', 'n2', 'n3', 'n4', 'n5', 'n6'];
  const worlds = fc.record({
    pods: fc.array(fc.constantFrom('', 'old', 'new', 'broken', 'brokenNew'), { minLength: 6, maxLength: 6 }),
    labeled: fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }),
    size: fc.nat(6),
    beyond: fc.nat(6),
  });
  const FLAGS: Record<string, string> = { old: '', new: 'n', broken: '!', brokenNew: 'n!' };
  fc.assert(
    fc.property(worlds, ({ pods, labeled, size, beyond }) => {
      const given: Given = {
        nodes: names.map((name, index) => `${name}${labeled[index] === true ? 'l' : ''}`).join(' '),
        pods: names
          .flatMap((name, index) => (pods[index] === '' ? [] : [`${name}${FLAGS[pods[index] ?? ''] ?? ''}`]))
          .join(' '),
        rolling: { maxUnavailable: 6 },
      };
      const isNew = names.map((_, index) => (pods[index] ?? '').toLowerCase().includes('new'));
      const done = actions(given, onGpu(size, beyond));
      const begun = names.map(
        (name) => done.includes(`delete ${name}`) || done.includes(`create ${name}@new`),
      );
      for (const [side, most] of [
        [true, size],
        [false, beyond],
      ] as const) {
        const before = names.filter((_, index) => labeled[index] === side && isNew[index]).length;
        const after = names.filter(
          (_, index) => labeled[index] === side && (isNew[index] || begun[index]),
        ).length;
        expect(after).toBeLessThanOrEqual(Math.max(before, most));
      }
      for (const [index, name] of names.entries())
        if (labeled[index] !== true) expect(done).not.toContain(`delete ${name}`);
    }),
    { numRuns: 300 },
  );
});
