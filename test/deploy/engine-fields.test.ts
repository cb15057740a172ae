import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createVirtualClock, createWorld } from 'kruise-sandbox';
import { createRuntime } from '../../runtime/runtime.ts';
import type { Resource } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { kinds } from '../../semantics/registry/registry.ts';
import { MANAGERS } from './engines/engine.ts';
import { othersOf } from './engines/ownership.ts';
import { type Scripts, startLua } from './health/lua.ts';
import { readStates } from './health/objects.ts';

/**
 * What engines read of an object, absent or not. A health check of Argo CD is a script: to look into a field that is absent, or
 * to calculate with one, is an error, and after one error an Application syncs nothing any more. kstatus, which Flux reads, takes an
 * object without conditions for Current unless its `observedGeneration` is another generation.
 */
interface Read {
  /** Fields that a script looks into. */
  objects: readonly string[];
  /** Fields that it calculates with, in an object that the runtime has observed. */
  numbers: readonly string[];
}

const ROLLING = 'spec.updateStrategy.rollingUpdate';
const NOTHING: Read = { objects: [], numbers: [] };
/** By the checks that Argo CD 3 ships for these kinds. It has none for SidecarSets, and that of BroadcastJobs asks first. */
const ofArgo: Readonly<Record<string, Read>> = {
  CloneSet: {
    objects: ['spec.updateStrategy'],
    numbers: ['status.updatedReplicas', 'status.expectedUpdatedReplicas'],
  },
  StatefulSet: {
    objects: [ROLLING],
    numbers: [`${ROLLING}.partition`, 'status.updatedReplicas', 'status.replicas'],
  },
  DaemonSet: {
    objects: [ROLLING],
    numbers: [`${ROLLING}.partition`, 'status.updatedNumberScheduled', 'status.desiredNumberScheduled'],
  },
  AdvancedCronJob: { objects: ['status'], numbers: [] },
};

const selector = { matchLabels: { app: 'web' } };
const template = {
  metadata: { labels: selector.matchLabels },
  spec: { containers: [{ name: 'main', image: 'nginx:1.25' }] },
};
const once = { ...template, spec: { ...template.spec, restartPolicy: 'Never' } };
const workload = { selector, template };
/** The least that a manifest of each kind may say, and the least with the strategy in which users choose. */
const least: Readonly<Record<string, readonly JsonObject[]>> = {
  CloneSet: [workload, { ...workload, updateStrategy: { type: 'OnDelete' } }],
  StatefulSet: [workload, { ...workload, updateStrategy: { type: 'OnDelete' } }],
  DaemonSet: [workload, { ...workload, updateStrategy: { type: 'OnDelete' } }],
  BroadcastJob: [{ template: once }],
  AdvancedCronJob: [
    { schedule: '0 0 * * *', template: { broadcastJobTemplate: { spec: { template: once } } } },
  ],
  PodUnavailableBudget: [{ selector, maxUnavailable: 1 }],
  ImagePullJob: [{ image: 'web:1', completionPolicy: {} }],
  ImageListPullJob: [{ images: ['web:1'], completionPolicy: {} }],
  NodeImage: [{ images: { web: { tags: [{ tag: '1' }] } } }],
  ContainerRecreateRequest: [{ podName: 'web-0', containers: [{ name: 'main' }] }],
  ResourceDistribution: [
    {
      resource: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' } },
      targets: { allNamespaces: true },
    },
  ],
  WorkloadSpread: [
    {
      targetRef: { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'web' },
      subsets: [{ name: 'a' }],
    },
  ],
  UnitedDeployment: [
    {
      selector,
      template: { cloneSetTemplate: { metadata: { labels: selector.matchLabels }, spec: workload } },
      topology: { subsets: [{ name: 'a' }] },
    },
  ],
  SidecarSet: [{ selector, containers: [{ name: 'side', image: 'side:1' }] }],
};

function at(object: KubeObject, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => (value as JsonObject | undefined)?.[key], object);
}

function missing(object: KubeObject, { objects, numbers }: Read): string[] {
  return [
    ...objects.filter((path) => typeof at(object, path) !== 'object'),
    ...numbers.filter((path) => typeof at(object, path) !== 'number'),
  ];
}

/** A script that does with an object what those of Argo CD do: it goes through the fields, and compares the numbers. */
function probe({ objects, numbers }: Read): string {
  const lines = [
    ...objects.map((path) => `for _ in pairs(obj.${path}) do end`),
    ...numbers.map((path) => `if obj.${path} - 1 >= obj.${path} then error("not a number") end`),
  ];
  return [...lines, 'return { done = true }'].join('\n');
}

let lua: Scripts;
beforeAll(async () => {
  lua = await startLua();
});
afterAll(() => lua.close());

test.each(kinds.map((kind) => [kind.id.kind, kind] as const))(
  'a script finds what it reads of a %s in every phase, as it is recorded',
  (name, kind) => {
    const read = ofArgo[name] ?? NOTHING;
    for (const { state, target } of readStates(kind)) {
      expect([state, missing(target as unknown as KubeObject, read)]).toEqual([state, []]);
      expect(lua.run(probe(read), target)).toEqual({ done: true });
      // Nobody has looked yet, and the definition gives what a manifest leaves out.
      const { status: _status, ...unobserved } = target;
      const fresh = { ...unobserved, ...(read.objects.includes('status') && { status: {} }) };
      expect(lua.run(probe({ ...read, numbers: [] }), fresh)).toEqual({ done: true });
    }
  },
);

const byEngine = { fieldManager: MANAGERS.client };

let end: (() => Promise<void>) | undefined;
afterEach(async () => {
  await end?.();
  end = undefined;
});

test.each(
  kinds.flatMap(({ id, resource }) =>
    ['v1alpha1', 'v1beta1'].flatMap((version) =>
      (least[id.kind] ?? [undefined]).map((spec) => [id.kind, version, resource, spec] as const),
    ),
  ),
)(
  'a health check finds what it reads of a %s at %s, and nobody else writes what git has',
  async (kind, version, own, spec) => {
    if (spec === undefined) throw new Error(`there is no manifest of a ${kind}`);
    const clock = createVirtualClock(Date.UTC(2026, 0, 1));
    const world = createWorld({ clock, namespaces: ['shop'] });
    const runtime = createRuntime({ cluster: world.cluster('kruise'), clock, policy: 'Auto' });
    end = async () => {
      await Promise.all([runtime.stop(), clock.settle()]);
      world.stop();
    };
    const user = world.cluster('user');
    const resource: Resource = { ...own, version };
    const key = { name: 'web', ...(own.namespaced && { namespace: 'shop' }) };
    await user.create(
      resource,
      { apiVersion: `${own.group}/${version}`, kind, metadata: key, spec },
      byEngine,
    );
    const read = ofArgo[kind] ?? NOTHING;
    expect(missing(await user.get(resource, key), { ...read, numbers: [] })).toEqual([]);
    runtime.start();
    await clock.advance(60_000);
    await user.patch(
      resource,
      key,
      { type: 'merge', body: { metadata: { labels: { changed: 'yes' } } } },
      byEngine,
    );
    await clock.advance(60_000);
    const observed = await user.get(resource, key);
    expect(missing(observed, read)).toEqual([]);
    expect(othersOf(observed)).toEqual([]);
  },
);

test.each(['RolloutPlan', 'ClusterRolloutPlan'] as const)(
  'a %s that no runtime has looked at is not Current',
  async (kind) => {
    const clock = createVirtualClock(Date.UTC(2026, 0, 1));
    const world = createWorld({ clock, namespaces: ['shop'] });
    end = async () => {
      world.stop();
      await clock.settle();
    };
    const user = world.cluster('user');
    const resource = resources[kind];
    const key = { name: 'web', ...(resource.namespaced && { namespace: 'shop' }) };
    const target = { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'web' };
    await user.create(resource, {
      apiVersion: 'plan.kruise.io/v1alpha1',
      kind,
      metadata: key,
      spec: { target },
    });
    const { metadata, status } = await user.get(resource, key);
    expect(metadata.generation).toBe(1);
    expect(status).toEqual({ observedGeneration: -1 });
  },
);
