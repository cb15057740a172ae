import { describe, expect, it, test } from 'vitest';
import { releasedRequest } from '../../../semantics/containerrecreaterequest/decide.ts';
import type { Condition } from '../../../schemas/wire/object.ts';
import { refusedText } from '../../../semantics/plan/refused-text.ts';
import { listOf, objectOf } from '../../../semantics/values/read.ts';
import { timestamp } from '../../../semantics/values/timestamp.ts';
import { endOf } from '../../fixtures/recreate-requests.ts';
import { begun, imagesOf, podWith, reconciled, restarted, settledAt, T0, type Played } from './requests.ts';

const S = 1_000;
const withPod = (played: Played, change: (pod: NonNullable<Played['pod']>) => Played['pod']): Played => ({
  ...played,
  pod: played.pod && change(played.pod),
});
const back = (played: Played, name: string, at: number, ready = true): Played =>
  withPod(played, (pod) => restarted(pod, name, at, ready));
const gated = { readinessGates: [{ conditionType: 'KruisePodReady' }] };
const hooked = { lifecycle: { preStop: { exec: { command: ['sleep', '8'] } } } };

describe('one container', () => {
  const stopped = settledAt(begun({}, podWith(['main'])), T0);

  it('CRR-1: the request gets its labels, and the container as it is', () => {
    expect(stopped.target.metadata.labels).toEqual({
      'crr.apps.kruise.io/pod-uid': 'pod-uid',
      'crr.apps.kruise.io/node-name': 'node-1',
      'crr.apps.kruise.io/active': 'true',
    });
    expect(
      JSON.parse(stopped.target.metadata.annotations?.['plan.kruise.io/recreate-context'] ?? ''),
    ).toEqual({
      main: { containerID: 'containerd://main-0', restartCount: 0 },
    });
  });

  it('is stopped once, and waited for', () => {
    expect(stopped.done).toEqual(['take up', 'restart containers']);
    expect(endOf(stopped.target)).toEqual(['Recreating', 'main Recreating true']);
  });

  it('CRR-10, CRR-11, CRR-31: another instance that is ready ends the request', () => {
    const done = settledAt(back(stopped, 'main', T0 + 5 * S), T0 + 6 * S);
    expect(endOf(done.target)).toEqual(['Completed', 'main Succeeded true']);
    expect(objectOf(done.target['status'])['containerStatusSnapshot']).toEqual([
      { name: 'main', ready: true, restartCount: 1, containerID: 'containerd://main-1' },
    ]);
  });

  it('CRR-12: the label of an active request goes', () => {
    const done = settledAt(back(stopped, 'main', T0 + 5 * S), T0 + 6 * S);
    expect(done.target.metadata.labels).not.toHaveProperty('crr.apps.kruise.io/active');
  });

  it('CRR-14: an instance that has not run for long enough is waited for', () => {
    const slow = settledAt(begun({ strategy: { minStartedSeconds: 5 } }, podWith(['main'])), T0);
    const early = settledAt(back(slow, 'main', T0 + 5 * S), T0 + 10 * S);
    expect(endOf(early.target)).toEqual(['Recreating', 'main Recreating true']);
    expect(early.decision.requeueAt).toBe(T0 + 10 * S + 1);
    expect(endOf(settledAt(early, T0 + 10 * S + 1).target)[0]).toBe('Completed');
  });

  it('an instance that is not ready is waited for', () => {
    const done = settledAt(back(stopped, 'main', T0 + 5 * S, false), T0 + 60 * S);
    expect(endOf(done.target)).toEqual(['Recreating', 'main Recreating true']);
  });

  it('CRR-24: one that has restarted by itself is not stopped', () => {
    const taken = reconciled(begun({}, podWith(['main'])), T0);
    const done = settledAt(back(taken, 'main', T0 + S), T0 + 3 * S);
    expect(done.done).toEqual(['take up', 'end']);
    expect(endOf(done.target)[0]).toBe('Completed');
  });

  it('CRR-25: with force it is stopped exactly once more', () => {
    const taken = reconciled(begun({ strategy: { forceRecreate: true } }, podWith(['main'])), T0);
    const again = settledAt(back(taken, 'main', T0 + S), T0 + 3 * S);
    expect(endOf(again.target)).toEqual(['Recreating', 'main Recreating true']);
    const done = settledAt(back(again, 'main', T0 + 5 * S), T0 + 7 * S);
    expect(done.done).toEqual(['take up', 'restart containers', 'end']);
    expect(endOf(done.target)).toEqual(['Completed', 'main Succeeded true']);
  });

  it('CRR-32: in a crash loop it is not stopped, and its next start ends the request', () => {
    const state = { waiting: { reason: 'CrashLoopBackOff' } };
    const waiting = withPod(begun({}, podWith(['main'])), (pod) => ({
      ...pod,
      status: {
        ...pod.status,
        containerStatuses: (pod.status?.containerStatuses ?? []).map((each) => ({
          ...each,
          ready: false,
          state,
        })),
      },
    }));
    const looked = settledAt(waiting, T0);
    expect(looked.done).toEqual(['take up']);
    expect(endOf(looked.target)).toEqual(['Recreating', 'main Recreating true CrashLoopBackOff']);
    expect(endOf(settledAt(back(looked, 'main', T0 + S), T0 + 3 * S).target)).toEqual([
      'Completed',
      'main Succeeded true',
    ]);
  });

  it('is not stopped again by a runtime whose status was lost', () => {
    const { status: _status, ...target } = stopped.target;
    expect(settledAt({ ...stopped, target, done: [] }, T0 + S).done).toEqual([]);
  });
});

describe('the end', () => {
  const stopped = settledAt(begun({ activeDeadlineSeconds: 3 }, podWith(['main'])), T0);

  it('CRR-26: the pod is gone', () => {
    expect(endOf(settledAt({ ...stopped, pod: undefined }, T0 + S).target)[1]).toBe('pod has gone');
    const other = withPod(stopped, (pod) => ({ ...pod, metadata: { ...pod.metadata, uid: 'other' } }));
    expect(endOf(settledAt(other, T0 + S).target)[1]).toBe('pod has gone');
  });

  it('CRR-18: the deadline is over, and the container is on its way', () => {
    const late = settledAt(stopped, T0 + 3 * S);
    expect(endOf(late.target)).toEqual([
      'Completed',
      'recreating has exceeded the activeDeadlineSeconds',
      'main Recreating true',
    ]);
    expect(reconciled(stopped, T0 + S).decision.requeueAt).toBe(T0 + 3 * S);
  });

  it('CRR-27: nobody has taken it up for a minute', () => {
    const late = settledAt(begun({}, podWith(['main'])), T0 + 60 * S);
    expect(endOf(late.target)).toEqual(['Completed', 'daemon has not responded for a long time']);
    expect(late.done).toEqual([]);
  });

  it('CRR-13: the request goes when its time is over', () => {
    const done = settledAt(
      back(settledAt(begun({ ttlSecondsAfterFinished: 3 }, podWith(['main'])), T0), 'main', T0 + S),
      T0 + 2 * S,
    );
    expect(done.decision.requeueAt).toBe(T0 + 5 * S);
    expect(reconciled(done, T0 + 5 * S).done.at(-1)).toBe('delete after its TTL');
  });

  test.each([
    ['CRR-3: no pod', undefined, {}, 'no found Pod named web-0'],
    [
      'CRR-3: a pod without a node',
      { spec: { nodeName: '' } },
      {},
      'not allowed to recreate containers in a pending Pod',
    ],
    [
      'CRR-3: a pod that has ended',
      { phase: 'Succeeded' },
      {},
      'not allowed to recreate containers in an inactive Pod',
    ],
    [
      'CRR-7: an unknown container',
      {},
      { containers: [{ name: 'mesh' }] },
      'container mesh not found in Pod',
    ],
    [
      'CRR-5: a container twice',
      {},
      { containers: [{ name: 'main' }, { name: 'main' }] },
      'can not recreate main multi times',
    ],
    [
      'CRR-6: what OpenKruise fills in',
      {},
      { containers: [{ name: 'main', statusContext: { containerID: 'a', restartCount: 0 } }] },
      'preStop, ports, statusContext in container are ready-only fields',
    ],
  ] as const)('%s', (_what, parts, spec, message) => {
    const { spec: podSpec = {}, phase = 'Running' } = (parts ?? {}) as { spec?: object; phase?: string };
    const base = podWith(['main'], podSpec as Record<string, string>);
    const pod = parts === undefined ? undefined : { ...base, status: { ...base.status, phase } };
    const ended = settledAt(begun({ ...spec } as never, pod), T0);
    expect(endOf(ended.target)).toEqual(['Completed', message]);
    expect(ended.done).toEqual([]);
  });

  it('CRR-4: a pod that has ended, and whose sidecars were stopped, may be asked for', () => {
    const base = podWith(['main']);
    const conditions: Condition[] = [{ type: 'SidecarTerminated', status: 'True' }];
    const pod = { ...base, status: { ...base.status, phase: 'Succeeded', conditions } };
    expect(reconciled(begun({}, pod), T0).done).toEqual(['take up']);
  });
});

describe('several containers', () => {
  const both = ['main', 'side'];

  it('are stopped in one write', () => {
    const stopped = settledAt(begun({}, podWith(both), both), T0);
    expect(stopped.done).toEqual(['take up', 'restart containers']);
    expect(endOf(stopped.target)).toEqual(['Recreating', 'main Recreating true', 'side Recreating true']);
  });

  it('in one write in the order of the pod, whatever that of the request is', () => {
    const taken = reconciled(begun({}, podWith(both), ['side', 'main']), T0);
    const { actions } = reconciled(taken, T0).decision;
    const bodies = actions.map((each) => (each.do === 'patch' ? objectOf(each.body['spec']) : {}));
    expect(bodies.map(({ containers }) => listOf(containers).map(({ name }) => name))).toEqual([both]);
  });

  it('CRR-16: in order, the second once the first is ready', () => {
    const spec = { strategy: { orderedRecreate: true } };
    const first = settledAt(begun(spec, podWith(both), both), T0);
    expect(endOf(first.target)).toEqual(['Recreating', 'main Recreating true', 'side Pending']);
    const unready = settledAt(back(first, 'main', T0 + S, false), T0 + 3 * S);
    expect(endOf(unready.target)).toEqual(['Recreating', 'main Recreating true', 'side Pending']);
    const second = settledAt(back(first, 'main', T0 + S), T0 + 3 * S);
    expect(endOf(second.target)).toEqual(['Recreating', 'main Succeeded true', 'side Recreating true']);
  });

  it('CRR-15, CRR-17: with a hook, the second once the first has ended', () => {
    const first = settledAt(begun({}, podWith(both, {}, hooked), both), T0);
    expect(endOf(first.target)).toEqual(['Recreating', 'main Recreating true', 'side Pending']);
    const second = settledAt(back(first, 'main', T0 + 8 * S, false), T0 + 9 * S);
    expect(endOf(second.target)).toEqual(['Recreating', 'main Recreating true', 'side Recreating true']);
  });

  const named = (image: string): Played['pod'] => {
    const pod = podWith(both);
    const containers = pod.spec.containers.map((each) => (each.name === 'side' ? { ...each, image } : each));
    return { ...pod, spec: { ...pod.spec, containers } };
  };

  it('CRR-2, CRR-29: without a policy it is Fail: none is stopped where one cannot be', () => {
    const ended = settledAt(begun({}, named('mirror.example/side:1'), both), T0);
    expect(ended.done).toEqual(['take up', 'end']);
    expect(endOf(ended.target)).toEqual([
      'Completed',
      'main Pending',
      'side Failed kill container error: the node knows its image by another repository, docker.io/library/side',
    ]);
  });

  it('CRR-28: with Ignore, the others are', () => {
    const spec = { strategy: { failurePolicy: 'Ignore' } };
    const stopped = settledAt(begun(spec, named('mirror.example/side:1'), both), T0);
    const done = settledAt(back(stopped, 'main', T0 + S), T0 + 3 * S);
    expect(endOf(done.target)[1]).toBe('main Succeeded true');
    expect(endOf(done.target)[0]).toBe('Completed');
  });

  it('what the server refuses is no longer tried', () => {
    const taken = reconciled(begun({}, podWith(both), both), T0);
    const refused = reconciled(
      taken,
      T0,
      {},
      { reason: 'Forbidden', message: 'images with digests are refused' },
    );
    expect(endOf(refused.target)[1]).toBe(
      'main Failed kill container error: images with digests are refused',
    );
    expect(endOf(refused.target)[0]).toBe('Completed');
    const pod = 'shop/web-0';
    const text = {
      reason: 'FailedUpdate',
      message: 'images with digests are refused',
      revision: undefined,
    } as const;
    for (const message of [refusedText(text), refusedText({ ...text, pod })]) {
      const told = reconciled(taken, T0, {}, { reason: 'FailedUpdate', message });
      expect(endOf(told.target)).toEqual(endOf(refused.target));
    }
    expect(reconciled(taken, T0, {}, { reason: 'DisruptionNotAllowed', message: 'wait' }).done).toContain(
      'restart containers',
    );
  });
});

describe('the pod before', () => {
  const spec = { strategy: { unreadyGracePeriodSeconds: 5 } };

  it('CRR-20: is taken out of traffic, with its holder by name, and given back at the end', () => {
    const drained = settledAt(begun(spec, podWith(['main'], gated)), T0);
    expect(drained.done).toEqual(['take up', 'hold', 'take out of traffic']);
    const condition = drained.pod?.status?.conditions?.find(({ type }) => type === 'KruisePodReady');
    expect([condition?.status, condition?.message]).toEqual([
      'False',
      '[{"userAgent":"ContainerRecreateRequest","key":"shop/restart"}]',
    ]);
    const stopped = settledAt(drained, T0 + 5 * S);
    expect(stopped.done.at(-1)).toBe('restart containers');
    const done = settledAt(back(stopped, 'main', T0 + 6 * S), T0 + 8 * S);
    expect(done.done.slice(4)).toEqual(['return to traffic', 'release', 'end']);
    expect(done.target.metadata.finalizers).toEqual([]);
  });

  it('CRR-21: without a gate the time passes, and the pod stays ready', () => {
    const drained = settledAt(begun(spec, podWith(['main'])), T0);
    expect(drained.done).toEqual(['take up']);
    expect(drained.decision.requeueAt).toBe(T0 + 5 * S);
    expect(settledAt(drained, T0 + 5 * S).done).toEqual(['take up', 'restart containers']);
  });

  it('CRR-30: the time of a drain that OpenKruise has begun is read', () => {
    const drained = settledAt(begun(spec, podWith(['main'])), T0);
    const { conditions: _conditions, ...status } = objectOf(drained.target['status']);
    const annotations = {
      ...drained.target.metadata.annotations,
      'crr.apps.kruise.io/unready-acquired': timestamp(T0),
    };
    const target = { ...drained.target, metadata: { ...drained.target.metadata, annotations }, status };
    expect(settledAt({ ...drained, target }, T0 + 3 * S).decision.requeueAt).toBe(T0 + 5 * S);
  });

  it('the time of the drain never moves', () => {
    const drained = settledAt(begun(spec, podWith(['main'])), T0);
    const later = settledAt(drained, T0 + 3 * S);
    expect(later.decision.requeueAt).toBe(T0 + 5 * S);
  });

  it('CRR-22: a request that is deleted meanwhile gives it back first', () => {
    const { target, pod } = settledAt(begun(spec, podWith(['main'], gated)), T0);
    const deleting = { ...target, metadata: { ...target.metadata, deletionTimestamp: timestamp(T0 + S) } };
    const pods = pod === undefined ? [] : [pod];
    const verbs = (found: typeof pods): string[] =>
      releasedRequest({ target: deleting, pods: found, now: T0 + S }).map(({ verb }) => verb);
    expect(verbs(pods)).toEqual(['return to traffic']);
    expect(verbs([])).toEqual(['release']);
    expect(
      releasedRequest({
        target: { ...deleting, metadata: { ...deleting.metadata, finalizers: [] } },
        pods,
        now: T0,
      }),
    ).toEqual([]);
  });
});

describe('CRR-23: two requests of one pod', () => {
  const first = settledAt(begun({}, podWith(['main'])), T0);
  const second = begun({}, first.pod);
  const own = {
    ...second.target.metadata,
    name: 'second',
    uid: 'second-uid',
    creationTimestamp: timestamp(T0 + S),
  };
  const later = { ...second, target: { ...second.target, metadata: own } };

  it('the second waits', () => {
    const waiting = settledAt(later, T0 + 2 * S, { siblings: [first.target] });
    expect(waiting.done).toEqual(['take up']);
    expect(endOf(waiting.target)).toEqual(['Pending']);
    expect(waiting.decision.explanations[0]?.reason).toBe('waits: restart of the same pod is first');
  });

  it('and has its turn once the first is over, whatever ended it', () => {
    const waiting = settledAt(later, T0 + 2 * S, { siblings: [first.target] });
    const over = { ...first.target, status: { phase: 'Completed' } };
    const ended = settledAt(back({ ...waiting, pod: first.pod }, 'main', T0 + 3 * S), T0 + 5 * S, {
      siblings: [over],
    });
    // The first one has restarted it since: it counts for both.
    expect(endOf(ended.target)).toEqual(['Completed', 'main Succeeded']);
  });
});

describe('the image', () => {
  it('gets the digest that runs, and toggles between two spellings of it', () => {
    const first = settledAt(begun({}, podWith(['main'])), T0);
    const [once = ''] = imagesOf(first);
    expect(once).toBe(`main:1@sha256:${'a'.repeat(64)}`);
    const again = begun({}, back(first, 'main', T0 + S).pod);
    const own = { ...again.target.metadata, name: 'again', uid: 'again-uid' };
    const [twice = ''] = imagesOf(
      settledAt({ ...again, target: { ...again.target, metadata: own } }, T0 + 5 * S),
    );
    expect(twice).toBe(`main@sha256:${'a'.repeat(64)}`);
  });
});
