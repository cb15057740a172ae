import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { pod, setImage, stage, type Stage } from './world.ts';

const at = (name: string) => ({ namespace: 'default', name });

interface Told {
  type: string;
  reason: string;
  message: string;
  count?: number;
  source: { component?: string };
  series?: { count: number };
  reportingComponent: string;
}

/** `type reason xcount from: message`, in the order of first occurrence. */
async function told({ alice }: Stage, kind = 'Pod'): Promise<string[]> {
  const { items } = await alice.list(resources.Event, { namespace: 'default' });
  const about = items.filter((each) => (each['involvedObject'] as KubeObject).kind === kind);
  return about.map((event) => {
    const { type, reason, message, count, source, series, reportingComponent } = event as unknown as Told;
    const times = count ?? series?.count ?? 1;
    return `${type} ${reason} x${times} ${source.component ?? reportingComponent}: ${message}`;
  });
}

describe('events of a pod', () => {
  test('from its node to its end', async () => {
    const set = stage({ nodes: 1, podEvents: true });
    await set.alice.create(resources.Pod, pod('a'));
    await set.clock.advance(10_000);
    await setImage(set, 'a', 'web:2');
    await set.clock.advance(10_000);
    await set.alice.delete(resources.Pod, at('a'));
    await set.clock.advance(10_000);
    expect((await told(set)).map((each) => each.replace(/size: \d+/, 'size: N'))).toEqual([
      'Normal Scheduled x1 default-scheduler: Successfully assigned default/a to node-1',
      'Normal Pulling x1 kubelet: Pulling image "web:1"',
      'Normal Pulled x1 kubelet: Successfully pulled image "web:1" in 2s (2s including waiting). Image size: N bytes.',
      'Normal Created x2 kubelet: Container created',
      'Normal Started x2 kubelet: Container started',
      'Normal Killing x1 kubelet: Container main definition changed, will be restarted',
      'Normal Pulling x1 kubelet: Pulling image "web:2"',
      'Normal Pulled x1 kubelet: Successfully pulled image "web:2" in 2s (2s including waiting). Image size: N bytes.',
      'Normal Killing x1 kubelet: Stopping container main',
    ]);
    const [scheduled, pulling] = (await set.alice.list(resources.Event, { namespace: 'default' })).items;
    expect(pulling).toMatchObject({
      metadata: { name: expect.stringMatching(/^a\.[0-9a-f]{16}$/) },
      involvedObject: { apiVersion: 'v1', kind: 'Pod', name: 'a', fieldPath: 'spec.containers{main}' },
      source: { component: 'kubelet', host: 'node-1' },
      firstTimestamp: '2026-01-01T12:00:00Z',
      lastTimestamp: '2026-01-01T12:00:00Z',
      reportingComponent: 'kubelet',
      reportingInstance: 'node-1',
    });
    expect(scheduled).toMatchObject({
      eventTime: '2026-01-01T12:00:00.100000Z',
      action: 'Binding',
      reportingComponent: 'default-scheduler',
      firstTimestamp: null,
    });
  });

  test('troubles are counted, with the time of the first and the last', async () => {
    const set = stage({ nodes: 1, podEvents: true });
    set.world.images.set('bad', { pullError: true });
    set.world.images.set('crash', { crashAfterMs: 1000 });
    set.world.images.set('ill', { failingProbes: ['readiness'] });
    await set.alice.create(resources.Pod, pod('a', 'bad'));
    await set.alice.create(resources.Pod, pod('b', 'crash'));
    const probe = { readinessProbe: { httpGet: { path: '/', port: 80 } } };
    await set.alice.create(
      resources.Pod,
      pod('c', '', { containers: [{ name: 'main', image: 'ill', ...probe }] }),
    );
    await set.alice.create(
      resources.Pod,
      pod('d', '', { containers: [{ name: 'main', image: 'x', resources: { requests: { cpu: '9' } } }] }),
    );
    await set.clock.advance(60_000);
    const events = await told(set);
    for (const expected of [
      /^Warning Failed x3 kubelet: Failed to pull image "bad": rpc error/,
      /^Warning Failed x3 kubelet: Error: ErrImagePull$/,
      /^Warning Failed x\d kubelet: Error: ImagePullBackOff$/,
      /^Normal BackOff x\d kubelet: Back-off pulling image "bad"$/,
      /^Warning BackOff x\d kubelet: Back-off restarting failed container main in pod b_default\(/,
      /^Warning Unhealthy x6 kubelet: Readiness probe failed: HTTP probe failed with statuscode: 503$/,
      /^Warning FailedScheduling x1 default-scheduler: 0\/1 nodes are available: 1 Insufficient cpu\.$/,
    ])
      expect(events).toContainEqual(expect.stringMatching(expected));
    const { items } = await set.alice.list(resources.Event, { namespace: 'default' });
    expect(items.find((each) => each['reason'] === 'Unhealthy')).toMatchObject({
      firstTimestamp: '2026-01-01T12:00:03Z',
      lastTimestamp: '2026-01-01T12:00:53Z',
    });
  });

  test('Events of an object are rate-limited', async () => {
    const set = stage({ nodes: 1, podEvents: true });
    set.world.images.set('ill', { failingProbes: ['readiness'] });
    const probe = { readinessProbe: { tcpSocket: { port: 80 }, periodSeconds: 1 } };
    await set.alice.create(
      resources.Pod,
      pod('a', '', { containers: [{ name: 'main', image: 'ill', ...probe }] }),
    );
    await set.clock.advance(290_000);
    // 25 at once, including four of the start.
    expect((await told(set)).filter((each) => each.includes('Unhealthy x21'))).toHaveLength(1);
  });

  test('of a node', async () => {
    const set = stage({ nodes: 1, podEvents: true });
    set.world.nodes.stopKubelet('node-1');
    await set.clock.advance(60_000);
    set.world.nodes.startKubelet('node-1');
    await set.clock.settle();
    expect(await told(set, 'Node')).toEqual([
      'Normal RegisteredNode x1 node-controller: Node node-1 event: Registered Node node-1 in Controller',
      'Normal NodeNotReady x1 node-controller: Node node-1 status is now: NodeNotReady',
      'Normal NodeReady x1 node-controller: Node node-1 status is now: NodeReady',
    ]);
  });

  test('expire an hour after their last occurrence', async () => {
    const set = stage({ nodes: 1, podEvents: true });
    await set.alice.create(resources.Pod, pod('a'));
    await set.clock.advance(3_590_000);
    expect((await told(set)).length).toBeGreaterThan(3);
    await set.clock.advance(90_000);
    expect(await told(set)).toEqual([]);
  });

  test('are not written by default', async () => {
    const set = stage({ nodes: 1 });
    await set.alice.create(resources.Pod, pod('a'));
    await set.clock.advance(10_000);
    expect(await told(set)).toEqual([]);
  });
});
