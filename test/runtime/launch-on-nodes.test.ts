import { createVirtualClock, createWorld } from 'kruise-sandbox';
import { expect, test } from 'vitest';
import { createRuntime } from '../../runtime/runtime.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Pod } from '../../semantics/pod/types.ts';

const OPS = 'ops';

/** `first` takes four seconds to be ready, then `second` may start. */
const target = (version: number): KubeObject => ({
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'DaemonSet',
  metadata: { name: 'log', namespace: OPS },
  spec: {
    selector: { matchLabels: { app: 'log' } },
    template: {
      metadata: {
        labels: { app: 'log' },
        annotations: { 'apps.kruise.io/container-launch-priority': 'Ordered' },
      },
      spec: {
        containers: [
          { name: 'first', image: 'first:1', env: [{ name: 'VERSION', value: String(version) }] },
          { name: 'second', image: 'second:1' },
        ],
      },
    },
  },
});

/** When a container was started, in milliseconds. */
function startOf({ status }: Pod, name: string): number {
  const found = status?.containerStatuses?.find((each) => each.name === name);
  const { running } = (found?.['state'] ?? {}) as { running?: { startedAt: string } };
  return Date.parse(running?.startedAt ?? '');
}

test('the next pod of a node has the name of the one before it, whose ConfigMap is reset before it is created', async () => {
  const clock = createVirtualClock(0);
  const world = createWorld({ clock, namespaces: ['default', OPS], nodes: 1 });
  const user = world.cluster('user');
  world.images.set('first:1', { readyMs: 4_000 });
  const runtime = createRuntime({
    cluster: world.cluster('kruise'),
    clock,
    policy: 'Auto',
    onError: () => {},
  });
  runtime.start();
  await user.create(resources.DaemonSet, target(1));
  await clock.advance(60_000);
  const pod = async (): Promise<Pod> => (await user.list(resources.Pod, { namespace: OPS })).items[0] as Pod;
  const before = await pod();
  const at = { namespace: OPS, name: `${before.metadata.name}-barrier` };
  let keys = '';
  let atCreation: string | undefined;
  world.onCommit(({ resource, type, object }) => {
    if (resource === 'configmaps' && object.metadata.name === at.name)
      keys = Object.keys(object['data'] ?? {}).join(' ');
    if (resource === 'pods' && type === 'ADDED') atCreation = keys;
  });
  // Nobody collects it before the name is used again.
  const body = { metadata: { finalizers: ['example.com/keep'] } };
  await user.patch(resources.ConfigMap, at, { type: 'merge', body });
  expect(keys).toBe('p_0 p_-1');
  await user.patch(
    resources.DaemonSet,
    { namespace: OPS, name: 'log' },
    { type: 'merge', body: { spec: target(2)['spec'] as never } },
  );
  await clock.advance(120_000);
  const after = await pod();
  expect(after.metadata.uid).not.toBe(before.metadata.uid);
  expect(after.metadata.name).toBe(before.metadata.name);
  expect(startOf(after, 'second') - startOf(after, 'first')).toBeGreaterThanOrEqual(4_000);
  expect(atCreation).toBe('p_0');
  await runtime.stop();
  world.stop();
  await clock.settle();
});
