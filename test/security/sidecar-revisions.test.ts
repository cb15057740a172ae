import { expect, test } from 'vitest';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { sidecar } from '../semantics/sidecarset/model.ts';
import { type Rolling, rolling } from '../semantics/sidecarset/rolling.ts';

const VERSIONS = 105;
const PAUSED = { updateStrategy: { paused: true } };
const log = (version: number): JsonObject => ({
  containers: [sidecar('log', { image: `log:${version}` })],
  ...PAUSED,
});

/** Puts a pod into another namespace: whoever owns it wrote there which revision it has. */
function move(world: Rolling, name: string, namespace: string): void {
  const pod = world.pods.get(name);
  if (pod !== undefined) world.pods.set(name, { ...pod, metadata: { ...pod.metadata, namespace } });
}

/** A set that has changed so often; after each change a tenant has a pod that names the revision. */
function history(): Rolling {
  const world = rolling();
  world.set('log', log(0));
  world.reconcile();
  world.create('first');
  for (let version = 1; version <= VERSIONS; version++) {
    world.set('log', log(version));
    world.reconcile();
    world.create(`evil-${version}`);
    move(world, `evil-${version}`, 'other');
  }
  world.reconcile();
  return world;
}

test('revisions that pods name are kept up to a number, and those of each namespace before further ones of one', () => {
  const world = history();
  const images = [...world.revisions.values()].map((each) => JSON.stringify(each['data']));
  expect(images.length).toBeLessThanOrEqual(101);
  expect(images.some((text) => text.includes('"log:0"'))).toBe(true);
  expect(images.some((text) => text.includes(`"log:${VERSIONS}"`))).toBe(true);
  expect(images.some((text) => text.includes('"log:1"'))).toBe(false);
});
