import { afterEach, describe, expect, test } from 'vitest';
import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { publishedRevisions } from '../../semantics/sidecarset/publish.ts';
import { sidecarSets } from '../../semantics/sidecarset/resource.ts';
import { listOf, objectOf, textOf } from '../../semantics/values/read.ts';
import type { Policy } from '../../semantics/plan/policy.ts';
import { type SidecarWorld, sidecarWorld } from './sidecar-world.ts';

const CANARY = { track: 'canary' };
const BETA = { track: 'beta' };
const bounded = (labels: Record<string, string>): JsonObject => ({
  updateStrategy: { maxUnavailable: 2, selector: { matchLabels: labels } },
});
const UNBOUNDED: JsonObject = { updateStrategy: { maxUnavailable: 2 } };

const STEPS: readonly Step[] = [
  { id: 'half', update: { to: '50%', atLeast: 1 } },
  { id: 'soak', soak: { for: '5m' } },
  { id: 'all', update: { to: '100%' } },
];

let cluster: SidecarWorld;
afterEach(async () => {
  await cluster.stop();
  if (cluster.errors.length > 0)
    throw new Error('the runtime has reported errors', { cause: cluster.errors });
});

/** Eight pods without a label, and two each of canary and beta. */
async function ready(policy: Policy = 'Required'): Promise<void> {
  cluster = await sidecarWorld({ policy });
  await cluster.set('log:1', undefined, UNBOUNDED);
  await cluster.deployment('web', 6, { track: 'main' });
  await cluster.deployment('canary', 2, CANARY);
  await cluster.deployment('beta', 2, BETA);
  expect(await cluster.images()).toEqual({ 'log:1': 10 });
}

/** How many pods have each image, by the label `track`. */
async function byTrack(): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { metadata, spec } of await cluster.pods()) {
    const key = `${metadata.labels?.['track']} ${spec.containers.find(({ name }) => name === 'log')?.image}`;
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}

describe('updateStrategy.selector is part of the bound of a plan', () => {
  test('a canary by label, then all: the rest goes in steps', async () => {
    await ready();
    await cluster.set('log:2', STEPS, bounded(CANARY));
    await cluster.until('Succeeded', 1_200_000);
    expect(await byTrack()).toEqual({ 'main log:1': 6, 'beta log:1': 2, 'canary log:2': 2 });
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
    await ready();
    await cluster.set('log:2', STEPS, bounded(CANARY));
    await cluster.until('Succeeded', 1_200_000);
    await cluster.set('log:2', undefined, UNBOUNDED);
    await cluster.clock.advance(600_000);
    expect(await byTrack()).toEqual({ 'main log:1': 6, 'beta log:1': 2, 'canary log:2': 2 });
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
    await ready();
    await cluster.set('log:2', STEPS, bounded(CANARY));
    await cluster.until('Succeeded', 1_200_000);
    await cluster.set('log:2', STEPS, bounded(BETA));
    await cluster.until('Succeeded', 1_200_000);
    expect(await byTrack()).toEqual({ 'main log:1': 6, 'beta log:2': 2, 'canary log:2': 2 });
  });

  test('new pods outside the selector get the earlier revision, until a step leads to all', async () => {
    await ready();
    await cluster.set('log:2', STEPS, bounded(CANARY));
    await cluster.until('Succeeded', 1_200_000);
    await cluster.scale('web', 8);
    await cluster.scale('canary', 3);
    expect(await byTrack()).toEqual({ 'main log:1': 8, 'beta log:1': 2, 'canary log:2': 3 });
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
    await ready('Auto');
    await cluster.set('log:2', STEPS, bounded(CANARY));
    await cluster.until('Succeeded', 1_200_000);
    await cluster.scale('web', 7);
    await cluster.scale('canary', 3);
    expect(await byTrack()).toEqual({ 'main log:1': 7, 'beta log:1': 2, 'canary log:2': 3 });
    await cluster.set('log:2', undefined, UNBOUNDED);
    await cluster.clock.advance(120_000);
    await cluster.scale('web', 8);
    expect(await cluster.images()).toEqual({ 'log:2': 13 });
  });

  test('in Auto, too, a continuation whose manifest comes first goes in steps', async () => {
    await ready('Auto');
    await cluster.set('log:2', STEPS, bounded(CANARY));
    await cluster.until('Succeeded', 1_200_000);
    await cluster.set('log:2', undefined, UNBOUNDED);
    await cluster.scale('web', 7, 2_000);
    expect(await byTrack()).toEqual({ 'main log:1': 7, 'beta log:1': 2, 'canary log:2': 2 });
    await cluster.replan(bounded(CANARY), STEPS);
    await cluster.until('Soaking');
    expect(await cluster.images()).toEqual({ 'log:1': 6, 'log:2': 5 });
    await cluster.until('Succeeded', 1_200_000);
    expect(await cluster.images()).toEqual({ 'log:2': 11 });
  });

  test('pods that a partition has retained are not the model of new pods', async () => {
    await ready();
    await cluster.set('log:2', STEPS, { updateStrategy: { maxUnavailable: 2, partition: 3 } });
    await cluster.until('Succeeded', 1_200_000);
    await cluster.set('log:3', STEPS, bounded(CANARY));
    await cluster.until('Soaking');
    await cluster.scale('web', 8);
    expect(await cluster.images()).toEqual({ 'log:1': 3, 'log:2': 7, 'log:3': 2 });
    await cluster.until('Succeeded', 1_200_000);
    await cluster.scale('web', 9);
    expect(await cluster.images()).toEqual({ 'log:1': 3, 'log:2': 8, 'log:3': 2 });
  });

  test('at every write, a new pod outside the selector would get an earlier revision or that of all', async () => {
    await ready();
    const [set] = (await cluster.user.list(sidecarSets, {})).items;
    const outside = {
      metadata: { name: 'new', labels: { app: 'web', track: 'main' } },
    } as unknown as KubeObject;
    const revisions = new Map<string, KubeObject>();
    const given = new Set<string>();
    cluster.world.onCommit(({ object }) => {
      if (set === undefined || object.kind !== 'ControllerRevision') return;
      revisions.set(object.metadata.name, object);
      const name = publishedRevisions([set], [...revisions.values()], outside, 'request').get('log') ?? '';
      const spec = objectOf(objectOf(revisions.get(name)?.['data'])['spec']);
      given.add(textOf(listOf(spec['containers'])[0]?.['image']));
    });
    await cluster.set('log:2', STEPS, bounded(CANARY));
    await cluster.until('Succeeded', 1_200_000);
    await cluster.set('log:3', STEPS, UNBOUNDED);
    await cluster.until('Succeeded', 1_200_000);
    expect(await cluster.images()).toEqual({ 'log:3': 10 });
    expect([...given].filter((image) => image !== '')).toEqual(['log:1', 'log:3']);
  });

  test('a pod that gets the label later gets the revision, as without a plan (SS-33)', async () => {
    await ready();
    await cluster.set('log:2', STEPS, bounded(CANARY));
    await cluster.until('Succeeded', 1_200_000);
    await cluster.deployment('more', 3, { ...CANARY, more: 'true' });
    expect(await byTrack()).toMatchObject({ 'canary log:2': 5 });
    const [pod] = (await cluster.pods()).filter(({ metadata }) => metadata.labels?.['track'] === 'beta');
    await cluster.label(pod?.metadata.name ?? '', CANARY);
    await cluster.clock.advance(60_000);
    expect(await byTrack()).toMatchObject({ 'canary log:2': 6, 'main log:1': 6 });
  });

  test('going back takes every pod, whatever the selector is then', async () => {
    await ready();
    await cluster.set('log:2', STEPS, bounded(CANARY));
    await cluster.until('Succeeded', 1_200_000);
    await cluster.set('log:1', undefined, bounded(BETA));
    await cluster.clock.advance(120_000);
    expect(await cluster.images()).toEqual({ 'log:1': 10 });
    await cluster.scale('canary', 3);
    await cluster.scale('web', 7);
    expect(await cluster.images()).toEqual({ 'log:1': 12 });
  });

  test('another image under the same selector: the other pods stay where they are', async () => {
    await ready();
    await cluster.set('log:2', STEPS, bounded(CANARY));
    await cluster.until('Succeeded', 1_200_000);
    await cluster.set('log:3', STEPS, bounded(CANARY));
    await cluster.until('Succeeded', 1_200_000);
    await cluster.scale('web', 7);
    await cluster.scale('canary', 3);
    expect(await byTrack()).toEqual({ 'main log:1': 7, 'beta log:1': 2, 'canary log:3': 3 });
    await cluster.set('log:3', STEPS, UNBOUNDED);
    await cluster.until('Succeeded', 1_200_000);
    expect(await cluster.images()).toEqual({ 'log:3': 12 });
  });

  test('the way back of a later image takes the canary alone', async () => {
    await ready();
    await cluster.set('log:2', STEPS, bounded(CANARY));
    await cluster.until('Succeeded', 1_200_000);
    await cluster.set('log:3', STEPS, bounded(CANARY));
    await cluster.until('Soaking');
    expect(await byTrack()).toEqual({ 'main log:1': 6, 'beta log:1': 2, 'canary log:3': 2 });
    await cluster.set('log:2', undefined, bounded(CANARY));
    await cluster.until('Reverted');
    expect(await byTrack()).toEqual({ 'main log:1': 6, 'beta log:1': 2, 'canary log:2': 2 });
    await cluster.scale('web', 7);
    await cluster.scale('canary', 3);
    expect(await byTrack()).toEqual({ 'main log:1': 7, 'beta log:1': 2, 'canary log:2': 3 });
  });

  test('the way back of a plan that has ended restores what the earlier one left', async () => {
    await ready();
    await cluster.set('log:2', STEPS, bounded(CANARY));
    await cluster.until('Succeeded', 1_200_000);
    await cluster.set('log:3', STEPS, bounded(CANARY));
    await cluster.until('Succeeded', 1_200_000);
    await cluster.set('log:2', undefined, bounded(CANARY));
    await cluster.until('Reverted');
    await cluster.scale('web', 7);
    await cluster.scale('canary', 3);
    expect(await byTrack()).toEqual({ 'main log:1': 7, 'beta log:1': 2, 'canary log:2': 3 });
    const [pod] = (await cluster.pods()).filter(({ metadata }) => metadata.labels?.['track'] === 'beta');
    await cluster.label(pod?.metadata.name ?? '', CANARY);
    await cluster.clock.advance(60_000);
    expect(await byTrack()).toMatchObject({ 'canary log:2': 4 });
    await cluster.set('log:2', undefined, UNBOUNDED);
    await cluster.clock.advance(120_000);
    await cluster.scale('web', 8);
    expect(await byTrack()).toEqual({ 'main log:1': 8, 'beta log:1': 2, 'canary log:2': 4 });
  });

  test('and where its selector was another one, no pod comes along without a plan', async () => {
    await ready();
    await cluster.set('log:2', STEPS, bounded(CANARY));
    await cluster.until('Succeeded', 1_200_000);
    await cluster.set('log:3', STEPS, bounded(BETA));
    await cluster.until('Succeeded', 1_200_000);
    await cluster.set('log:2', undefined, bounded(CANARY));
    await cluster.until('Reverted');
    expect(await byTrack()).toEqual({ 'main log:1': 6, 'beta log:2': 2, 'canary log:2': 2 });
    await cluster.set('log:2', undefined, UNBOUNDED);
    await cluster.clock.advance(120_000);
    await cluster.scale('web', 7);
    expect(await byTrack()).toEqual({ 'main log:1': 7, 'beta log:2': 2, 'canary log:2': 2 });
  });

  test.each(['Soaking', 'Succeeded'])(
    'going back past a plan that was superseded takes its pods, too; the later one is %s',
    async (phase) => {
      await ready();
      await cluster.set('log:2', STEPS, bounded(CANARY));
      await cluster.until('Soaking');
      await cluster.set('log:3', STEPS, bounded(BETA));
      await cluster.until(phase, 1_200_000);
      expect(await byTrack()).toEqual({ 'main log:1': 6, 'canary log:2': 2, 'beta log:3': 2 });
      await cluster.set('log:1', undefined, bounded(BETA));
      await cluster.until('Reverted');
      expect(await cluster.images()).toEqual({ 'log:1': 10 });
      expect(await cluster.status()).not.toHaveProperty('conditions');
    },
  );

  test('going back past two plans that have ended takes the pods of both', async () => {
    await ready();
    await cluster.set('log:2', STEPS, bounded(CANARY));
    await cluster.until('Succeeded', 1_200_000);
    await cluster.set('log:3', STEPS, bounded(BETA));
    await cluster.until('Succeeded', 1_200_000);
    await cluster.set('log:1', undefined, bounded(BETA));
    await cluster.until('Reverted');
    expect(await cluster.images()).toEqual({ 'log:1': 10 });
  });

  test('the way back takes no pod that the plan could not move, where it would have moved all', async () => {
    await ready();
    await cluster.set('log:2', STEPS, bounded(CANARY));
    await cluster.until('Succeeded', 1_200_000);
    await cluster.set('log:3', STEPS, bounded(BETA));
    await cluster.until('Succeeded', 1_200_000);
    await cluster.set('log:4', [{ id: 'some', update: { to: 1 } }, ...STEPS.slice(1)], UNBOUNDED);
    await cluster.until('Soaking');
    const before = await byTrack();
    expect(await cluster.images()).toMatchObject({ 'log:4': 1 });
    await cluster.set('log:3', undefined, bounded(BETA));
    await cluster.until('Reverted');
    const after = await byTrack();
    for (const [key, count] of Object.entries(before))
      if (!key.endsWith('log:4')) expect(after[key] ?? 0).toBeGreaterThanOrEqual(count);
    expect(await cluster.images()).not.toHaveProperty('log:4');
  });

  test('the way back leaves pods that an earlier plan has moved', async () => {
    await ready();
    await cluster.set('log:2', STEPS, bounded(CANARY));
    await cluster.until('Succeeded', 1_200_000);
    await cluster.set('log:3', STEPS, bounded(BETA));
    await cluster.until('Succeeded', 1_200_000);
    await cluster.set('log:4', STEPS, bounded(BETA));
    await cluster.until('Soaking');
    expect(await byTrack()).toEqual({ 'main log:1': 6, 'canary log:2': 2, 'beta log:4': 2 });
    await cluster.set('log:3', undefined, bounded(BETA));
    await cluster.until('Reverted');
    expect(await byTrack()).toEqual({ 'main log:1': 6, 'canary log:2': 2, 'beta log:3': 2 });
    await cluster.clock.advance(600_000);
    expect(await byTrack()).toEqual({ 'main log:1': 6, 'canary log:2': 2, 'beta log:3': 2 });
  });

  test('a plan whose selector selects no pod waits, and does not fail', async () => {
    await ready();
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
