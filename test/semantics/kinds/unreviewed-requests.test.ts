import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import {
  type RequestInfo,
  unreviewedConditions,
  unreviewedFor,
  unreviewedRequests,
} from '../../../semantics/kinds/unreviewed-requests.ts';

const RUNTIME = 'system:serviceaccount:kruise-system:kruise-runtime';
const KUBELET = { name: 'system:node:a', groups: ['system:nodes', 'system:authenticated'] };
const SCHEDULER = { name: 'system:kube-scheduler', groups: [] };
const controller = (name: string) => ({ name: `system:serviceaccount:kube-system:${name}`, groups: [] });
const COLLECTOR = { name: 'system:serviceaccount:kube-system:generic-garbage-collector', groups: [] };

const podOf = (
  metadata: object = {},
  status: JsonObject = { phase: 'Running' },
  spec: JsonObject = {},
): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a', namespace: 'shop', ...metadata },
  spec,
  status,
});

const request = (more: Partial<RequestInfo> = {}): RequestInfo => ({
  asked: { operation: 'DELETE', pod: podOf() },
  user: { name: 'mona', groups: ['system:authenticated'] },
  gracePeriodSeconds: undefined,
  isNamespaceEnding: false,
  ...more,
});

describe('no kind is asked about', () => {
  const cases: [string, Partial<RequestInfo>, string | undefined][] = [
    ['nothing (control)', {}, undefined],
    ['what the runtime does', { user: { name: RUNTIME, groups: [] } }, 'OwnAccount'],
    [
      'an account of the same name elsewhere (control)',
      { user: { name: 'system:serviceaccount:shop:kruise-runtime', groups: [] } },
      undefined,
    ],
    [
      'a pod that is being deleted',
      { asked: { operation: 'EVICT', pod: podOf({ deletionTimestamp: '2026-01-01T00:00:00Z' }) } },
      'Terminating',
    ],
    [
      'a pod that has succeeded',
      { asked: { operation: 'DELETE', pod: podOf({}, { phase: 'Succeeded' }) } },
      'Finished',
    ],
    [
      'a pod that has failed',
      { asked: { operation: 'DELETE', pod: podOf({}, { phase: 'Failed' }) } },
      'Finished',
    ],
    [
      'a pod that waits (control)',
      { asked: { operation: 'DELETE', pod: podOf({}, { phase: 'Pending' }) } },
      undefined,
    ],
    ['a pod without status (control)', { asked: { operation: 'DELETE', pod: podOf({}, {}) } }, undefined],
    ['the last delete of the kubelet', { user: KUBELET, gracePeriodSeconds: 0 }, 'FinalDelete'],
    [
      'a delete by the kubelet with time to end (control)',
      { user: KUBELET, gracePeriodSeconds: 30 },
      undefined,
    ],
    ['a delete by the kubelet that does not say how (control)', { user: KUBELET }, undefined],
    [
      'an eviction by a node (control)',
      { user: KUBELET, gracePeriodSeconds: 0, asked: { operation: 'EVICT', pod: podOf() } },
      undefined,
    ],
    [
      'a user that has the name of a node alone (control)',
      { user: { name: KUBELET.name, groups: [] }, gracePeriodSeconds: 0 },
      undefined,
    ],
    ['a delete at once by anybody else (control)', { gracePeriodSeconds: 0 }, undefined],
    ['a pod whose owner is gone, by the garbage collector', { user: COLLECTOR }, 'OwnerGone'],
    [
      'a change by the garbage collector (control)',
      { user: COLLECTOR, asked: { operation: 'UPDATE', pod: podOf(), after: podOf() } },
      undefined,
    ],
    [
      'a delete by another controller (control)',
      { user: { ...COLLECTOR, name: 'system:serviceaccount:kube-system:replicaset-controller' } },
      undefined,
    ],
    ['a pod that makes room for another one', { user: SCHEDULER }, 'Preempted'],
    [
      'a change by the scheduler (control)',
      { user: SCHEDULER, asked: { operation: 'UPDATE', pod: podOf(), after: podOf() } },
      undefined,
    ],
    ['a pod of a tainted node', { user: controller('node-controller') }, 'Tainted'],
    [
      'the same by the controller of taints alone',
      { user: controller('taint-eviction-controller') },
      'Tainted',
    ],
    [
      'an account of that name in another namespace (control)',
      { user: { name: 'system:serviceaccount:shop:node-controller', groups: [] } },
      undefined,
    ],
    ['a pod of a namespace that is being deleted', { isNamespaceEnding: true }, 'NamespaceEnding'],
    [
      'a pod that no rule reads',
      { asked: { operation: 'DELETE', pod: podOf({}, {}, { text: 'x'.repeat(262_145) }) } },
      'BeyondBounds',
    ],
  ];

  test.each(cases)('%s', (_, more, reason) => {
    expect(unreviewedFor(request(more), [RUNTIME])).toBe(reason);
  });

  test('any reason of which no case is shown (control)', () => {
    const shown = new Set(cases.map(([, , reason]) => reason));
    expect(unreviewedRequests.map(({ reason }) => reason).filter((each) => !shown.has(each))).toEqual([]);
  });
});

test('the conditions of the webhook exclude the requests that an API server can recognize', () => {
  const known = unreviewedConditions([RUNTIME]);
  expect(known.map(({ name }) => name)).toEqual([
    'not-the-runtime',
    'not-terminating',
    'not-finished',
    'not-the-final-delete',
    'not-the-garbage-collector',
    'not-the-scheduler',
    'not-a-taint-controller',
    'not-the-namespace-controller',
  ]);
  expect(known[0]?.expression).toBe(`!(request.userInfo.username in ['${RUNTIME}'])`);
});
