import { afterEach, describe, expect, test } from 'vitest';
import { resources } from '../../schemas/wire/resources.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { type SidecarWorld, sidecarWorld } from '../runtime/sidecar-world.ts';
import { approve, command, podIn } from './selection-steps.ts';

const FORGED = 5;
const rolling: JsonObject = { updateStrategy: { maxUnavailable: FORGED } };
const inShop: JsonObject = {
  ...rolling,
  namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'shop' } },
};
const GATE = { id: 'agree', approve: {} };
const ALL = { id: 'all', update: { to: '100%' } };
const INJECTED = 'kruise.io/sidecarset-hash';

let cluster: SidecarWorld;
afterEach(async () => {
  await cluster.stop();
  if (cluster.errors.length > 0)
    throw new Error('the runtime has reported errors', { cause: cluster.errors });
});

/** Three pods that are on record, in the namespace shop. */
async function ready(policy?: 'Auto'): Promise<void> {
  cluster = await sidecarWorld(policy && { policy });
  await cluster.set('log:1', undefined, inShop);
  for (const n of [1, 2, 3]) expect(await podIn(cluster, `shop-${n}`)).toBe('log:1');
}

/** Copies a pod of the set into a namespace that is not on record, with what its annotations say. */
async function forge(image: string, change: (pod: KubeObject) => void = () => undefined): Promise<void> {
  const source = (await cluster.pods()).find(({ spec }) =>
    spec.containers.some((each) => each.image === image),
  );
  if (source === undefined) throw new Error(`no pod has ${image}`);
  const { labels = {}, annotations = {} } = source.metadata;
  for (let n = 1; n <= FORGED; n++) {
    const pod: KubeObject = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `a-${n}`, namespace: 'other', labels, annotations: { ...annotations } },
      spec: structuredClone(source.spec),
    };
    change(pod);
    await cluster.user.create(resources.Pod, pod);
  }
  await cluster.clock.advance(15_000);
}

/** The images of the pods of a namespace, in order. */
async function imagesIn(wanted: string): Promise<string[]> {
  return (await cluster.pods())
    .filter(({ metadata }) => metadata.namespace === wanted)
    .flatMap(({ spec }) =>
      spec.containers.flatMap(({ name, image }) => (name === 'log' ? (image ?? '') : [])),
    )
    .sort();
}

const sizes: (number | string)[] = [1, 2, '34%', '50%', '100%'];
const counts: Record<string, number> = { 1: 1, 2: 2, '34%': 1, '50%': 1, '100%': 3 };

const copies: [what: string, change: (pod: KubeObject) => void][] = [
  ['are copies', () => undefined],
  [
    'name no revision',
    ({ metadata }) => (metadata.annotations = { ...metadata.annotations, [INJECTED]: '{}' }),
  ],
  [
    'do not serve',
    (pod) =>
      (pod['spec'] = JSON.parse(JSON.stringify(pod['spec']).replace('log:1', 'log:gone')) as JsonObject),
  ],
];

describe('pods that a manifest selects and no record does take part in no step', () => {
  test.each(copies.flatMap(([what, change]) => sizes.map((to) => [what, to, change] as const)))(
    'where they %s, at a step of %s',
    async (_what, to, change) => {
      await ready();
      cluster.world.images.set('log:gone', { pullError: true });
      await forge('log:1', change);
      const before = await imagesIn('other');
      await cluster.set('log:2', [{ id: 'first', update: { to } }, GATE, ALL], rolling);
      await cluster.until('AwaitingApproval');
      const updated = (await imagesIn('shop')).filter((image) => image === 'log:2');
      expect(updated).toHaveLength(counts[to] ?? 0);
      // A step that leads to all pods lets in what the plan states.
      if (to !== '100%') expect(await imagesIn('other')).toEqual(before);
    },
  );

  test('where they say that they have the change', async () => {
    await ready();
    await cluster.set(
      'log:2',
      [
        { id: 'one', update: { to: 1 } },
        GATE,
        { id: 'two', update: { to: 2 } },
        { id: 'more', approve: {} },
        ALL,
      ],
      rolling,
    );
    await cluster.until('AwaitingApproval');
    await forge('log:2');
    expect(await imagesIn('shop')).toEqual(['log:1', 'log:1', 'log:2']);
    await approve(cluster);
    await cluster.clock.advance(60_000);
    expect(await imagesIn('shop')).toEqual(['log:1', 'log:2', 'log:2']);
  });

  test('where no plan states them, to its end', async () => {
    await ready();
    await cluster.set('log:1', undefined, rolling);
    await forge('log:1');
    await cluster.set('log:2', [{ id: 'some', update: { to: '50%' } }, ALL], rolling);
    await cluster.until('Succeeded');
    await cluster.clock.advance(60_000);
    expect(await imagesIn('shop')).toEqual(['log:2', 'log:2', 'log:2']);
    expect(await imagesIn('other')).toEqual(Array.from({ length: FORGED }, () => 'log:1'));
    expect(await cluster.plan()).toMatchObject({ updated: '3/3', behind: FORGED });
  });

  test('and follow with the end of a plan that states them', async () => {
    await ready();
    await forge('log:1');
    await cluster.set('log:2', [{ id: 'some', update: { to: '50%' } }, GATE, ALL], rolling);
    await cluster.until('AwaitingApproval');
    await approve(cluster);
    await cluster.until('Succeeded');
    await cluster.clock.advance(60_000);
    expect(await cluster.images()).toEqual({ 'log:2': 3 + FORGED });
  });
});

test.each(copies)('on the way back pods that %s hold up none that are on record', async (_what, change) => {
  await ready();
  cluster.world.images.set('log:gone', { pullError: true });
  await cluster.set('log:2', [{ id: 'some', update: { to: '50%' } }, GATE, ALL], rolling);
  await cluster.until('AwaitingApproval');
  await forge('log:1', change);
  await command(cluster, { action: 'Revert' });
  await cluster.until('Reverted');
  expect(await imagesIn('shop')).toEqual(['log:1', 'log:1', 'log:1']);
});

test('in Auto without a plan they are updated with the others, as in OpenKruise', async () => {
  await ready('Auto');
  await forge('log:1');
  await cluster.set('log:2', undefined, rolling);
  await cluster.clock.advance(60_000);
  expect(await cluster.images()).toEqual({ 'log:2': 3 + FORGED });
});
