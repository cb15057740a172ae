import { expect, test } from 'vitest';
import { createVirtualClock } from '../../clock/virtual.ts';
import { strategicPatch } from '../../patch/strategic.ts';
import { createNodeMirror } from '../../remote/nodeMirror.ts';
import { createOutbox } from '../../remote/outbox.ts';
import { statusPatch } from '../../remote/podStatusParts.ts';
import { createStore } from '../../store/store.ts';
import type { Cluster } from '../../../schemas/wire/cluster.ts';
import type { PodStatus } from '../../../schemas/pods/pod.ts';
import { podShape } from '../strategic-notation.ts';

test('the addresses of a pod replace those of the kubelet that had it before', () => {
  const remote: PodStatus = {
    phase: 'Running',
    hostIP: '192.168.0.1',
    hostIPs: [{ ip: '192.168.0.1' }],
    podIP: '10.128.0.1',
    podIPs: [{ ip: '10.128.0.1' }],
  };
  const local: PodStatus = {
    phase: 'Running',
    hostIP: '192.168.0.2',
    hostIPs: [{ ip: '192.168.0.2' }],
    podIP: '10.128.0.9',
    podIPs: [{ ip: '10.128.0.9' }],
  };
  const status = statusPatch(remote, local, 'kubelet');
  expect(strategicPatch(podShape, { status: remote }, { status })).toEqual({ status: local });
});

const taint = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };
const other = { key: 'example.com/disk', effect: 'NoSchedule' };

test.each([
  ['True', [taint, other], [[other]]],
  ['True', [other], []],
  ['False', [taint], []],
])('a node that is ready (%s) loses the taint that admission gave it', async (ready, taints, sent) => {
  const clock = createVirtualClock(0);
  const patches: unknown[] = [];
  const node = {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'a', uid: 'u', resourceVersion: '7' },
    spec: { taints },
    status: { conditions: [{ type: 'Ready', status: ready }] },
  };
  const cluster = {
    patch: (_resource, _at, { body }) => {
      patches.push(body);
      return Promise.resolve({ ...node, metadata: { ...node.metadata, resourceVersion: '8' }, spec: {} });
    },
  } as Partial<Cluster> as Cluster;
  const outbox = createOutbox({ clock, random: () => 0, width: 1, onError: () => undefined });
  const mirror = createNodeMirror({
    cluster,
    store: createStore({ now: () => clock.now(), history: { commits: 0, bytes: 0 } }),
    outbox,
    leases: outbox,
    isOurs: () => true,
    onRefused: (_key, error) => {
      throw error;
    },
  });
  mirror.observe(node, false);
  mirror.clearTaint('a');
  await clock.advance(1_000);
  mirror.clearTaint('a');
  await clock.advance(1_000);
  const metadata = { uid: 'u', resourceVersion: '7' };
  expect(patches).toEqual(sent.map((left) => ({ metadata, spec: { taints: left } })));
});
