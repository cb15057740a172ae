import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { createIntern } from '../../../runtime/observe/intern.ts';
import { createRuntime } from '../../../runtime/runtime.ts';
import { createVirtualClock, createWorld } from 'kruise-sandbox';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import { isInPlaceUpdateComplete } from '../../../semantics/pod/in-place.ts';
import { projectPod } from '../../../semantics/pod/project.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { plannedKindOf } from '../../../semantics/registry/registry.ts';
import { web } from '../../stories/manifests.ts';
import { wholeEnvelope } from '../cloneset/model.ts';

/** The target, its pods and revisions at every change of a pod while they are created, updated, lost and recreated. */
async function moments(): Promise<
  { target: KubeObject; pods: Pod[]; revisions: KubeObject[]; now: number }[]
> {
  const clock = createVirtualClock(Date.UTC(2026, 0, 1));
  const world = createWorld({ clock, nodes: 2, namespaces: ['shop'] });
  const user = world.cluster('user');
  const at = { namespace: 'shop', name: 'web' };
  const seen: Awaited<ReturnType<typeof moments>> = [];
  const now = new Map<string, Map<string, KubeObject>>();
  world.onCommit(({ type, object }) => {
    const group = now.get(object.kind) ?? new Map<string, KubeObject>();
    now.set(object.kind, group);
    if (type === 'DELETED') group.delete(object.metadata.name);
    else group.set(object.metadata.name, object);
    const [target] = now.get('CloneSet')?.values() ?? [];
    if (object.kind !== 'Pod' || target === undefined) return;
    const [pods, revisions] = ['Pod', 'ControllerRevision'].map((kind) => [
      ...(now.get(kind)?.values() ?? []),
    ]);
    seen.push({ target, pods: (pods ?? []) as Pod[], revisions: revisions ?? [], now: clock.now() });
  });
  const runtime = createRuntime({ cluster: world.cluster('kruise'), clock, policy: 'Auto' });
  runtime.start();
  const cloneSets = { ...resources.CloneSet, version: 'v1alpha1' };
  const manifest = (image: string): KubeObject => parse(web({ image, replicas: 4 })) as KubeObject;
  await user.create(cloneSets, manifest('nginx:1.25'));
  await clock.runUntil(() => seen.length > 20 && seen.at(-1)?.pods.length === 4, { what: 'pods' });
  await clock.advance(20_000);
  for (const image of ['nginx:1.26', 'nginx:1.27']) {
    const { spec } = manifest(image);
    await user.patch(cloneSets, at, { type: 'merge', body: { spec: spec as never } });
    await clock.advance(6_000);
  }
  const [lost] = (await user.list(resources.Pod, { namespace: 'shop' })).items;
  await user.delete(resources.Pod, { namespace: 'shop', name: lost?.metadata.name ?? '' });
  await clock.advance(60_000);
  await runtime.stop();
  world.stop();
  return seen;
}

const envelope = wholeEnvelope({ goal: '', stable: '' });

/** Everything that the rules decide at one time. */
function judged(moment: Awaited<ReturnType<typeof moments>>[number], pods: Pod[]): unknown {
  const look = plannedKindOf(resources.CloneSet)?.observe({ ...moment, pods, takenNames: new Set() });
  if (look === undefined) throw new Error('CloneSet is registered');
  const { liveHash: goal, stable } = look.rollout;
  const decision = look.decide({ ...envelope, goal, stable }, undefined, new Set());
  return JSON.parse(JSON.stringify([look.rollout, look.revise(), decision])) as unknown;
}

/** The paths of all fields of a value that are read. */
function watched<Value extends object>(value: Value, path: string, read: Set<string>): Value {
  return new Proxy(value, {
    get(target, key, receiver) {
      const found: unknown = Reflect.get(target, key, receiver);
      if (typeof key === 'symbol' || key === 'length' || !Object.hasOwn(target, key)) return found;
      const here = `${path}.${Array.isArray(target) ? '#' : key}`;
      if (typeof found !== 'object' || found === null) read.add(here);
      return typeof found === 'object' && found !== null ? watched(found, here, read) : found;
    },
  });
}

const KIB = 1024;

describe('a pod in the cache', () => {
  test('is equivalent to the whole pod: the rules decide the same at every time', async () => {
    const all = await moments();
    expect(all.length).toBeGreaterThan(60);
    const intern = createIntern({ texts: 32 * KIB, values: 64 * KIB });
    for (const moment of all) {
      const projected = moment.pods.map((pod) => projectPod(pod, intern));
      expect(judged(moment, projected)).toEqual(judged(moment, moment.pods));
    }
  });

  test('has every field that the rules read', async () => {
    const read = new Set<string>();
    const there = new Set<string>();
    const intern = createIntern();
    for (const moment of await moments()) {
      judged(
        moment,
        moment.pods.map((pod) => watched(structuredClone(pod), 'pod', read)),
      );
      for (const pod of moment.pods) leaves(projectPod(pod, intern), 'pod', there);
    }
    expect(read.size).toBeGreaterThan(10);
    expect([...read].filter((path) => !there.has(path)).sort()).toEqual([]);
  });

  test('has the start times of its containers if OpenKruise has changed their environment', () => {
    const pod = (startedAt: string): Pod => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: 'web-bbbbb',
        annotations: {
          'apps.kruise.io/inplace-update-state': JSON.stringify({
            revision: 'web-2',
            updateTimestamp: '2026-01-01T12:00:00Z',
            lastContainerStatuses: null,
            updateEnvFromMetadata: true,
            containerBatchesRecord: [{ timestamp: '2026-01-01T12:00:00Z', containers: ['main'] }],
          }),
        },
      },
      spec: { containers: [{ name: 'main', image: 'web:1' }] },
      status: {
        containerStatuses: [
          { name: 'main', image: 'web:1', imageID: 'web:1', state: { running: { startedAt } } },
        ],
      },
    });
    const complete = (startedAt: string): boolean =>
      isInPlaceUpdateComplete(projectPod(pod(startedAt), createIntern()), Date.UTC(2026, 0, 2));
    expect([complete('2026-01-01T11:59:59Z'), complete('2026-01-01T12:00:05Z')]).toEqual([false, true]);
  });

  test('shares equal values with others, and needs less than a third of the memory', async () => {
    const pods = (await moments()).at(-1)?.pods ?? [];
    const intern = createIntern();
    const [a, b] = pods.map((pod) => projectPod(pod, intern));
    expect(a?.spec.containers).toBe(b?.spec.containers);
    expect(a?.metadata.ownerReferences).toBe(b?.metadata.ownerReferences);
    const shared = new Set<unknown>();
    const size = (value: unknown): number => {
      if (value === undefined) return 8;
      if (typeof value !== 'object' || value === null) return JSON.stringify(value).length;
      if (shared.has(value)) return 8;
      shared.add(value);
      return Object.values(value).reduce((sum: number, each) => sum + 8 + size(each), 16);
    };
    size(projectPod(pods[0] as Pod, intern));
    expect(size(projectPod(pods[1] as Pod, intern)) * 3).toBeLessThan(size(pods[1]));
  });
});

function leaves(value: object, path: string, into: Set<string>): void {
  for (const [key, each] of Object.entries(value)) {
    const here = `${path}.${Array.isArray(value) ? '#' : key}`;
    if (typeof each === 'object' && each !== null) leaves(each as object, here, into);
    else into.add(here);
  }
}

test('finalizers are kept, as lifecycle hooks wait for them, and equal lists are shared', () => {
  const intern = createIntern();
  const [one, two] = ['web-1', 'web-2'].map((name) =>
    projectPod(
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name, finalizers: ['example.com/drain', 'example.com/guard'] },
        spec: { containers: [] },
      },
      intern,
    ),
  );
  expect(one?.metadata.finalizers).toEqual(['example.com/drain', 'example.com/guard']);
  expect(two?.metadata.finalizers).toBe(one?.metadata.finalizers);
});

test('a pod whose containers wait for their barriers leaves nothing behind that is only its own', () => {
  const keys: string[] = [];
  const intern = createIntern();
  const waiting = {
    name: 'web-1',
    waiting: { message: "couldn't find key p_0 in ConfigMap shop/web-1-barrier" },
  };
  const env = ['p_0', 'p_-1'].map((key) => [
    { name: 'KRUISE_CONTAINER_BARRIER', valueFrom: { configMapKeyRef: { name: 'web-1-barrier', key } } },
  ]);
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: waiting.name, namespace: 'shop' },
    spec: {
      containers: [
        { name: 'main', env: env[0] },
        { name: 'agent', env: env[1] },
      ],
    },
    status: { containerStatuses: [{ name: 'main', state: { waiting: waiting.waiting } }] },
  } as unknown as Pod;
  const projected = projectPod(pod, {
    ...intern,
    value: (key, make) => (keys.push(key), intern.value(key, make)),
  });
  expect(projected.spec.containers.map((each) => each['env'])).toEqual(env);
  expect(projected.status?.containerStatuses?.[0]?.['state']).toEqual({ waiting: waiting.waiting });
  expect(keys.filter((key) => key.includes('web-1'))).toEqual([]);
});
