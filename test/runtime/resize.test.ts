import { afterEach, describe, expect, test } from 'vitest';
import { failing } from 'kruise-sandbox';
import { ApiError } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { servesResize } from '../../runtime/definitions.ts';
import { readInPlaceState } from '../../semantics/pod/annotation-shapes.ts';
import { IN_PLACE_STATE_ANNOTATION, LIFECYCLE_LABEL, type Pod } from '../../semantics/pod/types.ts';
import { RESIZE_ANNOTATION } from '../../semantics/template/update-policy.ts';
import { templateHash } from '../../semantics/template/canonical.ts';
import {
  cloneSet,
  createTestCluster,
  patchSpec,
  planOf,
  type StageOptions,
  type TestCluster,
} from './stage.ts';

let stage: TestCluster;
afterEach(() => stage.stop());

type Container = JsonObject & { name: string };

const container = (cpu: string, more: JsonObject = {}): Container => ({
  name: 'main',
  image: 'web:1',
  resources: { requests: { cpu } },
  ...more,
});

const templateOf = (...containers: Container[]): JsonObject => ({
  metadata: { labels: { app: 'web' } },
  spec: { containers },
});

function target(replicas: number, ...containers: Container[]): KubeObject {
  const made = cloneSet('web', '', { replicas, template: templateOf(...containers) });
  return { ...made, metadata: { ...made.metadata, annotations: { [RESIZE_ANNOTATION]: 'true' } } };
}

async function start(replicas: number, containers: Container[], options: StageOptions = {}): Promise<void> {
  stage = await createTestCluster(target(replicas, ...containers), { policy: 'Auto', ...options });
}

const change = (...containers: Container[]): Promise<void> =>
  patchSpec(stage, 'web', { template: templateOf(...containers) });

/** What is recorded of every pod whenever it changes, as long as it differs from what was before. */
function course(): string[] {
  const seen: string[] = [];
  stage.world.onCommit(({ object }) => {
    if (object.kind !== 'Pod') return;
    const text = lineOf(object as Pod);
    if (seen.at(-1) !== text) seen.push(text);
  });
  return seen;
}

function lineOf(pod: Pod): string {
  const [main] = pod.spec.containers;
  const [status] = pod.status?.containerStatuses ?? [];
  const of = (holder: unknown): string =>
    (holder as { resources?: { requests?: { cpu?: string } } } | undefined)?.resources?.requests?.cpu ?? '-';
  const ready = pod.status?.conditions?.find(({ type }) => type === 'Ready')?.status === 'True';
  const state = pod.metadata.labels?.[LIFECYCLE_LABEL] ?? '';
  return `${state} ${main?.image ?? ''} cpu ${of(main)} has ${of(status)} ${ready ? 'ready' : 'unready'} restarts ${status?.restartCount ?? 0}`;
}

const RESTART = { resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }] };

describe('resize in place (OpenKruise inplace-update, rules 6.3 to 6.5)', () => {
  test('without a restart: it stays in traffic, and is Updating until its status shows it (IU-17, IU-21)', async () => {
    await start(1, [container('100m')]);
    const [before] = await stage.pods();
    const seen = course();
    await change(container('200m'));
    await stage.clock.advance(60_000);
    expect(seen).toEqual([
      'Updating web:1 cpu 100m has 100m ready restarts 0',
      'Updating web:1 cpu 200m has 100m ready restarts 0',
      'Updating web:1 cpu 200m has 200m ready restarts 0',
      'Normal web:1 cpu 200m has 200m ready restarts 0',
    ]);
    const [after] = await stage.pods();
    expect(after?.metadata.uid).toBe(before?.metadata.uid);
    expect(stage.errors).toEqual([]);
  });

  test('with a restart: it is out of traffic meanwhile (IU-18)', async () => {
    await start(1, [container('100m', RESTART)]);
    const seen = course();
    await change(container('200m', RESTART));
    await stage.clock.advance(60_000);
    expect(seen.filter((each) => each.includes(' ready')).at(0)).toBe(
      'Normal web:1 cpu 200m has 200m ready restarts 1',
    );
    expect(seen.at(0)).toBe('Normal web:1 cpu 100m has 100m unready restarts 0');
    expect(stage.errors).toEqual([]);
  });

  test('only the resource that changes decides about the restart (IU-19)', async () => {
    const memory = { resizePolicy: [{ resourceName: 'memory', restartPolicy: 'RestartContainer' }] };
    await start(1, [container('100m', memory)]);
    const seen = course();
    await change(container('200m', memory));
    await stage.clock.advance(60_000);
    expect(seen.filter((each) => each.includes('unready'))).toEqual([]);
    expect(seen.at(-1)).toBe('Normal web:1 cpu 200m has 200m ready restarts 0');
  });

  test('with an image in one update: recorded, resized, then the image, each seen in its turn', async () => {
    await start(1, [container('100m')]);
    const seen = course();
    await change(container('200m', { image: 'web:2' }));
    await stage.clock.advance(60_000);
    expect(seen.slice(0, 4)).toEqual([
      'Normal web:1 cpu 100m has 100m unready restarts 0',
      'Updating web:1 cpu 100m has 100m unready restarts 0',
      'Updating web:1 cpu 200m has 100m unready restarts 0',
      'Updating web:2 cpu 200m has 100m unready restarts 0',
    ]);
    expect(seen.at(-1)).toBe('Normal web:2 cpu 200m has 200m ready restarts 1');
  });

  test('the record of an update is that of OpenKruise: flags, one batch, nothing left', async () => {
    await start(1, [container('100m'), { ...container('10m'), name: 'side' }]);
    await change(container('200m', { image: 'web:2' }), { ...container('20m'), name: 'side' });
    await stage.clock.advance(60_000);
    const [pod] = await stage.pods();
    expect(readInPlaceState(pod?.metadata.annotations?.[IN_PLACE_STATE_ANNOTATION] ?? '')).toMatchObject({
      updateImages: true,
      updateResources: true,
      lastContainerStatuses: { main: { imageID: expect.any(String) as string } },
      containerBatchesRecord: [{ containers: ['main', 'side'] }],
    });
    expect(pod?.metadata.annotations?.[IN_PLACE_STATE_ANNOTATION]).not.toContain('next');
  });

  test('by launch priority: the second batch is resized once the first is ready', async () => {
    const first = { env: [{ name: 'KRUISE_CONTAINER_PRIORITY', value: '1' }] };
    await start(1, [container('100m'), { ...container('10m', first), name: 'side' }]);
    const requests: string[] = [];
    stage.world.onCommit(({ object }) => {
      if (object.kind !== 'Pod') return;
      const [main, side] = (object as Pod).spec.containers;
      const text = JSON.stringify([main?.['resources'], side?.['resources']]).replaceAll(/[^0-9m,]/g, '');
      if (requests.at(-1) !== text) requests.push(text);
    });
    await change(container('200m'), { ...container('20m', first), name: 'side' });
    await stage.clock.advance(60_000);
    expect(requests).toEqual(['100m,10m', '100m,20m', '200m,20m']);
    expect((await stage.pods()).map(({ metadata }) => metadata.labels?.[LIFECYCLE_LABEL])).toEqual([
      'Normal',
    ]);
  });
});

/** What users see of a target: the text of its conditions, and the messages of its Events. */
async function told(): Promise<string> {
  const { status } = (await stage.target()) as { status?: unknown };
  const plan = (await stage.user.list(resources.RolloutPlan, { namespace: 'shop' })).items;
  const { items } = await stage.user.list(resources.Event, { namespace: 'shop' });
  return JSON.stringify([
    status,
    plan.map((each) => each['status']),
    items.map(({ message, note }) => message ?? note),
  ]);
}

describe('what the node has no room for', () => {
  const ROOM = { world: { nodes: 1 } };

  test('waits, in traffic, holds the budget, and is resized when there is room', async () => {
    await start(2, [container('3')], ROOM);
    const before = await stage.pods();
    await change(container('6'));
    await stage.clock.advance(600_000);
    const pods = await stage.pods();
    const { name = '' } = pods.find((pod) => lineOf(pod).startsWith('Updating'))?.metadata ?? {};
    expect(await told()).toContain(
      `pod ${name}: its resize is deferred: Node didn't have enough resource: cpu, requested: 6000, used: 3000, capacity: 8000`,
    );
    expect(pods.map(lineOf).sort()).toEqual([
      'Normal web:1 cpu 3 has 3 ready restarts 0',
      'Updating web:1 cpu 6 has 3 ready restarts 0',
    ]);
    expect(new Set(pods.map(({ metadata }) => metadata.uid))).toEqual(
      new Set(before.map(({ metadata }) => metadata.uid)),
    );
    await patchSpec(stage, 'web', { replicas: 1 });
    await stage.clock.advance(60_000);
    expect((await stage.pods()).map(lineOf)).toEqual(['Normal web:1 cpu 6 has 6 ready restarts 0']);
  });

  test('going back ends a resize that no node can grant', async () => {
    await start(1, [container('3')], ROOM);
    await change(container('60'));
    await stage.clock.advance(600_000);
    expect((await stage.pods()).map(lineOf)).toEqual(['Updating web:1 cpu 60 has 3 ready restarts 0']);
    await change(container('3'));
    await stage.clock.advance(60_000);
    expect((await stage.pods()).map(lineOf)).toEqual(['Normal web:1 cpu 3 has 3 ready restarts 0']);
    expect(stage.errors).toEqual([]);
  });
});

test('going back ends a resize that the server refuses', async () => {
  const refused = new ApiError({ code: 403, reason: 'Forbidden', message: 'exceeded quota: small' });
  await start(1, [container('1')], {
    wrap: (cluster) =>
      failing(cluster, ({ subresource, sends }) =>
        subresource === 'resize' && JSON.stringify(sends).includes('"cpu":"2"') ? refused : undefined,
      ),
  });
  await change(container('2'));
  await stage.clock.advance(60_000);
  expect((await stage.pods()).map(lineOf)).toEqual(['Updating web:1 cpu 1 has 1 ready restarts 0']);
  expect(await told()).toContain('exceeded quota: small');
  await change(container('1'));
  await stage.clock.advance(60_000);
  expect((await stage.pods()).map(lineOf)).toEqual(['Normal web:1 cpu 1 has 1 ready restarts 0']);
});

test('where the server has no pods/resize, the pod is recreated', async () => {
  await start(1, [container('1')], { canResize: () => false });
  const [before] = await stage.pods();
  await change(container('2'));
  await stage.clock.advance(60_000);
  const pods = await stage.pods();
  expect(pods.map(lineOf)).toEqual(['Normal web:1 cpu 2 has 2 ready restarts 0']);
  expect(pods[0]?.metadata.uid).not.toBe(before?.metadata.uid);
});

test('a plan that says InPlace waits until the runtime can resize, and says so', async () => {
  let canResize = false;
  stage = await createTestCluster(target(1, container('1')), { canResize: () => canResize });
  const [before] = await stage.pods();
  const [from, to] = [templateOf(container('1')), templateOf(container('2'))].map(templateHash);
  const plan = planOf('web', '', '', {
    to: { hash: to ?? '', bound: {} },
    from: [{ hash: from ?? '', mode: 'InPlace' }],
  });
  await stage.user.create(resources.RolloutPlan, plan);
  await change(container('2'));
  await stage.clock.advance(60_000);
  expect(await told()).toContain(
    'need Recreate, and the plan allows InPlace. The runtime cannot patch pods/resize here: give it that right on Kubernetes 1.33 or later, or undo the change',
  );
  expect((await stage.pods()).map(lineOf)).toEqual(['Normal web:1 cpu 1 has 1 ready restarts 0']);
  canResize = true;
  stage.runtime.reconcileAll();
  await stage.clock.advance(60_000);
  const pods = await stage.pods();
  expect(pods.map(lineOf)).toEqual(['Normal web:1 cpu 2 has 2 ready restarts 0']);
  expect(pods[0]?.metadata.uid).toBe(before?.metadata.uid);
  expect(stage.errors).toEqual([]);
});

describe('whether the server serves pods/resize', () => {
  const answered = (code: number, details?: { name: string }): Promise<boolean> => {
    const status = {
      code,
      reason: 'Unknown',
      message: 'the server could not find it',
      ...(details && { details }),
    };
    return servesResize(failing(stage.user, () => new ApiError(status)));
  };

  test('is learned from a dry run, which changes nothing', async () => {
    await start(1, [container('1')]);
    const before = await stage.pods();
    expect(await servesResize(stage.user)).toBe(true);
    expect(await stage.pods()).toEqual(before);
  });

  test('is no, if the answer does not name the pod; and unknown, if the server fails', async () => {
    await start(1, [container('1')]);
    expect([await answered(404), await answered(404, { name: 'other' }), await answered(403)]).toEqual([
      false,
      false,
      false,
    ]);
    await expect(answered(500)).rejects.toThrow('the server could not find it');
  });
});
