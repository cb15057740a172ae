import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { conditionOf, type Container, type Pod, type PodStatus } from '../../../schemas/pods/pod.ts';
import { ApiError } from '../../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import { counting, remoteNodes, type RemoteNodesFixture, type RemoteNodesFixtureOptions } from './setup.ts';
import { remoteServer, type RemoteServer } from './server.ts';

/** The response of both servers is the same; otherwise the expectations would not hold for both. */
const timings = { scheduleMs: 20, pullMs: 300, startMs: 50, readyMs: 200, stopMs: 200 };

let server: RemoteServer;
let prefix: string;
let staff: RemoteNodesFixture;
let counted: ReturnType<typeof counting>;

function staffOf(options: RemoteNodesFixtureOptions = {}): RemoteNodesFixture {
  return remoteNodes(counted.cluster, server.clock, { prefix, nodes: 2, timings, ...options });
}

beforeAll(async () => {
  server = await remoteServer();
  prefix = server.namespace;
  counted = counting(server.cluster);
  // The sandbox's scheduler cannot be disabled.
  staff = staffOf({ schedules: !server.isSandbox });
  await staff.start();
});

afterAll(async () => {
  // A server that deletes many namespaces starts with this one after its nodes are deleted.
  const pods = await server.user.list(resources.Pod, { namespace: server.namespace });
  await Promise.all(pods.items.map(async ({ metadata }) => remove(metadata.name)));
  await until('the namespace is empty', async () => {
    const { items } = await server.user.list(resources.Pod, { namespace: server.namespace });
    return items.length === 0;
  });
  await server.user.delete(resources.Namespace, { name: server.namespace });
  await staff.stop({ cleanup: true });
  await server.close();
});

const at = (name: string) => ({ namespace: server.namespace, name });
const read = async (name: string): Promise<Pod> => (await server.user.get(resources.Pod, at(name))) as Pod;

function podOf(
  name: string,
  containers: Record<string, Partial<Container>>,
  spec: JsonObject = {},
): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: at(name),
    spec: {
      containers: Object.entries(containers).map(([of, more]) => ({ name: of, image: `${of}:1`, ...more })),
      terminationGracePeriodSeconds: 2,
      ...spec,
    },
  };
}

async function create(...given: Parameters<typeof podOf>): Promise<void> {
  await server.user.create(resources.Pod, podOf(...given));
}

/** Whether or not it is already deleted. */
async function remove(name: string): Promise<void> {
  try {
    await server.user.delete(resources.Pod, at(name));
  } catch (error) {
    if (!(error instanceof ApiError && error.status.code === 404)) throw error;
  }
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const end = server.clock.monotonic() + 10_000;
  while (!(await holds())) {
    if (server.clock.monotonic() > end) throw new Error(`not in time: ${what}; ${staff.errors.join(', ')}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

async function podUntil(name: string, holds: (pod: Pod) => boolean): Promise<Pod> {
  let pod = await read(name);
  await until(name, async () => holds((pod = await read(name))));
  return pod;
}

async function gone(name: string): Promise<void> {
  await until(`${name} is gone`, async () => {
    try {
      await read(name);
      return false;
    } catch (error) {
      if (error instanceof ApiError && error.status.code === 404) return true;
      throw error;
    }
  });
}

const isReady = (pod: Pod): boolean => conditionOf(pod, 'Ready')?.status === 'True';

/** A status without run-dependent values. */
function told({ status = {} }: Pod): unknown {
  const { phase, qosClass, conditions = [], containerStatuses = [], observedGeneration } = status;
  return {
    phase,
    qosClass,
    observedGeneration,
    conditions: conditions
      .map(({ type, status: value, reason, observedGeneration: seen }) =>
        [type, value, reason, seen === undefined ? undefined : `generation ${seen}`]
          .filter(Boolean)
          .join(' '),
      )
      .sort(),
    containers: containerStatuses.map(
      ({ name, image, imageID, ready, started, restartCount, state, lastState }) =>
        `${name} ${image} ${imageID.replace(/@.{7}(.{6}).*/, '@$1')} ready=${ready} started=${started} restarts=${restartCount} ${stateOf(state)} after ${stateOf(lastState)}`,
    ),
  };
}

function stateOf({
  waiting,
  running,
  terminated,
}: NonNullable<PodStatus['containerStatuses']>[0]['state']): string {
  if (waiting !== undefined) return waiting.reason;
  if (running !== undefined) return 'running';
  return terminated === undefined ? 'nothing' : `${terminated.reason} ${terminated.exitCode}`;
}

async function setImage(name: string, container: string, image: string): Promise<void> {
  const body = { spec: { containers: [{ name: container, image }] } };
  await server.user.patch(resources.Pod, at(name), { type: 'strategic', body });
}

async function setCondition(name: string, type: string, status: string): Promise<void> {
  const body = { status: { conditions: [{ type, status }] } };
  await server.user.patch(resources.Pod, at(name), { type: 'strategic', body }, { subresource: 'status' });
}

function statusWrites(name: string): number {
  return counted.writes.filter((write) => write === `patch pods/status ${name}`).length;
}

describe.concurrent('pods on the nodes of another server, the sandbox or a real one', () => {
  it('run until they are ready', async () => {
    await create('ready', { web: {}, side: {} });
    expect(told(await podUntil('ready', isReady))).toEqual({
      phase: 'Running',
      qosClass: 'BestEffort',
      observedGeneration: 1,
      conditions: [
        'ContainersReady True generation 1',
        'Initialized True generation 1',
        'PodReadyToStartContainers True generation 1',
        'PodScheduled True generation 1',
        'Ready True generation 1',
      ],
      containers: [
        'web web:1 web@8724d3 ready=true started=true restarts=0 running after nothing',
        'side side:1 side@181a72 ready=true started=true restarts=0 running after nothing',
      ],
    });
  });

  it('an image that changes restarts its container alone, in at most three writes', async () => {
    await create(
      'place',
      { web: {}, side: {} },
      { readinessGates: [{ conditionType: 'InPlaceUpdateReady' }] },
    );
    await podUntil('place', (pod) => conditionOf(pod, 'ContainersReady')?.status === 'True');
    await setCondition('place', 'InPlaceUpdateReady', 'True');
    const before = await podUntil('place', isReady);
    const writes = statusWrites('place');
    await setCondition('place', 'InPlaceUpdateReady', 'False');
    await setImage('place', 'web', 'web:2');
    await podUntil('place', (pod) => pod.status?.containerStatuses?.[0]?.image === 'web:2');
    await setCondition('place', 'InPlaceUpdateReady', 'True');
    const after = await podUntil('place', isReady);
    expect(statusWrites('place') - writes).toBeLessThanOrEqual(3);
    expect(told(after)).toEqual({
      phase: 'Running',
      qosClass: 'BestEffort',
      observedGeneration: 2,
      conditions: [
        'ContainersReady True generation 2',
        'InPlaceUpdateReady True',
        'Initialized True generation 2',
        'PodReadyToStartContainers True generation 2',
        'PodScheduled True generation 2',
        'Ready True generation 2',
      ],
      containers: [
        'web web:2 web@972269 ready=true started=true restarts=1 running after Completed 0',
        'side side:1 side@181a72 ready=true started=true restarts=0 running after nothing',
      ],
    });
    expect(after.status?.containerStatuses?.[1]?.containerID).toBe(
      before.status?.containerStatuses?.[1]?.containerID,
    );
  });

  it('fields of other writers stay, and cause no write', async () => {
    await create('gated', { web: {} }, { readinessGates: [{ conditionType: 'example.com/lit' }] });
    await setCondition('gated', 'example.com/lit', 'True');
    await setCondition('gated', 'example.com/noted', 'Unknown');
    const ready = await podUntil('gated', isReady);
    expect(conditionOf(ready, 'example.com/noted')?.status).toBe('Unknown');
    const writes = statusWrites('gated');
    await setCondition('gated', 'example.com/noted', 'True');
    await setCondition('gated', 'example.com/lit', 'False');
    const dark = await podUntil('gated', (pod) => !isReady(pod));
    expect(conditionOf(dark, 'Ready')?.reason).toBe('ReadinessGatesNotReady');
    expect(conditionOf(dark, 'example.com/noted')?.status).toBe('True');
    expect(statusWrites('gated') - writes).toBe(1);
  });

  it('a gate closed together with Ready, as a kubelet writes it, needs no further write', async () => {
    await create('drained', { web: {} }, { readinessGates: [{ conditionType: 'example.com/lit' }] });
    await setCondition('drained', 'example.com/lit', 'True');
    await podUntil('drained', isReady);
    const writes = statusWrites('drained');
    const reason = 'ReadinessGatesNotReady';
    const message = 'the status of pod readiness gate "example.com/lit" is not "True", but False';
    const conditions: JsonObject[] = [
      { type: 'example.com/lit', status: 'False' },
      { type: 'Ready', status: 'False', reason, message, lastTransitionTime: '2026-01-01T00:00:00Z' },
    ];
    const body = { status: { conditions } };
    await server.user.patch(
      resources.Pod,
      at('drained'),
      { type: 'strategic', body },
      { subresource: 'status' },
    );
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(conditionOf(await read('drained'), 'Ready')).toMatchObject({ status: 'False', reason });
    expect(statusWrites('drained') - writes).toBe(0);
    await setCondition('drained', 'example.com/lit', 'True');
    await podUntil('drained', isReady);
    expect(statusWrites('drained') - writes).toBe(1);
  });

  it('kubelet fields written by another client are corrected', async () => {
    await create('spoken-for', { web: {} });
    const before = await podUntil('spoken-for', isReady);
    await setCondition('spoken-for', 'Ready', 'False');
    const after = await podUntil(
      'spoken-for',
      (pod) => isReady(pod) && pod.metadata.resourceVersion !== before.metadata.resourceVersion,
    );
    expect(told(after)).toEqual(told(before));
  });

  it('a pod ended by another client stays in its phase', async () => {
    await create('ended', { web: {} });
    await podUntil('ended', isReady);
    const body = { status: { phase: 'Failed', reason: 'Evicted' } };
    await server.user.patch(resources.Pod, at('ended'), { type: 'merge', body }, { subresource: 'status' });
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect((await read('ended')).status).toMatchObject({ phase: 'Failed', reason: 'Evicted' });
  });

  it('a deleted pod terminates gracefully and is removed', async () => {
    await create('leaving', { web: { lifecycle: { preStop: { sleep: { seconds: 1 } } } } });
    await podUntil('leaving', isReady);
    await server.user.delete(resources.Pod, at('leaving'));
    expect((await read('leaving')).metadata.deletionGracePeriodSeconds).toBe(2);
    await gone('leaving');
  });

  it('a pod with a finalizer has ended, and waits', async () => {
    const pod = podOf('held', { web: {} });
    pod.metadata.finalizers = ['example.com/hold'];
    await server.user.create(resources.Pod, pod);
    await podUntil('held', isReady);
    await server.user.delete(resources.Pod, at('held'));
    const ended = await podUntil('held', ({ status }) => status?.phase === 'Succeeded');
    expect(told(ended)).toMatchObject({
      phase: 'Succeeded',
      containers: ['web web:1 web@8724d3 ready=false started=false restarts=0 Completed 0 after nothing'],
    });
    await server.user.patch(resources.Pod, at('held'), {
      type: 'merge',
      body: { metadata: { finalizers: null } },
    });
    await gone('held');
  });

  it('an evicted pod is deleted', async () => {
    await create('evicted', { web: {} });
    await podUntil('evicted', isReady);
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: at('evicted') };
    await server.user.create(resources.Pod, eviction, { subresource: 'eviction' });
    await gone('evicted');
  });

  it('a container whose image exits is restarted, and then waits', async () => {
    await create('crashing', { web: { image: 'web:1-crashing' } });
    const waiting = await podUntil(
      'crashing',
      ({ status }) => status?.containerStatuses?.[0]?.state.waiting?.reason === 'CrashLoopBackOff',
    );
    expect(told(waiting)).toMatchObject({
      phase: 'Running',
      containers: [
        'web web:1-crashing web@5327dc ready=false started=false restarts=1 CrashLoopBackOff after Error 1',
      ],
    });
  });

  it('an image that cannot be had keeps its pod pending', async () => {
    await create('missing', { web: { image: 'web:1-missing' } });
    const waiting = await podUntil(
      'missing',
      ({ status }) => status?.containerStatuses?.[0]?.state.waiting?.reason === 'ImagePullBackOff',
    );
    expect(told(waiting)).toMatchObject({
      phase: 'Pending',
      containers: ['web web:1-missing  ready=false started=false restarts=0 ImagePullBackOff after nothing'],
    });
  });

  it('an unschedulable pod reports it, and is bound once a node is feasible', async () => {
    await create('choosy', { web: {} }, { nodeSelector: { 'example.com/lit': server.namespace } });
    const waiting = await podUntil('choosy', (pod) => conditionOf(pod, 'PodScheduled')?.status === 'False');
    expect(told(waiting)).toMatchObject({
      phase: 'Pending',
      conditions: ['PodScheduled False Unschedulable generation 1'],
    });
    const node = `${prefix}-2`;
    const body = { metadata: { labels: { 'example.com/lit': server.namespace } } };
    await server.user.patch(resources.Node, { name: node }, { type: 'merge', body });
    const ready = await podUntil('choosy', isReady);
    expect(ready.spec.nodeName).toBe(node);
    expect(conditionOf(ready, 'PodScheduled')?.status).toBe('True');
  });
});

describe('nodes of another server', () => {
  it('restarted kubelets continue with running pods, and write nothing', async () => {
    await create('lasting', {
      web: {},
      probed: { readinessProbe: { httpGet: { port: 80, path: '/' }, periodSeconds: 1 } },
    });
    const before = await podUntil('lasting', isReady);
    await staff.stop({ cleanup: false });
    const writes = statusWrites('lasting');
    staff = staffOf({ schedules: !server.isSandbox, seed: 99 });
    await staff.start();
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect((await read('lasting')).status).toEqual(before.status);
    expect(statusWrites('lasting') - writes).toBe(0);
    await setImage('lasting', 'web', 'web:2');
    const after = await podUntil('lasting', (pod) => isReady(pod) && pod.status?.observedGeneration === 2);
    expect(
      after.status?.containerStatuses?.map(({ name, restartCount }) => `${name} ${restartCount}`),
    ).toEqual(['web 1', 'probed 0']);
  });

  it('an image changed meanwhile is used at the start', async () => {
    await create('meanwhile', { web: {} });
    await podUntil('meanwhile', isReady);
    await staff.stop({ cleanup: false });
    await setImage('meanwhile', 'web', 'web:2');
    staff = staffOf({ schedules: !server.isSandbox, seed: 100 });
    await staff.start();
    const after = await podUntil('meanwhile', (pod) => isReady(pod) && pod.status?.observedGeneration === 2);
    expect(told(after)).toMatchObject({
      containers: ['web web:2 web@972269 ready=true started=true restarts=1 running after Completed 0'],
    });
  });

  it('their nodes are ready, have a Lease, and a label that distinguishes them from real nodes', async () => {
    const node = await server.user.get(resources.Node, { name: `${prefix}-1` });
    expect(node.metadata.labels).toMatchObject({ 'plan.kruise.io/stand-in': 'true' });
    const { conditions } = node['status'] as { conditions: { type: string; status: string }[] };
    expect(conditions.map(({ type, status }) => `${type} ${status}`)).toEqual([
      'MemoryPressure False',
      'DiskPressure False',
      'PIDPressure False',
      'Ready True',
    ]);
    const lease = await server.user.get(resources.Lease, {
      namespace: 'kube-node-lease',
      name: `${prefix}-1`,
    });
    expect(lease['spec']).toMatchObject({ holderIdentity: `${prefix}-1`, leaseDurationSeconds: 40 });
    expect(lease.metadata.ownerReferences?.[0]?.uid).toBe(node.metadata.uid);
    expect(staff.errors).toEqual([]);
  });
});
