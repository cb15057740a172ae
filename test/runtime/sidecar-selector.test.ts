import { afterEach, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { publishedName } from '../semantics/sidecarset/model.ts';
import { sidecarSets } from '../../semantics/sidecarset/resource.ts';
import { listOf, objectOf, textOf } from '../../semantics/values/read.ts';
import { BETA, bounded, CANARY, STEPS, type TrackWorld, trackWorld, UNBOUNDED } from './sidecar-tracks.ts';

let cluster: TrackWorld;
afterEach(async () => {
  await cluster.stop();
  if (cluster.errors.length > 0)
    throw new Error('the runtime has reported errors', { cause: cluster.errors });
});

describe('updateStrategy.selector is part of the bound of a plan', () => {
  test('a canary by label, then all: the rest goes in steps', async () => {
    cluster = await trackWorld();
    await cluster.land('log:2', bounded(CANARY));
    expect(await cluster.byTrack()).toEqual({ 'main log:1': 6, 'beta log:1': 2, 'canary log:2': 2 });
    expect(await cluster.status()).toMatchObject({
      conditions: [{ type: 'plan.kruise.io/Held', reason: 'Bound' }],
    });
    await cluster.set('log:2', STEPS, UNBOUNDED);
    await cluster.until('Soaking');
    expect(await cluster.images()).toEqual({ 'log:1': 5, 'log:2': 5 });
    await cluster.until('Succeeded', 1_200_000);
    expect(await cluster.images()).toEqual({ 'log:2': 10 });
    expect(await cluster.status()).not.toHaveProperty('conditions');
  });

  test('a selector that changes without a plan changes nothing', async () => {
    cluster = await trackWorld();
    await cluster.land('log:2', bounded(CANARY));
    await cluster.set('log:2', undefined, UNBOUNDED);
    await cluster.clock.advance(600_000);
    expect(await cluster.byTrack()).toEqual({ 'main log:1': 6, 'beta log:1': 2, 'canary log:2': 2 });
    expect(await cluster.status()).toMatchObject({
      conditions: [
        {
          type: 'plan.kruise.io/Held',
          reason: 'NoPlan',
          message: expect.stringContaining('selects other pods now') as string,
        },
      ],
    });
  });

  test('to another label: what has the change keeps it', async () => {
    cluster = await trackWorld();
    await cluster.land('log:2', bounded(CANARY));
    await cluster.land('log:2', bounded(BETA));
    expect(await cluster.byTrack()).toEqual({ 'main log:1': 6, 'beta log:2': 2, 'canary log:2': 2 });
  });

  test('new pods outside the selector get the earlier revision, until a step leads to all', async () => {
    cluster = await trackWorld();
    await cluster.land('log:2', bounded(CANARY));
    await cluster.scale('web', 8);
    await cluster.scale('canary', 3);
    expect(await cluster.byTrack()).toEqual({ 'main log:1': 8, 'beta log:1': 2, 'canary log:2': 3 });
    await cluster.set('log:2', STEPS, UNBOUNDED);
    await cluster.until('Soaking');
    await cluster.scale('web', 9);
    const { 'log:1': old = 0 } = await cluster.images();
    expect(old).toBe(8);
    await cluster.until('Succeeded', 1_200_000);
    expect(await cluster.images()).toEqual({ 'log:2': 14 });
    await cluster.scale('web', 10);
    expect(await cluster.images()).toEqual({ 'log:2': 15 });
  });

  test('in Auto, too, new pods outside the selector get the earlier revision, until git has another selector', async () => {
    cluster = await trackWorld('Auto');
    await cluster.land('log:2', bounded(CANARY));
    await cluster.scale('web', 7);
    await cluster.scale('canary', 3);
    expect(await cluster.byTrack()).toEqual({ 'main log:1': 7, 'beta log:1': 2, 'canary log:2': 3 });
    await cluster.set('log:2', undefined, UNBOUNDED);
    await cluster.clock.advance(120_000);
    await cluster.scale('web', 8);
    expect(await cluster.images()).toEqual({ 'log:2': 13 });
  });

  test('in Auto, too, a continuation whose manifest comes first goes in steps', async () => {
    cluster = await trackWorld('Auto');
    await cluster.land('log:2', bounded(CANARY));
    await cluster.set('log:2', undefined, UNBOUNDED);
    await cluster.scale('web', 7, 2_000);
    expect(await cluster.byTrack()).toEqual({ 'main log:1': 7, 'beta log:1': 2, 'canary log:2': 2 });
    await cluster.replan(bounded(CANARY), STEPS);
    await cluster.until('Soaking');
    expect(await cluster.images()).toEqual({ 'log:1': 6, 'log:2': 5 });
    await cluster.until('Succeeded', 1_200_000);
    expect(await cluster.images()).toEqual({ 'log:2': 11 });
  });

  test('a continuation waits where git has the selector again, for new pods, too', async () => {
    cluster = await trackWorld();
    await cluster.land('log:2', bounded(CANARY));
    await cluster.set('log:2', STEPS, UNBOUNDED);
    await cluster.until('Soaking');
    const before = await cluster.images();
    await cluster.set('log:2', undefined, bounded(CANARY));
    await cluster.clock.advance(600_000);
    expect(await cluster.plan()).toMatchObject({ phase: 'Running', boundedBy: 'selector' });
    await cluster.scale('web', 9);
    expect(await cluster.images()).toEqual({ ...before, 'log:1': (before['log:1'] ?? 0) + 3 });
  });

  test('pods that a partition has retained are not the model of new pods', async () => {
    cluster = await trackWorld();
    await cluster.land('log:2', { updateStrategy: { maxUnavailable: 2, partition: 3 } });
    await cluster.set('log:3', STEPS, bounded(CANARY));
    await cluster.until('Soaking');
    await cluster.scale('web', 8);
    expect(await cluster.images()).toEqual({ 'log:1': 3, 'log:2': 7, 'log:3': 2 });
    await cluster.until('Succeeded', 1_200_000);
    await cluster.scale('web', 9);
    expect(await cluster.images()).toEqual({ 'log:1': 3, 'log:2': 8, 'log:3': 2 });
  });

  test('at every write, a new pod outside the selector would get an earlier revision or that of all', async () => {
    cluster = await trackWorld();
    const [set] = (await cluster.user.list(sidecarSets, {})).items;
    const outside = {
      metadata: { name: 'new', labels: { app: 'web', track: 'main' } },
    } as unknown as KubeObject;
    const revisions = new Map<string, KubeObject>();
    const given = new Set<string>();
    cluster.world.onCommit(({ object }) => {
      if (set === undefined || object.kind !== 'ControllerRevision') return;
      revisions.set(object.metadata.name, object);
      const name = publishedName(set, [...revisions.values()], outside);
      const spec = objectOf(objectOf(revisions.get(name)?.['data'])['spec']);
      given.add(textOf(listOf(spec['containers'])[0]?.['image']));
    });
    await cluster.land('log:2', bounded(CANARY));
    await cluster.land('log:3', UNBOUNDED);
    expect(await cluster.images()).toEqual({ 'log:3': 10 });
    expect([...given].filter((image) => image !== '')).toEqual(['log:1', 'log:3']);
  });

  test('a pod that gets the label later gets the revision, as without a plan (SS-33)', async () => {
    cluster = await trackWorld();
    await cluster.land('log:2', bounded(CANARY));
    await cluster.deployment('more', 3, { ...CANARY, more: 'true' });
    expect(await cluster.byTrack()).toMatchObject({ 'canary log:2': 5 });
    const [pod] = (await cluster.pods()).filter(({ metadata }) => metadata.labels?.['track'] === 'beta');
    await cluster.label(pod?.metadata.name ?? '', CANARY);
    await cluster.clock.advance(60_000);
    expect(await cluster.byTrack()).toMatchObject({ 'canary log:2': 6, 'main log:1': 6 });
  });

  test('another image under the same selector: the other pods stay where they are', async () => {
    cluster = await trackWorld();
    await cluster.land('log:2', bounded(CANARY));
    await cluster.land('log:3', bounded(CANARY));
    await cluster.scale('web', 7);
    await cluster.scale('canary', 3);
    expect(await cluster.byTrack()).toEqual({ 'main log:1': 7, 'beta log:1': 2, 'canary log:3': 3 });
    await cluster.land('log:3', UNBOUNDED);
    expect(await cluster.images()).toEqual({ 'log:3': 12 });
  });

  test('a plan whose selector selects no pod waits, and does not fail', async () => {
    cluster = await trackWorld();
    await cluster.set('log:2', STEPS, bounded({ track: 'none' }));
    await cluster.clock.advance(3_600_000);
    expect(await cluster.plan()).toMatchObject({
      phase: 'Running',
      waitingOn: 'Bound',
      boundedBy: 'selector',
    });
    expect(await cluster.images()).toEqual({ 'log:1': 10 });
  });
});
