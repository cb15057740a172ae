import { createVirtualClock, createWorld } from 'kruise-sandbox';
import { crds } from '../../../schemas/generated/crds.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import { containerRecreateRequestKind } from '../../../semantics/containerrecreaterequest/kind.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { endOf, recreateRequest } from '../../fixtures/recreate-requests.ts';
import { cloneSet } from '../../runtime/stage.ts';
import type { KindPlay, Start } from '../plays.ts';
import { serves } from '../serving.ts';

/**
 * Requests about pods of a CloneSet that lets one of three be unavailable: whatever becomes of the runtime, every container is restarted
 * once for each request, in its pod, and no second pod is out of traffic.
 */
const MINUTE = 60_000;
const PODS = 3;
const SHOP = 'shop';

/**
 * With the policy that workloads of OpenKruise give by default, a container would be down until a registry answers. Without the gate
 * no pod leaves traffic before.
 */
const template = {
  metadata: { labels: { app: 'web' } },
  spec: {
    readinessGates: [{ conditionType: 'KruisePodReady' }],
    containers: [{ name: 'main', image: 'web:1', imagePullPolicy: 'IfNotPresent' }],
  },
};
const web = cloneSet('web', 'web:1', { replicas: PODS, template }, { maxUnavailable: 1 });

async function played(start: Start, spec: Parameters<typeof recreateRequest>[3]) {
  const clock = createVirtualClock(Date.UTC(2026, 0, 1));
  const world = createWorld({ clock, namespaces: ['default', SHOP], crds: [...crds] });
  const runtime = start({ cluster: world.cluster('kruise'), clock, policy: 'Auto', onError: () => {} });
  runtime.start();
  await clock.settle();
  const user = world.cluster('user');
  await user.create(resources.CloneSet, web);
  await clock.advance(3 * MINUTE);
  const list = async (): Promise<Pod[]> =>
    (await user.list(resources.Pod, { namespace: SHOP })).items as Pod[];
  const before = await list();
  const pods = new Map(before.map((pod) => [pod.metadata.uid ?? '', pod]));
  let most = 0;
  world.onCommit(({ resource, object }) => {
    if (resource !== 'pods') return;
    pods.set(object.metadata.uid ?? '', object as Pod);
    most = Math.max(most, PODS - [...pods.values()].filter(serves).length);
  });
  const [first = '', second = ''] = before.map(({ metadata }) => metadata.name);
  for (const [name, pod] of [
    ['one', first],
    ['two', second],
  ] as const)
    await user.create(resources.ContainerRecreateRequest, recreateRequest(name, pod, ['main'], spec));
  await clock.advance(10 * MINUTE);
  const requests = (await user.list(resources.ContainerRecreateRequest, { namespace: SHOP })).items;
  const after = await list();
  await Promise.all([runtime.stop(), clock.settle()]);
  world.stop();
  await clock.settle();
  return {
    ends: requests.map(endOf),
    held: requests.flatMap(({ metadata }) => metadata.finalizers ?? []),
    samePods: after.map(({ metadata }) => pods.has(metadata.uid ?? '')),
    restarts: after.map(({ status }) => status?.containerStatuses?.map(({ restartCount }) => restartCount)),
    most,
  };
}

const expected = {
  ends: [
    ['Completed', 'main Succeeded true'],
    ['Completed', 'main Succeeded true'],
  ],
  held: [],
  samePods: [true, true, true],
  restarts: [[1], [1], [0]],
  most: 1,
};

const sends = (writes: readonly string[]): boolean => writes.some((text) => text.includes('pods'));
const kind = containerRecreateRequestKind;

export const plays: readonly KindPlay[] = [
  { kind, title: 'containers of two pods', play: (start) => played(start, {}), expected, sends },
  {
    kind,
    title: 'containers of two pods that leave traffic before',
    play: (start) => played(start, { strategy: { unreadyGracePeriodSeconds: 5 } }),
    expected,
    sends,
  },
  {
    kind,
    title: 'containers of two pods of an owner with a limit',
    play: (start) => played(start, {}),
    expected,
    sends,
    trait: 'limits',
  },
];
