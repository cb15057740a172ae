import { describe, expect, it, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import { stopOf } from '../../../semantics/containerrecreaterequest/refusal.ts';
import { refusedText } from '../../../semantics/plan/refused-text.ts';
import { recordOf, recreatedUntil } from '../../../semantics/pod/recreated.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { endOf } from '../../fixtures/recreate-requests.ts';
import { begun, imagesOf, podWith, reconciled, restarted, settledAt, T0, type Played } from './requests.ts';

const S = 1_000;
const on = { mayExec: true };
const always = { imagePullPolicy: 'Always' };
const hooked = { lifecycle: { preStop: { exec: { command: ['sleep', '8'] } } } };
const back = (played: Played, name: string, at: number): Played => ({
  ...played,
  pod: played.pod && restarted(played.pod, name, at),
});
const asked = (spec: JsonObject = {}, pod = podWith(['main'], {}, always), names = ['main']): Played =>
  settledAt(begun(spec, pod, names), T0, on);
const isAwaited = ({ pod }: Played): boolean => pod !== undefined && recreatedUntil(pod) > 0;
const refused = (message: string) => ({
  reason: 'FailedUpdate',
  message: refusedText({ reason: 'FailedUpdate', message, revision: undefined }),
});

describe('how a container is stopped where signals may be sent', () => {
  test.each<[string, Pod, number | undefined]>([
    ['with imagePullPolicy Always', podWith(['main'], {}, always), undefined],
    ['in a pod that runs once', podWith(['main'], { restartPolicy: 'Never' }), undefined],
    ['with another grace than that of the pod', podWith(['main']), 3],
    ['with a hook, for which there is no time', podWith(['main'], {}, hooked), 0],
  ])('%s: by a signal, and as shipped not at all', (_what, pod, grace) => {
    expect(stopOf(pod, 'main', { grace }, true)).toEqual({ signal: true });
    expect(stopOf(pod, 'main', { grace })).toHaveProperty('refused');
  });

  it('by another spelling of its image where that is possible', () => {
    expect(stopOf(podWith(['main']), 'main', { grace: undefined }, true)).toHaveProperty('image');
  });

  test.each<[string, Pod, string]>([
    ['it has a hook', podWith(['main'], {}, { ...always, ...hooked }), 'its preStop hook would not run'],
    ['it sees the node', podWith(['main'], { hostPID: true }, always), 'its process 1 is that of the node'],
    [
      'it sees all of the pod',
      podWith(['main'], { shareProcessNamespace: true }, always),
      'its process 1 is that of the whole pod',
    ],
    [
      'there are no signals',
      podWith(['main'], { os: { name: 'windows' } }, always),
      'Windows has no signals',
    ],
    [
      'it is of a static pod',
      {
        ...podWith(['main']),
        metadata: { name: 'web-0', annotations: { 'kubernetes.io/config.mirror': 'x' } },
      },
      'a static pod',
    ],
  ])('not at all where %s', (_what, pod, why) => {
    const way = stopOf(pod, 'main', { grace: undefined }, true);
    expect('refused' in way ? way.refused : '').toMatch(/; and no signal is sent: /);
    expect('refused' in way ? way.refused : '').toContain(why);
  });
});

describe('a signal', () => {
  it('is on record before it is sent, and the image stays', () => {
    const played = reconciled(reconciled(begun({}, podWith(['main'], {}, always)), T0, on), T0, on);
    const [action] = played.decision.actions;
    expect(action).toMatchObject({
      do: 'patch',
      next: { do: 'exec', uid: 'pod-uid', container: 'main', containerID: 'containerd://main-0' },
    });
    expect(action?.do === 'patch' ? Object.keys(action.body) : []).toEqual(['metadata']);
    expect(imagesOf(played)).toEqual(['main:1']);
    expect(played.pod && recordOf(played.pod, 'main')).toMatchObject({
      by: 'request-uid',
      containerID: 'containerd://main-0',
      until: T0 + 40 * S,
    });
    expect(isAwaited(played)).toBe(true);
  });

  it('is sent once, whatever has become of the process that sent it', () => {
    const played = asked();
    expect(played.done).toEqual(['take up', 'record a signal']);
    expect(endOf(played.target)).toEqual(['Recreating', 'main Recreating true']);
    // The status of the request is lost: the record in the pod alone says that it was sent.
    const { status: _lost, ...target } = played.target;
    const again = settledAt({ ...played, target }, T0 + 5 * S, on);
    expect(again.done).toEqual(played.done);
    expect(endOf(again.target)).toEqual(['Recreating', 'main Recreating true']);
    expect(again.decision.requeueAt).toBe(T0 + 40 * S);
  });

  it('ends with another instance that is ready', () => {
    const done = settledAt(back(asked(), 'main', T0 + 5 * S), T0 + 6 * S, on);
    expect(endOf(done.target)).toEqual(['Completed', 'main Succeeded true']);
    expect(isAwaited(done)).toBe(false);
  });

  it('that is ignored fails after the grace and ten seconds, and the pod awaits no restart', () => {
    const played = asked({ strategy: { terminationGracePeriodSeconds: 3 } });
    const before = settledAt(played, T0 + 12_999, on);
    expect(endOf(before.target)).toEqual(['Recreating', 'main Recreating true']);
    const done = settledAt(before, T0 + 13 * S, on);
    expect(endOf(done.target)).toEqual([
      'Completed',
      'main Failed kill container error: it still runs: its process may ignore SIGTERM, or none has arrived',
    ]);
    expect(done.done).toEqual(['take up', 'record a signal', 'end a restart', 'end']);
    expect(isAwaited(done)).toBe(false);
  });

  it('that cannot be sent fails with the words of the server at once', () => {
    const told = reconciled(asked(), T0 + S, on, refused('command terminated with exit code 1'));
    expect(told.done.slice(-1)).toEqual(['end a restart']);
    const done = settledAt(told, T0 + 2 * S, on);
    expect(endOf(done.target)).toEqual([
      'Completed',
      'main Failed kill container error: command terminated with exit code 1',
    ]);
    expect(isAwaited(done)).toBe(false);
  });

  it('to a container that has exited in spite of the answer counts as sent', () => {
    const gone = back(asked(), 'main', T0 + S);
    const done = reconciled(gone, T0 + 2 * S, on, refused('the connection was lost'));
    expect(endOf(done.target)[1]).toBe('main Succeeded true');
  });

  it('leaves nothing behind at the deadline', () => {
    const played = asked({ activeDeadlineSeconds: 5 });
    const done = settledAt(played, T0 + 5 * S, on);
    expect(endOf(done.target)).toEqual([
      'Completed',
      'recreating has exceeded the activeDeadlineSeconds',
      'main Recreating true',
    ]);
    expect(isAwaited(done)).toBe(false);
  });

  it('ends at the deadline, too, where the pod may not be written any more', () => {
    const late = asked({ activeDeadlineSeconds: 5 });
    const done = reconciled(late, T0 + 5 * S, on, refused('no'));
    expect([done.done, endOf(done.target)[0]]).toEqual([[...late.done, 'end a restart'], 'Completed']);
    expect(isAwaited(done)).toBe(false);
  });
});

describe('several containers', () => {
  const names = ['main', 'side'];
  const both = podWith(names, {}, always);

  it('get one signal after another, each once the one before has ended', () => {
    const first = asked({}, both, names);
    expect(endOf(first.target)).toEqual(['Recreating', 'main Recreating true', 'side Pending']);
    const second = settledAt(back(first, 'main', T0 + 5 * S), T0 + 6 * S, on);
    expect(endOf(second.target)).toEqual(['Recreating', 'main Succeeded true', 'side Recreating true']);
    const done = settledAt(back(second, 'side', T0 + 9 * S), T0 + 10 * S, on);
    expect(endOf(done.target)[0]).toBe('Completed');
    expect(done.done).toEqual(['take up', 'record a signal', 'record a signal', 'end']);
  });

  it('in order wait until the one before is ready', () => {
    const first = asked({ strategy: { orderedRecreate: true } }, both, names);
    const early = { ...first, pod: first.pod && restarted(first.pod, 'main', T0 + 5 * S, false) };
    expect(endOf(settledAt(early, T0 + 6 * S, on).target)[2]).toBe('side Pending');
    const ready = settledAt(back(first, 'main', T0 + 7 * S), T0 + 8 * S, on);
    expect(endOf(ready.target)[2]).toBe('side Recreating true');
  });

  it('where one goes by its image, go one after another', () => {
    const [main, side] = both.spec.containers;
    const mixed = {
      ...both,
      spec: { ...both.spec, containers: [main, { ...side, imagePullPolicy: 'IfNotPresent' }] },
    } as Pod;
    const first = asked({}, mixed, names);
    expect(imagesOf(first)).toEqual(['main:1', 'side:1']);
    const second = settledAt(back(first, 'main', T0 + 5 * S), T0 + 6 * S, on);
    expect(second.done).toEqual(['take up', 'record a signal', 'restart containers']);
    expect(imagesOf(second)[0]).toBe('main:1');
    expect(imagesOf(second)[1]).toMatch(/^side:1@sha256:/);
  });

  it('with Ignore the next gets its signal though the first had no program for it', () => {
    const first = asked({ strategy: { failurePolicy: 'Ignore' } }, both, names);
    const told = reconciled(first, T0 + S, on, refused('no program'));
    const next = settledAt(told, T0 + 2 * S, on);
    expect(endOf(next.target)).toEqual([
      'Recreating',
      'main Failed kill container error: no program',
      'side Recreating true',
    ]);
  });

  it('of which one cannot be stopped at all are left alone', () => {
    const [main, side] = both.spec.containers;
    const pod = { ...both, spec: { ...both.spec, containers: [main, { ...side, ...hooked }] } } as Pod;
    const done = asked({}, pod, names);
    expect(done.done).toEqual(['take up', 'end']);
    expect(endOf(done.target)[1]).toBe('main Pending');
  });
});

test('a time beyond all bounds is recorded as one', () => {
  const played = asked({ strategy: { terminationGracePeriodSeconds: 9e15 } });
  expect(played.pod && recordOf(played.pod, 'main')?.until).toBe(T0 + (2 ** 31 + 10) * S);
});
