import { describe, expect, test } from 'vitest';
import { resources } from '../../schemas/wire/resources.ts';
import { conditionOf, type Pod } from '../../schemas/pods/pod.ts';
import { main, pod, readPod, refusal, stage, type Stage } from './world.ts';

const at = (name: string) => ({ namespace: 'default', name });
const http = { httpGet: { path: '/', port: 80 } };

const withMain = (fields: Record<string, unknown>, spec: Record<string, unknown> = {}) =>
  pod('a', '', { containers: [{ name: 'main', image: 'web:1', ...fields }], ...spec });

/**
 * Seconds since the pod's creation at which the state of the first container changes: ready, running, or neither.
 */
function follow({ world, clock }: Stage): string[] {
  const story: string[] = [];
  const begin = clock.now();
  let last = '';
  world.onCommit(({ object, at: time }) => {
    const status = (object as Pod).status?.containerStatuses?.[0];
    if (object.kind !== 'Pod' || status === undefined) return;
    const state = Object.keys(status.state)[0] ?? '';
    const now = `${state}${status.started ? ' started' : ''}${status.ready ? ' ready' : ''} ${status.restartCount}`;
    if (now !== last) story.push(`${(time - begin) / 1000} ${now}`);
    last = now;
  });
  return story;
}

describe('probes', () => {
  test('readiness: after its delay, at its period, by its thresholds', async () => {
    const set = stage({ nodes: 1 });
    const story = follow(set);
    set.world.images.set('web:1', { readyMs: 12_000 });
    const readinessProbe = {
      ...http,
      initialDelaySeconds: 2,
      periodSeconds: 5,
      successThreshold: 2,
      failureThreshold: 2,
    };
    await set.alice.create(resources.Pod, withMain({ readinessProbe }));
    // It runs after 2.3 s; probes run after 2, 7, 12, 17 s, and the third one succeeds.
    await set.clock.advance(30_000);
    expect(story).toEqual(['0.1 waiting 0', '2.3 running started 0', '19.3 running started ready 0']);
    set.world.images.set('web:1', { readyMs: 12_000, failingProbes: ['readiness'] });
    await set.clock.advance(20_000);
    set.world.images.set('web:1', { readyMs: 12_000 });
    await set.clock.advance(20_000);
    expect(story.slice(3)).toEqual(['39.3 running started 0', '59.3 running started ready 0']);
    expect(conditionOf(await readPod(set.alice, 'a'), 'Ready')?.status).toBe('True');
  });

  test('liveness: too many failures restart the container, later and later', async () => {
    const set = stage({ nodes: 1 });
    const story = follow(set);
    set.world.images.set('web:1', { unhealthyAfterMs: 20_000 });
    const livenessProbe = { ...http, periodSeconds: 10, failureThreshold: 3 };
    await set.alice.create(resources.Pod, withMain({ livenessProbe }));
    await set.clock.advance(46_000);
    // Probed every 10 s from the first second: the probes after 21, 31 and 41 s fail, and stopping takes a second.
    expect(story).toEqual([
      '0.1 waiting 0',
      '2.3 running started 0',
      '3.3 running started ready 0',
      '44.3 terminated 0',
      '44.5 running started 1',
      '45.5 running started ready 1',
    ]);
    await set.clock.advance(45_000);
    expect(main(await readPod(set.alice, 'a'))).toMatchObject({
      state: { waiting: { reason: 'CrashLoopBackOff' } },
      restartCount: 1,
    });
  });

  test('startup: other probes wait for it, and it fails in the end', async () => {
    const set = stage({ nodes: 1 });
    const story = follow(set);
    set.world.images.set('web:1', { readyMs: 25_000, failingProbes: ['liveness'] });
    const startupProbe = { ...http, periodSeconds: 10, failureThreshold: 4 };
    const livenessProbe = { ...http, periodSeconds: 10, failureThreshold: 1 };
    await set.alice.create(resources.Pod, withMain({ startupProbe, livenessProbe }));
    await set.clock.advance(33_000);
    expect(story).toEqual(['0.1 waiting 0', '2.3 running 0']);
    await set.clock.advance(2000);
    expect(story.slice(2)).toEqual(['33.3 running started ready 0', '34.3 terminated 0', '34.5 running 1']);
    set.world.images.set('web:1', { neverReady: true });
    await set.clock.advance(32_000);
    expect(main(await readPod(set.alice, 'a'))).toMatchObject({ started: false, restartCount: 1 });
    expect(story.at(-1)).toBe('66.5 waiting 1');
  });

  test('startup: once it has succeeded it is over', async () => {
    const set = stage({ nodes: 1 });
    const startupProbe = { ...http, periodSeconds: 1, failureThreshold: 1 };
    await set.alice.create(resources.Pod, withMain({ startupProbe }));
    await set.clock.advance(10_000);
    set.world.images.set('web:1', { failingProbes: ['startup'] });
    await set.clock.advance(60_000);
    expect(main(await readPod(set.alice, 'a'))).toMatchObject({ ready: true, restartCount: 0 });
  });

  test('a kubelet that takes over continues probing', async () => {
    const set = stage({ nodes: 1 });
    const readinessProbe = { ...http, periodSeconds: 5, failureThreshold: 1 };
    await set.alice.create(resources.Pod, withMain({ readinessProbe }));
    await set.clock.advance(10_000);
    const { createWorld } = await import('../world.ts');
    const restored = set.world.state();
    set.world.stop();
    const next = createWorld({ clock: set.clock, crds: [], restored, seed: 3 });
    next.images.set('web:1', { failingProbes: ['readiness'] });
    await set.clock.advance(10_000);
    expect(main(await readPod(next.cluster('alice'), 'a'))).toMatchObject({ ready: false, started: true });
  });
});

describe('sidecars', () => {
  const sidecar = (name: string, fields: Record<string, unknown> = {}) => ({
    name,
    image: 'side:1',
    restartPolicy: 'Always',
    ...fields,
  });

  function starts(object: Pod): [string, string | undefined][] {
    const all = [
      ...(object.status?.initContainerStatuses ?? []),
      ...(object.status?.containerStatuses ?? []),
    ];
    return all.map(({ name, state }) => [name, state.running?.startedAt.slice(14, 19)]);
  }

  test('start in order, each after the previous one; then the main containers', async () => {
    const set = stage({ nodes: 1, timings: { startMs: 1000 } });
    set.world.images.set('setup', { exitAfterMs: 3000 });
    set.world.images.set('slow', { readyMs: 4000 });
    const startupProbe = { ...http, periodSeconds: 1, failureThreshold: 10 };
    const initContainers = [
      sidecar('one', { image: 'slow', startupProbe }),
      { name: 'init', image: 'setup' },
      sidecar('two'),
    ];
    await set.alice.create(resources.Pod, withMain({}, { initContainers }));
    await set.clock.advance(8000);
    expect(conditionOf(await readPod(set.alice, 'a'), 'Initialized')).toMatchObject({
      status: 'False',
      message: 'containers with incomplete status: [init two]',
    });
    await set.clock.advance(20_000);
    const up = await readPod(set.alice, 'a');
    expect(starts(up)).toEqual([
      ['one', '00:03'],
      ['init', undefined],
      ['two', '00:16'],
      ['main', '00:19'],
    ]);
    expect(up.status?.phase).toBe('Running');
    expect(conditionOf(up, 'Ready')?.status).toBe('True');
    expect(conditionOf(up, 'Initialized')?.status).toBe('True');
  });

  test('one that crashes is started again, and the pod is not ready meanwhile', async () => {
    const set = stage({ nodes: 1 });
    set.world.images.set('side:1', { crashAfterMs: 20_000, times: 1, startMs: 3000 });
    await set.alice.create(resources.Pod, withMain({}, { initContainers: [sidecar('side')] }));
    await set.clock.advance(27_000);
    const down = await readPod(set.alice, 'a');
    expect(down.status?.phase).toBe('Running');
    expect(conditionOf(down, 'ContainersReady')).toMatchObject({
      status: 'False',
      message: 'containers with unready status: [side]',
    });
    expect(conditionOf(down, 'Initialized')?.status).toBe('True');
    await set.clock.advance(10_000);
    const up = await readPod(set.alice, 'a');
    expect(up.status?.initContainerStatuses).toMatchObject([{ restartCount: 1, ready: true }]);
    expect(main(up).restartCount).toBe(0);
  });

  test('a job is over when its own containers are: the sidecars are stopped then, the last one first', async () => {
    const set = stage({ nodes: 1 });
    set.world.images.set('job', { exitAfterMs: 5000 });
    const initContainers = [sidecar('one'), sidecar('two')];
    const spec = { initContainers, restartPolicy: 'Never', containers: [{ name: 'main', image: 'job' }] };
    await set.alice.create(resources.Pod, pod('a', '', spec));
    await set.clock.advance(60_000);
    const over = await readPod(set.alice, 'a');
    expect(over.status?.phase).toBe('Succeeded');
    const ends = (over.status?.initContainerStatuses ?? []).map(({ state }) =>
      Date.parse(state.terminated?.finishedAt ?? ''),
    );
    expect((ends[0] ?? 0) - (ends[1] ?? 0)).toBe(1000);
  });

  test('are stopped after the main containers when the pod is deleted', async () => {
    const set = stage({ nodes: 1 });
    const initContainers = [sidecar('one'), sidecar('two')];
    await set.alice.create(resources.Pod, withMain({}, { initContainers }));
    await set.clock.advance(20_000);
    await set.alice.delete(resources.Pod, at('a'));
    await set.clock.advance(2900);
    const { status } = await readPod(set.alice, 'a');
    expect(status?.initContainerStatuses?.map(({ state }) => Object.keys(state)[0])).toEqual([
      'running',
      'running',
    ]);
    await set.clock.advance(200);
    expect((await refusal(set.alice.get(resources.Pod, at('a')))).code).toBe(404);
  });
});

describe('hooks', () => {
  test('postStart delays the start, preStop the end', async () => {
    const set = stage({ nodes: 1 });
    const story = follow(set);
    const lifecycle = { postStart: { sleep: { seconds: 3 } }, preStop: { sleep: { seconds: 5 } } };
    await set.alice.create(resources.Pod, withMain({ lifecycle }));
    await set.clock.advance(10_000);
    expect(story[1]).toBe('5.3 running started 0');
    await set.alice.delete(resources.Pod, at('a'));
    await set.clock.advance(5900);
    expect(main(await readPod(set.alice, 'a')).state).toHaveProperty('running');
    await set.clock.advance(100);
    expect((await refusal(set.alice.get(resources.Pod, at('a')))).code).toBe(404);
  });

  test('a preStop hook counts against the grace period, and commands take the time configured for their image', async () => {
    const set = stage({ nodes: 1 });
    set.world.images.set('web:1', { preStopMs: 60_000 });
    const lifecycle = { preStop: { exec: { command: ['sh'] } } };
    await set.alice.create(resources.Pod, withMain({ lifecycle }, { terminationGracePeriodSeconds: 7 }));
    await set.clock.advance(10_000);
    const ends: unknown[] = [];
    set.world.onCommit(({ object }) =>
      ends.push((object as Pod).status?.containerStatuses?.[0]?.state.terminated),
    );
    await set.alice.delete(resources.Pod, at('a'));
    await set.clock.advance(6900);
    expect(main(await readPod(set.alice, 'a')).state).toHaveProperty('running');
    await set.clock.advance(100);
    expect(ends.at(-1)).toMatchObject({ exitCode: 137, reason: 'Error' });
  });
});

test('a deadline ends the pod', async () => {
  const set = stage({ nodes: 1 });
  await set.alice.create(resources.Pod, withMain({}, { activeDeadlineSeconds: 10 }));
  await set.clock.advance(12_000);
  expect((await readPod(set.alice, 'a')).status).toMatchObject({
    phase: 'Failed',
    reason: 'DeadlineExceeded',
    message: 'Pod was active on the node longer than the specified deadline',
  });
});
