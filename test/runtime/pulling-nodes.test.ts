import { createVirtualClock } from 'kruise-sandbox';
import { expect, test } from 'vitest';
import { createPullingNodes } from '../../runtime/observe/pull-pods.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { PULL_LABEL, PULL_NODE_ANNOTATION } from '../../semantics/pull/pod.ts';
import { timestamp } from '../../semantics/values/timestamp.ts';
import { pullJob } from '../fixtures/pull-jobs.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const job = { ...pullJob('ahead'), metadata: { name: 'ahead', namespace: 'shop', uid: 'of-ahead' } };

interface Parts {
  name?: string;
  owner?: { apiVersion: string; kind: string } | 'nobody';
  nodeName?: string | undefined;
  isTerminating?: boolean;
  status?: JsonObject;
}

function site() {
  const clock = createVirtualClock(Date.UTC(2026, 0, 1));
  const pulling = createPullingNodes(clock);
  return {
    clock,
    pulling,
    pod(parts: Parts = {}): Pod {
      const { name = 'x', owner = { apiVersion: 'apps.kruise.io/v1beta1', kind: 'ImagePullJob' } } = parts;
      const nodeName = 'nodeName' in parts ? parts.nodeName : 'node-2';
      return {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: {
          ...{ name, namespace: 'other', labels: { [PULL_LABEL]: 'k' } },
          annotations: { [PULL_NODE_ANNOTATION]: 'node-2' },
          creationTimestamp: timestamp(clock.now()),
          ...(parts.isTerminating && { deletionTimestamp: timestamp(clock.now()) }),
          ...(owner !== 'nobody' && {
            ownerReferences: [{ ...owner, name: 'second', uid: 'of-second', controller: true }],
          }),
        },
        spec: { containers: [], ...(nodeName !== undefined && { nodeName }) },
        status: parts.status ?? { phase: 'Pending' },
      };
    },
    busy: () => [...pulling.elsewhere(job)],
  };
}

test.each<[string, Parts, string[]]>([
  ['one that pulls there', {}, ['node-2']],
  ['one that the scheduler has not seen yet', { nodeName: undefined }, ['node-2']],
  ['of a CloneSet', { owner: { apiVersion: 'apps.kruise.io/v1alpha1', kind: 'CloneSet' } }, ['node-2']],
  ['one that has ended', { status: { phase: 'Failed' } }, []],
  [
    'one that finds no place',
    { nodeName: undefined, status: { conditions: [{ type: 'PodScheduled', status: 'False' }] } },
    [],
  ],
  ['one that is being deleted, as on a dead node', { isTerminating: true }, []],
  ['one that nobody controls', { owner: 'nobody' }, []],
  ['one of a kind that pulls nothing', { owner: { apiVersion: 'apps/v1', kind: 'ReplicaSet' } }, []],
  ['one that is on another node than it says', { nodeName: 'node-1' }, []],
])('which pod keeps others from a node: %s', (_what, parts, nodes) => {
  const { pulling, pod, busy } = site();
  pulling.see(pod(parts), false);
  expect(busy()).toEqual(nodes);
  pulling.see(pod(parts), true);
  expect(busy()).toEqual([]);
});

test('one that gets no node counts for a minute', async () => {
  const { clock, pulling, pod, busy } = site();
  pulling.see(pod({ nodeName: undefined }), false);
  await clock.advance(59 * SECOND);
  expect(busy()).toEqual(['node-2']);
  await clock.advance(2 * SECOND);
  expect(busy()).toEqual([]);
});

test('one that has waited long for its place keeps others from the node from then on', async () => {
  const { clock, pulling, pod, busy } = site();
  const one = pod({ nodeName: undefined });
  await clock.advance(20 * MINUTE);
  const status = { phase: 'Pending', startTime: timestamp(clock.now() + MINUTE) };
  pulling.see({ ...one, spec: { containers: [], nodeName: 'node-2' }, status }, false);
  expect(busy()).toEqual(['node-2']);
  // The clock of the node is a minute ahead, which counts for nothing.
  await clock.advance(10 * MINUTE);
  expect(busy()).toEqual([]);
});

test('ten minutes in which it is never free keep nobody from a node any longer, whoever fills them', async () => {
  const { clock, pulling, pod, busy } = site();
  // Others take turns, each before the waiting job looks again.
  for (let round = 0; round < 10; round++) {
    const one = pod({ name: `pod-${round}` });
    pulling.see(one, false);
    expect(busy()).toEqual(['node-2']);
    await clock.advance(MINUTE - 4 * SECOND);
    pulling.see(one, true);
    await clock.advance(4 * SECOND);
  }
  const last = pod({ name: 'last' });
  pulling.see(last, false);
  expect(busy()).toEqual([]);
  pulling.see(last, true);
  // It was free: the next ten minutes begin.
  await clock.advance(MINUTE);
  expect(busy()).toEqual([]);
  pulling.see(pod({ name: 'next' }), false);
  expect(busy()).toEqual(['node-2']);
  await clock.advance(11 * MINUTE);
  expect(busy()).toEqual([]);
});

test('after a restart the ten minutes go on', async () => {
  const { clock, pod } = site();
  const one = pod();
  await clock.advance(11 * MINUTE);
  const again = createPullingNodes(clock);
  again.see(one, false);
  expect([...again.elsewhere(job)]).toEqual([]);
});
