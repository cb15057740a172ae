import { expect, test } from 'vitest';
import { resources } from '../../schemas/wire/resources.ts';
import { pod, readPod, refusal, stage } from './world.ts';

const at = { namespace: 'default', name: 'a' };

test('without kubelets for nodes made by hand, a status written there stays, and budgets count it', async () => {
  const { alice, clock } = stage({ nodes: 1, kubeletsByHand: false });
  await alice.create(resources.Node, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'mine' } });
  const made = pod('a', 'web:1', { nodeName: 'mine' });
  await alice.create(resources.Pod, { ...made, metadata: { ...made.metadata, labels: { app: 'kept' } } });
  const budgets = { ...resources.Pod, group: 'policy', version: 'v1', plural: 'poddisruptionbudgets' };
  await alice.create(budgets, {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'keep', namespace: 'default' },
    spec: { minAvailable: 1, selector: { matchLabels: { app: 'kept' } } },
  });
  const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
  await alice.patch(resources.Pod, at, { type: 'merge', body: { status } }, { subresource: 'status' });
  await clock.advance(5_000);
  const { phase, podIP } = (await readPod(alice, 'a')).status ?? {};
  expect([phase, podIP]).toEqual(['Running', undefined]);
  const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: at };
  expect(await refusal(alice.create(resources.Pod, eviction, { subresource: 'eviction' }))).toMatchObject({
    code: 429,
    message: "Cannot evict pod as it would violate the pod's disruption budget.",
  });
  // Initial nodes have kubelets.
  await alice.create(resources.Pod, pod('b'));
  await clock.advance(60_000);
  expect((await readPod(alice, 'b')).status?.phase).toBe('Running');
});
