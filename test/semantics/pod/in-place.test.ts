import { describe, expect, test } from 'vitest';
import {
  conditionsPatch,
  isDrained,
  isInPlaceUpdateComplete,
  needsReadyGate,
  openGate,
  settlesAt,
  unexplainedRestarts,
} from '../../../semantics/pod/in-place.ts';
import { drainPatch, startPatch } from '../../../semantics/pod/start-update.ts';
import { inPlaceState } from '../../../semantics/pod/in-place-state.ts';
import { projectPod } from '../../../semantics/pod/project.ts';
import { createIntern } from '../../../runtime/observe/intern.ts';
import {
  type ContainerStatus,
  IN_PLACE_READY,
  IN_PLACE_STATE_ANNOTATION,
  type Pod,
} from '../../../semantics/pod/types.ts';
import { AT, drained, no, type Parts, pod, yes } from './pods.ts';

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
const revision = { name: 'web-6b7c9d58f', shortHash: '6b7c9d58f' };
const guard = { uid: 'uid-1', resourceVersion: '42' };

describe('a pod is drained first (OpenKruise inplace-update, rule 6.3; IU-2)', () => {
  const gate = {
    type: IN_PLACE_READY,
    status: 'False',
    reason: 'StartInPlaceUpdate',
    lastTransitionTime: AT,
  };
  const unready = (message: string, lastTransitionTime = AT) => ({
    type: 'Ready',
    status: 'False',
    reason: 'ReadinessGatesNotReady',
    message,
    lastTransitionTime,
  });
  const own = 'the status of pod readiness gate "InPlaceUpdateReady" is not "True", but False';
  const cases: [string, Parts, object[]][] = [
    ['a ready pod', { conditions: [yes('Ready'), yes('ContainersReady')] }, [gate, unready(own)]],
    [
      'containers that are not ready: the kubelet writes Ready',
      { conditions: [no('Ready'), no('ContainersReady')] },
      [gate],
    ],
    ['a pod without the condition Ready', { conditions: [yes('ContainersReady')] }, [gate]],
    [
      'a pod that was not ready for another gate keeps its time, and its message names both',
      { gates: [IN_PLACE_READY, 'lb'], conditions: [no('Ready'), yes('ContainersReady'), no('lb')] },
      [
        gate,
        unready(
          `${own}, the status of pod readiness gate "lb" is not "True", but False`,
          '2026-01-01T00:00:00Z',
        ),
      ],
    ],
    [
      'a gate without a condition',
      { gates: ['lb', IN_PLACE_READY], conditions: [yes('Ready'), yes('ContainersReady')] },
      [gate, unready(`corresponding condition of pod readiness gate "lb" does not exist., ${own}`)],
    ],
  ];
  test.each(cases)('%s', (_, parts, conditions) => {
    expect(drainPatch(pod(parts), NOW)).toEqual({ metadata: guard, status: { conditions } });
  });

  test('only that reason is a drain', () => {
    expect(isDrained(pod({ conditions: [drained] }))).toBe(true);
    expect(isDrained(pod({ conditions: [no(IN_PLACE_READY)] }))).toBe(false);
    expect(isDrained(pod({ conditions: [yes(IN_PLACE_READY)] }))).toBe(false);
  });
});

describe('the change itself (rules 6.3 and 6.4; IU-22, IU-23)', () => {
  const statuses = [
    { name: 'main', imageID: 'sha256:aa', restartCount: 3 },
    { name: 'side', imageID: 'sha256:bb', restartCount: 0 },
  ];

  test('image, labels and state in one guarded write, keys in the order OpenKruise writes them', () => {
    const change = { images: { main: 'web:2' }, metadata: { labels: { a: 'b' }, annotations: { c: null } } };
    const patch = startPatch(
      pod({ statuses, images: { main: 'web:1', side: 's:1' } }),
      revision,
      change,
      NOW,
    );
    expect(patch).toEqual({
      metadata: {
        ...guard,
        labels: { a: 'b', 'controller-revision-hash': 'web-6b7c9d58f', 'pod-template-hash': '6b7c9d58f' },
        annotations: {
          c: null,
          [IN_PLACE_STATE_ANNOTATION]:
            '{"revision":"web-6b7c9d58f","updateTimestamp":"2026-01-02T03:04:05Z","lastContainerStatuses":{"main":{"imageID":"sha256:aa"}},"updateImages":true,"restartCounts":{"main":3,"side":0},"containerBatchesRecord":[{"timestamp":"2026-01-02T03:04:05Z","containers":["main"]}]}',
        },
      },
      spec: { containers: [{ name: 'main', image: 'web:2' }] },
    });
  });

  test('metadata alone: no container, lastContainerStatuses null, no update flag (IU-23)', () => {
    const change = { images: {}, metadata: { labels: { a: 'b' }, annotations: {} } };
    const patch = startPatch(pod({ statuses }), revision, change, NOW) as {
      metadata: { annotations: Record<string, string> };
      spec?: unknown;
    };
    expect(patch.spec).toBeUndefined();
    expect(patch.metadata.annotations[IN_PLACE_STATE_ANNOTATION]).toBe(
      '{"revision":"web-6b7c9d58f","updateTimestamp":"2026-01-02T03:04:05Z","lastContainerStatuses":null,"restartCounts":{"main":3,"side":0},"containerBatchesRecord":[{"timestamp":"2026-01-02T03:04:05Z","containers":[]}]}',
    );
  });

  test('finalizers are added and removed (IU-8)', () => {
    const metadata = { labels: {}, annotations: {}, finalizers: ['x/a'], removedFinalizers: ['x/b'] };
    expect(startPatch(pod(), revision, { images: {}, metadata }, NOW)['metadata']).toMatchObject({
      finalizers: ['x/a'],
      '$deleteFromPrimitiveList/finalizers': ['x/b'],
    });
  });

  test('no reserved key of a template is added to a pod, not even one that OpenKruise has deferred', () => {
    const later = { main: { annotations: { 'apps.kruise.io/inplace-update-grace': '{}', b: 'c' } } };
    const state = { revision: 'web-1', updateTimestamp: AT, nextContainerRefMetadata: later };
    const labels = { 'apps.kruise.io/specified-delete': 'true', 'controller-revision-hash': 'x' };
    const metadata = { labels, annotations: {}, finalizers: ['kruise.io/x'] };
    const patch = startPatch(pod({ statuses, state }), revision, { images: {}, metadata }, NOW);
    expect(patch['metadata']).toMatchObject({
      labels: { 'apps.kruise.io/specified-delete': null, 'controller-revision-hash': 'web-6b7c9d58f' },
      annotations: { 'apps.kruise.io/inplace-update-grace': null, b: 'c' },
      finalizers: [],
    });
  });

  test('a container that has no status yet is not waited for', () => {
    const change = { images: { main: 'web:2' }, metadata: { labels: {}, annotations: {} } };
    const patch = startPatch(pod(), revision, change, NOW) as {
      metadata: { annotations: Record<string, string> };
    };
    expect(patch.metadata.annotations[IN_PLACE_STATE_ANNOTATION]).toContain('"lastContainerStatuses":{}');
  });

  test('the gate is opened without reason and message, on exactly the observed version (IU-3, IU-4)', () => {
    expect(conditionsPatch(pod({ conditions: [drained] }), [openGate(NOW)])).toEqual({
      metadata: guard,
      status: {
        conditions: [
          { type: IN_PLACE_READY, status: 'True', reason: null, message: null, lastTransitionTime: AT },
        ],
      },
    });
  });

  test('the gate of a pod without its condition is opened whatever the version: by its uid alone', () => {
    const uidAlone = { uid: guard.uid };
    expect(conditionsPatch(pod(), [openGate(NOW)])['metadata']).toEqual(uidAlone);
    const state = { revision: 'r', updateTimestamp: AT, lastContainerStatuses: null };
    expect(conditionsPatch(pod({ state }), [openGate(NOW)])['metadata']).toEqual(guard);
  });
});

describe('an update in place is complete (rule 6.5, container completion)', () => {
  const before = (imageID: string) => ({
    revision: 'r',
    updateTimestamp: AT,
    lastContainerStatuses: { main: { imageID } },
  });
  const cases: [string, string, ContainerStatus | undefined, boolean][] = [
    ['its imageID changed', 'web:2', { name: 'main', imageID: 'sha256:bb', image: 'x' }, true],
    [
      'same imageID, the status has the image of the spec',
      'web:2',
      { name: 'main', imageID: 'sha256:aa', image: 'web:2' },
      true,
    ],
    [
      'same imageID, another name (IU-25)',
      'web:2',
      { name: 'main', imageID: 'sha256:aa', image: 'web:1' },
      false,
    ],
    ['no status at all (IU-26)', 'web:2', undefined, false],
    [
      'no tag is latest (IU-24)',
      'nginx',
      { name: 'main', imageID: 'sha256:aa', image: 'nginx:latest' },
      true,
    ],
    [
      'as containerd reports it',
      'nginx:1',
      { name: 'main', imageID: 'sha256:aa', image: 'docker.io/library/nginx:1' },
      true,
    ],
    [
      'with an organization',
      'org/app:1',
      { name: 'main', imageID: 'sha256:aa', image: 'docker.io/org/app:1' },
      true,
    ],
    [
      'no tag and a registry',
      'reg.io/app',
      { name: 'main', imageID: 'sha256:aa', image: 'reg.io/app:latest' },
      true,
    ],
    [
      'the port of a registry is not a tag',
      'localhost:5000/app',
      { name: 'main', imageID: 'sha256:aa', image: 'localhost:5000/app:latest' },
      true,
    ],
    [
      'localhost is a registry',
      'localhost/app:1',
      { name: 'main', imageID: 'sha256:aa', image: 'docker.io/localhost/app:1' },
      false,
    ],
    [
      'a digest needs no tag',
      'app@sha256:cc',
      { name: 'main', imageID: 'sha256:aa', image: 'docker.io/library/app@sha256:cc' },
      true,
    ],
    [
      'another registry is another image',
      'reg.io/nginx:1',
      { name: 'main', imageID: 'sha256:aa', image: 'nginx:1' },
      false,
    ],
    ['no imageID reported yet', 'web:2', { name: 'main', image: 'web:1' }, false],
  ];
  test.each(cases)('%s', (_, image, status, complete) => {
    const subject = pod({
      images: { main: image },
      state: before('sha256:aa'),
      statuses: status === undefined ? [] : [status],
      conditions: [drained],
    });
    expect(isInPlaceUpdateComplete(subject, 0)).toBe(complete);
    expect(needsReadyGate(subject, 0)).toBe(complete);
  });

  test('readiness of the new container does not matter', () => {
    const statuses = [{ name: 'main', imageID: 'sha256:bb', ready: false }];
    expect(isInPlaceUpdateComplete(pod({ state: before('sha256:aa'), statuses }), 0)).toBe(true);
  });

  test.each([
    ['none', undefined],
    ['one that is invalid JSON', '{"revision":'],
    ['one that is no object', '[]'],
    ['null', 'null'],
    ['one without a revision', '{}'],
    ['one of metadata alone', { revision: 'r', updateTimestamp: AT, lastContainerStatuses: null }],
  ])('a state annotation: %s does not block forever', (_, state) => {
    const subject = pod({ state, conditions: [drained] });
    expect(isInPlaceUpdateComplete(subject, 0)).toBe(true);
    expect(needsReadyGate(subject, 0)).toBe(true);
  });

  test.each([
    ['a list', '{"revision":"r","lastContainerStatuses":["x"]}'],
    ['a text', '{"revision":"r","lastContainerStatuses":"x"}'],
    ['a null container', '{"revision":"r","lastContainerStatuses":{"main":null}}'],
    ['a number', '{"revision":"r","lastContainerStatuses":7}'],
  ])('statuses that a user wrote as %s are ignored, and throw nothing', (_, state) => {
    const subject = pod({ state, statuses: [{ name: 'main', imageID: 'sha256:aa', restartCount: 1 }] });
    expect(isInPlaceUpdateComplete(subject, 0)).toBe(true);
    expect(unexplainedRestarts(subject)).toBe(1);
  });

  test('the state names the revision', () => {
    expect(inPlaceState(pod({ state: before('x') }))?.revision).toBe('r');
  });

  test('a pod without the gate needs none', () => {
    expect(needsReadyGate(pod({ gates: [] }), 0)).toBe(false);
    expect(needsReadyGate(pod({ conditions: [yes(IN_PLACE_READY)] }), 0)).toBe(false);
  });
});

describe('one image with two tags: its runtime may always report the other one (rule 6.5; IU-25)', () => {
  const begun = Date.parse(AT);
  const running = { running: { startedAt: '2026-01-02T03:04:06Z' } };
  const waiting = { waiting: { reason: 'ImagePullBackOff' } };
  interface Seen {
    restarts: number;
    after: number;
    state?: object;
    counted?: Record<string, number>;
    batches?: number;
    observed?: number;
  }

  function updated({ restarts, state = running, counted, batches = 1, observed }: Seen): Pod {
    const record = Array.from({ length: batches }, () => ({ timestamp: AT, containers: ['main'] }));
    const whole = pod({
      images: { main: 'web:2' },
      state: {
        revision: 'r',
        updateTimestamp: '2026-01-02T03:04:00Z',
        lastContainerStatuses: { main: { imageID: 'sha256:aa' } },
        ...(counted === undefined ? {} : { restartCounts: counted }),
        containerBatchesRecord: record,
      },
      statuses: [{ name: 'main', imageID: 'sha256:aa', image: 'web:1', restartCount: restarts, state }],
      conditions: [drained],
    });
    return {
      ...whole,
      metadata: { ...whole.metadata, generation: 2 },
      spec: { ...whole.spec, terminationGracePeriodSeconds: 5 },
      status: { ...whole.status, ...(observed === undefined ? {} : { observedGeneration: observed }) },
    };
  }

  const counted = { main: 3 };
  const cases: [string, Seen, boolean][] = [
    [
      'restarted, and the kubelet has observed the change',
      { restarts: 4, after: 1, counted, observed: 2 },
      true,
    ],
    [
      'restarted after a crash just before the change, and still to be stopped',
      { restarts: 4, after: 1, counted, observed: 2, state: { running: { startedAt: AT } } },
      false,
    ],
    [
      'restarted, but perhaps before it observed the change',
      { restarts: 4, after: 1, counted, observed: 1 },
      false,
    ],
    ['restarted, and it had the time to stop it again', { restarts: 4, after: 15_000, counted }, true],
    ['restarted, and it had not', { restarts: 4, after: 14_999, counted }, false],
    ['not restarted', { restarts: 3, after: 60_000, counted, observed: 2 }, false],
    [
      'restarted and not running',
      { restarts: 4, after: 60_000, counted, observed: 2, state: waiting },
      false,
    ],
    [
      'in a later batch it may have been an earlier restart',
      { restarts: 4, after: 1, counted, batches: 2, observed: 2 },
      false,
    ],
    ['in a later batch with its time over', { restarts: 4, after: 15_000, counted, batches: 2 }, true],
    ['started by OpenKruise, which records no restarts', { restarts: 4, after: 15_000, observed: 2 }, true],
    [
      'the same, but it has run since long before: its kubelet was down',
      { restarts: 4, after: 60_000, observed: 2, state: { running: { startedAt: '2026-01-02T03:03:00Z' } } },
      false,
    ],
    [
      'the same, but the kubelet has not observed the change',
      { restarts: 4, after: 15_000, observed: 1 },
      false,
    ],
    ['the same, too early', { restarts: 4, after: 14_999, observed: 2 }, false],
  ];
  test.each(cases)('%s', (_, seen, complete) => {
    const subject = updated(seen);
    expect(isInPlaceUpdateComplete(subject, begun + seen.after)).toBe(complete);
    const kept = projectPod(subject, createIntern());
    expect(isInPlaceUpdateComplete(kept, begun + seen.after)).toBe(complete);
  });

  test('the target is reconciled when its time is over, and only then', () => {
    expect(settlesAt(updated({ restarts: 4, after: 0, counted }))).toBe(begun + 15_000);
    expect(settlesAt(updated({ restarts: 4, after: 0 }))).toBe(begun + 15_000);
    expect(settlesAt(updated({ restarts: 3, after: 0, counted }))).toBe(undefined);
    const other = updated({ restarts: 4, after: 0, counted });
    const statuses = [
      { name: 'main', imageID: 'sha256:bb', image: 'web:1', restartCount: 4, state: running },
    ];
    expect(settlesAt({ ...other, status: { ...other.status, containerStatuses: statuses } })).toBe(undefined);
  });
});
