import { afterEach, describe, expect, test } from 'vitest';
import { createRuntime, type RuntimeOptions } from '../../runtime/runtime.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { controllerReference } from '../../semantics/owner.ts';
import { setHashes } from '../../semantics/sidecarset/hash.ts';
import type { Policy } from '../../semantics/policy.ts';
import { sidecarSets } from '../../semantics/sidecarset/resource.ts';
import { objectOf } from '../../semantics/values/read.ts';
import { setWith, type SidecarWorld, sidecarWorld } from './sidecar-world.ts';

const MINUTE = 60_000;

let present: SidecarWorld | undefined;
afterEach(async () => {
  await present?.stop();
  present = undefined;
});

/** A revision as OpenKruise keeps it: nothing says that it was ever complete. */
function revisionOf(set: KubeObject, image: string, revision: number): KubeObject {
  const { hash, imageless } = setHashes(objectOf(setWith(image)['spec']));
  return {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name: `log-${revision}`,
      namespace: 'kruise-system',
      labels: { 'kruise.io/sidecarset-name': 'log' },
      annotations: {
        'kruise.io/sidecarset-hash': hash,
        'kruise.io/sidecarset-hash-without-image': imageless,
      },
      ownerReferences: [controllerReference(set)],
    },
    revision,
    data: {
      spec: {
        $patch: 'replace',
        containers: [{ name: 'log', image, podInjectPolicy: 'BeforeAppContainer', resources: {} }],
        imagePullSecrets: null,
        initContainers: null,
        patchPodMetadata: null,
        volumes: null,
      },
    },
  };
}

/** A cluster that another controller leaves in the middle of an update: two pods have the earlier sidecar, one the new one. */
async function halfWay(
  options: Pick<RuntimeOptions, 'adopt' | 'policy'>,
  admission: Policy = 'Auto',
): Promise<SidecarWorld> {
  let begin: (() => Promise<void>) | undefined;
  const cluster = await sidecarWorld({
    // The webhook of OpenKruise gives new pods the present content.
    admission,
    start(given) {
      const runtime = createRuntime({ ...given, ...options });
      begin = async () => {
        runtime.start();
        await cluster.clock.advance(10 * MINUTE);
      };
      return { start: () => undefined, stop: () => runtime.stop() };
    },
  });
  present = cluster;
  await cluster.set('log:1');
  for (const name of ['a', 'b']) await cluster.bare(name);
  await cluster.set('log:2');
  await cluster.bare('c');
  const set = await cluster.user.get(sidecarSets, { name: 'log' });
  for (const [index, image] of ['log:1', 'log:2'].entries())
    await cluster.user.create(resources.ControllerRevision, revisionOf(set, image, index + 1));
  await begin?.();
  return cluster;
}

const uidsOf = async (cluster: SidecarWorld): Promise<unknown[]> =>
  (await cluster.pods()).map(({ metadata }) => metadata.uid);

const heldOf = (status: JsonObject): unknown =>
  (Array.isArray(status['conditions']) ? status['conditions'] : [])
    .map(objectOf)
    .find(({ type }) => type === 'plan.kruise.io/Held')?.['reason'];

describe('a set that pins a revision while it is adopted', () => {
  /** Most pods are on the present content. */
  async function pinning(revisionName: string): Promise<SidecarWorld> {
    let begin: (() => Promise<void>) | undefined;
    const cluster = await sidecarWorld({
      admission: 'Auto',
      start(given) {
        const runtime = createRuntime(given);
        begin = async () => {
          runtime.start();
          await cluster.clock.advance(10 * MINUTE);
        };
        return { start: () => undefined, stop: () => runtime.stop() };
      },
    });
    present = cluster;
    await cluster.set('log:1');
    await cluster.bare('a');
    await cluster.set('log:2');
    for (const name of ['b', 'c']) await cluster.bare(name);
    const set = await cluster.user.get(sidecarSets, { name: 'log' });
    for (const [index, image] of ['log:1', 'log:2'].entries())
      await cluster.user.create(resources.ControllerRevision, revisionOf(set, image, index + 1));
    await cluster.set('log:2', undefined, {
      injectionStrategy: { revision: { revisionName } },
      updateStrategy: { type: 'NotUpdate' },
    });
    await begin?.();
    return cluster;
  }

  test('gives new pods the earlier one on, as they have got it before', async () => {
    const cluster = await pinning('log-1');
    await cluster.bare('d');
    expect(await cluster.images()).toEqual({ 'log:1': 2, 'log:2': 2 });
    expect(await cluster.condition('plan.kruise.io/NewPods')).toBeUndefined();
    expect(cluster.errors).toEqual([]);
  });

  test('is stable on the revision of most pods', async () => {
    const cluster = await pinning('log-1');
    const { items } = await cluster.user.list(resources.ControllerRevision, {});
    const complete = items.map(({ metadata: { name, annotations = {} } }) => [
      name,
      annotations['plan.kruise.io/complete'],
    ]);
    expect(Object.fromEntries(complete)).toMatchObject({ 'log-1': '1', 'log-2': '2' });
  });
});

describe('a set that OpenKruise was updating', () => {
  test('is left alone where nothing is adopted', async () => {
    const cluster = await halfWay({ adopt: false, policy: 'Required' });
    expect(heldOf(await cluster.status())).toBe('NotAdopted');
    expect(await cluster.images()).toEqual({ 'log:1': 2, 'log:2': 1 });
    const { items } = await cluster.user.list(resources.ControllerRevision, {});
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['log-1', 'log-2']);
    expect(cluster.errors).toEqual([]);
  });

  test.each([
    ['Required', 'NotRecorded', 'none of its sidecars', 'none'],
    ['Auto', 'PresentContent', 'its present content', 'log:2'],
  ] as const)('says in %s what new pods get meanwhile', async (policy, reason, what, image) => {
    const cluster = await halfWay({ adopt: false, policy }, policy);
    expect(await cluster.condition('plan.kruise.io/NewPods')).toMatchObject({
      reason,
      message: expect.stringContaining(what) as string,
    });
    const { [image]: before = 0 } = await cluster.images();
    await cluster.bare('d');
    expect((await cluster.images())[image]).toBe(before + 1);
    expect(cluster.errors).toEqual([]);
  });

  test('is adopted on the revision of most pods, waits for a plan, and new pods get that revision', async () => {
    const cluster = await halfWay({ adopt: true, policy: 'Required' });
    expect(heldOf(await cluster.status())).toBe('NoPlan');
    expect(await cluster.images()).toEqual({ 'log:1': 2, 'log:2': 1 });
    await cluster.bare('d');
    expect(await cluster.images()).toEqual({ 'log:1': 3, 'log:2': 1 });
    expect(cluster.errors).toEqual([]);
  });

  test('is updated to its end in policy Auto, and no pod is made anew', async () => {
    const cluster = await halfWay({ adopt: true, policy: 'Auto' });
    const uids = await uidsOf(cluster);
    expect(await cluster.images()).toEqual({ 'log:2': 3 });
    expect(await uidsOf(cluster)).toEqual(uids);
    expect(await cluster.status()).toMatchObject({ matchedPods: 3, updatedReadyPods: 3 });
    expect(cluster.errors).toEqual([]);
  });
});
