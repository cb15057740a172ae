import { createVirtualClock, createWorld } from 'kruise-sandbox';
import { expect, test } from 'vitest';
import { crds } from '../../schemas/generated/crds.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { createRuntime } from '../../runtime/runtime.ts';
import { isBeingRecreated } from '../../semantics/pod/recreated.ts';
import { condition } from '../../semantics/pod/readiness.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { endOf, recreateRequest } from '../fixtures/recreate-requests.ts';

/** Requests about containers that end by themselves meanwhile: a crash, or an exit with 0 that the restart policy Always answers. */
const namespace = 'shop';
const SECOND = 1_000;

interface Case {
  title: string;
  /** What the container `main` does. */
  script: JsonObject;
  /** How long it has done so when the request is made, seconds. */
  after: number;
  strategy?: JsonObject;
  containers?: readonly string[];
  /** What the status of the request says, each once. */
  ends: readonly (readonly string[])[];
  /** Whether the request has stopped `main`. */
  stops: boolean;
}

const DEADLINE = 'recreating has exceeded the activeDeadlineSeconds';
const RUNS = ['Recreating', 'main Recreating true'];
const LOOPS = ['Recreating', 'main Recreating true CrashLoopBackOff'];
const DONE = ['Completed', 'main Succeeded true'];
const OVER = ['Completed', DEADLINE, 'main Recreating true'];
const OVER_IN_LOOP = ['Completed', DEADLINE, 'main Recreating true CrashLoopBackOff'];

const cases: readonly Case[] = [
  {
    title: 'one that crashes before it has run for long enough is waited for until the deadline',
    ...{ script: { crashAfterSeconds: 30 }, after: 15, strategy: { minStartedSeconds: 60 } },
    ...{ ends: [['Recreating', 'main Pending'], RUNS, LOOPS, OVER], stops: true },
  },
  {
    title: 'so is one that ends with 0',
    ...{ script: { runSeconds: 20 }, after: 15, strategy: { minStartedSeconds: 30 } },
    ...{ ends: [['Recreating', 'main Pending'], RUNS, LOOPS, OVER_IN_LOOP], stops: true },
  },
  {
    title: 'one that ends with 0 later is done',
    ...{ script: { runSeconds: 20 }, after: 15 },
    ...{ ends: [['Recreating', 'main Pending'], RUNS, DONE], stops: true },
  },
  {
    title: 'one that waits after a crash is not stopped: its next start is what was asked for',
    ...{ script: { crashAfterSeconds: 2 }, after: 20, ends: [LOOPS, RUNS, DONE], stops: false },
  },
  {
    title: 'nor is it with force',
    ...{ script: { crashAfterSeconds: 2 }, after: 20, strategy: { forceRecreate: true } },
    ...{ ends: [LOOPS, RUNS, DONE], stops: false },
  },
  {
    title: 'one that crashes while its pod drains is not stopped any more',
    ...{ script: { crashAfterSeconds: 30 }, after: 15, strategy: { unreadyGracePeriodSeconds: 60 } },
    ...{ ends: [['Recreating', 'main Pending'], RUNS, DONE], stops: false },
  },
  {
    title: 'in order the next waits for one that crashes again and again, and is left alone at the deadline',
    ...{ script: { crashAfterSeconds: 12 }, after: 10, containers: ['main', 'side'], stops: true },
    strategy: { orderedRecreate: true, minStartedSeconds: 20 },
    ends: [
      ['Recreating', 'main Pending', 'side Pending'],
      ...[RUNS, LOOPS, OVER_IN_LOOP].map((each) => [...each, 'side Pending']),
    ],
  },
];

/** Each text of the list once, in order of their first appearance. */
const once = (lists: readonly unknown[][]): unknown[] =>
  [...new Set(lists.map((each) => JSON.stringify(each)))].map((text) => JSON.parse(text) as unknown);

test.each(cases)('$title', async ({ script, after, strategy = {}, containers = ['main'], ends, stops }) => {
  const clock = createVirtualClock(Date.UTC(2026, 0, 1));
  const world = createWorld({ clock, namespaces: ['default', namespace], crds: [...crds] });
  const runtime = createRuntime({
    ...{ cluster: world.cluster('kruise'), clock, policy: 'Auto', onError: () => {} },
  });
  runtime.start();
  await clock.settle();
  const user = world.cluster('user');
  await user.create(resources.Pod, {
    ...{ apiVersion: 'v1', kind: 'Pod' },
    metadata: {
      ...{ name: 'web-0', namespace },
      annotations: { 'sandbox/containers': JSON.stringify({ main: script }) },
    },
    spec: {
      terminationGracePeriodSeconds: 10,
      readinessGates: [{ conditionType: 'KruisePodReady' }],
      containers: ['main', 'side'].map((name) => ({
        ...{ name, image: `${name}:1`, imagePullPolicy: 'IfNotPresent' },
      })),
    },
  });
  await clock.advance(after * SECOND);
  const reported: unknown[][] = [];
  world.onCommit(({ object }) => {
    if (object.kind === 'ContainerRecreateRequest' && object['status'] !== undefined)
      reported.push(endOf(object));
  });
  await user.create(
    resources.ContainerRecreateRequest,
    recreateRequest('restart', 'web-0', containers, { strategy, activeDeadlineSeconds: 200 }),
  );
  await clock.advance(300 * SECOND);
  const pod = (await user.get(resources.Pod, { namespace, name: 'web-0' })) as Pod;
  expect(once(reported)).toEqual(ends);
  expect(pod.spec.containers.map(({ image }) => image.includes('@'))).toEqual([stops, false]);
  // Whatever it has come to: the pod is not expected to restart any more, and nothing keeps it out of traffic.
  expect(isBeingRecreated(pod, clock.now())).toBe(false);
  expect(condition(pod, 'KruisePodReady')?.status).not.toBe('False');
  await Promise.all([runtime.stop(), clock.settle()]);
  world.stop();
});
