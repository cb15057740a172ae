import { describe, expect, test } from 'vitest';
import { createReflector } from '../../runtime/observe/reflector.ts';
import type { RolloutPlanSpec, Step } from '../../schemas/generated/types/rolloutplan.ts';
import { ApiError, type WatchSink } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { createVirtualClock, createWorld } from 'kruise-sandbox';
import { HOUR, lead, MINUTE, shown } from './lead.ts';
import { isSnapshot, parseSnapshot } from '../../semantics/plan/memory.ts';
import { templateHash } from '../../semantics/template/canonical.ts';
import { cloneSet, createTestCluster, patchSpec, phaseOf, type TestCluster, startRuntime } from './stage.ts';

const steps: Step[] = [
  { id: 'canary', update: { to: '20%' }, onFailure: 'Revert' },
  { id: 'soak', soak: { for: '10m' } },
  { id: 'all', update: { to: '100%' } },
];

/** When the plan came to each step, and how many pods ran the image at most before the last one. */
function watchSteps(stage: TestCluster, image: string) {
  const at: Record<string, number> = {};
  const running = new Set<string>();
  const seen = { at, mostBeforeAll: 0 };
  stage.world.onCommit(({ type, object }) => {
    const { name } = object.metadata;
    if (object.kind === 'Pod') {
      const [main] = (object['spec'] as { containers: { image: string }[] }).containers;
      if (type !== 'DELETED' && main?.image === image) running.add(name);
      else running.delete(name);
      if (at['all'] === undefined) seen.mostBeforeAll = Math.max(seen.mostBeforeAll, running.size);
    }
    // The memory is written before pods; the status of the plan follows.
    if (isSnapshot(object)) {
      const accepted = parseSnapshot(object);
      const step = accepted?.spec.steps[accepted.progress.step];
      if (step !== undefined) at[step.id] ??= stage.clock.now();
    }
  });
  return seen;
}

describe('replicas 5, 0 and 5 again during a canary', () => {
  // N followed the target down to 0: it came back with no canary, the soak passed over nothing, and all of it followed.
  test.each([
    ['while the first batch runs', 120_000, 'canary'],
    ['while it soaks', undefined, 'soak'],
  ])('%s: the canary returns with its size, and soaks in full', async (_, readyMs, step) => {
    const stage = await createTestCluster(cloneSet('web', 'web:1', { replicas: 5 }));
    if (readyMs !== undefined) stage.world.images.set('web:2', { readyMs });
    const seen = watchSteps(stage, 'web:2');
    await stage.change('web:2', { steps });
    await stage.clock.advance(30_000);
    expect((await shown(stage)).step).toBe(step);
    await patchSpec(stage, 'web', { replicas: 0 });
    await stage.clock.advance(HOUR);
    expect([await stage.images(), (await shown(stage)).step]).toEqual([{}, step]);
    await patchSpec(stage, 'web', { replicas: 5 });
    const back = stage.clock.now();
    await stage.clock.advance(8 * MINUTE);
    expect([await stage.images(), (await shown(stage)).step]).toEqual([{ 'web:1': 4, 'web:2': 1 }, 'soak']);
    await stage.until('Succeeded');
    expect(seen.mostBeforeAll).toBe(1);
    expect((seen.at['all'] ?? 0) - back).toBeGreaterThan(9 * MINUTE);
    expect(await stage.images()).toEqual({ 'web:2': 5 });
    await stage.stop();
  });

  test('at 0 replicas, no step completes in a day', async () => {
    const stage = await createTestCluster(cloneSet('web', 'web:1', { replicas: 5 }));
    await stage.change('web:2', { steps });
    await stage.clock.advance(30_000);
    await patchSpec(stage, 'web', { replicas: 0 });
    await stage.clock.advance(24 * HOUR);
    expect(await shown(stage)).toMatchObject({ phase: 'Soaking', step: 'soak' });
    await stage.stop();
  });
});

describe('time in which pods are not watched is not observed time', () => {
  /** A stage whose pod watch can be ended, and whose pod lists are refused while it is dead. */
  async function blindable(image: Parameters<TestCluster['world']['images']['set']>[1]) {
    const dead = { is: false };
    const sinks: WatchSink[] = [];
    const stage = await createTestCluster(cloneSet('web', 'web:1', { replicas: 5 }), {
      prepare: (world) => world.images.set('web:2', image),
      wrap: (cluster) => ({
        ...cluster,
        async list(resource, options) {
          if (dead.is && resource.plural === 'pods')
            throw new ApiError({ code: 500, reason: 'InternalError', message: 'etcd is away' });
          return cluster.list(resource, options);
        },
        watch(resource, options, into) {
          if (resource.plural !== 'pods') return cluster.watch(resource, options, into);
          sinks.push(into);
          return cluster.watch(resource, options, {
            onOpen: () => (dead.is ? undefined : into.onOpen?.()),
            onEvent: (event) => (dead.is ? undefined : into.onEvent(event)),
            onEnd: (error) => into.onEnd(error),
          });
        },
      }),
    });
    return {
      stage,
      see: () => void (dead.is = false),
      goBlind() {
        dead.is = true;
        sinks.at(-1)?.onEnd(new ApiError({ code: 410, reason: 'Expired', message: 'too old' }));
      },
    };
  }

  // The soak continued on a stale cache, and the other pods followed a canary that was not observed.
  test('without a watch for longer than the soak: no clock runs, no pod is updated, and it continues afterwards', async () => {
    const { stage, goBlind, see } = await blindable({});
    const seen = watchSteps(stage, 'web:2');
    await stage.change('web:2', { steps });
    await stage.clock.advance(30_000);
    expect((await shown(stage)).step).toBe('soak');
    goBlind();
    await stage.clock.advance(25 * MINUTE);
    expect([await stage.images(), (await shown(stage)).step]).toEqual([{ 'web:1': 4, 'web:2': 1 }, 'soak']);
    see();
    const from = stage.clock.now();
    await stage.until('Succeeded');
    const passed = (seen.at['all'] ?? 0) - from;
    expect(passed).toBeGreaterThan(9 * MINUTE);
    expect(passed).toBeLessThan(11 * MINUTE);
    expect(seen.mostBeforeAll).toBe(1);
    await stage.stop();
  });

  test('pods that broke meanwhile are noticed as soon as the watch is open again', async () => {
    const { stage, goBlind, see } = await blindable({ crashAfterMs: 2 * MINUTE });
    await stage.change('web:2', { steps });
    await stage.clock.advance(30_000);
    goBlind();
    await stage.clock.advance(25 * MINUTE);
    expect(await stage.images()).toEqual({ 'web:1': 4, 'web:2': 1 });
    see();
    await stage.until('Reverted', 5 * MINUTE);
    expect(await stage.images()).toEqual({ 'web:1': 5 });
    await stage.stop();
  });

  // Gaps shorter than a minute counted as observed time.
  test('repeatedly without a watch for less than a minute: only the time between counts', async () => {
    const { stage, goBlind, see } = await blindable({});
    await stage.change('web:2', { steps });
    await stage.clock.advance(30_000);
    for (let i = 0; i < 16; i++) {
      goBlind();
      await stage.clock.advance(24_000);
      see();
      await stage.clock.advance(26_000);
    }
    expect([await stage.images(), (await shown(stage)).step]).toEqual([{ 'web:1': 4, 'web:2': 1 }, 'soak']);
    await stage.until('Succeeded');
    await stage.stop();
  });

  // The runtime waited for ever for its own write to be shown.
  test('a watch that stops delivering without ending: the objects are listed, and the rollout continues', async () => {
    let silent = 0;
    let opened = 0;
    const stage = await createTestCluster(cloneSet('web', 'web:1'), {
      wrap: (cluster) => ({
        ...cluster,
        watch(resource, options, into) {
          if (resource.plural !== 'pods') return cluster.watch(resource, options, into);
          const mine = ++opened;
          return cluster.watch(resource, options, {
            onOpen: () => into.onOpen?.(),
            onEvent: (event) => (mine <= silent ? undefined : into.onEvent(event)),
            onEnd: (error) => into.onEnd(error),
          });
        },
      }),
    });
    silent = opened;
    await stage.change('web:2');
    await stage.until('Succeeded', 2 * MINUTE);
    expect(opened).toBe(silent + 1);
    await stage.stop();
  });

  // Each ordinary close doubled the pause before the next watch, up to half a minute.
  test('a watch that is closed in order every few minutes is opened again at once, for hours', async () => {
    const clock = createVirtualClock(0);
    const world = createWorld({ clock, namespaces: ['shop'] });
    const user = world.cluster('user');
    let lists = 0;
    let closedAt: number | undefined;
    const pauses: number[] = [];
    const reflector = createReflector({
      cluster: {
        ...user,
        list(...args) {
          lists += 1;
          return user.list(...args);
        },
        watch(resource, options, into) {
          if (closedAt !== undefined) pauses.push(clock.now() - closedAt);
          const handle = user.watch(resource, options, into);
          clock.after(5 * MINUTE, () => {
            closedAt = clock.now();
            handle.stop();
            into.onEnd(undefined);
          });
          return handle;
        },
      },
      clock,
      resource: resources.ControllerRevision,
      onChange: () => undefined,
      onSync: () => undefined,
    });
    reflector.start();
    await clock.settle();
    await clock.advance(3 * HOUR + MINUTE);
    expect([pauses.length, Math.max(...pauses), lists]).toEqual([36, 0, 1]);
    expect(reflector.syncedSince).toBe(0);
    reflector.stop();
    world.stop();
  });
});

describe('restarts are counted from the end of a pod’s own update', () => {
  const two = (main: string, side: string): JsonObject => ({
    metadata: { labels: { app: 'web' } },
    spec: {
      containers: [
        { name: 'main', image: main },
        { name: 'side', image: side },
      ],
    },
  });
  const inPlace = (template: JsonObject): Partial<RolloutPlanSpec>['from'] => [
    { hash: templateHash(template), mode: 'InPlace' },
  ];

  // The restart that the first update had caused was held against the second one.
  test('one container is updated, then the other: no breach', async () => {
    const target = cloneSet('web', 'web:1');
    const stage = await createTestCluster({
      ...target,
      spec: { ...(target['spec'] as JsonObject), template: two('web:1', 'side:1') },
    });
    await lead(stage, two('web:2', 'side:1'), { steps, from: inPlace(two('web:1', 'side:1')) });
    await stage.until('Succeeded');
    await lead(stage, two('web:2', 'side:2'), { steps, from: inPlace(two('web:2', 'side:1')) });
    await stage.until('Succeeded');
    const counts = (await stage.pods()).flatMap((pod) =>
      (pod.status?.containerStatuses ?? []).map((status) => status.restartCount),
    );
    expect(counts).toEqual([1, 1, 1, 1, 1, 1]);
    await stage.stop();
  });

  // As many as it had had before the update were forgiven it afterwards.
  test('a pod that had crashed three times crashes three times in its soak, without a watch: a breach', async () => {
    const stage = await createTestCluster(cloneSet('web', 'web:1'), {
      prepare: (world) => {
        world.images.set('web:1', { crashAfterMs: 10_000, times: 3 });
        world.images.set('web:2', { crashAfterMs: 60_000, times: 3 });
      },
    });
    await stage.clock.advance(10 * MINUTE);
    const before = (await stage.pods()).map((pod) => pod.status?.containerStatuses?.[0]?.restartCount);
    expect(before).toEqual([3, 3, 3]);
    await stage.change('web:2', { steps });
    await stage.clock.advance(30_000);
    expect((await shown(stage)).step).toBe('soak');
    await stage.runtime.stop();
    await stage.clock.advance(HOUR);
    const crashed = (await stage.pods()).map((pod) => pod.status?.containerStatuses?.[0]?.restartCount);
    expect(Math.max(...crashed.map(Number))).toBe(7);
    const runtime = startRuntime(stage.world, stage.clock, stage.errors);
    await stage.until('Reverted', 5 * MINUTE);
    expect((await shown(stage)).message).toContain('restarted after its update, which fails step soak');
    await runtime.stop();
    await stage.stop();
  });
});

describe('a clock that is set back by an hour', () => {
  // An hour was taken from the soak, which then lasted seventy minutes; forward, an hour was given to it.
  test.each([
    ['back', -HOUR],
    ['forward', HOUR],
  ])('%s: it neither adds nor removes observed time', async (_, skew) => {
    const stage = await createTestCluster(cloneSet('web', 'web:1', { replicas: 5 }));
    await stage.runtime.stop();
    let off = 0;
    const skewed = { ...stage.clock, now: () => stage.clock.now() + off };
    const runtime = startRuntime(stage.world, skewed, stage.errors);
    const seen = watchSteps(stage, 'web:2');
    await stage.change('web:2', { steps });
    await stage.clock.advance(5 * MINUTE);
    expect(await phaseOf(stage)).toBe('Soaking');
    off = skew;
    await stage.until('Succeeded');
    const soaked = (seen.at['all'] ?? 0) - (seen.at['soak'] ?? 0);
    expect(soaked).toBeGreaterThanOrEqual(10 * MINUTE);
    expect(soaked).toBeLessThanOrEqual(11 * MINUTE);
    expect(stage.errors).toEqual([]);
    await runtime.stop();
    await stage.stop();
  });
});
