import { expect, test } from 'vitest';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { pod, refusal, stage } from './world.ts';

const at = (name: string) => ({ namespace: 'default', name });
const resource = (group: string, version: string, plural: string, kind: string) => ({
  group,
  version,
  plural,
  kind,
  namespaced: true,
});
const newEvents = resource('events.k8s.io', 'v1', 'events', 'Event');
const [v1, v2] = ['v1', 'v2'].map((version) =>
  resource('autoscaling', version, 'horizontalpodautoscalers', 'HorizontalPodAutoscaler'),
) as [typeof newEvents, typeof newEvents];

const bound: KubeObject = {
  apiVersion: 'events.k8s.io/v1',
  kind: 'Event',
  metadata: at('bound'),
  regarding: { kind: 'Pod', name: 'p', namespace: 'default' },
  reason: 'Bound',
  note: 'It was bound.',
  type: 'Normal',
  action: 'Binding',
  reportingController: 'example.com/scheduler',
  reportingInstance: 's-0',
  eventTime: '2026-01-01T00:00:00.123456Z',
};

test('an Event of events.k8s.io is one of the core group, which a namespace loses once', async () => {
  const { alice, world, clock } = stage({ nodes: 0, namespaces: ['default', 'shop'] });
  await alice.create(newEvents, bound);
  expect(await alice.get(resources.Event, at('bound'))).toMatchObject({
    apiVersion: 'v1',
    involvedObject: { kind: 'Pod', name: 'p' },
    message: 'It was bound.',
    reportingComponent: 'example.com/scheduler',
  });
  const seen: string[] = [];
  alice.watch(
    newEvents,
    { namespace: 'default', resourceVersion: '' },
    {
      onEvent: (event) => seen.push(JSON.stringify(event)),
      onEnd: () => {},
    },
  );
  await clock.advance(1);
  expect(seen).toHaveLength(1);
  expect(seen[0]).toContain('"note":"It was bound."');
  await alice.create(newEvents, {
    ...bound,
    metadata: { name: 'bound', namespace: 'shop' },
    regarding: { kind: 'Pod', name: 'p', namespace: 'shop' },
  });
  await alice.delete(resources.Namespace, { name: 'shop' });
  await clock.advance(10_000);
  const deletions = world.log.filter(({ verb, resource: of }) => verb === 'delete' && of === 'events');
  expect(deletions).toHaveLength(1);
});

test('a v1 autoscaler is stored as v2, and owned under the written field names', async () => {
  const { alice } = stage({ nodes: 0 });
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
  const made = await alice.create(v1, {
    apiVersion: 'autoscaling/v1',
    kind: 'HorizontalPodAutoscaler',
    metadata: at('a'),
    spec: { scaleTargetRef, maxReplicas: 3, targetCPUUtilizationPercentage: 50 },
  });
  expect(made['spec']).toEqual({
    scaleTargetRef,
    minReplicas: 1,
    maxReplicas: 3,
    targetCPUUtilizationPercentage: 50,
  });
  expect(made.metadata.managedFields).toMatchObject([
    {
      apiVersion: 'autoscaling/v1',
      fieldsV1: { 'f:spec': { 'f:maxReplicas': {}, 'f:targetCPUUtilizationPercentage': {} } },
    },
  ]);
  const metrics = [
    {
      type: 'Resource',
      resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } },
    },
  ];
  expect((await alice.get(v2, at('a')))['spec']).toEqual({
    scaleTargetRef,
    minReplicas: 1,
    maxReplicas: 3,
    metrics,
  });
});

test('ephemeral containers come through their subresource alone', async () => {
  const { alice } = stage({ nodes: 0 });
  await alice.create(resources.Pod, pod('p'));
  const ephemeralContainers = [{ name: 'look', image: 'busybox' }];
  const body = { metadata: { labels: { a: 'b' } }, spec: { ephemeralContainers } } as never;
  expect((await refusal(alice.patch(resources.Pod, at('p'), { type: 'strategic', body }))).code).toBe(422);
  const patched = await alice.patch(
    resources.Pod,
    at('p'),
    { type: 'strategic', body },
    { subresource: 'ephemeralcontainers' },
  );
  expect(patched.metadata.labels).toBeUndefined();
  expect(patched['spec']).toMatchObject({
    ephemeralContainers: [{ name: 'look', image: 'busybox', imagePullPolicy: 'Always' }],
  });
});

test('a namespace is removed after all of its finalizers', async () => {
  const { alice, clock } = stage({ nodes: 0 });
  await alice.create(resources.Namespace, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'held' },
    spec: { finalizers: ['a.b/c'] },
  });
  await alice.delete(resources.Namespace, { name: 'held' });
  await clock.advance(10_000);
  const held = await alice.get(resources.Namespace, { name: 'held' });
  expect(held['spec']).toEqual({ finalizers: ['a.b/c'] });
  await alice.replace(resources.Namespace, { ...held, spec: {} }, { subresource: 'finalize' });
  expect((await refusal(alice.get(resources.Namespace, { name: 'held' }))).code).toBe(404);
});
