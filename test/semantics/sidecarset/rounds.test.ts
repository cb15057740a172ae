import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import { CUSTOM_VERSION_LABEL, UPGRADABLE_CONDITION } from '../../../semantics/sidecarset/resource.ts';
import { sidecar } from './model.ts';
import { type Rolling, rolling } from './rolling.ts';

const log = (version: number, fields: JsonObject = {}): JsonObject =>
  sidecar('log', { image: `log:${version}`, ...fields });

/** A set `log` at version 1, and so many ready pods `p0`, `p1` … */
function ready(count: number, spec: JsonObject = {}): Rolling {
  const world = rolling();
  world.set('log', { containers: [log(1)], ...spec });
  world.reconcile();
  for (let n = 0; n < count; n++) world.create(`p${n}`);
  world.kubelet();
  world.reconcile();
  return world;
}

/** The pods whose sidecar has this version. */
function podsAt(world: Rolling, version: number): string[] {
  return [...world.pods.keys()].filter((name) => world.image(name, 'log') === `log:${version}`);
}

/** Reconciles and starts containers until no sidecar changes any more. */
function settle(world: Rolling, ...faults: Parameters<Rolling['kubelet']>): void {
  for (let turn = 0; turn < 10; turn++) {
    world.reconcile();
    world.kubelet(...faults);
  }
  world.reconcile();
}

const counts = (world: Rolling): JsonObject => {
  const { matchedPods, updatedPods, readyPods, updatedReadyPods } = world.status('log');
  return { matchedPods, updatedPods, readyPods, updatedReadyPods } as JsonObject;
};

const conditionOf = (world: Rolling, pod: string) =>
  world.pods.get(pod)?.status?.conditions?.find(({ type }) => type === UPGRADABLE_CONDITION);

describe('images', () => {
  test('a bad one stops at maxUnavailable, and a good one ends well (SS-26, SS-27)', () => {
    const world = ready(2);
    world.set('log', { containers: [log(2)] });
    settle(world, (image) => image === 'log:2');
    expect(counts(world)).toEqual({ matchedPods: 2, updatedPods: 1, readyPods: 1, updatedReadyPods: 0 });
    world.set('log', { containers: [log(3)] });
    settle(world);
    expect(counts(world)).toEqual({ matchedPods: 2, updatedPods: 2, readyPods: 2, updatedReadyPods: 2 });
  });

  test('one of two that cannot be pulled goes back, although the other one is ready', () => {
    const world = ready(1, { containers: [log(1), sidecar('mesh')] });
    const isMissing = (image: string): boolean => image === 'log:2';
    world.set('log', { containers: [log(2), sidecar('mesh')] });
    settle(world, undefined, isMissing);
    world.set('log', { containers: [log(1), sidecar('mesh')] });
    settle(world, undefined, isMissing);
    expect(podsAt(world, 1)).toEqual(['p0']);
    expect(counts(world)).toMatchObject({ updatedReadyPods: 1 });
  });

  test('one write changes image, hash, state and annotations; the other hash stays', () => {
    const world = ready(1);
    const before = world.pods.get('p0')?.metadata.annotations ?? {};
    world.set('log', { containers: [log(2)], patchPodMetadata: [{ annotations: { team: 'a' } }] });
    world.reconcile(2);
    const after = world.pods.get('p0')?.metadata.annotations ?? {};
    const changed = Object.keys(after).filter((key) => after[key] !== before[key]);
    expect(changed.sort()).toEqual([
      'kruise.io/sidecarset-hash',
      'kruise.io/sidecarset-inplace-update-state',
      'team',
    ]);
    const record = JSON.parse(after['kruise.io/sidecarset-hash'] ?? '') as Record<string, JsonObject>;
    expect(record['log']).toMatchObject({ sidecarSetName: 'log', sidecarList: ['log'] });
    expect(record['log']?.['controllerRevision']).toBe(world.status('log')['latestRevision']);
    const state = JSON.parse(after['kruise.io/sidecarset-inplace-update-state'] ?? '') as Record<
      string,
      JsonObject
    >;
    expect(state['log']).toMatchObject({ lastContainerStatuses: { log: { imageID: 'id-of-log:1' } } });
    expect(world.image('p0', 'nginx')).toBe('nginx:1');
  });

  test('a tag in place of none goes in place, although the pull policy follows from it', () => {
    const world = ready(1, { containers: [sidecar('log', { image: 'busybox' })] });
    world.set('log', { containers: [sidecar('log', { image: 'busybox:1.35.0' })] });
    settle(world);
    expect(world.image('p0', 'log')).toBe('busybox:1.35.0');
  });

  test('going back takes the revision again', () => {
    const world = ready(2);
    const first = world.status('log')['latestRevision'];
    world.set('log', { containers: [log(2)] });
    settle(world);
    world.set('log', { containers: [log(1)] });
    settle(world);
    expect(podsAt(world, 1)).toHaveLength(2);
    expect(world.status('log')['latestRevision']).toBe(first);
  });
});

describe('what cannot change in place', () => {
  const env = [{ name: 'A', value: '1' }];

  test('stays, and says so; new pods get it (SS-28, SS-29)', () => {
    const world = ready(2);
    world.set('log', { containers: [log(1, { env })] });
    settle(world);
    expect(counts(world)).toMatchObject({ matchedPods: 2, updatedPods: 0 });
    for (const pod of ['p0', 'p1'])
      expect(conditionOf(world, pod)).toMatchObject({
        status: 'False',
        reason: 'UpdateImmutableField',
        message: '{"log":false}',
      });
    expect(world.events).toContain('NotUpgradablePods');
    world.create('p2');
    settle(world);
    expect(counts(world)).toMatchObject({ matchedPods: 3, updatedPods: 1 });
  });

  test('one of two sets keeps the condition False until it has updated the pod (SS-30)', () => {
    const world = rolling();
    world.set('log', { containers: [log(1)] });
    world.set('mesh', { containers: [sidecar('mesh')] });
    world.reconcile();
    world.create('p0');
    settle(world);
    world.set('log', { containers: [log(1, { env })] });
    settle(world);
    world.set('mesh', { containers: [sidecar('mesh', { image: 'mesh:2' })] });
    settle(world);
    expect(conditionOf(world, 'p0')).toMatchObject({ status: 'False', message: '{"log":false,"mesh":true}' });
    world.set('log', { containers: [log(2)] });
    settle(world);
    expect(conditionOf(world, 'p0')).toMatchObject({
      status: 'True',
      reason: 'AllSidecarsetUpgradable',
      message: '{"log":true,"mesh":true}',
    });
  });

  test('a pod that was never behind is written once', () => {
    const world = ready(1);
    world.set('log', { containers: [log(2)] });
    const writes = world.reconcile();
    world.kubelet();
    writes.push(...world.reconcile());
    expect(writes).toEqual(['update in place p0']);
    expect(conditionOf(world, 'p0')).toBeUndefined();
  });

  test('the condition ends with the change that caused it, without an update', () => {
    const world = ready(1);
    world.set('log', { containers: [log(1, { env })] });
    settle(world);
    expect(conditionOf(world, 'p0')).toMatchObject({ status: 'False' });
    world.set('log', { containers: [log(1)] });
    expect(world.reconcile()).toEqual(['mark upgradable p0']);
    expect(conditionOf(world, 'p0')).toMatchObject({ status: 'True' });
    expect(world.reconcile()).toEqual([]);
  });

  test('metadata alone stays until the next image (SS-53)', () => {
    const world = ready(1);
    const patchPodMetadata = [{ annotations: { team: 'a' } }];
    world.set('log', { containers: [log(1)], patchPodMetadata });
    settle(world);
    expect(world.pods.get('p0')?.metadata.annotations?.['team']).toBeUndefined();
    expect(world.create('p1').metadata.annotations?.['team']).toBe('a');
    world.set('log', { containers: [log(2)], patchPodMetadata });
    settle(world);
    expect(world.pods.get('p0')?.metadata.annotations?.['team']).toBe('a');
  });
});

describe('the strategy', () => {
  test.each([
    ['50%', 2, 1],
    ['99%', 5, 1],
  ])(
    'partition %s of %i pods: %i is updated; without it the rest is (SS-31, SS-32)',
    (partition, count, taken) => {
      const world = ready(count, { updateStrategy: { maxUnavailable: count } });
      world.set('log', { containers: [log(2)], updateStrategy: { partition, maxUnavailable: count } });
      settle(world);
      expect(podsAt(world, 2)).toHaveLength(taken);
      world.set('log', { containers: [log(2)] });
      settle(world);
      expect(podsAt(world, 2)).toHaveLength(count);
    },
  );

  test('a selector limits the update to its pods, and a label adds one (SS-33)', () => {
    const world = ready(3);
    world.create('c0', { canary: 'true' });
    settle(world);
    const selector = { matchLabels: { canary: 'true' } };
    world.set('log', { containers: [log(2)], updateStrategy: { selector } });
    settle(world);
    expect(podsAt(world, 2)).toEqual(['c0']);
    const pod = world.pods.get('p1');
    if (pod === undefined) throw new Error('there is no p1');
    const { metadata } = pod;
    world.pods.set('p1', {
      ...pod,
      metadata: { ...metadata, labels: { ...metadata.labels, canary: 'true' } },
    });
    settle(world);
    expect(podsAt(world, 2).sort()).toEqual(['c0', 'p1']);
  });

  test('paused: nothing is updated, the status follows, and it goes on later (SS-35)', () => {
    const world = ready(2);
    world.set('log', { containers: [log(2)], updateStrategy: { paused: true } });
    settle(world);
    expect(podsAt(world, 2)).toEqual([]);
    world.pods.delete('p1');
    settle(world);
    expect(counts(world)).toMatchObject({ matchedPods: 1, updatedPods: 0 });
    world.set('log', { containers: [log(2)] });
    settle(world);
    expect(podsAt(world, 2)).toEqual(['p0']);
  });

  test('NotUpdate: running pods keep their image, and new ones get the present one', () => {
    const world = ready(1);
    world.set('log', { containers: [log(2)], updateStrategy: { type: 'NotUpdate' } });
    settle(world);
    expect(world.image('p0', 'log')).toBe('log:1');
    world.create('p1');
    expect(world.image('p1', 'log')).toBe('log:2');
  });

  test('the heaviest pod is updated first (SS-36)', () => {
    const world = ready(3);
    world.create('heavy', { tier: 'high' });
    settle(world);
    const matchSelector = { matchLabels: { tier: 'high' } };
    world.set('log', {
      containers: [log(2)],
      updateStrategy: { priorityStrategy: { weightPriority: [{ weight: 100, matchSelector }] } },
    });
    world.reconcile();
    expect(podsAt(world, 2)).toEqual(['heavy']);
  });

  test('a pod that is deleted during its update does not stop the others (SS-54)', () => {
    const world = ready(3);
    world.set('log', { containers: [log(2)] });
    world.reconcile();
    const [first = ''] = podsAt(world, 2);
    world.pods.delete(first);
    settle(world);
    expect(podsAt(world, 2)).toHaveLength(2);
  });

  test('one pod at a time, and none while another is not consistent', () => {
    const world = ready(3);
    world.set('log', { containers: [log(2)] });
    world.reconcile();
    expect(podsAt(world, 2)).toHaveLength(1);
    world.reconcile();
    expect(podsAt(world, 2)).toHaveLength(1);
    world.kubelet();
    world.reconcile();
    expect(podsAt(world, 2)).toHaveLength(2);
  });
});

describe('revisions', () => {
  test('of 15 versions the last ten stay, and going back raises the number (SS-44)', () => {
    const world = ready(1);
    for (let version = 2; version <= 15; version++) {
      world.set('log', { containers: [log(version)] });
      settle(world);
    }
    const numbers = (): unknown[] =>
      [...world.revisions.values()].map((each) => Number(each['revision'])).sort((a, b) => a - b);
    expect(numbers()).toEqual([6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
    world.set('log', { containers: [log(12)] });
    settle(world);
    expect(numbers()).toEqual([6, 7, 8, 9, 10, 11, 13, 14, 15, 16]);
  });

  test('no status shows a generation as observed before the oldest are deleted', () => {
    const world = ready(1);
    for (let version = 2; version <= 15; version++) {
      world.set('log', { containers: [log(version)] });
      for (let round = 0; round < 20; round++) {
        world.reconcile(1);
        const { observedGeneration } = world.status('log');
        if (observedGeneration === version)
          expect([version, world.revisions.size <= 10]).toEqual([version, true]);
        if (round % 4 === 3) world.kubelet();
      }
    }
  });

  test('of 15 versions the stable one stays, too, within the limit', () => {
    const world = ready(1);
    for (let version = 2; version <= 15; version++) {
      world.set('log', { containers: [log(version)], updateStrategy: { paused: true } });
      settle(world);
    }
    const numbers = [...world.revisions.values()].map((each) => Number(each['revision']));
    expect(numbers.sort((a, b) => a - b)).toEqual([1, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
  });

  test('have the form that OpenKruise writes', () => {
    const world = ready(1, { containers: [log(1)] });
    const [revision] = world.revisions.values();
    expect(revision).toMatchObject({
      metadata: { labels: { 'kruise.io/sidecarset-name': 'log' } },
      data: {
        spec: {
          $patch: 'replace',
          containers: [{ name: 'log', image: 'log:1' }],
          initContainers: null,
          volumes: null,
          imagePullSecrets: null,
          patchPodMetadata: null,
        },
      },
    });
    expect(Object.keys(revision?.metadata.annotations ?? {}).sort()).toEqual([
      'kruise.io/sidecarset-hash',
      'kruise.io/sidecarset-hash-without-image',
      'plan.kruise.io/complete',
      'plan.kruise.io/selection',
    ]);
  });
});

describe('the custom version of a set (OpenKruise sidecarset, rule 6.11)', () => {
  const versions = (world: Rolling): Record<string, string | undefined> =>
    Object.fromEntries(
      [...world.revisions.values()].map((each) => [
        JSON.stringify(each['data']).includes('log:1') ? 'log:1' : 'log:2',
        each.metadata.labels?.[CUSTOM_VERSION_LABEL],
      ]),
    );

  test('another name alone relabels the revision of the present content, and changes no pod', () => {
    const world = ready(2, { customVersion: 'a' });
    expect(versions(world)).toEqual({ 'log:1': 'a' });
    world.set('log', { containers: [log(1)], customVersion: 'b' });
    expect(world.reconcile()).toEqual([]);
    expect(versions(world)).toEqual({ 'log:1': 'b' });
    world.set('log', { containers: [log(2)], customVersion: 'c' });
    settle(world);
    expect(versions(world)).toEqual({ 'log:1': 'b', 'log:2': 'c' });
    world.set('log', { containers: [log(2)], customVersion: 'd' });
    settle(world);
    expect(versions(world)).toEqual({ 'log:1': 'b', 'log:2': 'd' });
  });

  test('without a name the revision keeps the one that it has', () => {
    const world = ready(1, { customVersion: 'a' });
    world.set('log', { containers: [log(1)] });
    settle(world);
    expect(versions(world)).toEqual({ 'log:1': 'a' });
  });
});
