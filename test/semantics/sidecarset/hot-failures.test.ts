import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import { textOf } from '../../../semantics/values/read.ts';
import { annotation, halves, mesh, ready, readyPods, report, settle, write } from './hot-model.ts';

describe('a new half that does not get ready', () => {
  test.each([
    ['broken', (image: string) => image === 'B', undefined],
    ['missing', undefined, (image: string) => image === 'B'],
  ])('a %s image: the old half runs on, and one pod less is ready (SS-40)', (_, isBroken, isMissing) => {
    const world = ready(2);
    write(world, [mesh('B')]);
    settle(world, isBroken, isMissing);
    expect(readyPods(world)).toBe(1);
    expect([...world.pods.keys()].map((pod) => world.image(pod, 'mesh-1'))).toEqual(['A', 'A']);
    write(world, [mesh('A')]);
    settle(world, isBroken, isMissing);
    for (const pod of ['p0', 'p1']) expect(halves(world, pod)).toBe('A empty:1, {"mesh":"mesh-1"}, 1/0/0/1');
    expect([readyPods(world), world.status('mesh')['updatedReadyPods']]).toEqual([2, 2]);
  });

  test('and a third image: the second one is taken back before it starts', () => {
    const world = ready(1);
    write(world, [mesh('B')]);
    settle(world, (image) => image === 'B');
    write(world, [mesh('C')]);
    world.reconcile();
    expect(halves(world)).toBe('A empty:1, {"mesh":"mesh-1"}, 1/0/0/1');
    expect(annotation(world, 'p0', 'kruise.io/sidecarset-hash')).not.toContain(
      textOf(world.status('mesh')['latestRevision']),
    );
    settle(world);
    expect(halves(world)).toMatch(/^empty:1 C, \{"mesh":"mesh-2"\}/);
    expect(readyPods(world)).toBe(1);
  });

  test.each<[what: string, next: JsonObject, spec: JsonObject]>([
    ['no pod is to get the next image', mesh('C'), { updateStrategy: { partition: '100%' } }],
    ['the next set takes new pods', mesh('C', { env: [{ name: 'A', value: '1' }] }), {}],
  ])('is taken back, too, where %s', (_, next, spec) => {
    const world = ready(2);
    write(world, [mesh('B')]);
    settle(world, (image) => image === 'B');
    write(world, [next], undefined, spec);
    settle(world);
    for (const pod of ['p0', 'p1']) expect(halves(world, pod)).toBe('A empty:1, {"mesh":"mesh-1"}, 1/0/0/1');
    expect(readyPods(world)).toBe(2);
  });

  test('is left alone while the kubelet still reports the empty image: its hook may be running', () => {
    const world = ready(1);
    write(world, [mesh('B')]);
    world.reconcile();
    write(world, [mesh('A')]);
    expect(world.reconcile()).toEqual([]);
    expect(halves(world)).toMatch(/^A B/);
    world.kubelet((image) => image === 'B');
    expect(world.reconcile()).toEqual(['take back p0']);
  });

  test('a pod that was taken back is left alone until the empty image runs: the new one may have started before', () => {
    const world = ready(1);
    write(world, [mesh('B')]);
    settle(world, undefined, (image) => image === 'B');
    write(world, [mesh('A')]);
    expect(world.reconcile()).toContain('take back p0');
    report(world, 'mesh-2', {
      image: 'B',
      imageID: 'id-of-B',
      ready: true,
      restartCount: 1,
      state: { running: {} },
    });
    write(world, [mesh('C')]);
    expect([world.reconcile(), halves(world)]).toEqual([[], 'A empty:1, {"mesh":"mesh-1"}, 1/0/0/1']);
    world.kubelet();
    expect(world.reconcile()).toEqual(['update in place p0']);
  });

  test('an upgrade that another runtime began goes back by the image of the old half', () => {
    const world = ready(1);
    write(world, [mesh('B')]);
    settle(world, (image) => image === 'B');
    const pod = world.pods.get('p0');
    const key = 'kruise.io/sidecarset-inplace-update-state';
    const state = JSON.parse(annotation(world, 'p0', key)) as { mesh: JsonObject };
    const { lastContainerStatuses } = state.mesh;
    if (pod === undefined || lastContainerStatuses === undefined) throw new Error('no state');
    const text = JSON.stringify({ mesh: { lastContainerStatuses } });
    const annotations = { ...pod.metadata.annotations, [key]: text };
    world.pods.set('p0', { ...pod, metadata: { ...pod.metadata, annotations } });
    write(world, [mesh('A')]);
    settle(world);
    expect(halves(world)).toBe('A empty:1, {"mesh":"mesh-1"}, 1/0/0/1');
    expect(world.status('mesh')['updatedReadyPods']).toBe(1);
  });

  test('going back while the new half is ready ends the upgrade first, and is an upgrade itself', () => {
    const world = ready(1);
    write(world, [mesh('B')], '70');
    world.reconcile();
    world.kubelet();
    write(world, [mesh('A')], '80');
    world.reconcile();
    expect(halves(world)).toBe('empty:1 B, {"mesh":"mesh-2"}, 0/70/70/0');
    world.kubelet();
    world.reconcile();
    expect(halves(world)).toBe('A B, {"mesh":"mesh-1"}, 80/70/70/80');
    settle(world);
    expect(halves(world)).toBe('A empty:1, {"mesh":"mesh-1"}, 80/0/0/80');
  });
});
