import { createVirtualClock, createWorld } from 'kruise-sandbox';
import { expect, test } from 'vitest';
import { createLonePods } from '../../runtime/observe/lone-pods.ts';
import { createRuntime } from '../../runtime/runtime.ts';
import { crds } from '../../schemas/generated/crds.ts';
import { ApiError, type Cluster, type Resource } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { sidecarSetKind } from '../../semantics/sidecarset/kind.ts';
import { createSelected } from '../../runtime/observe/selected.ts';
import { type TargetKey, targetKey } from '../../runtime/observe/target-key.ts';
import type { Need } from '../../semantics/kinds/need.ts';
import type { Kind } from '../../semantics/kinds/kind.ts';
import { listOf, objectOf } from '../../semantics/values/read.ts';
import { workloadSpreadKind } from '../../semantics/workloadspread/kind.ts';
import { cloneSet } from './stage.ts';

const AT = { namespace: 'shop', name: 'web' };
const jobs: Resource = {
  ...{ group: 'batch', version: 'v1', kind: 'Job', plural: 'jobs', namespaced: true },
};
const GATES = [{ name: 'kruise.io/workloadspread' }];

function spread(more: JsonObject = {}): KubeObject {
  return {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'WorkloadSpread',
    metadata: { ...AT },
    spec: {
      targetRef: { apiVersion: 'batch/v1', kind: 'Job', name: 'web' },
      subsets: [{ name: 'a', maxReplicas: 9 }, { name: 'b' }],
      ...more,
    },
  };
}

/** A namespace with one runtime that manages to place no pod: the server refuses every place. */
function stage() {
  const clock = createVirtualClock(Date.UTC(2026, 0, 1));
  const world = createWorld({ clock, namespaces: ['shop'], crds: [...crds], nodes: 1 });
  const cluster = world.cluster('kruise');
  const denied = new Set<string>();
  let deny = (): void => {};
  const refusing: Cluster = {
    ...cluster,
    async list(resource, options) {
      if (denied.has(resource.plural))
        throw new ApiError({ code: 403, reason: 'Forbidden', message: 'no right' });
      return cluster.list(resource, options);
    },
    watch(resource, options, sink) {
      const handle = cluster.watch(resource, options, sink);
      if (resource.plural === 'workloadspreads')
        deny = () => {
          denied.add(resource.plural);
          handle.stop();
          sink.onEnd(new ApiError({ code: 410, reason: 'Expired', message: 'too old' }));
        };
      return handle;
    },
    async patch(resource, at, sent, options) {
      if (JSON.stringify(sent).includes('matched-workloadspread'))
        throw new ApiError({ code: 422, reason: 'Invalid', message: 'the value is refused' });
      return cluster.patch(resource, at, sent, options);
    },
  };
  const start = () => {
    const runtime = createRuntime({ cluster: refusing, clock, policy: 'Auto', onError: () => {} });
    runtime.start();
    return runtime;
  };
  const user = world.cluster('user');
  const template = (gates: JsonObject[]): JsonObject => ({
    metadata: { labels: { app: 'web' } },
    spec: { restartPolicy: 'Never', schedulingGates: gates, containers: [{ name: 'main', image: 'web:1' }] },
  });
  /** The pod of a Job that nobody looks after. */
  const pod = async (gates: JsonObject[] = GATES) => {
    const job = await user.create(jobs, {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { ...AT },
      spec: { template: template(gates) },
    });
    const { metadata, spec } = template(gates) as { metadata: object; spec: JsonObject };
    await user.create(resources.Pod, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        ...{ ...metadata, namespace: 'shop', name: 'web-0' },
        ownerReferences: [
          { apiVersion: 'batch/v1', kind: 'Job', name: 'web', uid: job.metadata.uid ?? '', controller: true },
        ],
      },
      spec,
    });
  };
  const gates = async (): Promise<unknown[]> => {
    const { items } = await user.list(resources.Pod, { namespace: 'shop' });
    expect(items).toHaveLength(1);
    return listOf(objectOf(items[0]?.['spec'])['schedulingGates']).map(({ name }) => name);
  };
  /** The gates after so many seconds. */
  const after = async (seconds: number): Promise<unknown[]> => {
    await clock.advance(seconds * 1_000);
    return gates();
  };
  return { clock, user, denied, deny: () => deny(), start, pod, after, stop: () => world.stop() };
}

const [{ name: GATE }] = GATES as [{ name: string }];

test('a pod whose gate nobody removes waits for a minute, and keeps the gates of others', async () => {
  const { clock, start, pod, after, stop } = stage();
  const runtime = start();
  await clock.settle();
  await pod([...GATES, { name: 'example.com/wait' }]);
  expect(await after(55)).toEqual([GATE, 'example.com/wait']);
  expect(await after(10)).toEqual(['example.com/wait']);
  await runtime.stop();
  stop();
});

test('so does one whose WorkloadSpread is deleted, or no longer selects it', async () => {
  for (const change of ['delete', 'filter'] as const) {
    const { clock, user, start, pod, after, stop } = stage();
    const runtime = start();
    await user.create(resources.WorkloadSpread, spread());
    await clock.advance(2_000);
    await pod();
    expect(await after(10)).toEqual([GATE]);
    if (change === 'delete') await user.delete(resources.WorkloadSpread, AT);
    else
      await user.patch(resources.WorkloadSpread, AT, {
        type: 'merge',
        body: { spec: { targetFilter: { selector: { matchLabels: { app: 'other' } } } } },
      });
    expect(await after(55)).toEqual([]);
    await runtime.stop();
    stop();
  }
});

test('one whose WorkloadSpread was deleted while no runtime ran goes once one does', async () => {
  const { clock, start, pod, after, stop } = stage();
  await pod();
  await clock.advance(600_000);
  const runtime = start();
  expect(await after(15)).toEqual([]);
  await runtime.stop();
  stop();
});

test('a pod of a CloneSet that the filter leaves out does not wait for ever', async () => {
  const { clock, user, start, after, stop } = stage();
  const runtime = start();
  await user.create(
    resources.WorkloadSpread,
    spread({
      targetRef: { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'web' },
      targetFilter: { selector: { matchLabels: { app: 'other' } } },
    }),
  );
  await clock.settle();
  const gated = cloneSet('web', 'web:1', { replicas: 1 });
  const { template } = gated['spec'] as { template: { spec: JsonObject } };
  template.spec['schedulingGates'] = GATES;
  await user.create(resources.CloneSet, gated);
  expect(await after(70)).toEqual([]);
  await runtime.stop();
  stop();
});

test('nobody lets pods go as long as WorkloadSpreads may not be listed', async () => {
  const { clock, denied, deny, start, pod, after, stop } = stage();
  const runtime = start();
  await clock.advance(5_000);
  deny();
  await pod();
  expect(await after(300)).toEqual([GATE]);
  denied.clear();
  expect(await after(120)).toEqual([]);
  await runtime.stop();
  stop();
});

const KEY: TargetKey = targetKey(resources.WorkloadSpread, 'shop', 'web');

/** Lone pods of these kinds, where a WorkloadSpread selects those that are `selected`, and a stub is cached of those that are `stubs`. */
function lone(
  kinds: readonly Kind[],
  { selected = [], stubs = [] }: { selected?: KubeObject[]; stubs?: KubeObject[] },
) {
  let asked = 0;
  const lonePods = createLonePods({
    keysOf(each) {
      asked += 1;
      return selected.includes(each) ? [KEY] : [];
    },
    isStub: (each) => stubs.includes(each),
    isSynced: () => true,
    isServed: () => true,
  });
  for (const kind of kinds) lonePods.watch(kind);
  return { lonePods, asked: () => asked };
}

const bare = (spec: JsonObject = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { ...AT },
  spec: { containers: [{ name: 'main', image: 'web:1' }], ...spec },
});
const gated = (): KubeObject => bare({ schedulingGates: GATES });

test('ordinary pods cost nothing: the uses of kinds are read once, and nobody asks who selects them', () => {
  let reads = 0;
  const counted = (kind: Kind): Kind =>
    Object.defineProperty({ ...kind }, 'uses', {
      get() {
        reads += 1;
        return kind.uses;
      },
    });
  const { lonePods, asked } = lone([workloadSpreadKind, sidecarSetKind].map(counted), {});
  const before = reads;
  for (let i = 0; i < 1_000; i += 1) {
    const ordinary = bare();
    expect([lonePods.mayBe(ordinary), lonePods.has(ordinary), lonePods.isUnclaimed(ordinary)]).toEqual([
      ...[false, false, false],
    ]);
  }
  expect([reads - before, asked()]).toEqual([0, 0]);
  const ofSet = targetKey(resources.SidecarSet, '', 'log');
  expect([KEY, ofSet].map(lonePods.isRemoving)).toEqual([true, false]);
});

test('a pod that waits is left to the target that selects it, also while its containers wait for an order', () => {
  const barrier = { configMapKeyRef: { name: 'web-barrier', key: 'p_1' } };
  const ordered = bare({
    schedulingGates: GATES,
    containers: [{ name: 'main', env: [{ name: 'KRUISE_CONTAINER_BARRIER', valueFrom: barrier }] }],
  });
  const [free, own, stub] = [gated(), gated(), bare()];
  const { lonePods } = lone([workloadSpreadKind], { selected: [own, ordered, stub], stubs: [stub] });
  expect(lonePods.of(ordered)).toBe(ordered);
  const reasons = [free, own, ordered].map((each) => lonePods.letGo(each, each));
  expect(reasons).toEqual(['Unclaimed', undefined, undefined]);
  // Of the last one, the target sees no gate.
  expect([stub, undefined].map((seen) => lonePods.letGo(own, seen))).toEqual(['TooLarge', 'TooLarge']);
  expect(lonePods.letGo(bare(), undefined)).toBeUndefined();
});

test('a selection says when it is another one, so that only then its pods are looked at', () => {
  const selected = createSelected(
    () => ({ listAgain: () => 1, read: () => {} }),
    () => {},
  );
  const need = (app: string): Need => ({
    of: 'SelectedPods',
    ...{ selector: { matchLabels: { app } }, namespaces: undefined },
  });
  const changes = [[need('a')], [need('a')], [need('b')], [], []].map((needs) =>
    selected.need(KEY, needs, []),
  );
  expect(changes).toEqual([true, false, true, true, false]);
});

test('targets are known once they are synced, or where objects of their kind do not exist', () => {
  const known = (isSynced: boolean, isServed: boolean, kinds: readonly Kind[] = [workloadSpreadKind]) => {
    const lonePods = createLonePods({
      keysOf: () => [],
      isStub: () => false,
      isSynced: ({ kind }) => kind !== 'WorkloadSpread' || isSynced,
      isServed: () => isServed,
    });
    for (const kind of kinds) lonePods.watch(kind);
    return lonePods.areTargetsKnown('shop');
  };
  expect([known(true, true), known(false, true), known(false, false)]).toEqual([true, false, true]);
  expect(known(false, true, [])).toBe(true);
});
