import { expect, test } from 'vitest';
import type { Caches } from '../../runtime/observe/caches.ts';
import { createCreationBackoffs } from '../../runtime/plan/creation-backoffs.ts';
import { createVirtualClock } from 'kruise-sandbox/clock';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { controllerReference } from '../../semantics/owner.ts';
import type { CreateAction } from '../../semantics/decision.ts';
import type { Pod } from '../../semantics/pod/types.ts';

const target: KubeObject = {
  apiVersion: 'test.example/v1',
  kind: 'Sweep',
  metadata: { name: 'disks', namespace: 'ops', uid: '1' },
};

/** The backoff of a target about pods that are created one by one, and each of which becomes like this. */
async function lostAfter(
  spec: JsonObject,
  becomes: Partial<Pod> | undefined,
  node = () => 'node-1',
  labels: Record<string, string> = {},
  owner = target,
) {
  const clock = createVirtualClock(0);
  const pods = new Map<string, Pod>();
  const runs: KubeObject[] = [];
  const caches = {
    revisionsOf: () => [],
    runsOf: () => runs,
    pod: (_namespace: string, name: string) => pods.get(name),
  } as Partial<Caches> as Caches;
  const backoffs = createCreationBackoffs(caches, clock);
  const create = (kind: CreateAction['kind'], object: KubeObject): void =>
    backoffs.done({ do: 'create', kind, object, verb: 'create', reason: 'a test' });
  for (let n = 0; n < 4; n += 1) {
    const matchFields = [{ key: 'metadata.name', operator: 'In', values: [node()] }];
    const required = { nodeSelectorTerms: [{ matchFields }] };
    const pod: Pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: `pod-${n}`,
        namespace: 'ops',
        labels,
        ownerReferences: [controllerReference(owner)],
      },
      spec: {
        containers: [],
        affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } },
        ...spec,
      },
    };
    const run = { ...target, kind: 'ControllerRevision', metadata: { name: 'run-1', namespace: 'ops' } };
    create('ControllerRevision', run);
    runs.push(run);
    create('Pod', pod);
    if (becomes !== undefined) pods.set(pod.metadata.name, { ...pod, ...becomes });
    await clock.advance(5_000);
    backoffs.of(owner);
  }
  return backoffs.of(owner);
}

test('a pod that has ended is lost, unless it is to end', async () => {
  const ended = { status: { phase: 'Succeeded' } };
  expect(await lostAfter({ restartPolicy: 'Never' }, ended)).toBeUndefined();
  expect(await lostAfter({ restartPolicy: 'OnFailure' }, { status: { phase: 'Failed' } })).toBeUndefined();
  expect(await lostAfter({}, ended)).toMatchObject({ kind: 'Pod', lost: 4 });
});

test('a pod of a run that is gone is lost, and only its node waits for the next one', async () => {
  const found = await lostAfter({ restartPolicy: 'Never' }, undefined);
  expect(found).toMatchObject({ kind: 'Pod', lost: 4 });
  expect([...(found?.deferred.keys() ?? [])]).toEqual(['node-1']);
  let n = 0;
  const onNodes = await lostAfter({ restartPolicy: 'Never' }, undefined, () => `node-${(n += 1)}`);
  expect(onNodes).toBeUndefined();
});

test('a pod waits with its node where the units are nodes, and else with its revision', async () => {
  const labels = { 'controller-revision-hash': 'web-1' };
  const placed: KubeObject = { ...target, apiVersion: 'apps.kruise.io/v1beta1', kind: 'BroadcastJob' };
  const waits = async (owner: KubeObject) => [
    ...((await lostAfter({}, undefined, undefined, labels, owner))?.deferred.keys() ?? []),
  ];
  expect(await waits(placed)).toEqual(['node-1']);
  expect(await waits({ ...placed, kind: 'CloneSet' })).toEqual(['web-1']);
});

test('the record of a run is there, although nothing owns it', async () => {
  const found = await lostAfter({ restartPolicy: 'Never' }, undefined);
  expect(found?.kind).not.toBe('ControllerRevision');
});

test('a pod that only pulls images is not lost when it is gone', async () => {
  expect(await lostAfter({}, undefined)).toMatchObject({ kind: 'Pod', lost: 4 });
  expect(await lostAfter({}, undefined, undefined, { 'plan.kruise.io/pull': 'k1' })).toBeUndefined();
});

/** Creates a pod of each revision in turn, deletes it itself after five seconds, and reports the backoff at the end. */
async function deletedAfter(revisions: readonly string[], node = (n: number) => `node-${n}`) {
  const clock = createVirtualClock(0);
  const caches = { revisionsOf: () => [], runsOf: () => [], pod: () => undefined } as Partial<Caches>;
  const backoffs = createCreationBackoffs(caches as Caches, clock);
  for (const [n, revision] of revisions.entries()) {
    const name = `pod-${n}`;
    const labels = { 'controller-revision-hash': revision };
    const matchFields = [{ key: 'metadata.name', operator: 'In', values: [node(n)] }];
    const required = { nodeSelectorTerms: [{ matchFields }] };
    const object: Pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'ops', labels, ownerReferences: [controllerReference(placed)] },
      spec: {
        containers: [],
        affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } },
      },
    };
    backoffs.done({ do: 'create', kind: 'Pod', object, verb: 'create', reason: 'a test' });
    await clock.advance(5_000);
    const of = { name, uid: '1', resourceVersion: '1' };
    backoffs.done({ do: 'delete', kind: 'Pod', ...of, verb: 'delete', reason: 'a test' });
    backoffs.of(placed);
  }
  return backoffs.of(placed);
}

const placed: KubeObject = { ...target, apiVersion: 'apps.kruise.io/v1beta1', kind: 'BroadcastJob' };

test('what a rollout and its revert delete is not lost, however often; the same again and again is', async () => {
  expect(await deletedAfter(['a', 'b', 'a', 'b', 'a', 'b', 'a', 'b'])).toBeUndefined();
  expect(await deletedAfter(['a', 'b', 'a', 'b', 'a', 'b'], () => 'node-1')).toBeUndefined();
  const again = await deletedAfter(['a', 'a', 'a', 'a'], () => 'node-1');
  expect(again).toMatchObject({ kind: 'Pod', lost: 4 });
});

// A target with a time that has passed was decided on again and again, without a pause, until the minute was over.
test('the next creation is one that still waits, not one that is due and that nobody wants', async () => {
  let created = 0;
  const found = await lostAfter({}, undefined, () => ((created += 1) <= 2 ? 'node-1' : 'node-2'));
  expect([...(found?.deferred ?? [])]).toEqual([['node-2', 1]]);
  expect(found).toMatchObject({ nextAt: 21_000, requeueAt: 21_000 });
});
