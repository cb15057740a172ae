import { afterEach, describe, expect, test } from 'vitest';
import { createRuntime } from '../../runtime/runtime.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { sidecarSets } from '../../semantics/sidecarset/resource.ts';
import { type SidecarWorld, setWith, sidecarWorld } from '../runtime/sidecar-world.ts';
import { approve, imageOf, podIn } from './selection-steps.ts';

const ALL = [{ id: 'all', update: { to: '100%' } }];
const GATED = [{ id: 'agree', approve: {} }, ...ALL];
const inShop: JsonObject = {
  namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'shop' } },
};
/** A change that goes to new pods alone. */
const debug: JsonObject = {
  containers: [{ name: 'log', image: 'log:1', env: [{ name: 'LEVEL', value: 'debug' }] }],
};

let cluster: SidecarWorld;
afterEach(async () => {
  await cluster.stop();
  if (cluster.errors.length > 0)
    throw new Error('the runtime has reported errors', { cause: cluster.errors });
});

async function ready(spec: JsonObject, policy?: 'Auto'): Promise<void> {
  cluster = await sidecarWorld(policy && { policy });
  await cluster.set('log:1', undefined, spec);
  expect(await podIn(cluster, 'first')).toBe('log:1');
}

const waitsAt = async (): Promise<string> => (await cluster.condition('plan.kruise.io/Held'))?.message ?? '';

describe('the gates of a plan that lets further pods in hold', () => {
  test('where a plan to the same revision has succeeded before', async () => {
    await ready(inShop);
    await cluster.set('log:2', ALL, inShop);
    await cluster.until('Succeeded');
    await cluster.set('log:2', GATED, {});
    await cluster.until('AwaitingApproval');
    expect(await podIn(cluster, 'early', 'other')).toBe('none');
    await approve(cluster);
    await cluster.until('Succeeded');
    expect(await podIn(cluster, 'late', 'other')).toBe('log:2');
  });

  test('where it takes over from one whose gate was approved for fewer', async () => {
    await ready(inShop);
    const steps = [...GATED.slice(0, 1), { id: 'second', approve: {} }, ...ALL];
    await cluster.set('log:2', steps, inShop);
    await cluster.until('AwaitingApproval');
    await approve(cluster);
    await cluster.clock.advance(10_000);
    expect(await waitsAt()).toContain('--step second ');
    await cluster.set('log:2', steps, {});
    await cluster.clock.advance(10_000);
    expect(await waitsAt()).toContain('--step agree ');
  });

  test('where a set updates no running pod', async () => {
    const never: JsonObject = { updateStrategy: { type: 'NotUpdate' } };
    await ready({ ...inShop, ...never });
    await cluster.set('log:2', [{ id: 'one', update: { to: 1 } }, ...GATED], never);
    await cluster.clock.advance(5_000);
    expect(await podIn(cluster, 'early', 'other')).toBe('none');
  });

  test('where the revision was opened before, and git had gone back', async () => {
    await ready(inShop);
    await cluster.set('log:1', ALL, debug);
    expect(await podIn(cluster, 'wide', 'other')).toBe('log:1');
    await cluster.set('log:1', undefined, inShop);
    await cluster.until('Reverted');
    await cluster.set('log:1', [{ id: 'some', update: { to: '10%' } }, ...GATED], debug);
    await cluster.clock.advance(10_000);
    for (const n of [1, 2, 3]) expect(await podIn(cluster, `early-${n}`, 'other')).toBe('none');
  });
});

describe('what is on record', () => {
  test('is what the last plan stated, where git goes back to an image alone', async () => {
    await ready({});
    await cluster.set('log:2', ALL, inShop);
    await cluster.until('Succeeded');
    await cluster.set('log:1', undefined, inShop);
    await cluster.until('Reverted');
    await cluster.set('log:1', undefined, {});
    expect(await podIn(cluster, 'new', 'other')).toBe('none');
  });

  test('is that of an earlier revision, where an older runtime has recorded none', async () => {
    await ready(inShop);
    await cluster.set('log:2', ALL, inShop);
    await cluster.until('Succeeded');
    await cluster.runtime.stop();
    const { items } = await cluster.user.list(resources.ControllerRevision, {});
    const latest = items.find(({ data }) => JSON.stringify(data).includes('log:2'));
    await cluster.user.patch(
      resources.ControllerRevision,
      { namespace: latest?.metadata.namespace ?? '', name: latest?.metadata.name ?? '' },
      { type: 'merge', body: { metadata: { annotations: { 'plan.kruise.io/selection': null } } } },
    );
    await cluster.set('log:2', undefined, {});
    expect(await podIn(cluster, 'new', 'other')).toBe('none');
  });

  test('holds no new pod up in Auto, where the runtime has yet to record the present manifest', async () => {
    await ready(inShop, 'Auto');
    await cluster.runtime.stop();
    await cluster.set('log:1', undefined, {});
    expect(await podIn(cluster, 'new', 'other')).toBe('log:1');
  });

  test('does not hang on an annotation of the manifest and one of a pod', async () => {
    cluster = await sidecarWorld({ start: (options) => createRuntime({ ...options, adopt: false }) });
    await cluster.user.create(resources.Pod, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: 'forged',
        namespace: 'other',
        labels: { app: 'web' },
        annotations: {
          'kruise.io/sidecarset-hash': JSON.stringify({ log: { hash: 'x', sidecarSetName: 'log' } }),
          'kruise.io/sidecarset-injected-list': 'log',
        },
      },
      spec: { containers: [{ name: 'log', image: 'log:0' }] },
    });
    const exported = setWith('log:1');
    const annotations = { 'kruise.io/sidecarset-hash': 'y' };
    await cluster.user.create(sidecarSets, {
      ...exported,
      metadata: { ...exported.metadata, annotations },
    });
    await cluster.clock.advance(10_000);
    expect(await cluster.condition('plan.kruise.io/Held')).toBeUndefined();
  });
});

test('pods that the last step has let in go back, though the record leaves them out', async () => {
  await ready(inShop);
  await cluster.set('log:2', [...ALL, { id: 'agree', approve: {} }], {});
  await cluster.until('AwaitingApproval');
  const names = ['wide-1', 'wide-2', 'wide-3', 'wide-4'];
  for (const name of names) expect(await podIn(cluster, name, 'other')).toBe('log:2');
  await cluster.set('log:1', undefined, {});
  await cluster.until('Reverted');
  for (const name of names) expect(await imageOf(cluster, name)).toBe('log:1');
});

test('running pods that the last step lets in do not stop its clocks', async () => {
  await ready(inShop);
  for (const n of [1, 2, 3]) await podIn(cluster, `old-${n}`, 'other');
  cluster.world.images.set('log:bad', { pullError: true });
  await cluster.set('log:bad', ALL, {});
  await cluster.until('Halted', 30 * 60_000);
});
