import { expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { takingPart } from '../../../semantics/sidecarset/left-out.ts';
import { sidecarSetView } from '../../../semantics/sidecarset/view.ts';
import { sidecar } from './model.ts';
import { rolling } from './rolling.ts';

const EMPTY = { name: 'v', emptyDir: {} };
const CONFIG = { name: 'v', configMap: { name: 'c' } };
const INIT = { initContainers: [sidecar('first')] };

const waiting = (reason: string): JsonObject => ({ state: { waiting: { reason } } });
const failing = (name: string): JsonObject => ({
  initContainerStatuses: [{ name, ...waiting('ImagePullBackOff') }],
});
const NOT_INITIALIZED = { conditions: [{ type: 'Initialized', status: 'False' }] };
const INITIALIZED = { conditions: [{ type: 'Initialized', status: 'True' }] };

/** Whether the steps of a plan count the last of three pods with this status, whose set has more of these fields. */
function isCountedWith(status: JsonObject, set: JsonObject, nodeName: string | undefined): boolean {
  const world = rolling();
  world.set('log', { containers: [sidecar('log')], ...set });
  world.reconcile();
  for (const name of ['a', 'b', 'c']) world.create(name);
  world.kubelet();
  const pods = [...world.pods.values()].map((pod): Pod => {
    if (pod.metadata.name !== 'c') return { ...pod, spec: { ...pod.spec, nodeName: 'node' } };
    const { nodeName: _node, ...spec } = pod.spec;
    return {
      ...pod,
      spec: { ...spec, ...(nodeName !== undefined && { nodeName }) },
      status: { phase: 'Pending', ...status },
    };
  });
  const target = world.sets.get('log');
  if (target === undefined) throw new Error('there is no set');
  const view = sidecarSetView({
    target,
    pods,
    revisions: [...world.revisions.values()],
    takenNames: new Set(),
  });
  const found = view.units.find(({ pod }) => pod.metadata.name === 'c');
  if (found === undefined) throw new Error('the pod is no unit');
  return takingPart(view).isCounted(found);
}

const creating = { containerStatuses: [{ name: 'log', ...waiting('ContainerCreating') }], ...INITIALIZED };

test.each<[what: string, status: JsonObject, set: JsonObject, nodeName: string | undefined, is: boolean]>([
  ['has no node', {}, {}, undefined, false],
  ['has a node whose kubelet has said nothing', {}, {}, 'node', false],
  ['waits for volumes of its own', creating, {}, 'node', false],
  [
    'waits for volumes, and the set has some that are always there',
    creating,
    { volumes: [EMPTY] },
    'node',
    false,
  ],
  [
    'waits for volumes, and the set has one that may be missing',
    creating,
    { volumes: [CONFIG] },
    'node',
    true,
  ],
  [
    'cannot pull the image of the set',
    { containerStatuses: [{ name: 'log', ...waiting('ImagePullBackOff') }] },
    {},
    'node',
    true,
  ],
  [
    'lacks a variable of the set',
    { containerStatuses: [{ name: 'log', ...waiting('CreateContainerConfigError') }] },
    {},
    'node',
    true,
  ],
  [
    'has begun with the sidecar',
    { containerStatuses: [{ name: 'log', state: { running: {} } }] },
    {},
    'node',
    true,
  ],
  [
    'has restarted the sidecar',
    { containerStatuses: [{ name: 'log', restartCount: 1, ...waiting('ContainerCreating') }] },
    {},
    'node',
    true,
  ],
  ['runs', { phase: 'Running' }, {}, undefined, true],
  ['is in init containers of its own', NOT_INITIALIZED, {}, 'node', false],
  ['is in init containers, and the set has some', NOT_INITIALIZED, INIT, 'node', true],
  [
    'fails in one of its own, and the set has some',
    { ...NOT_INITIALIZED, ...failing('own') },
    INIT,
    'node',
    false,
  ],
  ['fails in one of the set', { ...NOT_INITIALIZED, ...failing('first') }, INIT, 'node', true],
])('a pod that %s', (_what, status, set, nodeName, is) => {
  expect(isCountedWith(status, set, nodeName)).toBe(is);
});

test('where most pods wait, they count', () => {
  const world = rolling();
  world.set('log', { containers: [sidecar('log')] });
  world.reconcile();
  for (const name of ['a', 'b', 'c']) world.create(name);
  const pods = [...world.pods.values()].map((pod): Pod => ({ ...pod, status: { phase: 'Pending' } }));
  const target = world.sets.get('log');
  if (target === undefined) throw new Error('there is no set');
  const view = sidecarSetView({
    target,
    pods,
    revisions: [...world.revisions.values()],
    takenNames: new Set(),
  });
  expect(view.units.map(takingPart(view).isCounted)).toEqual([true, true, true]);
});
