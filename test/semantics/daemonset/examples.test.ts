import { describe, expect, test } from 'vitest';
import { actions, type Given, reasons, statusOf } from './model.ts';

type Row = readonly [what: string, given: Given, acts: readonly string[]];

const five = (pods: string, more: Given['rolling'] = {}): Given => ({
  nodes: 'n1 n2 n3 n4 n5',
  pods,
  rolling: { maxUnavailable: 2, ...more },
});
const three = (pods: string, more: Given['rolling'] = {}): Given => ({
  nodes: 'n1 n2 n3',
  pods,
  rolling: { maxUnavailable: 3, ...more },
});
const surging = (pods: string, more: Partial<Given> = {}): Given => ({
  nodes: 'n1 n2 n3 n4 n5',
  pods,
  rolling: { maxUnavailable: 0, maxSurge: 2 },
  ...more,
});
const TEN = 'n0 n1 n2 n3 n4 n5 n6 n7 n8 n9';
const progressive = (pods: string, partition: number | string, nodes = TEN): Given => ({
  nodes,
  pods,
  rolling: { partition },
  spec: { scaleStrategy: { partitionedScaling: true } },
});

const nodes: readonly Row[] = [
  [
    'every node gets a pod (DS-12)',
    { nodes: 'n1 n2 n3', pods: '' },
    ['create n1@new', 'create n2@new', 'create n3@new'],
  ],
  ['a cordoned node gets one (DS-13)', { nodes: 'n1c', pods: '' }, ['create n1@new']],
  ['a node with a taint of its own gets none (DS-14)', { nodes: 'n1 n2!', pods: '' }, ['create n1@new']],
  ['NoSchedule leaves the pod (DS-15)', { nodes: 'n1 n2!', pods: 'n1n n2n' }, []],
  ['NoExecute does not (DS-16)', { nodes: 'n1 n2x', pods: 'n1n n2n' }, ['delete n2']],
  [
    'a node that the node selector does not select (DS-16)',
    { nodes: 'n1l n2', pods: 'n1n n2n', pool: 'gpu' },
    ['delete n2'],
  ],
  [
    'a node that is not ready: no new pod, and the old one stays (DS-17)',
    { nodes: 'n1d n2d', pods: 'n1n' },
    [],
  ],
  [
    'a node that joins gets the new revision, whatever the partition (DS-18)',
    { nodes: 'n1 n2', pods: 'n1', rolling: { partition: '100%' } },
    ['create n2@new'],
  ],
  ['of two pods the younger goes (DS-43)', { nodes: 'n1', pods: 'n1n n1ny' }, ['delete n1b']],
  [
    'one that is not bound goes, though it is older (DS-43)',
    { nodes: 'n1', pods: 'n1nu n1ny' },
    ['delete n1'],
  ],
  ['a pod for a node that does not exist (DS-44)', { nodes: 'n1', pods: 'n1n n2nu' }, ['delete n2']],
  ['one that is bound there is left to pod collection', { nodes: 'n1', pods: 'n1n n2n' }, []],
  ['no pod while the one before is being deleted (DS-51)', { nodes: 'n1', pods: 'n1t' }, []],
  [
    'no pod is created or deleted for a target that is being deleted (DS-55)',
    { nodes: 'n1 n2 n3x', pods: 'n1 n3n', deleting: true },
    [],
  ],
];

const ended: readonly Row[] = [
  ['a failed pod is deleted (DS-42)', { nodes: 'n1 n2', pods: 'n1nf n2n' }, ['delete n1']],
  ['then its node gets another one', { nodes: 'n1 n2', pods: 'n2n' }, ['create n1@new']],
  [
    'after repeated failures it stays until the next one is due (DS-42)',
    { nodes: 'n1 n2', pods: 'n1nf n2nf', deferred: ['n1'] },
    ['delete n2'],
  ],
  [
    'and so does the next one, where the failed one is gone (DS-42)',
    { nodes: 'n1 n2', pods: '', deferred: ['n1'] },
    ['create n2@new'],
  ],
  ['one that has succeeded is deleted, too', { nodes: 'n1', pods: 'n1ns' }, ['delete n1']],
];

const scaling: readonly Row[] = [
  ['partition 9 of 10: one pod, on the first node (DS-19)', progressive('', 9), ['create n0@new']],
  [
    'then partition 5: four more (DS-20)',
    progressive('n0n', 5),
    ['create n1@new', 'create n2@new', 'create n3@new', 'create n4@new'],
  ],
  [
    'then partition 0: all (DS-20)',
    progressive('n0n n1n n2n n3n n4n', 0),
    ['create n5@new', 'create n6@new', 'create n7@new', 'create n8@new', 'create n9@new'],
  ],
  [
    'an old pod that is lost is not replaced while the partition is used up (DS-21)',
    progressive('n2 n3n', 2, 'n1 n2 n3'),
    [],
  ],
  ['it is replaced once the partition is lower', progressive('n2 n3n', 1, 'n1 n2 n3'), ['create n1@new']],
  ['a percentage is of the nodes that are there', progressive('', '90%'), ['create n0@new']],
];

const standard: readonly Row[] = [
  ['two of five (DS-22)', five('n1 n2 n3 n4 n5'), ['delete n5', 'delete n4']],
  ['they come back (DS-22)', five('n1 n2 n3'), ['create n4@new', 'create n5@new']],
  ['nothing until they are available (DS-22)', five('n1 n2 n3 n4n! n5n!'), []],
  ['one of them is (DS-22)', five('n1 n2 n3 n4n! n5n'), ['delete n3']],
  ['both are (DS-22)', five('n1 n2 n3 n4n n5n'), ['delete n3', 'delete n2']],
  ['the last one (DS-22)', five('n1 n2n n3n n4n n5n'), ['delete n1']],
  [
    '30 % of five are two (DS-23)',
    five('n1 n2 n3 n4 n5', { maxUnavailable: '30%' }),
    ['delete n5', 'delete n4'],
  ],
  [
    'broken old pods need no budget (DS-24)',
    five('n1! n2! n3! n4! n5!', { maxUnavailable: 3 }),
    ['delete n5', 'delete n4', 'delete n3', 'delete n2', 'delete n1'],
  ],
  [
    'and use up none of that of others (10.1)',
    five('n1 n2 n3 n4! n5!', { maxUnavailable: 1 }),
    ['delete n5', 'delete n4', 'delete n3'],
  ],
  ['new pods that never become ready stop it (DS-25)', five('n1 n2 n3 n4n! n5n!'), []],
  ['a pod that is being deleted uses the budget', five('n1 n2 n3 n4t n5n!'), []],
  [
    'a node that is not ready is updated like others',
    { ...three('n1 n2 n3!', { maxUnavailable: 1 }), nodes: 'n1 n2 n3d' },
    ['delete n3', 'delete n2'],
  ],
  [
    'a node that is not ready uses the budget',
    { ...three('n1 n2 n3n!', { maxUnavailable: 1 }), nodes: 'n1 n2 n3d' },
    [],
  ],
  [
    'a node with two pods uses the budget',
    five('n1 n2 n3n n4n n5 n5ny', { maxUnavailable: 1 }),
    ['delete n5b'],
  ],
  [
    'minReadySeconds: not available yet',
    { ...five('n1 n2 n3 n4n~ n5n~'), spec: { minReadySeconds: 10 } },
    [],
  ],
  [
    'a pod that another updater is about to write',
    { ...five('n1 n2 n3 n4n n5n'), reserved: ['n4'] },
    ['delete n3'],
  ],
];

const bounds: readonly Row[] = [
  ['partition 1 of three, n1 is updated (DS-26)', three('n1n n2 n3', { partition: 1 }), ['delete n3']],
  [
    'partition 50 % of five retains two (DS-27)',
    five('n1 n2 n3 n4 n5', { partition: '50%', maxUnavailable: 5 }),
    ['delete n5', 'delete n4', 'delete n3'],
  ],
  [
    'only the selected node (DS-28)',
    { ...three('n1 n2 n3', { selector: { matchLabels: { pool: 'gpu' } } }), nodes: 'n1 n2 n3l' },
    ['delete n3'],
  ],
  [
    'another node gets the label (DS-28)',
    { ...three('n1 n2 n3n', { selector: { matchLabels: { pool: 'gpu' } } }), nodes: 'n1l n2 n3l' },
    ['delete n1'],
  ],
  [
    'selector and partition: the updated node counts (DS-29)',
    {
      ...three('n1n n2 n3 n4', { selector: { matchLabels: { pool: 'gpu' } }, partition: 2 }),
      nodes: 'n1l n2l n3l n4',
    },
    ['delete n3'],
  ],
  [
    'the empty selector selects every node',
    three('n1 n2 n3', { selector: {}, maxUnavailable: 1 }),
    ['delete n3'],
  ],
  ['raising the partition takes nothing back (DS-30)', three('n1 n2n n3n', { partition: 3 }), []],
  [
    'what is broken beyond the partition is neither repaired nor charged',
    three('n1! n2 n3', { partition: 1, maxUnavailable: 1 }),
    ['delete n3'],
  ],
];

const halted: readonly Row[] = [
  ['paused: no update (DS-31)', three('n1 n2 n3', { paused: true }), []],
  ['paused: a lost pod comes back new (DS-31)', three('n1 n2', { paused: true }), ['create n3@new']],
  ['paused: a failed pod is replaced (DS-31)', three('n1 n2 n3f', { paused: true }), ['delete n3']],
  ['OnDelete: no update (DS-32)', { nodes: 'n1 n2', pods: 'n1 n2', onDelete: true }, []],
  [
    'OnDelete: a deleted pod comes back new (DS-32)',
    { nodes: 'n1 n2', pods: 'n1', onDelete: true },
    ['create n2@new'],
  ],
];

const surge: readonly Row[] = [
  ['two extra pods (DS-33)', surging('n1 n2 n3 n4 n5'), ['create n4@new', 'create n5@new']],
  ['the old ones stay until these are available (DS-33)', surging('n1 n2 n3 n4 n4n!y n5 n5n!y'), []],
  [
    'then they go, and the next two come (DS-33)',
    surging('n1 n2 n3 n4 n4ny n5 n5ny'),
    ['delete n4', 'delete n5', 'create n2@new', 'create n3@new'],
  ],
  ['an old pod that is not ready goes at once (DS-34)', surging('n1n n2n n3n n4n n5! n5n!y'), ['delete n5']],
  [
    'not before the new one was ready for so long (DS-35)',
    surging('n1n n2n n3n n4n n5 n5n~y', { spec: { minReadySeconds: 10 } }),
    [],
  ],
  ['a broken old pod needs no budget', surging('n1 n2 n3! n4 n4n!y n5 n5n!y'), ['create n3@new']],
  ['an old pod that is being deleted holds nothing up', surging('n1n n2n n3n n4n n5t'), ['create n5@new']],
  [
    'the pair of a paused target is settled, too',
    surging('n1 n2 n3 n4 n5 n5ny', { rolling: { maxUnavailable: 0, maxSurge: 2, paused: true } }),
    ['delete n5'],
  ],
  [
    'a node that admits no new pod gets no extra one',
    surging('n1n n2n n3n n4n n5', { nodes: 'n1 n2 n3 n4 n5!' }),
    [],
  ],
];

const many = Array.from({ length: 300 }, (_, index) => `n${index + 100}`).join(' ');

describe('as OpenKruise does it (advanced-daemonset)', () => {
  describe.each<[string, readonly Row[]]>([
    ['nodes and their pods (rule 6.3)', nodes],
    ['pods that have ended (rule 6.3.1)', ended],
    ['partitionedScaling (rule 6.4)', scaling],
    ['Standard (rule 6.7)', standard],
    ['partition and selector (rule 6.6)', bounds],
    ['paused and OnDelete', halted],
    ['surge (rule 6.7)', surge],
  ])('%s', (_title, rows) => {
    test.each(rows)('%s', (_what, given, acts) => {
      expect(actions(given)).toEqual(acts);
    });
  });

  test('250 pods are created at once at most (DS-46)', () => {
    expect(actions({ nodes: many, pods: '' })).toHaveLength(250);
    expect(reasons({ nodes: many, pods: '' })['agent']).toBe(
      'creates 250 of 300 missing pods now: burstReplicas allows no more at once',
    );
  });

  test('burstReplicas of 10 % of five nodes is none: nothing is created or deleted (DS-47)', () => {
    const spec = { burstReplicas: '10%' };
    expect(actions({ nodes: 'n1 n2 n3 n4 n5', pods: '', spec })).toEqual([]);
    expect(actions({ ...five('n1 n2 n3 n4 n5x'), spec })).toEqual([]);
  });

  test('burstReplicas limits deletions', () => {
    expect(actions({ ...five('n1! n2! n3! n4! n5!'), spec: { burstReplicas: 3 } })).toEqual([
      'delete n5',
      'delete n4',
      'delete n3',
    ]);
  });

  test('a node that gets no pod says why', () => {
    expect(reasons({ nodes: 'n1! n2', pods: 'n2n' })).toEqual({
      n1: 'gets no pod: it has the taint dedicated:NoSchedule',
    });
    expect(reasons(progressive('n0n', 9))['n1']).toBe(
      'gets no pod now: partitionedScaling is on, and the partition keeps 9 nodes back',
    );
  });

  test('a node that leaves the wanted ones, and keeps its pod, counts as misscheduled (DS-14, DS-15)', () => {
    expect(statusOf({ nodes: 'n1 n2!', pods: 'n1n n2n' })).toMatchObject({
      desiredNumberScheduled: 1,
      numberMisscheduled: 1,
    });
    expect(statusOf({ nodes: 'n1 n2!', pods: 'n1n' })).toMatchObject({
      desiredNumberScheduled: 1,
      numberMisscheduled: 0,
    });
  });
});
