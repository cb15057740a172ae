import { describe, expect, test } from 'vitest';
import type { BroadcastJobStatus } from '../../../schemas/generated/types/broadcastjob.ts';
import { decideJobRun, type JobRunDecision } from '../../../semantics/broadcastjob/decide-run.ts';
import { runLabel } from '../../../semantics/run/labels.ts';
import { nodeOfPod } from '../../../semantics/node/placement.ts';
import type { Node } from '../../../semantics/node/node.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import {
  hasFinished,
  hasStarted,
  newRun,
  type RunBound,
  withNodes,
} from '../../../semantics/run/run-record.ts';
import { ago, type Given, jobOf, nodesOf, NOW, podsOf } from './model.ts';

const HASH = 'h1:0123456789abcdef0123456789abcdef';
const ALL = 1000;

interface GivenRun extends Given {
  /** Nodes on record. */
  started?: string;
  finished?: string;
  /** Pods of an earlier run. */
  old?: string;
  /** Nodes whose pods were lost again and again. */
  deferred?: string;
  bound?: Partial<RunBound>;
  /** Failure domain by node. */
  zones?: Readonly<Record<string, string>>;
}

const words = (text = ''): string[] => text.split(' ').filter((word) => word !== '');

function decide({ started, finished, old, deferred, bound, zones = {}, ...given }: GivenRun): JobRunDecision {
  const nodes = nodesOf(given.nodes).map((node): Node => {
    const zone = zones[node.metadata.name];
    return zone === undefined ? node : { ...node, metadata: { ...node.metadata, labels: { zone } } };
  });
  const own = podsOf(given, runLabel(HASH));
  const former = old === undefined ? [] : podsOf({ ...given, pods: old }, 'former');
  return decideJobRun(
    {
      job: jobOf(given),
      pods: [...own, ...former],
      nodes,
      takenNames: new Set(),
      now: NOW,
      deferred: new Set(words(deferred)),
    },
    {
      hash: HASH,
      attempt: 1,
      rerun: new Set(),
      record: withNodes(newRun(HASH), { started: words(started), finished: words(finished) }),
      allowed: ALL,
      isStarting: true,
      reason: 'step canary allows 1 node',
      ...bound,
    },
  );
}

/** What is recorded first, or else what is done: `record a b`, `create a`. */
function doneBy(given: GivenRun): string {
  const { record, actions } = decide(given);
  const names = given.nodes.split(' ').map((word) => word.slice(0, 1));
  if (record !== undefined)
    return [
      `started ${names.filter((node) => hasStarted(record, node)).join(' ')}`,
      ...names.filter((node) => hasFinished(record, node)).map((node) => `finished ${node}`),
    ].join(', ');
  return actions
    .map((action) => `${action.do} ${action.do === 'create' ? nodeOfPod(action.object as Pod) : ''}`)
    .join(', ');
}

describe('a run within the bound of a plan', () => {
  const one: Partial<RunBound> = { allowed: 1 };

  test.each<[what: string, given: GivenRun, done: string]>([
    ['no pod is created without a plan', { nodes: 'a b', bound: { allowed: 0 } }, ''],
    ['a node is on record before its pod', { nodes: 'a b', bound: one }, 'started a'],
    ['then its pod is created', { nodes: 'a b', started: 'a', bound: one }, 'create a'],
    ['and no other', { nodes: 'a b', pods: 'a', started: 'a', bound: one }, ''],
    ['pods of this run are put on record', { nodes: 'a b', pods: 'b', bound: one }, 'started b'],
    [
      'success is put on record',
      { nodes: 'a b', pods: 'a+', started: 'a', bound: one },
      'started a, finished a',
    ],
    [
      'a finished node does not run again, though its pod is gone',
      { nodes: 'a b', started: 'a', finished: 'a', bound: one },
      '',
    ],
    [
      'the next wave goes on',
      { nodes: 'a b c', pods: 'a+', started: 'a', finished: 'a', bound: { allowed: 2 } },
      'started a b, finished a',
    ],
    [
      'a finished job that is applied again creates nothing',
      { nodes: 'a b', finished: 'a b', status: undefined },
      '',
    ],
    [
      'a lost pod is replaced, no other node is taken',
      { nodes: 'a b', started: 'b', bound: one },
      'create b',
    ],
    ['a node whose pod is being deleted waits', { nodes: 'a', pods: 'ax', started: 'a' }, ''],
    ['a pod on a cordoned node stays', { nodes: 'a~ b', pods: 'a', started: 'a', bound: one }, ''],
    ['a lost one there waits', { nodes: 'a~ b', started: 'a', bound: one }, ''],
    ['no node begins at a gate', { nodes: 'a b', bound: { isStarting: false } }, ''],
    ['nor while the job is paused', { nodes: 'a b', spec: { paused: true } }, ''],
    ['nor while it is being deleted', { nodes: 'a b', deleting: true }, ''],
    ['a failed pod halts it', { nodes: 'a b', pods: 'a-', started: 'a' }, ''],
    [
      'unless the policy is Continue',
      { nodes: 'a b', pods: 'a-', started: 'a', spec: { failurePolicy: { type: 'Continue' } } },
      'started a b',
    ],
    ['parallelism of the job', { nodes: 'a b c', spec: { parallelism: 1 } }, 'started a'],
    ['parallelism of the plan', { nodes: 'a b c', bound: { parallelism: '50%' } }, 'started a b'],
    [
      'the lower of both',
      { nodes: 'a b c', spec: { parallelism: 1 }, bound: { parallelism: 2 } },
      'started a',
    ],
    [
      'one zone at a time',
      { nodes: 'a b c', zones: { a: 'y', b: 'x', c: 'y' }, bound: { spread: 'zone' } },
      'started b',
    ],
    ['a node whose pods are lost waits', { nodes: 'a b', started: 'a b', deferred: 'a' }, 'create b'],
    ['a pod of an earlier run holds its node', { nodes: 'a b', old: 'a' }, 'started b'],
    ['an ended one does not', { nodes: 'a b', old: 'a+' }, 'started a b'],
    ['and neither a failed one', { nodes: 'a', old: 'a-', started: 'a' }, 'create a'],
  ])('%s', (_what, given, done) => {
    expect(doneBy(given)).toBe(done);
  });

  test('it says why nodes wait', () => {
    expect(decide({ nodes: 'a b', pods: 'a', started: 'a', bound: one }).explanations).toEqual([
      { about: 'b', reason: 'gets no pod yet: step canary allows 1 node' },
    ]);
    expect(decide({ nodes: 'a b', pods: 'a-', started: 'a' }).explanations).toEqual([
      { about: 'b', reason: 'gets no pod yet: a pod has failed' },
    ]);
  });
});

describe('the status of a run', () => {
  const former: BroadcastJobStatus = {
    phase: 'completed',
    startTime: ago(900),
    completionTime: ago(600),
    conditions: [{ type: 'Complete', status: 'True', lastTransitionTime: ago(600) }],
  };
  const counts = { desired: 2, active: 0, succeeded: 0, failed: 0 };

  test('it has no start before its first node', () => {
    expect(decide({ nodes: 'a b', bound: { allowed: 0 } }).status).toEqual({ phase: 'running', ...counts });
  });

  test('a new run drops what an earlier one says', () => {
    expect(decide({ nodes: 'a b', started: 'a', status: former }).status).toEqual({
      phase: 'running',
      startTime: ago(0),
      ...counts,
    });
  });

  test('its start stays', () => {
    const status = { phase: 'running', startTime: ago(60) };
    expect(decide({ nodes: 'a b', pods: 'a', started: 'a', status }).status).toEqual({
      ...status,
      ...counts,
      active: 1,
    });
  });

  test('a failed pod pauses it, and does not fail it', () => {
    const { status } = decide({ nodes: 'a b', pods: 'a-', started: 'a' });
    expect([status.phase, status.failed, status.conditions]).toEqual(['paused', 1, undefined]);
  });

  test('finished nodes count without their pods, also those that no longer fit', () => {
    expect(decide({ nodes: 'a! b', finished: 'a' }).status).toMatchObject({ desired: 2, succeeded: 1 });
  });

  test.each([
    ['Complete', 'completed'],
    ['Failed', 'failed'],
  ] as const)('%s becomes a condition once, when the plan ends', (type, phase) => {
    const given: GivenRun = {
      nodes: 'a b',
      finished: 'a b',
      bound: { outcome: { type, message: 'the plan has ended' } },
      status: { phase: 'running', startTime: ago(60) },
    };
    const { status } = decide(given);
    expect(status).toMatchObject({
      phase,
      startTime: ago(60),
      completionTime: ago(0),
      conditions: [{ type, status: 'True', reason: type, message: 'the plan has ended' }],
    });
    const said = { ...status, completionTime: ago(30) };
    expect(decide({ ...given, status: said }).status).toEqual(said);
  });

  test('no node begins once the plan has ended', () => {
    const outcome = { type: 'Complete', message: '' } as const;
    expect(doneBy({ nodes: 'a b', finished: 'a', bound: { outcome } })).toBe('');
  });
});

test('the label of a run is its hash, without what a label must not have', () => {
  expect(runLabel(HASH)).toBe('0123456789abcdef0123456789abcdef');
});
