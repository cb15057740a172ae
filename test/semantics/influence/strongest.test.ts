import { expect, it } from 'vitest';
import type { Action, DeleteAction } from '../../../semantics/decision.ts';
import { deleteThroughHook } from '../../../semantics/lifecycle/transitions.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { cap, decided, image, label, NOW, patch, pod, remove, resize } from './caps.ts';

const close = (name: string, next?: Action): Action =>
  patch(
    name,
    { status: { conditions: [{ type: 'InPlaceUpdateReady', status: 'False' }] } },
    { subresource: 'status', ...(next && { next }) },
  );

/** What the hook preDelete does first. */
const hooked = (): Action => {
  const preDelete = { labels: { hook: 'x' }, finalizers: [], markPodNotReady: true };
  const { metadata, spec, ...rest } = pod('a1');
  const held: Pod = {
    ...rest,
    metadata: { ...metadata, labels: { hook: 'x' } },
    spec: { ...spec, readinessGates: [{ conditionType: 'KruisePodReady' }] },
  };
  return deleteThroughHook({ preDelete }, held, remove('a1') as DeleteAction, NOW) as Action;
};

it.each<[string, Action, string]>([
  ['a resize', resize('a1'), 'Resize'],
  ['a resize and then labels', resize('a1', label('a1')), 'Resize'],
  ['a resize and then an image', resize('a1', image('a1')), 'Update'],
  ['labels and then an image', { ...label('a1'), next: image('a1') } as Action, 'Update'],
  ['a closed gate and then a resize', close('a1', resize('a1')), 'Update'],
  ['a deletion', remove('a1'), 'Delete'],
  ['a gate that is closed before a deletion', hooked(), 'Delete'],
  // The kubelet restarts the container of a2 for its memory.
  ['a resize that restarts a container', resize('a2', undefined, { limits: { memory: '2Gi' } }), 'Update'],
  ['a resize of what restarts none', resize('a2'), 'Resize'],
])('a pod is asked about by the strongest of what follows one another: %s', (_, action, how) => {
  const asked = ['Delete', 'Update', 'Resize'].filter(
    (each) => decided([cap('x', { of: 'a', by: [each] })], [action]).found.waitsFor.length > 0,
  );
  expect(asked).toEqual([how]);
});
