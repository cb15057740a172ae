import { expect, test } from 'vitest';
import { podStatuses } from '../../../cli/status/pods.ts';
import { statusesOf, type StatusObjects, type TargetStatus } from '../../../cli/status/read.ts';
import { ago, NOW, pod, ready, statusObjects, target } from './objects.ts';

test.each([
  [
    'PreparingDelete',
    'waits for hook preDelete, label example.com/drain=true: kubectl label pod web-a -n shop example.com/drain-',
  ],
  ['PreparingUpdate', 'ready, not yet available'],
  ['Normal', 'available'],
])('a pod in lifecycle state %s: %s', (state, text) => {
  const [status, objects] = hooked(state);
  expect(podStatuses(status, objects, NOW).map((each) => each.state)).toEqual([text]);
});

test.each([
  [
    'PreparingDelete',
    ['web-a'],
    'pod web-a waits for hook preDelete, label example.com/drain=true: kubectl label pod web-a -n shop example.com/drain-',
  ],
  [
    'PreparingDelete',
    ['web-c', 'web-b', 'web-a'],
    'pod web-a waits for hook preDelete, label example.com/drain=true: kubectl label pod web-a -n shop example.com/drain-, as 2 more do',
  ],
  ['Normal', ['web-a'], ''],
])('a target without a plan whose pods are in state %s: %j', (state, names, message) => {
  expect(hooked(state, names)[0].message).toBe(message);
});

/** The status of a target with a hook whose pods are in a lifecycle state, and what it is read from. */
function hooked(state: string, names = ['web-a']): [TargetStatus, StatusObjects] {
  const base = target('web');
  const spec = {
    ...(base['spec'] as object),
    lifecycle: { preDelete: { labelsHandler: { 'example.com/drain': 'true' } } },
  };
  const labels = { 'lifecycle.apps.kruise.io/state': state, 'example.com/drain': 'true' };
  const pods = names.map((name) => {
    const held = pod(name, 'web-new', ready, { creationTimestamp: ago(10) });
    return { ...held, metadata: { ...held.metadata, labels: { ...held.metadata.labels, ...labels } } };
  });
  const objects = statusObjects({ targets: [{ ...base, spec }], pods });
  const [status] = statusesOf(objects);
  if (status === undefined) throw new Error('no status');
  return [status, objects];
}

test('a target without a plan whose pods wait at different hooks names each', () => {
  const [, { targets, pods }] = hooked('PreparingDelete', ['web-a', 'web-c']);
  const [, other] = hooked('PreparingDelete', ['web-b']);
  const others = other.pods.map((each) => ({
    ...each,
    metadata: {
      ...each.metadata,
      labels: { ...each.metadata.labels, 'lifecycle.apps.kruise.io/state': 'PreparingUpdate' },
    },
  }));
  const own = targets[0]?.['spec'] as { lifecycle: { preDelete: object } };
  const spec = { ...own, lifecycle: { ...own.lifecycle, inPlaceUpdate: own.lifecycle.preDelete } };
  const [status] = statusesOf(
    statusObjects({ targets: targets.map((each) => ({ ...each, spec })), pods: [...pods, ...others] }),
  );
  expect(status?.message).toBe(
    'pod web-a waits for hook preDelete, label example.com/drain=true: kubectl label pod web-a -n shop example.com/drain-, as 1 more does; pod web-b waits for hook inPlaceUpdate, label example.com/drain=true: kubectl label pod web-b -n shop example.com/drain-',
  );
});

test.each([
  [[], 'is being deleted'],
  [['example.com/move'], 'is being deleted, and stays while it has finalizer example.com/move'],
  [
    ['example.com/a', 'example.com/b'],
    'is being deleted, and stays while it has finalizers example.com/a, example.com/b',
  ],
])('a pod that is being deleted, with the finalizers %j: %s', (finalizers, text) => {
  const leaving = pod('web-a', 'web-new', ready, { creationTimestamp: ago(10), deletionTimestamp: ago(1) });
  const objects = statusObjects({
    targets: [target('web')],
    pods: [{ ...leaving, metadata: { ...leaving.metadata, finalizers } }],
  });
  const [status] = statusesOf(objects);
  if (status === undefined) throw new Error('no status');
  expect(podStatuses(status, objects, NOW).map((each) => each.state)).toEqual([text]);
});
