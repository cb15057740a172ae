import { describe, expect, test } from 'vitest';
import { decideBroadcastJob } from '../../../semantics/broadcastjob/decide.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import {
  ago,
  countsOf,
  decide,
  doneBy,
  type Given,
  jobOf,
  nodesOf,
  NOW,
  podsOf,
  reasonsOf,
} from './model.ts';

const started = { phase: 'running', startTime: ago(60) };
const Continue: Given['spec'] = { failurePolicy: { type: 'Continue' } };
const Pause: Given['spec'] = { failurePolicy: { type: 'Pause' } };
const Never: Given['spec'] = { completionPolicy: { type: 'Never' } };

describe('which pods are created (OpenKruise broadcastjob, rules 6.2 and 6.4)', () => {
  test.each<[what: string, given: Given, done: string]>([
    ['one on each node (BJ-6)', { nodes: 'c a b' }, 'create a, create b, create c'],
    ['one more of two (BJ-7)', { nodes: 'a b c', pods: 'a', spec: { parallelism: 2 } }, 'create b'],
    [
      '40 % of five are two (BJ-8)',
      { nodes: 'a b c d e', spec: { parallelism: '40%' } },
      'create a, create b',
    ],
    [
      '30 % of five are two (BJ-9)',
      { nodes: 'a b c d e', spec: { parallelism: '30%' } },
      'create a, create b',
    ],
    [
      'a percentage of the nodes that count',
      { nodes: 'a b c! d! e!', spec: { parallelism: '50%' } },
      'create a',
    ],
    ['more than there are nodes (BJ-10)', { nodes: 'a b', spec: { parallelism: 20 } }, 'create a, create b'],
    ['as many as run', { nodes: 'a b', pods: 'a', spec: { parallelism: 1 } }, ''],
    ['none', { nodes: 'a b', spec: { parallelism: 0 } }, ''],
    ['a finished pod makes room', { nodes: 'a b', pods: 'a+', spec: { parallelism: 1 } }, 'create b'],
    ['not on a cordoned node (BJ-11)', { nodes: 'a b~' }, 'create a'],
    ['not on a tainted node (BJ-13)', { nodes: 'a b!' }, 'create a'],
    ['not on a node that reports nothing', { nodes: 'a b0' }, 'create a'],
    ['not beside a failed pod (BJ-35)', { nodes: 'a b', pods: 'a-', spec: Continue }, 'create b'],
    ['not beside a pod that is being deleted', { nodes: 'a b', pods: 'ax' }, 'create b'],
    ['not beside a pod that has no node yet', { nodes: 'a b', pods: 'a?' }, 'create b'],
    ['again where a pod was deleted (BJ-35)', { nodes: 'a b', pods: 'b+', status: started }, 'create a'],
    ['on a node that joins, with Never (BJ-31)', { nodes: 'a b', pods: 'a+', spec: Never }, 'create b'],
    ['none while the job is being deleted', { nodes: 'a', deleting: true }, ''],
  ])('%s', (_what, given, done) => {
    expect(doneBy(given)).toBe(done);
  });

  test('more pods than parallelism allows are reported, and kept', () => {
    const given: Given = { nodes: 'a b c', pods: 'a b', spec: { parallelism: 1 } };
    expect([doneBy(given), reasonsOf(decide(given))]).toEqual(['', ['TooManyActivePods']]);
    expect(reasonsOf(decide({ ...given, spec: { parallelism: 2 } }))).toEqual([]);
  });

  test('the decision says why a node gets no pod', () => {
    const { explanations } = decide({ nodes: 'a b c! d~', pods: 'a', spec: { parallelism: 1 } });
    expect(explanations).toEqual([
      { about: 'c', reason: 'gets no pod: it has the taint out:NoSchedule' },
      { about: 'd', reason: 'gets no pod: it is cordoned' },
      { about: 'fix', reason: '1 node must wait: parallelism allows 1 pod at a time' },
    ]);
  });
});

describe('pods that no longer fit (OpenKruise broadcastjob, rule 6.2)', () => {
  test.each<[what: string, given: Given, done: string, counts: string]>([
    [
      'a running one is deleted (BJ-15)',
      { nodes: 'a! b', pods: 'a b' },
      'delete a',
      'desired 1, active 2, succeeded 0, failed 0',
    ],
    [
      'a succeeded one is deleted (BJ-16)',
      { nodes: 'a~ b', pods: 'a+ b' },
      'delete a',
      'desired 1, active 1, succeeded 1, failed 0',
    ],
    [
      'one that is being deleted still counts',
      { nodes: 'a~ b', pods: 'ax b' },
      '',
      'desired 2, active 1, succeeded 0, failed 0',
    ],
    [
      'one on a node that is gone stays',
      { nodes: 'b', pods: 'a+ b' },
      '',
      'desired 1, active 1, succeeded 1, failed 0',
    ],
  ])('%s', (_what, given, done, counts) => {
    expect([doneBy(given), countsOf(decide(given))]).toEqual([done, counts]);
  });

  test('a pod is judged as it is, and a node without one by the template (BJ-37)', () => {
    const template = { spec: { restartPolicy: 'Never', nodeSelector: { disk: 'ssd' }, containers: [] } };
    const given: Given = { nodes: 'a b', pods: 'a' };
    expect(doneBy(given)).toBe('create b');
    expect(doneBy({ ...given, spec: { template } })).toBe('');
  });
});

describe('completion (OpenKruise broadcastjob, rule 6.5)', () => {
  test.each<[what: string, given: Given, phase: string, events: string[]]>([
    ['all succeeded (BJ-17)', { nodes: 'a b', pods: 'a+ b+' }, 'completed', ['JobComplete']],
    [
      'one failed, with Continue (BJ-18)',
      { nodes: 'a b c', pods: 'a- b+ c+', spec: Continue },
      'completed',
      ['JobComplete'],
    ],
    [
      'a node without pod, with Continue (BJ-19)',
      { nodes: 'a b', pods: 'a-', spec: Continue },
      'running',
      [],
    ],
    ['a pod that runs', { nodes: 'a b', pods: 'a+ b' }, 'running', []],
    ['a pod that is being deleted', { nodes: 'a b', pods: 'a+ bx' }, 'completed', ['JobComplete']],
    [
      'a pod over its restart limit, with Continue',
      { nodes: 'a', pods: 'a1', restartPolicy: 'OnFailure', spec: Continue },
      'running',
      [],
    ],
    ['no node that fits (BJ-34)', { nodes: 'a! b~' }, 'running', []],
    ['only a pod on a node that is gone', { nodes: '', pods: 'a+' }, 'running', []],
    ['without end (BJ-31)', { nodes: 'a', pods: 'a+', spec: Never }, 'running', []],
  ])('%s', (_what, given, phase, events) => {
    const decision = decide({ ...given, status: started });
    expect([decision.status.phase, reasonsOf(decision)]).toEqual([phase, events]);
  });

  test('the status says so once, with the time', () => {
    expect(decide({ nodes: 'a b', pods: 'a+ b-', spec: Continue, status: started }).status).toEqual({
      phase: 'completed',
      startTime: ago(60),
      completionTime: ago(0),
      desired: 2,
      active: 0,
      succeeded: 1,
      failed: 1,
      conditions: [
        {
          type: 'Complete',
          status: 'True',
          reason: 'Complete',
          message: 'Job completed, 1 pods succeeded, 1 pods failed',
          lastProbeTime: ago(0),
          lastTransitionTime: ago(0),
        },
      ],
    });
  });

  test('a first reconcile records the start (BJ-6)', () => {
    expect(decide({ nodes: 'a b c!' }).status).toEqual({
      phase: 'running',
      startTime: ago(0),
      desired: 2,
      active: 0,
      succeeded: 0,
      failed: 0,
    });
  });
});

describe('a failed pod (OpenKruise broadcastjob, rules 6.1 and 6.3)', () => {
  const failed = 'failed pod is found';
  const OnFailure = (restartLimit?: number): Given['spec'] => ({
    failurePolicy: { type: 'FailFast', ...(restartLimit !== undefined && { restartLimit }) },
  });

  test('FailFast deletes the active pods, and counts them as failed (BJ-20, BJ-21)', () => {
    const given: Given = { nodes: 'a b c d', pods: 'a- b c d+', status: started };
    const decision = decide(given);
    expect(doneBy(given)).toBe('delete b, delete c');
    expect(countsOf(decision)).toBe('desired 4, active 0, succeeded 1, failed 3');
    expect(decision.status).toMatchObject({
      phase: 'failed',
      completionTime: ago(0),
      conditions: [{ type: 'Failed', status: 'True', reason: 'Failed' }],
    });
    expect(reasonsOf(decision)).toEqual([failed]);
  });

  test.each<[what: string, given: Omit<Given, 'nodes'>, phase: string]>([
    ['one restart, no limit (BJ-22)', { pods: 'a1', restartPolicy: 'OnFailure' }, 'failed'],
    [
      'restarts up to the limit (BJ-23)',
      { pods: 'a3', restartPolicy: 'OnFailure', spec: OnFailure(3) },
      'running',
    ],
    ['restarts beyond it (BJ-23)', { pods: 'a4', restartPolicy: 'OnFailure', spec: OnFailure(3) }, 'failed'],
    ['restarts with Never (BJ-25)', { pods: 'a4', spec: OnFailure(-1) }, 'running'],
    ['one over the limit that is being deleted', { pods: 'a4x', restartPolicy: 'OnFailure' }, 'running'],
    ['a failed one that is being deleted', { pods: 'a-x' }, 'failed'],
  ])('FailFast: %s', (_what, given, phase) => {
    expect(decide({ nodes: 'a b', ...given, status: started }).status.phase).toBe(phase);
  });

  test('the restarts of all containers of a pod are added up, those of init containers too (BJ-24)', () => {
    const given: Given = { nodes: 'a', pods: 'a', restartPolicy: 'OnFailure', spec: OnFailure(3) };
    const [pod] = podsOf(given) as [Pod];
    const restarted = (init: number, main: number): string | undefined =>
      decideBroadcastJob({
        job: jobOf({ ...given, status: started }),
        pods: [
          {
            ...pod,
            status: {
              phase: 'Running',
              initContainerStatuses: [{ name: 'init', restartCount: init }],
              containerStatuses: [
                { name: 'main', restartCount: main },
                { name: 'second', restartCount: main },
              ],
            },
          },
        ],
        nodes: nodesOf('a'),
        takenNames: new Set(),
        now: NOW,
      }).status.phase;
    expect([restarted(1, 1), restarted(0, 2), restarted(2, 1)]).toEqual(['running', 'failed', 'failed']);
  });

  test('FailFast leaves the pod over its limit alone', () => {
    expect(doneBy({ nodes: 'a b', pods: 'a1 b', restartPolicy: 'OnFailure' })).toBe('delete b');
  });

  test('Continue goes on', () => {
    const given: Given = { nodes: 'a b c', pods: 'a- b', spec: Continue, status: started };
    expect([doneBy(given), reasonsOf(decide(given))]).toEqual(['create c', []]);
  });

  test('Pause creates no further pod, and says so once (BJ-26)', () => {
    const given: Given = { nodes: 'a b c', pods: 'a- b', spec: Pause, status: started };
    const decision = decide(given);
    expect([doneBy(given), decision.status.phase, reasonsOf(decision)]).toEqual(['', 'paused', ['Paused']]);
    expect(reasonsOf(decide({ ...given, status: decision.status }))).toEqual([]);
  });

  test('Pause goes on when the failed pod is deleted, and the node runs again (BJ-27)', () => {
    const given: Given = {
      nodes: 'a b c',
      pods: 'b',
      spec: Pause,
      status: { ...started, phase: 'paused' },
    };
    const decision = decide(given);
    expect([doneBy(given), decision.status.phase]).toEqual(['create a, create c', 'running']);
    expect(reasonsOf(decision)).toEqual(['Continue']);
  });

  test('FailFast ends a job without end: nodes that join get nothing (BJ-32)', () => {
    const spec = { ...Never, failurePolicy: { type: 'FailFast' } };
    const first = decide({ nodes: 'a b', pods: 'a- b', spec, status: started });
    expect(first.status.phase).toBe('failed');
    const later: Given = { nodes: 'a b c', pods: 'a-', spec, status: first.status };
    expect([doneBy(later), decide(later).status.phase]).toEqual(['', 'failed']);
    const cleared: Given = { ...later, pods: '' };
    expect([doneBy(cleared), decide(cleared).status.phase]).toEqual(['', 'failed']);
    expect(decide(later).status.conditions).toEqual(first.status.conditions);
    expect(countsOf(decide(later))).toBe('desired 3, active 0, succeeded 0, failed 1');
  });
});

describe('paused (OpenKruise broadcastjob, rule 6.7)', () => {
  const paused: Given['spec'] = { paused: true };

  test.each<[what: string, given: Given]>([
    ['no pod is created (BJ-28)', { nodes: 'a b', pods: 'a' }],
    ['no pod that does not fit is deleted', { nodes: 'a! b', pods: 'a b' }],
    ['a failed pod does not matter', { nodes: 'a b', pods: 'a- b' }],
    ['it does not complete', { nodes: 'a', pods: 'a+' }],
    [
      'its deadline does not matter',
      { nodes: 'a', pods: 'a', spec: { completionPolicy: { activeDeadlineSeconds: 10 } } },
    ],
  ])('%s', (_what, given) => {
    const wanted: Given = { ...given, spec: { ...given.spec, ...paused }, status: started };
    const decision = decide(wanted);
    expect([doneBy(wanted), decision.status.phase, reasonsOf(decision)]).toEqual(['', 'paused', []]);
    expect(decision.requeueAt).toBeUndefined();
  });

  test('it goes on with an Event, and the time since its start has passed (BJ-28)', () => {
    const status = { ...started, phase: 'paused' };
    expect(reasonsOf(decide({ nodes: 'a b', pods: 'a', status }))).toEqual(['Continue']);
    const spec = { completionPolicy: { activeDeadlineSeconds: 10 } };
    expect(reasonsOf(decide({ nodes: 'a b', pods: 'a', spec, status }))).toEqual([
      'Continue',
      'DeadlineExceeded',
    ]);
  });
});

describe('times', () => {
  const deadline = (activeDeadlineSeconds: number): Given['spec'] => ({
    completionPolicy: { type: 'Always', activeDeadlineSeconds },
  });
  const ttl = (ttlSecondsAfterFinished: number): Given['spec'] => ({
    completionPolicy: { ttlSecondsAfterFinished },
  });

  test.each<[seconds: number, phase: string, requeueAt: number | undefined]>([
    [61, 'running', NOW + 1000],
    [60, 'failed', undefined],
    [0, 'failed', undefined],
  ])('a deadline of %i seconds, 60 after the start (BJ-29)', (seconds, phase, requeueAt) => {
    const given: Given = { nodes: 'a b', pods: 'a b', spec: deadline(seconds), status: started };
    const decision = decide(given);
    expect([decision.status.phase, decision.requeueAt]).toEqual([phase, requeueAt]);
    expect(doneBy(given)).toBe(phase === 'failed' ? 'delete a, delete b' : '');
    expect(reasonsOf(decision)).toEqual(phase === 'failed' ? ['DeadlineExceeded'] : []);
  });

  const complete: Given['status'] = {
    phase: 'completed',
    completionTime: ago(30),
    conditions: [{ type: 'Complete', status: 'True' }],
  };

  test.each<[seconds: number, expired: boolean, requeueAt: number | undefined]>([
    [31, false, NOW + 1000],
    [30, true, undefined],
    [0, true, undefined],
  ])('a TTL of %i seconds, 30 after the end (BJ-30)', (seconds, expired, requeueAt) => {
    const decision = decide({ nodes: 'a', pods: 'a+', spec: ttl(seconds), status: complete });
    expect([decision.expired, decision.requeueAt]).toEqual([expired, requeueAt]);
  });

  test('a job that completes or fails now is looked at when its TTL is over', () => {
    const given: Given = { nodes: 'a', spec: ttl(30), status: started };
    expect(decide({ ...given, pods: 'a+' }).requeueAt).toBe(NOW + 30_000);
    expect(decide({ ...given, pods: 'a-' }).requeueAt).toBe(NOW + 30_000);
  });

  test('a job that is over stays as it is, whatever joins (BJ-33)', () => {
    const decision = decide({ nodes: 'a b', pods: 'a-', status: complete });
    expect(decision).toEqual({ actions: [], explanations: [], status: complete, expired: false });
  });
});
