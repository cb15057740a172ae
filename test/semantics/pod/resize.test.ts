import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import { deferredChange } from '../../../semantics/pod/deferred-change.ts';
import { isInPlaceUpdateComplete, unexplainedRestarts } from '../../../semantics/pod/in-place.ts';
import { resizeWait } from '../../../semantics/pod/resize.ts';
import { startPatch } from '../../../semantics/pod/start-update.ts';
import type { ContainerStatus, Pod } from '../../../semantics/pod/types.ts';
import type { Resize } from '../../../semantics/template/resize.ts';
import { AT, type Parts, pod } from './pods.ts';

const NOW = Date.parse(AT);
const cpu = (requests: string, limits?: string): JsonObject => ({
  requests: { cpu: requests },
  ...(limits === undefined ? {} : { limits: { cpu: limits } }),
});

/** A pod of two containers, whose specs and statuses have these resources. */
function resized(
  specs: JsonObject[],
  statuses: (JsonObject | undefined)[],
  { state, ...parts }: Parts = {},
): Pod {
  const names = ['main', 'side'].slice(0, specs.length);
  const made = pod({
    images: Object.fromEntries(names.map((name) => [name, 'web:1'])),
    statuses: names.flatMap((name, index): ContainerStatus[] => {
      const resources = statuses[index];
      return resources === undefined ? [] : [{ name, image: 'web:1', imageID: 'id-1', resources }];
    }),
    state: {
      revision: 'web-2',
      updateTimestamp: AT,
      lastContainerStatuses: null,
      updateResources: true,
      containerBatchesRecord: [{ timestamp: AT, containers: names }],
      ...(state as object),
    },
    ...parts,
  });
  const containers = made.spec.containers.map((each, index) => ({ ...each, resources: specs[index] }));
  return { ...made, spec: { ...made.spec, containers } };
}

describe('when a resize is complete (OpenKruise inplace-update, rule 6.5, check 2)', () => {
  test.each<[string, Pod, boolean]>([
    ['the status shows it', resized([cpu('2')], [cpu('2')]), true],
    ['in another spelling', resized([cpu('2000m')], [cpu('2')]), true],
    ['the status shows what was before', resized([cpu('2')], [cpu('1')]), false],
    ['a limit is still what it was', resized([cpu('2', '4')], [cpu('2', '3')]), false],
    ['the status has no limit yet', resized([cpu('2', '4')], [cpu('2')]), false],
    ['one of two containers is still as before', resized([cpu('2'), cpu('2')], [cpu('2'), cpu('1')]), false],
    ['a container has no status', resized([cpu('2')], [undefined]), false],
    [
      'a container that was not changed does not count',
      resized([cpu('2'), cpu('9')], [cpu('2'), cpu('1')], {
        state: { containerBatchesRecord: [{ timestamp: AT, containers: ['main'] }] },
      }),
      true,
    ],
    [
      'it is recorded, and not sent',
      resized([cpu('2')], [cpu('2')], { state: { nextContainerResources: { main: {} } } }),
      false,
    ],
  ])('%s', (_case, one, complete) => {
    expect(isInPlaceUpdateComplete(one, NOW)).toBe(complete);
  });

  test('the kubelet has not observed the pod since it changed', () => {
    const one = resized([cpu('2')], [cpu('2')]);
    const seen = (observedGeneration: number): Pod => ({
      ...one,
      metadata: { ...one.metadata, generation: 3 },
      status: { ...one.status, observedGeneration },
    });
    expect([2, 3].map((at) => isInPlaceUpdateComplete(seen(at), NOW))).toEqual([false, true]);
  });
});

test('the restart by a resize is explained, a second one is not', () => {
  const restarted = (restartCount: number, updateResources: boolean): Pod => {
    const one = resized([cpu('2')], [cpu('2')], { state: { updateResources, restartCounts: { main: 0 } } });
    const statuses = one.status?.containerStatuses?.map((each) => ({ ...each, restartCount }));
    return { ...one, status: { ...one.status, containerStatuses: statuses ?? [] } };
  };
  expect(
    [restarted(1, true), restarted(2, true), restarted(1, false)].map((each) => unexplainedRestarts(each)),
  ).toEqual([0, 1, 1]);
});

describe('what it waits for', () => {
  const waiting = (type: string, reason: string, message?: string): Pod =>
    resized([cpu('2')], [cpu('1')], {
      conditions: [{ type, status: 'True', reason, ...(message === undefined ? {} : { message }) }],
    });

  test.each([
    [
      'PodResizePending',
      'Deferred',
      "Node didn't have enough resource: cpu",
      "its resize is deferred: Node didn't have enough resource: cpu",
    ],
    ['PodResizePending', 'Infeasible', 'too much', 'its resize is infeasible: too much'],
    ['PodResizePending', 'Deferred', undefined, 'its resize is deferred'],
    ['PodResizeInProgress', 'Error', 'memory in use', 'its resize fails: memory in use'],
    ['PodResizeInProgress', '', undefined, undefined],
  ])('%s %s %s', (type, reason, message, text) => {
    expect(resizeWait(waiting(type, reason, message))).toBe(text);
  });

  test('a resize that somebody else has asked for is not the concern of an update', () => {
    const one = waiting('PodResizePending', 'Deferred');
    expect(resizeWait({ ...one, metadata: { ...one.metadata, annotations: {} } })).toBeUndefined();
  });
});

describe('the record comes before the resize', () => {
  const GOAL = { name: 'web-2', shortHash: '2' };
  const metadata = { labels: {}, annotations: {} };

  /** The pod after the first patch of an update. */
  function started(images: Record<string, string>, resize: Resize, before: Pod = pod()): Pod {
    const patch = startPatch(before, GOAL, { images, resize, metadata }, NOW);
    expect(patch['spec']).toBeUndefined();
    const { annotations, labels } = patch['metadata'] as Record<
      'annotations' | 'labels',
      Record<string, string>
    >;
    return {
      ...before,
      metadata: {
        ...before.metadata,
        annotations: { ...before.metadata.annotations, ...annotations },
        labels: { ...before.metadata.labels, ...labels },
      },
    };
  }

  const both = pod({ images: { main: 'web:1', side: 's:1' } });
  const grow: Resize = { resources: { main: cpu('2'), side: cpu('3') }, restarts: [] };
  const spec = (body: JsonObject | undefined): unknown =>
    (body?.['spec'] as JsonObject | undefined)?.['containers'];

  test('then the resize, with only what changes, and then the images', () => {
    const change = deferredChange(started({ main: 'web:2' }, grow, both), NOW);
    if (change?.do !== 'patch') throw new Error('nothing is done');
    expect(spec(change.resize)).toEqual([
      { name: 'main', resources: cpu('2') },
      { name: 'side', resources: cpu('3') },
    ]);
    expect(spec(change.body)).toEqual([{ name: 'main', image: 'web:2' }]);
  });

  test('it is sent as long as the record says so, and not without pods/resize', () => {
    const one = started({}, grow, both);
    expect(deferredChange(one, NOW, false)).toEqual({ do: 'wait', until: undefined });
    expect(isInPlaceUpdateComplete(one, NOW)).toBe(false);
  });

  test('a container that the pod does not have is left out', () => {
    const change = deferredChange(started({}, { resources: { gone: cpu('1') }, restarts: [] }), NOW);
    expect(change).toMatchObject({ do: 'patch' });
    expect(change).not.toHaveProperty('resize');
  });

  test('an update before it was sent changes what is recorded, and keeps the rest', () => {
    const again = started(
      {},
      { resources: { side: cpu('1') }, restarts: [] },
      started({ main: 'web:2' }, grow, both),
    );
    const change = deferredChange(again, NOW);
    if (change?.do !== 'patch') throw new Error('nothing is done');
    expect(spec(change.resize)).toEqual([
      { name: 'main', resources: cpu('2') },
      { name: 'side', resources: cpu('1') },
    ]);
    expect(spec(change.body)).toEqual([{ name: 'main', image: 'web:2' }]);
  });
});
