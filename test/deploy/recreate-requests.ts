import type { VirtualClock } from 'kruise-sandbox';
import type { Cluster } from '../../schemas/wire/cluster.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { endOf, recreateRequest } from '../fixtures/recreate-requests.ts';

const namespace = 'shop';
const MINUTE = 60_000;

/**
 * Restarts the container of a pod of nobody, which leaves traffic before, and deletes another request that holds the pod. Returns whether
 * it has restarted once, is in traffic, and the first request is gone after its time.
 */
export async function runRecreateRequests(admin: Cluster, clock: VirtualClock): Promise<boolean> {
  const at = { namespace, name: 'stuck' };
  await admin.create(resources.Pod, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: at,
    spec: {
      readinessGates: [{ conditionType: 'KruisePodReady' }],
      containers: [{ name: 'main', image: 'stuck:1', imagePullPolicy: 'IfNotPresent' }],
    },
  });
  await clock.advance(MINUTE);
  const ask = (name: string, seconds: number): Promise<unknown> =>
    admin.create(
      resources.ContainerRecreateRequest,
      recreateRequest(name, at.name, ['main'], {
        strategy: { unreadyGracePeriodSeconds: seconds },
        ttlSecondsAfterFinished: 120,
      }),
    );
  await ask('restart', 5);
  await clock.advance(MINUTE);
  const ended = endOf(await admin.get(resources.ContainerRecreateRequest, { namespace, name: 'restart' }));
  await ask('drain', 600);
  await clock.advance(MINUTE);
  await admin.delete(resources.ContainerRecreateRequest, { namespace, name: 'drain' });
  await clock.advance(5 * MINUTE);
  const { items } = await admin.list(resources.ContainerRecreateRequest, { namespace });
  const { status } = await admin.get(resources.Pod, at);
  const { conditions, containerStatuses } = status as {
    conditions: { type: string; status: string }[];
    containerStatuses: { restartCount: number }[];
  };
  return (
    JSON.stringify(ended) === '["Completed","main Succeeded true"]' &&
    items.length === 0 &&
    conditions.some(({ type, status: is }) => type === 'Ready' && is === 'True') &&
    containerStatuses[0]?.restartCount === 1
  );
}

/**
 * Asks for another grace than that of a pod, which only a signal can keep. Returns whether its container has restarted, or was left alone
 * where the component for signals is off.
 */
export async function runSignals(admin: Cluster, clock: VirtualClock, isOn: boolean): Promise<boolean> {
  await admin.create(resources.Pod, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace, name: 'slow' },
    spec: { containers: [{ name: 'main', image: 'slow:1' }] },
  });
  await clock.advance(MINUTE);
  const strategy = { terminationGracePeriodSeconds: 3 };
  await admin.create(
    resources.ContainerRecreateRequest,
    recreateRequest('signal', 'slow', ['main'], { strategy, ttlSecondsAfterFinished: 120 }),
  );
  await clock.advance(MINUTE);
  const ended = endOf(await admin.get(resources.ContainerRecreateRequest, { namespace, name: 'signal' }));
  await clock.advance(5 * MINUTE);
  return String(ended[1]).startsWith(isOn ? 'main Succeeded' : 'main Failed');
}
