import { expect, test } from 'vitest';
import { podStatuses } from '../../../cli/status/pods.ts';
import { statusesOf } from '../../../cli/status/read.ts';
import { ago, NOW, pod, ready, statusObjects, target } from './objects.ts';

test.each([
  [
    'PreparingDelete',
    'waits for hook preDelete, label example.com/drain=true: kubectl label pod web-a -n shop example.com/drain-',
  ],
  ['PreparingUpdate', 'ready, not yet available'],
  ['Normal', 'available'],
])('a pod in lifecycle state %s: %s', (state, text) => {
  const base = target('web');
  const spec = {
    ...(base['spec'] as object),
    lifecycle: { preDelete: { labelsHandler: { 'example.com/drain': 'true' } } },
  };
  const labels = { 'lifecycle.apps.kruise.io/state': state, 'example.com/drain': 'true' };
  const held = pod('web-a', 'web-new', ready, { creationTimestamp: ago(10) });
  const objects = statusObjects({
    targets: [{ ...base, spec }],
    pods: [{ ...held, metadata: { ...held.metadata, labels: { ...held.metadata.labels, ...labels } } }],
  });
  const [status] = statusesOf(objects);
  if (status === undefined) throw new Error('no status');
  expect(podStatuses(status, objects, NOW).map((each) => each.state)).toEqual([text]);
});
