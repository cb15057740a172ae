import { afterEach, expect, test, vi } from 'vitest';
import type { Cluster } from '../../../schemas/wire/cluster.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import { PART_LABEL, rationResource } from './spec.ts';
import { createRationCluster, MINUTE, ration, type RationCluster, SHOP, web } from './world.ts';

vi.mock('../../../semantics/registry/registered.ts', () => import('./registered.ts'));

let scene: RationCluster | undefined;
afterEach(async () => {
  await scene?.stop();
  scene = undefined;
});

/** A process that ends as soon as a write of a ration was accepted in which this field changes, before anything else is written. */
function endingAfter(field: 'taken' | 'created') {
  const process = { isGone: false, isArmed: false };
  const never = (): Promise<never> => new Promise(() => undefined);
  const wrap = (cluster: Cluster): Cluster => ({
    ...cluster,
    create: (...given) => (process.isGone ? never() : cluster.create(...given)),
    delete: (...given) => (process.isGone ? never() : cluster.delete(...given)),
    async patch(resource, at, patch, options) {
      if (process.isGone) return never();
      const answer = await cluster.patch(resource, at, patch, options);
      const { status } = patch.body as { status?: object };
      const isReservation = resource.plural === rationResource.plural && status !== undefined;
      if (process.isArmed && isReservation && field in status && !('conditions' in status)) {
        process.isGone = true;
        return never();
      }
      return answer;
    },
  });
  return { process, wrap };
}

test.each([
  ['at once', 1_000],
  ['after the slot has run out', 60_000],
])('a process that ends with a slot and without its pod is followed %s', async (_, pauseMs) => {
  const { process, wrap } = endingAfter('taken');
  scene = await createRationCluster([web(), ration()], wrap);
  const { world, clock, update, worst, images, begin, ration: status } = scene;
  scene.watch();
  process.isArmed = true;
  await update('web:2');
  await clock.advance(500);
  expect(process.isGone).toBe(true);
  const [holder] = Object.keys((await status()).taken ?? {});
  expect([worst(), (await status()).allowed]).toEqual([0, 0]);
  await clock.advance(pauseMs);
  const drained: string[] = [];
  world.onCommit(({ resource, object, previous }) => {
    const isDrained = (each: unknown): boolean => JSON.stringify(each).includes('StartInPlaceUpdate');
    if (resource === 'pods' && isDrained(object) && !isDrained(previous)) drained.push(object.metadata.name);
  });
  begin();
  await clock.advance(4_000);
  if (pauseMs < 5_000) expect(drained[0]).toBe(holder);
  await clock.advance(10 * MINUTE);
  expect([worst(), await images()]).toEqual([1, { 'web:2': 6 }]);
  const { allowed, taken } = await status();
  expect([allowed, taken]).toEqual([1, {}]);
});

test.each<[string, number, string[]]>([
  ['at once', 1_000, ['first', 'first', 'rest']],
  // Nobody has counted since: these are none of the first, but the places are free again.
  ['after the record has run out', 60_000, ['rest', 'rest', 'rest']],
])(
  'a process that ends with a record of pods and without these is followed %s',
  async (_, pauseMs, parts) => {
    const { process, wrap } = endingAfter('created');
    process.isArmed = true;
    scene = await createRationCluster([ration({ first: 2 })], wrap);
    const { clock, user, pods, begin, ration: status } = scene;
    await user.create(resources.CloneSet, web('web', 'web:1', { replicas: 3 }));
    await clock.advance(1_000);
    expect([process.isGone, (await pods()).length]).toEqual([true, 0]);
    expect(await status()).toMatchObject({ firstLeft: 0 });
    await clock.advance(pauseMs);
    begin();
    await clock.advance(5 * MINUTE);
    const counted = async () => {
      const { firstLeft, created } = await status();
      return [firstLeft, created];
    };
    const partsNow = async () =>
      (await pods()).map(({ metadata }) => metadata.labels?.[PART_LABEL] ?? '').sort();
    expect(await partsNow()).toEqual(parts);
    const left = 2 - parts.filter((part) => part === 'first').length;
    expect(await counted()).toEqual([left, {}]);
    const body = { spec: { replicas: 6 } };
    await user.patch(resources.CloneSet, { namespace: SHOP, name: 'web' }, { type: 'merge', body });
    await clock.advance(5 * MINUTE);
    expect((await partsNow()).filter((part) => part === 'first')).toHaveLength(2);
    expect(await counted()).toEqual([0, {}]);
  },
);
