import { afterEach, describe, expect, test } from 'vitest';
import type { Policy } from '../../semantics/policy.ts';
import { objectOf } from '../../semantics/values/read.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import {
  BETA,
  bounded,
  CANARY,
  sidecarOf,
  STEPS,
  type TrackWorld,
  trackWorld,
  UNBOUNDED,
} from './sidecar-tracks.ts';

let cluster: TrackWorld;
afterEach(async () => {
  await cluster.stop();
  if (cluster.errors.length > 0)
    throw new Error('the runtime has reported errors', { cause: cluster.errors });
});

describe('going back with updateStrategy.selector', () => {
  test('going back takes every pod, whatever the selector is then', async () => {
    cluster = await trackWorld();
    await cluster.land('log:2', bounded(CANARY));
    await cluster.set('log:1', undefined, bounded(BETA));
    await cluster.clock.advance(120_000);
    expect(await cluster.images()).toEqual({ 'log:1': 10 });
    await cluster.scale('canary', 3);
    await cluster.scale('web', 7);
    expect(await cluster.images()).toEqual({ 'log:1': 12 });
  });

  test('the way back of a later image takes the canary alone', async () => {
    cluster = await trackWorld();
    await cluster.land('log:2', bounded(CANARY));
    await cluster.set('log:3', STEPS, bounded(CANARY));
    await cluster.until('Soaking');
    expect(await cluster.byTrack()).toEqual({ 'main log:1': 6, 'beta log:1': 2, 'canary log:3': 2 });
    await cluster.set('log:2', undefined, bounded(CANARY));
    await cluster.until('Reverted');
    expect(await cluster.byTrack()).toEqual({ 'main log:1': 6, 'beta log:1': 2, 'canary log:2': 2 });
    await cluster.scale('web', 7);
    await cluster.scale('canary', 3);
    expect(await cluster.byTrack()).toEqual({ 'main log:1': 7, 'beta log:1': 2, 'canary log:2': 3 });
  });

  test('the way back of a plan that has ended restores what the earlier one left', async () => {
    cluster = await trackWorld();
    await cluster.land('log:2', bounded(CANARY));
    await cluster.land('log:3', bounded(CANARY));
    await cluster.set('log:2', undefined, bounded(CANARY));
    await cluster.until('Reverted');
    await cluster.scale('web', 7);
    await cluster.scale('canary', 3);
    expect(await cluster.byTrack()).toEqual({ 'main log:1': 7, 'beta log:1': 2, 'canary log:2': 3 });
    const [pod] = (await cluster.pods()).filter(({ metadata }) => metadata.labels?.['track'] === 'beta');
    await cluster.label(pod?.metadata.name ?? '', CANARY);
    await cluster.clock.advance(60_000);
    expect(await cluster.byTrack()).toMatchObject({ 'canary log:2': 4 });
    await cluster.set('log:2', undefined, UNBOUNDED);
    await cluster.clock.advance(120_000);
    await cluster.scale('web', 8);
    expect(await cluster.byTrack()).toEqual({ 'main log:1': 8, 'beta log:1': 2, 'canary log:2': 4 });
  });

  test.each<Policy>(['Required', 'Auto'])(
    'back at an earlier selector, new pods follow that one, in %s',
    async (policy) => {
      cluster = await trackWorld(policy);
      await cluster.land('log:2', bounded(CANARY));
      await cluster.land('log:3', bounded(BETA));
      await cluster.set('log:2', undefined, bounded(CANARY));
      await cluster.until('Reverted');
      await cluster.scale('web', 7);
      await cluster.scale('canary', 3);
      await cluster.scale('beta', 3);
      expect(await cluster.byTrack()).toEqual({
        'main log:1': 7,
        'canary log:2': 3,
        'beta log:1': 1,
        'beta log:2': 2,
      });
      const [pod] = (await cluster.pods()).filter(({ metadata }) => metadata.labels?.['track'] === 'main');
      await cluster.label(pod?.metadata.name ?? '', CANARY);
      await cluster.clock.advance(60_000);
      expect(await cluster.byTrack()).toMatchObject({ 'canary log:2': 4 });
    },
  );

  test('back with the image alone, new pods follow the selector that git has kept', async () => {
    cluster = await trackWorld();
    await cluster.land('log:2', bounded(CANARY));
    await cluster.land('log:3', bounded(BETA));
    await cluster.set('log:2', undefined, bounded(BETA));
    await cluster.until('Reverted');
    await cluster.scale('web', 7);
    await cluster.scale('beta', 3);
    expect(await cluster.byTrack()).toEqual({ 'main log:1': 7, 'canary log:2': 2, 'beta log:2': 3 });
  });

  test('back with a selector that no plan had, new pods are as before the plan', async () => {
    cluster = await trackWorld();
    await cluster.land('log:2', bounded(CANARY));
    await cluster.land('log:3', bounded(BETA));
    await cluster.set('log:2', undefined, UNBOUNDED);
    await cluster.until('Reverted');
    await cluster.scale('web', 7);
    await cluster.scale('canary', 3);
    expect(await cluster.byTrack()).toEqual({ 'main log:1': 7, 'canary log:2': 3, 'beta log:2': 2 });
    expect(await cluster.status()).toMatchObject({ conditions: [{ reason: 'NoPlan' }] });
  });

  test('pods that are created on the way back get the revision that git has', async () => {
    cluster = await trackWorld();
    await cluster.land('log:2', UNBOUNDED);
    const given = new Set<string>();
    await cluster.set('log:1', undefined, UNBOUNDED);
    expect(await cluster.plan()).toMatchObject({ phase: 'Reverting' });
    cluster.world.onCommit(({ type, object }) => {
      if (type === 'ADDED' && object.kind === 'Pod') given.add(sidecarOf(object as Pod));
    });
    await cluster.scale('web', 9, 1_000);
    expect([...given]).toEqual(['log:1']);
    await cluster.until('Reverted');
    expect(await cluster.images()).toEqual({ 'log:1': 13 });
  });

  test('a set that updates no pod leaves those that had the change, and does not say that the selector keeps them', async () => {
    cluster = await trackWorld();
    await cluster.land('log:2', bounded(CANARY));
    const { updateStrategy } = bounded(CANARY);
    const byHand = { updateStrategy: { ...objectOf(updateStrategy), type: 'NotUpdate' } };
    await cluster.set('log:1', undefined, byHand);
    await cluster.until('Reverted');
    expect(await cluster.byTrack()).toEqual({ 'main log:1': 6, 'beta log:1': 2, 'canary log:2': 2 });
    await cluster.scale('canary', 3);
    expect(await cluster.byTrack()).toMatchObject({ 'canary log:1': 1, 'canary log:2': 2 });
    expect(await cluster.status()).not.toHaveProperty('conditions');
  });

  test('and where its selector was another one, no pod comes along without a plan', async () => {
    cluster = await trackWorld();
    await cluster.land('log:2', bounded(CANARY));
    await cluster.land('log:3', bounded(BETA));
    await cluster.set('log:2', undefined, bounded(CANARY));
    await cluster.until('Reverted');
    expect(await cluster.byTrack()).toEqual({ 'main log:1': 6, 'beta log:2': 2, 'canary log:2': 2 });
    await cluster.set('log:2', undefined, UNBOUNDED);
    await cluster.clock.advance(120_000);
    await cluster.scale('web', 7);
    expect(await cluster.byTrack()).toEqual({ 'main log:1': 7, 'beta log:2': 2, 'canary log:2': 2 });
  });

  test.each(['Soaking', 'Succeeded'])(
    'going back past a plan that was superseded takes its pods, too; the later one is %s',
    async (phase) => {
      cluster = await trackWorld();
      await cluster.set('log:2', STEPS, bounded(CANARY));
      await cluster.until('Soaking');
      await cluster.set('log:3', STEPS, bounded(BETA));
      await cluster.until(phase, 1_200_000);
      expect(await cluster.byTrack()).toEqual({ 'main log:1': 6, 'canary log:2': 2, 'beta log:3': 2 });
      await cluster.set('log:1', undefined, bounded(BETA));
      await cluster.until('Reverted');
      expect(await cluster.images()).toEqual({ 'log:1': 10 });
      expect(await cluster.status()).not.toHaveProperty('conditions');
    },
  );

  test('going back past two plans that have ended takes the pods of both', async () => {
    cluster = await trackWorld();
    await cluster.land('log:2', bounded(CANARY));
    await cluster.land('log:3', bounded(BETA));
    await cluster.set('log:1', undefined, bounded(BETA));
    await cluster.until('Reverted');
    expect(await cluster.images()).toEqual({ 'log:1': 10 });
  });

  test('going back past two plans takes the pods that the later one has left on the earlier', async () => {
    cluster = await trackWorld();
    await cluster.land('log:2', bounded({ track: 'main' }));
    await cluster.land('log:3', bounded(CANARY));
    expect(await cluster.byTrack()).toEqual({ 'main log:2': 6, 'canary log:3': 2, 'beta log:1': 2 });
    await cluster.set('log:1', undefined, UNBOUNDED);
    await cluster.until('Reverted');
    expect(await cluster.images()).toEqual({ 'log:1': 10 });
  });

  test('going back from a partition leaves what an earlier one had left, also afterwards', async () => {
    cluster = await trackWorld();
    const retaining = (partition: number) => ({ updateStrategy: { maxUnavailable: 2, partition } });
    await cluster.land('log:2', retaining(4));
    await cluster.land('log:3', retaining(8));
    expect(await cluster.images()).toEqual({ 'log:1': 3, 'log:2': 5, 'log:3': 2 });
    await cluster.set('log:2', undefined, retaining(4));
    await cluster.until('Reverted');
    expect(await cluster.images()).toEqual({ 'log:1': 3, 'log:2': 7 });
    await cluster.clock.advance(600_000);
    expect(await cluster.images()).toEqual({ 'log:1': 3, 'log:2': 7 });
  });

  test('going back from a selector restores what a partition had left', async () => {
    cluster = await trackWorld();
    const partitioned = { updateStrategy: { maxUnavailable: 2, partition: 4 } };
    await cluster.land('log:2', partitioned);
    expect(await cluster.images()).toEqual({ 'log:1': 4, 'log:2': 6 });
    const { 'canary log:1': _old, 'canary log:2': _new, ...others } = await cluster.byTrack();
    await cluster.land('log:3', bounded(CANARY));
    expect(await cluster.byTrack()).toEqual({ ...others, 'canary log:3': 2 });
    await cluster.set('log:2', undefined, partitioned);
    await cluster.until('Reverted');
    expect(await cluster.byTrack()).toEqual({ ...others, 'canary log:2': 2 });
    await cluster.scale('web', 7);
    await cluster.scale('canary', 3);
    const main = (others['main log:2'] ?? 0) + 1;
    expect(await cluster.byTrack()).toEqual({ ...others, 'main log:2': main, 'canary log:2': 3 });
  });

  async function threePlans(): Promise<void> {
    cluster = await trackWorld();
    for (const [image, labels] of [
      ['log:2', CANARY],
      ['log:3', BETA],
      ['log:4', BETA],
    ] as const) {
      await cluster.set(image, STEPS, bounded(labels));
      await cluster.until('Succeeded', 1_200_000);
    }
  }

  test('back past two plans without a selector, no further new pod gets the revision', async () => {
    await threePlans();
    await cluster.set('log:2', undefined, UNBOUNDED);
    await cluster.until('Reverted');
    await cluster.scale('web', 7);
    await cluster.scale('beta', 3);
    expect(await cluster.byTrack()).toEqual({ 'main log:1': 7, 'canary log:2': 2, 'beta log:2': 3 });
    expect(await cluster.status()).toMatchObject({ conditions: [{ reason: 'NoPlan' }] });
  });

  test('back past two plans at an earlier selector, new pods follow that one, also where git then has none', async () => {
    await threePlans();
    await cluster.set('log:2', undefined, bounded(CANARY));
    await cluster.until('Reverted');
    await cluster.scale('web', 7);
    await cluster.scale('canary', 3);
    const back = { 'main log:1': 7, 'canary log:2': 3, 'beta log:2': 2 };
    expect(await cluster.byTrack()).toEqual(back);
    await cluster.set('log:2', undefined, UNBOUNDED);
    await cluster.scale('web', 8);
    expect(await cluster.byTrack()).toEqual({ ...back, 'main log:1': 8 });
    expect(await cluster.status()).toMatchObject({ conditions: [{ reason: 'NoPlan' }] });
  });

  test('the way back takes no pod that the plan could not move, where it would have moved all', async () => {
    cluster = await trackWorld();
    await cluster.land('log:2', bounded(CANARY));
    await cluster.land('log:3', bounded(BETA));
    await cluster.set('log:4', [{ id: 'some', update: { to: 1 } }, ...STEPS.slice(1)], UNBOUNDED);
    await cluster.until('Soaking');
    const before = await cluster.byTrack();
    expect(await cluster.images()).toMatchObject({ 'log:4': 1 });
    await cluster.set('log:3', undefined, bounded(BETA));
    await cluster.until('Reverted');
    const after = await cluster.byTrack();
    for (const [key, count] of Object.entries(before))
      if (!key.endsWith('log:4')) expect(after[key] ?? 0).toBeGreaterThanOrEqual(count);
    expect(await cluster.images()).not.toHaveProperty('log:4');
  });

  test.each(['Soaking', 'Succeeded'])(
    'going back from a change that has landed again takes its pods once more; it is %s',
    async (phase) => {
      cluster = await trackWorld();
      await cluster.land('log:2', bounded(CANARY));
      for (const until of ['Succeeded', phase]) {
        await cluster.set('log:3', STEPS, bounded(BETA));
        await cluster.until(until, 1_200_000);
        expect(await cluster.byTrack()).toEqual({ 'main log:1': 6, 'canary log:2': 2, 'beta log:3': 2 });
        await cluster.set('log:2', undefined, bounded(CANARY));
        await cluster.until('Reverted');
        expect(await cluster.byTrack()).toEqual({ 'main log:1': 6, 'canary log:2': 2, 'beta log:2': 2 });
      }
    },
  );

  test('so it does where another plan has superseded the one that landed again', async () => {
    cluster = await trackWorld();
    await cluster.land('log:2', bounded(CANARY));
    await cluster.land('log:3', bounded(BETA));
    await cluster.set('log:2', undefined, bounded(CANARY));
    await cluster.until('Reverted');
    await cluster.set('log:3', STEPS, bounded(BETA));
    await cluster.until('Soaking');
    await cluster.set('log:4', STEPS, bounded(CANARY));
    await cluster.until('Soaking');
    expect(await cluster.byTrack()).toEqual({ 'main log:1': 6, 'canary log:4': 2, 'beta log:3': 2 });
    await cluster.set('log:2', undefined, bounded(CANARY));
    await cluster.until('Reverted');
    expect(await cluster.byTrack()).toEqual({ 'main log:1': 6, 'canary log:2': 2, 'beta log:2': 2 });
  });

  test('the way back leaves pods that an earlier plan has moved', async () => {
    cluster = await trackWorld();
    await cluster.land('log:2', bounded(CANARY));
    await cluster.land('log:3', bounded(BETA));
    await cluster.set('log:4', STEPS, bounded(BETA));
    await cluster.until('Soaking');
    expect(await cluster.byTrack()).toEqual({ 'main log:1': 6, 'canary log:2': 2, 'beta log:4': 2 });
    await cluster.set('log:3', undefined, bounded(BETA));
    await cluster.until('Reverted');
    expect(await cluster.byTrack()).toEqual({ 'main log:1': 6, 'canary log:2': 2, 'beta log:3': 2 });
    await cluster.clock.advance(600_000);
    expect(await cluster.byTrack()).toEqual({ 'main log:1': 6, 'canary log:2': 2, 'beta log:3': 2 });
  });
});
