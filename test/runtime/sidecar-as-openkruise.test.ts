import { afterEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { parsedJson } from '../../semantics/values/json-shape.ts';
import { listOf, objectOf, textOf } from '../../semantics/values/read.ts';
import { type SidecarWorld, sidecarWorld } from './sidecar-world.ts';

let scene: SidecarWorld | undefined;
afterEach(async () => {
  await scene?.stop();
  scene = undefined;
});

/** One set in Auto with two pods of it at version 1. */
async function world(spec?: JsonObject): Promise<SidecarWorld> {
  scene = await sidecarWorld({ policy: 'Auto' });
  await scene.set('log:1', undefined, spec);
  await scene.deployment('web', 2, { track: 'main' });
  return scene;
}

describe('policy Auto without a plan does as OpenKruise', () => {
  test('pods that are created during an update get the new revision, whatever the partition is', async () => {
    const cluster = await world();
    await cluster.set('log:2', undefined, { updateStrategy: { partition: '100%' } });
    await cluster.scale('web', 3);
    expect(await cluster.images()).toEqual({ 'log:1': 2, 'log:2': 1 });
  });

  test('new pods get the new revision, selected by updateStrategy or not', async () => {
    const cluster = await world();
    const updateStrategy = { selector: { matchLabels: { track: 'canary' } } };
    await cluster.set('log:2', undefined, { updateStrategy });
    await cluster.scale('web', 3);
    expect(await cluster.images()).toEqual({ 'log:1': 2, 'log:2': 1 });
  });

  test('what cannot change in place: new pods get it at once, running ones never', async () => {
    const container = (value: string): JsonObject => ({
      containers: [{ name: 'log', image: 'log:1', env: [{ name: 'LEVEL', value }] }],
    });
    const cluster = await world(container('info'));
    await cluster.set('log:1', undefined, container('debug'));
    await cluster.scale('web', 3);
    const levels = (await cluster.pods()).map(({ spec }) => {
      const log = spec.containers.find(({ name }) => name === 'log');
      return textOf(listOf(log?.['env']).find(({ name }) => name === 'LEVEL')?.['value']);
    });
    expect(levels.toSorted()).toEqual(['debug', 'info', 'info']);
  });

  test('a pod whose record names no revision is updated by its hash without images', async () => {
    const cluster = await world();
    const [pod] = await cluster.pods();
    const text = pod?.metadata.annotations?.['kruise.io/sidecarset-hash'] ?? '';
    const record = objectOf(parsedJson(text));
    const value = JSON.stringify({
      log: { ...objectOf(record['log']), hash: 'gone', controllerRevision: 'gone' },
    });
    await cluster.user.patch(
      resources.Pod,
      { namespace: 'shop', name: pod?.metadata.name ?? '' },
      {
        type: 'merge',
        body: { metadata: { annotations: { 'kruise.io/sidecarset-hash': value } } },
      },
    );
    await cluster.set('log:2');
    await cluster.clock.advance(120_000);
    expect(await cluster.images()).toEqual({ 'log:2': 2 });
  });

  test('policy: Partial, a pod that does not get the pinned revision gets the present content', async () => {
    const cluster = await world({ customVersion: 'v1' });
    const revision = { policy: 'Partial', customVersion: 'v1' };
    const updateStrategy = { selector: { matchLabels: { track: 'canary' } } };
    await cluster.set('log:2', undefined, {
      customVersion: 'v2',
      injectionStrategy: { revision },
      updateStrategy,
    });
    await cluster.scale('web', 3);
    await cluster.deployment('canary', 1, { track: 'canary' });
    expect(await cluster.images()).toEqual({ 'log:1': 3, 'log:2': 1 });
  });
});
