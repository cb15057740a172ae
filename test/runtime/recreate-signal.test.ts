import { behaviorByTag, createVirtualClock, createWorld } from 'kruise-sandbox';
import { afterEach, describe, expect, test } from 'vitest';
import { crds } from '../../schemas/generated/crds.ts';
import type { Cluster } from '../../schemas/wire/cluster.ts';
import { execOptions } from '../../schemas/wire/exec.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { TransportError } from '../../runtime/api/transport-error.ts';
import { createRuntime, type Runtime } from '../../runtime/runtime.ts';
import { RECREATED_ANNOTATION } from '../../semantics/pod/recreated.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { serves } from '../conformance/serving.ts';
import { endOf, recreateRequest } from '../fixtures/recreate-requests.ts';
import { cloneSet } from './stage.ts';

/** Restarts by a signal, where the component container-exec is on: kubelets end containers as any exit does. */
const namespace = 'shop';
const MINUTE = 60_000;
type Scripts = Readonly<Record<string, object>>;

let stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops) await stop();
  stops = [];
});

/** @param isOff whether the component is off, asked at each decision */
async function started(
  isOff: () => boolean = () => false,
  scripts: Scripts = {},
  maxUnavailable: string | number = 1,
) {
  const clock = createVirtualClock(Date.UTC(2026, 0, 1));
  const world = createWorld({
    clock,
    namespaces: ['default', namespace],
    crds: [...crds],
    images: behaviorByTag,
  });
  world.images.set('web:1', { readyMs: 2_000 });
  const user = world.cluster('user');
  const errors: string[] = [];
  function run(through: (cluster: Cluster) => Cluster = (cluster) => cluster): Runtime {
    const runtime = createRuntime({
      ...{ cluster: through(world.cluster('kruise')), clock, policy: 'Auto' },
      isOff: (component) => component === 'container-exec' && isOff(),
      onError: (_key, error) => errors.push(String(error)),
    });
    runtime.start();
    return runtime;
  }
  const template = {
    metadata: {
      labels: { app: 'web' },
      annotations: { 'sandbox/containers': JSON.stringify({ main: { exec: scripts } }) },
    },
    spec: { containers: [{ name: 'main', image: 'web:1', imagePullPolicy: 'Always' }] },
  };
  const first = run();
  await clock.settle();
  await user.create(resources.CloneSet, cloneSet('web', '', { template }, { maxUnavailable }));
  await clock.advance(3 * MINUTE);
  const pods = async (): Promise<Pod[]> => (await user.list(resources.Pod, { namespace })).items as Pod[];
  const ask = async (pod: string, spec = {}): Promise<unknown> =>
    user.create(resources.ContainerRecreateRequest, recreateRequest(pod, pod, ['main'], spec));
  const ends = async (): Promise<unknown[][]> =>
    (await user.list(resources.ContainerRecreateRequest, { namespace })).items.map(endOf);
  const end = async (name: string): Promise<unknown> =>
    user.create(
      resources.Pod,
      execOptions({ namespace, name }, { container: 'main', command: ['kill', '-TERM', '1'] }),
      { subresource: 'exec' },
    );
  const signals = (): number =>
    world.server.log.filter(({ subresource, code }) => subresource === 'exec' && code < 300).length;
  stops.push(async () => {
    await Promise.all([first.stop(), clock.settle()]);
    world.stop();
    await clock.settle();
  });
  const names = (await pods()).map(({ metadata }) => metadata.name);
  return { clock, world, user, errors, run, first, pods, names, ask, ends, end, signals };
}

const restartsOf = ({ status }: Pod): number => status?.containerStatuses?.[0]?.restartCount ?? 0;

test('as shipped such a container is left alone', async () => {
  const { clock, names, ask, ends, signals } = await started(() => true);
  await ask(names[0] ?? '');
  await clock.advance(MINUTE);
  expect((await ends())[0]?.[1]).toMatch(/^main Failed kill container error: its imagePullPolicy is Always/);
  expect(signals()).toBe(0);
});

test('with the component it restarts once, from the same image', async () => {
  const { clock, world, pods, names, ask, ends, signals, errors } = await started();
  const [name = ''] = names;
  const recorded: number[] = [];
  world.onCommit(({ resource, object }) => {
    if (resource === 'pods' && object.metadata.annotations?.[RECREATED_ANNOTATION] !== undefined)
      recorded.push(signals());
  });
  await ask(name);
  await clock.advance(MINUTE);
  expect(await ends()).toEqual([['Completed', 'main Succeeded true']]);
  const pod = (await pods()).find(({ metadata }) => metadata.name === name);
  expect([pod && restartsOf(pod), pod?.spec.containers[0]?.image, signals()]).toEqual([1, 'web:1', 1]);
  // It is on record before.
  expect(recorded[0]).toBe(0);
  expect(errors).toEqual([]);
});

test('all pods at once restart one after the other, as the owner limits them', async () => {
  const { clock, world, pods, names, ask, ends, signals } = await started();
  const known = new Map((await pods()).map((pod) => [pod.metadata.uid, pod]));
  let most = 0;
  world.onCommit(({ resource, object }) => {
    if (resource !== 'pods') return;
    known.set(object.metadata.uid, object as Pod);
    most = Math.max(most, [...known.values()].filter((pod) => !serves(pod)).length);
  });
  for (const name of names) await ask(name);
  await clock.advance(10 * MINUTE);
  expect(await ends()).toEqual(names.map(() => ['Completed', 'main Succeeded true']));
  expect([most, signals()]).toEqual([1, names.length]);
});

test('no signal is sent to the process 1 of a node or of a whole pod, nor where there is none', async () => {
  const { clock, user, ask, ends, signals } = await started();
  const specs: Readonly<Record<string, object>> = {
    node: { hostPID: true },
    pod: { shareProcessNamespace: true },
    windows: { os: { name: 'windows' } },
  };
  for (const [name, spec] of Object.entries(specs))
    await user.create(resources.Pod, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace },
      spec: { ...spec, containers: [{ name: 'main', image: 'web:2', imagePullPolicy: 'Always' }] },
    });
  await clock.advance(MINUTE);
  for (const name of Object.keys(specs)) await ask(name);
  await clock.advance(MINUTE);
  expect((await ends()).map(([, state]) => String(state).replace(/^.*no signal is sent: /, ''))).toEqual([
    'its process 1 is that of the node',
    'its process 1 is that of the whole pod',
    'Windows has no signals',
  ]);
  expect(signals()).toBe(0);
});

test('a PodUnavailableBudget counts it', async () => {
  const { clock, user, names, ask, ends, signals } = await started(undefined, {}, '100%');
  await user.create(resources.PodUnavailableBudget, {
    apiVersion: 'policy.kruise.io/v1beta1',
    kind: 'PodUnavailableBudget',
    metadata: { name: 'web', namespace },
    spec: { selector: { matchLabels: { app: 'web' } }, maxUnavailable: 0 },
  });
  await clock.advance(MINUTE);
  await ask(names[0] ?? '');
  await clock.advance(MINUTE);
  expect([(await ends())[0], signals()]).toEqual([['Recreating', 'main Pending'], 0]);
});

describe('a container that lacks the program', () => {
  const none = { stderr: 'not found', exitCode: 127 };

  test('for one spelling of the command gets the other', async () => {
    const { clock, names, ask, ends, signals } = await started(undefined, { 'kill -TERM 1': none });
    await ask(names[0] ?? '');
    await clock.advance(MINUTE);
    expect(await ends()).toEqual([['Completed', 'main Succeeded true']]);
    // The server has let both begin.
    expect(signals()).toBe(2);
  });

  test('for both is not restarted, says so at once, and is available for others', async () => {
    const { clock, pods, names, ask, ends } = await started(undefined, {
      'kill -TERM 1': none,
      'sh -c kill -TERM 1': none,
    });
    for (const name of names) await ask(name);
    await clock.advance(MINUTE);
    expect(await ends()).toEqual(
      names.map(() => [
        'Completed',
        'main Failed kill container error: container main has neither of the programs kill and sh, which send a signal: delete the pod',
      ]),
    );
    expect((await pods()).map(restartsOf)).toEqual(names.map(() => 0));
  });
});

test('a first process that ignores the signal is not forced: the request fails after the grace, and the next one goes on', async () => {
  const ignored = { 'kill -TERM 1': { exitCode: 0 } };
  const { clock, names, ask, ends } = await started(undefined, ignored);
  for (const name of names) await ask(name, { strategy: { terminationGracePeriodSeconds: 5 } });
  await clock.advance(14_000);
  expect((await ends()).filter(([phase]) => phase === 'Completed')).toEqual([]);
  await clock.advance(5 * MINUTE);
  const failed =
    'main Failed kill container error: it still runs: its process may ignore SIGTERM, or none has arrived';
  expect(await ends()).toEqual(names.map(() => ['Completed', failed]));
});

test('a request that is deleted while its signal is out leaves a mark that ends with the grace', async () => {
  const { clock, user, names, ask, ends } = await started(undefined, { 'kill -TERM 1': { exitCode: 0 } });
  const [name = ''] = names;
  const counts = async (): Promise<unknown> =>
    ((await user.get(resources.CloneSet, { namespace, name: 'web' })).status as Record<string, unknown>)[
      'readyReplicas'
    ];
  await ask(name, { strategy: { terminationGracePeriodSeconds: 30 } });
  await clock.advance(5_000);
  await user.delete(resources.ContainerRecreateRequest, { namespace, name });
  await clock.advance(30_000);
  expect(await counts()).toBe(names.length - 1);
  await clock.advance(10_000);
  expect(await counts()).toBe(names.length);
  await ask(names[1] ?? '', { strategy: { terminationGracePeriodSeconds: 5 } });
  await clock.advance(MINUTE);
  expect((await ends()).map(([phase]) => phase)).toEqual(['Completed']);
});

describe('what has changed before the signal arrives gets none', () => {
  /** What happens right before the pod is read again. */
  const slowly =
    (meanwhile: () => Promise<unknown>) =>
    (cluster: Cluster): Cluster => ({
      ...cluster,
      async get(resource, at) {
        if (resource === resources.Pod) await meanwhile();
        return cluster.get(resource, at);
      },
    });

  test('a container that has ended by itself', async () => {
    const it = await started();
    const [name = ''] = it.names;
    await it.first.stop();
    let reads = 0;
    const next = it.run(
      slowly(async () => {
        // The first one is for the request itself.
        if ((reads += 1) !== 2) return;
        await it.end(name);
        await new Promise<void>((resolve) => void it.clock.after(10_000, resolve));
      }),
    );
    stops.unshift(async () => void (await Promise.all([next.stop(), it.clock.settle()])));
    await it.clock.settle();
    await it.ask(name);
    await it.clock.advance(MINUTE);
    expect([await it.ends(), it.signals()]).toEqual([[['Completed', 'main Succeeded true']], 1]);
    expect((await it.pods()).map(restartsOf).sort((a, b) => a - b)).toEqual([0, 0, 1]);
  });
});

test('a command that ends with its container may have done its work', async () => {
  const { clock, names, ask, ends } = await started(undefined, { 'kill -TERM 1': { exitCode: 137 } });
  await ask(names[0] ?? '', { strategy: { terminationGracePeriodSeconds: 60 } });
  await clock.advance(MINUTE);
  expect(await ends()).toEqual([['Recreating', 'main Recreating true']]);
});

/** A runtime whose process ends at this call: nothing of it arrives any more. */
function dyingAt(at: 'before' | 'after', died: () => void) {
  return (cluster: Cluster): Cluster => {
    let isDead = false;
    const never = (): Promise<never> => new Promise(() => {});
    return {
      ...cluster,
      create: async (resource, body, options) => {
        if (isDead) return never();
        if (options?.subresource !== 'exec') return cluster.create(resource, body, options);
        isDead = true;
        if (at === 'after') await cluster.create(resource, body, options);
        died();
        return never();
      },
      patch: async (...call) => (isDead ? never() : cluster.patch(...call)),
      delete: async (...call) => (isDead ? never() : cluster.delete(...call)),
    };
  };
}

describe('a signal that surely has not arrived', () => {
  const refusedConnection = () =>
    Promise.reject(new TransportError('refused', 'host refused the connection'));
  const ways: Readonly<Record<string, (cluster: Cluster) => Cluster>> = {
    'as the connection is refused': (cluster) => ({
      ...cluster,
      create: async (resource, body, options) =>
        options?.subresource === 'exec' ? refusedConnection() : cluster.create(resource, body, options),
    }),
    'as the pod cannot be read before': (cluster) => ({
      ...cluster,
      get: async (resource, at) =>
        resource === resources.Pod ? refusedConnection() : cluster.get(resource, at),
    }),
  };

  test.each(Object.entries(ways))('%s is not waited for', async (_how, way) => {
    const it = await started();
    const [name = ''] = it.names;
    await it.first.stop();
    const next = it.run(way);
    stops.unshift(async () => void (await Promise.all([next.stop(), it.clock.settle()])));
    await it.clock.settle();
    await it.ask(name, { strategy: { terminationGracePeriodSeconds: 600 } });
    await it.clock.advance(10_000);
    expect(await it.ends()).toEqual([
      ['Completed', 'main Failed kill container error: no signal was sent: host refused the connection'],
    ]);
    expect(it.signals()).toBe(0);
  });

  test('one that may have arrived is', async () => {
    const it = await started();
    await it.first.stop();
    const lost = new TransportError('reset', 'closed', { outcomeUnknown: true });
    const next = it.run((cluster) => ({
      ...cluster,
      create: async (resource, body, options) =>
        options?.subresource === 'exec' ? Promise.reject(lost) : cluster.create(resource, body, options),
    }));
    stops.unshift(async () => void (await Promise.all([next.stop(), it.clock.settle()])));
    await it.clock.settle();
    await it.ask(it.names[0] ?? '', { strategy: { terminationGracePeriodSeconds: 600 } });
    await it.clock.advance(MINUTE);
    expect(await it.ends()).toEqual([['Recreating', 'main Recreating true']]);
  });
});

describe('a runtime that dies', () => {
  test.each(['before', 'after'] as const)('right %s the signal never sends it again', async (at) => {
    const it = await started();
    const [name = ''] = it.names;
    await it.first.stop();
    let hasDied = false;
    const dying = it.run(dyingAt(at, () => (hasDied = true)));
    await it.clock.settle();
    await it.ask(name);
    await it.clock.advance(2_000);
    expect(hasDied).toBe(true);
    void dying.stop();
    await it.clock.advance(1_000);
    const next = it.run();
    await it.clock.advance(5 * MINUTE);
    const isSent = at === 'after';
    expect(it.signals()).toBe(isSent ? 1 : 0);
    const pod = (await it.pods()).find(({ metadata }) => metadata.name === name);
    expect(pod && restartsOf(pod)).toBe(isSent ? 1 : 0);
    const unended =
      'main Failed kill container error: it still runs: its process may ignore SIGTERM, or none has arrived';
    expect(await it.ends()).toEqual([['Completed', isSent ? 'main Succeeded true' : unended]]);
    stops.unshift(async () => void (await Promise.all([next.stop(), it.clock.settle()])));
  });
});

test('two runtimes without an election send one signal', async () => {
  const it = await started();
  const other = it.run();
  stops.unshift(async () => void (await Promise.all([other.stop(), it.clock.settle()])));
  await it.clock.settle();
  for (const name of it.names) await it.ask(name);
  await it.clock.advance(10 * MINUTE);
  expect(await it.ends()).toEqual(it.names.map(() => ['Completed', 'main Succeeded true']));
  expect(it.signals()).toBe(it.names.length);
  expect((await it.pods()).map(restartsOf)).toEqual(it.names.map(() => 1));
});

test('a component that is added to a running installation counts for requests from then on', async () => {
  let isOff = true;
  const { clock, names, ask, ends } = await started(() => isOff);
  await ask(names[0] ?? '');
  await clock.advance(MINUTE);
  isOff = false;
  await ask(names[1] ?? '');
  await clock.advance(MINUTE);
  expect((await ends()).map(([, state]) => String(state).split(' ').slice(0, 2).join(' '))).toEqual([
    'main Failed',
    'main Succeeded',
  ]);
});
