import { readFileSync } from 'node:fs';
import { createVirtualClock, createWorld } from 'kruise-sandbox';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { createRuntime } from '../../runtime/runtime.ts';
import { crds } from '../../schemas/generated/crds.ts';
import type { Resource } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { sampled } from '../lanes.ts';
import { kindOf, kinds } from '../../semantics/registry/registry.ts';
import { listOf, objectOf } from '../../semantics/values/read.ts';
import { plainFields } from '../../semantics/workload/plain.ts';

/*
 * Plays each manifest twice: the object of OpenKruise under the runtime, in Auto, and what `kruise build` makes of it under the
 * controllers of Kubernetes. Both worlds see the same changes, and must have the same pods but for what the rows of the kind name.
 */

const SHOP = 'shop';
const SECOND = 1_000;

const manifests = ['exact', 'lossy'].flatMap((name) =>
  parseAllDocuments(readFileSync(`golden/build/${name}.yaml`, 'utf8'))
    .map((document) => document.toJS() as KubeObject)
    .filter((object) => kindOf(idOf(object)) !== undefined)
    .map((object) => [`${object.kind} ${object.metadata.name}, ${name}`, name, object] as const),
);

/** What `kruise init --from` makes of objects of Kubernetes is played against these. */
const raisedManifests = parseAllDocuments(readFileSync('golden/raise/apps.raised.yaml', 'utf8'))
  .map((document) => document.toJS() as KubeObject)
  .filter((object) => kindOf(idOf(object)) !== undefined)
  .map((object) => [`${object.kind} ${object.metadata.name}, raised`, 'exact', object] as const);

function idOf({ apiVersion, kind }: KubeObject): { group: string; kind: string } {
  return { group: apiVersion.split('/')[0] ?? '', kind };
}

interface Played {
  /** The pods after each change. */
  pods: string[][];
  /** The fewest ready pods while the image changes. */
  leastReady: number;
  /** The most pods that exist meanwhile, those that end among them. */
  most: number;
}

async function play(object: KubeObject, isNative: boolean): Promise<Played> {
  const clock = createVirtualClock(Date.UTC(2026, 0, 1));
  const world = createWorld({
    clock,
    namespaces: ['default', SHOP],
    nodes: 4,
    crds: [...crds],
    workloads: true,
    bootstrapped: true,
  });
  world.images.set('tidy:1', { exitAfterMs: 20 * SECOND });
  world.images.set('tidy:2', { exitAfterMs: 20 * SECOND });
  const runtime = createRuntime({
    cluster: world.cluster('kruise'),
    clock,
    policy: 'Auto',
    onError: () => {},
  });
  if (!isNative) runtime.start();
  await clock.advance(30 * SECOND);
  const user = world.cluster('user');
  const resource: Resource = isNative
    ? nativeResource(object)
    : {
        ...(kindOf(idOf(object)) ?? expect.unreachable()).resource,
        version: object.apiVersion.split('/')[1] ?? '',
      };
  const own = new Map<string, boolean>();
  let [leastReady, most] = [Number.POSITIVE_INFINITY, 0];
  world.onCommit(({ object: pod, type }) => {
    if (pod.kind !== 'Pod' || pod.metadata.namespace !== SHOP) return;
    const { uid = '' } = pod.metadata;
    if (type === 'DELETED') own.delete(uid);
    else own.set(uid, isReady(pod));
    leastReady = Math.min(leastReady, [...own.values()].filter(Boolean).length);
    most = Math.max(most, own.size);
  });
  const pods: string[][] = [];
  const at = { namespace: SHOP, name: object.metadata.name };
  const settle = async (): Promise<void> => {
    // A schedule comes each hour; a change is over much earlier.
    await clock.advance((object.kind === 'AdvancedCronJob' ? 7200 : 600) * SECOND);
    pods.push(await podsOf(object));
  };
  const podsOf = async ({ kind }: KubeObject): Promise<string[]> => {
    const { items } = await user.list(resources.Pod, { namespace: SHOP });
    return items.map((pod) => JSON.stringify(shape(pod, kind))).sort();
  };
  let now = object;
  const change = async (spec: JsonObject): Promise<void> => {
    now = { ...now, spec: { ...objectOf(now['spec']), ...spec } };
    const body = { spec: isNative ? builtFields(now) : spec };
    await user.patch(resource, at, { type: 'merge', body });
  };
  await user.create(resource, isNative ? built(object) : object);
  await settle();
  [leastReady, most] = [Number.POSITIVE_INFINITY, own.size];
  await change(withImages(objectOf(object['spec']), ':2'));
  await settle();
  const result = { leastReady, most };
  if (typeof objectOf(object['spec'])['replicas'] === 'number') {
    await change({ replicas: 2 });
    await settle();
  }
  await Promise.all([isNative ? undefined : runtime.stop(), clock.settle()]);
  world.stop();
  return { pods, ...result };
}

function built(object: KubeObject): KubeObject {
  const lowering = kindOf(idOf(object))?.lowering;
  const found =
    lowering?.of === 'object'
      ? lowering.lower(object, { isScaled: false, namespaces: [], inNamespace: [] })
      : undefined;
  return (found !== undefined && 'objects' in found ? found.objects[0] : undefined) ?? expect.unreachable();
}

function nativeResource(object: KubeObject): Resource {
  const { apiVersion, kind } = built(object);
  const [group = '', version = ''] = apiVersion.split('/');
  return { group, version, kind, plural: `${kind.toLowerCase()}s`, namespaced: true };
}

/** The fields of what is built that these changes reach. */
function builtFields(object: KubeObject): JsonObject {
  const { template, jobTemplate, replicas } = objectOf(built(object)['spec']);
  return plainFields({ template, jobTemplate, replicas });
}

function withImages({ template }: JsonObject, tag: string): JsonObject {
  const text = JSON.stringify(template).replaceAll(':1"', `${tag}"`);
  return { template: JSON.parse(text) as JsonObject };
}

function isReady({ metadata, status }: KubeObject): boolean {
  const { conditions } = objectOf(status);
  return (
    metadata.deletionTimestamp === undefined &&
    listOf(conditions).some(({ type, status: is }) => type === 'Ready' && is === 'True')
  );
}

/** What must be alike: names only where ordinals make them, nodes where each has one. */
function shape(pod: KubeObject, kind: string): JsonObject {
  const spec = objectOf(pod['spec']);
  const { app } = pod.metadata.labels ?? {};
  return {
    ...(kind === 'StatefulSet' && { name: pod.metadata.name, hostname: spec['hostname'] ?? '' }),
    ...(kind === 'StatefulSet' && { subdomain: spec['subdomain'] ?? '' }),
    ...(kind === 'DaemonSet' && { node: spec['nodeName'] ?? '' }),
    app: app ?? '',
    claims: listOf(spec['volumes']).map(({ persistentVolumeClaim: claim }) =>
      kind === 'StatefulSet' ? (claim ?? {}) : {},
    ),
    gates: listOf(spec['readinessGates']).filter(
      ({ conditionType }) => conditionType !== 'InPlaceUpdateReady',
    ),
    containers: listOf(spec['containers']).map(({ name, image, imagePullPolicy }) => ({
      name: name ?? '',
      image: image ?? '',
      imagePullPolicy: imagePullPolicy ?? '',
    })),
    phase: objectOf(pod['status'])['phase'] ?? '',
  };
}

describe('an object under the runtime and what is built of it under Kubernetes have the same pods', () => {
  test.each(sampled('built manifests', [...manifests, ...raisedManifests], 3))(
    '%s',
    async (_title, name, object) => {
      const [ours, theirs] = [await play(object, false), await play(object, true)];
      expect(theirs.pods).toEqual(ours.pods);
      expect(ours.pods[0]?.length, 'there are pods').toBeGreaterThan(0);
      expect(JSON.stringify(theirs.pods[1]), 'the change arrived').toMatch(/:2/);
      if (name !== 'exact') return;
      expect(theirs.leastReady, 'as few are ready').toBe(ours.leastReady);
      expect(theirs.most, 'as many exist').toBe(ours.most);
    },
  );

  test('of every kind with pods that can be built', () => {
    // A Standing kind has none: `built-budget.test.ts` plays budgets, and `built-several.test.ts` what becomes several objects.
    const can = kinds
      .filter((kind) => kind.lowering.of === 'object' && !kind.lowering.each && kind.shape !== 'Standing')
      .map(({ id }) => id.kind);
    expect(can.length).toBeGreaterThan(3);
    for (const of of ['exact', 'lossy'])
      expect(manifests.filter(([, name]) => name === of).map(([, , { kind }]) => kind)).toEqual(
        expect.arrayContaining(can),
      );
  });
});
