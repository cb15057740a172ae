import { describe, expect, test } from 'vitest';
import type { Pod } from '../../../semantics/pod/types.ts';
import { decidePulls, endPulls, type PullDecision } from '../../../semantics/pull/decide.ts';
import type { PullWork } from '../../../semantics/pull/work.ts';
import { pullOf } from '../../../semantics/pull/pod.ts';
import { LOST, nodeOf, NOW, podOf, PULLING, REFUSED, SECOND, STARTED, workOf } from './fleet.ts';

/** `+a2`: creates the second attempt on node a; `-a1`: deletes the first. */
function actionsOf({ actions }: PullDecision, pods: readonly Pod[] = []): string[] {
  return actions.map((action) => {
    if (action.do !== 'delete') {
      const { node, attempt } = pullOf(action.do === 'create' ? action.object : (undefined as never));
      return `+${node}${attempt}`;
    }
    const pod = pods.find(({ metadata }) => metadata.name === action.name);
    const { node, attempt } = pullOf(pod as Pod);
    return `-${node}${attempt}`;
  });
}

const statesOf = ({ nodes }: PullDecision): string =>
  nodes.map(({ node, state, attempt }) => `${node} ${state}${attempt}`).join(', ');

function decide(pods: readonly Pod[], work: PullWork = workOf(), now = NOW) {
  const decision = decidePulls(work, pods, now);
  return { states: statesOf(decision), actions: actionsOf(decision, pods), decision };
}

const AGED = { ageMs: 60 * SECOND };

describe('which pods are created', () => {
  test.each<[what: string, pods: Pod[], work: Partial<PullWork>, states: string, actions: string[]]>([
    ['as many as may pull at a time', [], {}, 'a Waiting0, b Waiting0, c Waiting0', ['+a1', '+b1']],
    ['none while the pull is paused', [], { parallelism: 0 }, 'a Waiting0, b Waiting0, c Waiting0', []],
    [
      'none beyond the number',
      [podOf('a', []), podOf('b', [PULLING])],
      {},
      'a Pulling1, b Pulling1, c Waiting0',
      [],
    ],
    [
      'the next when one has pulled',
      [podOf('a', [STARTED]), podOf('b', [PULLING])],
      {},
      'a Succeeded1, b Pulling1, c Waiting0',
      ['+c1'],
    ],
    [
      'none on a node that lists the image',
      [],
      { nodes: [nodeOf('a', ['docker.io/library/nginx:1.27']), nodeOf('b')] },
      'a Present0, b Waiting0',
      ['+b1'],
    ],
    [
      'one on a node that lists only some of the images',
      [],
      { images: ['nginx:1.27', 'redis:8'], nodes: [nodeOf('a', ['docker.io/library/nginx:1.27'])] },
      'a Waiting0',
      ['+a1'],
    ],
  ])('%s', (_, pods, work, states, actions) => {
    expect(decide(pods, workOf(work))).toMatchObject({ states, actions });
  });

  test('a pod that is being deleted keeps its place, and its name, until it is gone', () => {
    const pods = [podOf('a', [PULLING], { deletionTimestamp: '2026-01-01T12:00:00Z' })];
    const found = decide(pods, workOf({ parallelism: 1 }));
    expect(found).toMatchObject({ states: 'a Pulling1, b Waiting0, c Waiting0', actions: [] });
  });
});

describe('a failed attempt (OpenKruise image-pull, rule 6d step 3)', () => {
  const work = workOf({ nodes: [nodeOf('a')] });

  test('is followed by another pod, ten seconds after it was created', () => {
    const pods = [podOf('a', [REFUSED], { ageMs: 9 * SECOND })];
    const early = decide(pods, work);
    expect(early).toMatchObject({ states: 'a Pulling1', actions: [] });
    expect(early.decision.requeueAt).toBe(NOW + SECOND);
    expect(decide(pods, work, NOW + SECOND).actions).toEqual(['+a2']);
  });

  test('pauses twice as long each time', () => {
    const pods = [podOf('a', [REFUSED], { attempt: 2, ageMs: 19 * SECOND })];
    expect(decide(pods, work).actions).toEqual([]);
    expect(decide(pods, work, NOW + SECOND).actions).toEqual(['+a3']);
  });

  test('is deleted once the next one exists, so that the count survives a crash', () => {
    const pods = [podOf('a', [REFUSED], AGED), podOf('a', [PULLING], { attempt: 2 })];
    expect(decide(pods, work)).toMatchObject({ states: 'a Pulling2', actions: ['-a1'] });
    expect(decide([...pods].reverse(), work)).toMatchObject({ states: 'a Pulling2', actions: ['-a1'] });
  });

  test('is the last one: the node has failed, and its pod stays as the record', () => {
    const pods = [podOf('a', [REFUSED], { attempt: 3, ageMs: 3_600 * SECOND })];
    const found = decide(pods, work);
    expect(found).toMatchObject({ states: 'a Failed3', actions: [] });
    expect(found.decision.nodes[0]?.problem).toBe('ImagePullBackOff nginx:1.27');
  });

  test('is the last one at once where no attempt can help', () => {
    const pods = [podOf('a', [{ waiting: { reason: 'InvalidImageName' } }], AGED)];
    expect(decide(pods, work)).toMatchObject({ states: 'a Failed1', actions: [] });
  });

  test('counts against the number of nodes at a time, also in its pause', () => {
    const both = workOf({ nodes: [nodeOf('a'), nodeOf('b')], parallelism: 1 });
    expect(decide([podOf('a', [REFUSED])], both)).toMatchObject({
      states: 'a Pulling1, b Waiting0',
      actions: [],
    });
  });

  test('has no successor while the pull is paused', () => {
    const paused = workOf({ nodes: [nodeOf('a')], parallelism: 0 });
    expect(decide([podOf('a', [REFUSED], AGED)], paused).actions).toEqual([]);
  });

  test('is one that the kubelet ended, unless the node lists the images by now', () => {
    const pods = [podOf('a', [LOST], AGED)];
    expect(decide(pods, work)).toMatchObject({ states: 'a Pulling1', actions: ['+a2'] });
    const listed = workOf({ nodes: [nodeOf('a', ['docker.io/library/nginx:1.27'])] });
    expect(decide(pods, listed)).toMatchObject({ states: 'a Succeeded1', actions: ['-a1'] });
  });

  test('fails by its time, and the reconcile comes at that time', () => {
    const pods = [podOf('a', [PULLING], { ageMs: 599 * SECOND })];
    const { states, decision } = decide(pods, work);
    expect(states).toBe('a Pulling1');
    expect(decision.requeueAt).toBe(NOW + SECOND);
    expect(decide(pods, work, NOW + SECOND).actions).toEqual(['+a2']);
  });
});

describe('which pods are deleted', () => {
  test('one that has pulled, once every node is done and its own reports the images: it is read again until then', () => {
    const pods = [podOf('a', [STARTED], AGED)];
    const before = decide(pods, workOf({ nodes: [nodeOf('a')] }));
    expect(before).toMatchObject({ states: 'a Succeeded1', actions: [] });
    expect(before.decision.requeueAt).toBe(NOW + 15 * SECOND);
    const nodes = [nodeOf('a', ['docker.io/library/nginx:1.27'])];
    expect(decide(pods, workOf({ nodes }))).toMatchObject({ states: 'a Succeeded1', actions: ['-a1'] });
    expect(decide([], workOf({ nodes }))).toMatchObject({ states: 'a Present0', actions: [] });
    // A kubelet that never reports them: nothing is read for ever, and the pod remembers.
    const old = [podOf('a', [STARTED], { ageMs: 601 * SECOND })];
    const late = decide(old, workOf({ nodes: [nodeOf('a')] }));
    expect(late).toMatchObject({ states: 'a Succeeded1', actions: [] });
    expect(late.decision.requeueAt).toBe(undefined);
  });

  test('none of a few while another node pulls or waits: one that has removed the images again is not pulled to again', () => {
    const nodes = [nodeOf('a', ['docker.io/library/nginx:1.27']), nodeOf('b')];
    const pods = [podOf('a', [STARTED], AGED), podOf('b', [PULLING])];
    expect(decide(pods, workOf({ nodes }))).toMatchObject({
      states: 'a Succeeded1, b Pulling1',
      actions: [],
    });
    const removed = workOf({ nodes: [nodeOf('a'), nodeOf('b')] });
    expect(decide(pods, removed)).toMatchObject({ states: 'a Succeeded1, b Pulling1', actions: [] });
  });

  test('those of another pull, and those of nodes that are not wanted', () => {
    const pods = [
      podOf('a', [STARTED], { work: workOf({ key: 'k0' }) }),
      podOf('gone', [STARTED]),
      podOf('b', [STARTED]),
    ];
    expect(decide(pods)).toMatchObject({
      states: 'a Waiting0, b Succeeded1, c Waiting0',
      actions: ['-a1', '-gone1', '+c1', '+a1'],
    });
  });

  test('all of them at the end, but for those that are being deleted', () => {
    const pods = [
      podOf('a', [STARTED]),
      podOf('b', [PULLING], { deletionTimestamp: '2026-01-01T12:00:00Z' }),
    ];
    const actions = endPulls(pods, 'the step is done');
    expect(actions).toEqual([
      expect.objectContaining({
        do: 'delete',
        uid: 'uid-a-1',
        resourceVersion: '7',
        reason: 'the step is done',
      }),
    ]);
  });
});

test('deciding twice creates pods of the same names', () => {
  const names = () =>
    decidePulls(workOf(), [], NOW).actions.map((action) =>
      action.do === 'create' ? action.object.metadata.name : '',
    );
  expect(names()).toEqual(names());
  expect(new Set(names()).size).toBe(2);
});
