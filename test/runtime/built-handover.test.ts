import { createVirtualClock, createWorld } from 'kruise-sandbox';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { createRuntime } from '../../runtime/runtime.ts';
import { crds } from '../../schemas/generated/crds.ts';
import type { Resource } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { cloneSetLowering } from '../../semantics/cloneset/lowering.ts';
import { listOf, objectOf } from '../../semantics/values/read.ts';
import { web } from '../stories/manifests.ts';

/* What KR2157 warns of, and the way in two commits that docs/how-to/plain-kubernetes.md has. */

const SHOP = 'shop';
const REPLICAS = 5;
const { Pod, CloneSet } = resources;
const Deployment: Resource = {
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  plural: 'deployments',
  namespaced: true,
};

/** The fewest ready pods from when the Deployment is created. */
async function fewestReady(isAtOnce: boolean): Promise<{ fewest: number; after: number }> {
  const clock = createVirtualClock(Date.UTC(2026, 0, 1));
  const namespaces = ['default', SHOP];
  const world = createWorld({
    clock,
    namespaces,
    nodes: 4,
    crds: [...crds],
    workloads: true,
    bootstrapped: true,
  });
  const cluster = world.cluster('kruise');
  const runtime = createRuntime({ cluster, clock, policy: 'Auto', onError: () => {} });
  runtime.start();
  const user = world.cluster('user');
  const old = parse(web({ replicas: REPLICAS, policy: 'ReCreate' })) as KubeObject;
  const ofOld = { ...CloneSet, version: 'v1alpha1' };
  await user.create(ofOld, old);
  await clock.advance(120_000);
  const ready = new Set<string>();
  for (const pod of (await user.list(Pod, { namespace: SHOP })).items)
    if (isReady(pod)) ready.add(pod.metadata.name);
  expect(ready.size).toBe(REPLICAS);
  let fewest = ready.size;
  world.onCommit(({ object, type }) => {
    if (object.kind !== 'Pod' || object.metadata.namespace !== SHOP) return;
    if (type !== 'DELETED' && isReady(object)) ready.add(object.metadata.name);
    else ready.delete(object.metadata.name);
    fewest = Math.min(fewest, ready.size);
  });
  const found = cloneSetLowering.lower(old, { isScaled: false, namespaces: [], inNamespace: [] });
  const built = 'objects' in found ? found.objects[0] : undefined;
  await user.create(Deployment, built ?? expect.unreachable());
  if (!isAtOnce) await clock.advance(120_000);
  await user.delete(ofOld, { namespace: SHOP, name: 'web' });
  await clock.advance(120_000);
  await Promise.all([runtime.stop(), clock.settle()]);
  world.stop();
  return { fewest, after: ready.size };
}

function isReady({ metadata, status }: KubeObject): boolean {
  const { conditions } = objectOf(status);
  return (
    metadata.deletionTimestamp === undefined &&
    listOf(conditions).some(({ type, status: is }) => type === 'Ready' && is === 'True')
  );
}

test('a CloneSet that one sync replaces by a Deployment has no pod available at the lowest', async () =>
  expect(await fewestReady(true)).toEqual({ fewest: 0, after: REPLICAS }));

test('in two commits all are available throughout', async () =>
  expect(await fewestReady(false)).toEqual({ fewest: REPLICAS, after: REPLICAS }));
