import { expect, test } from 'vitest';
import { statusesOf, type StatusObjects } from '../../../cli/status/read.ts';
import { ageOf, statusTable } from '../../../cli/status/table.ts';
import { statusTree } from '../../../cli/status/tree.ts';
import { plain } from '../../../compiler/text/paint.ts';
import type { RolloutPlanStatus } from '../../../schemas/generated/types/rolloutplan.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { expectGolden } from '../../golden.ts';
import {
  ago,
  asking,
  held,
  hostile,
  is,
  NOW,
  plan,
  pod,
  ready,
  running,
  statusObjects,
  target,
} from './objects.ts';

test('a table of every target', () => {
  const all = statusObjects({
    targets: [
      target('web', { updatedReplicas: 1 }),
      target('api', { readyReplicas: 3, ...held('NoPlan', 'the template changed and no plan covers it') }),
      target('evil'),
      target('calm'),
    ],
    plans: [
      asking,
      plan('evil', {
        phase: 'Halted',
        step: 'batch-1',
        steps: '1/6',
        waitingOn: hostile.repeat(9),
        message: hostile,
        conditions: [is('Stalled', 'Halted')],
      }),
      plan('nowhere', undefined),
    ],
  });
  const drawing = { paint: plain, now: NOW, columns: undefined };
  const table = statusTable(statusesOf(all), drawing);
  expectGolden('status/table.txt', `${table.join('\n')}\n`);
  expect(table.join('')).not.toMatch(/[\u0000-\u001f\u202e]/);
  // Wide enough for everything: the same table.
  const room = Math.max(...table.map((line) => line.length)) + 1;
  expect(statusTable(statusesOf(all), { ...drawing, columns: room })).toEqual(table);
  const narrow = (columns: number): string[] => statusTable(statusesOf(all), { ...drawing, columns });
  expectGolden('status/table-narrow.txt', `${narrow(80).join('\n')}\n`);
  for (const columns of [1, 20, 80, room - 1]) {
    const lines = narrow(columns);
    expect(lines.join('')).not.toMatch(/[\u0000-\u001f\u202e]/);
    const rows = lines.filter((line) => !line.startsWith('  '));
    expect(rows).toHaveLength(6);
    expect(Math.max(...rows.map((line) => line.length))).toBeLessThanOrEqual(Math.max(1, columns - 1));
    // Commands to copy are never cut, however narrow the terminal.
    expect(lines).toContain(`  ${(asking['status'] as { message: string }).message}`);
  }
});

test('one target as a tree', () => {
  const all = statusObjects({
    targets: [target('web', { updatedReplicas: 2, readyReplicas: 2 }, { minReadySeconds: 10 })],
    plans: [asking],
    pods: [
      pod('web-a', 'new', ready),
      pod('web-b', 'web-old', ready),
      pod('web-c', 'new', {
        containerStatuses: [
          { name: 'nginx', restartCount: 3, state: { waiting: { reason: 'CrashLoopBackOff' } } },
        ],
      }),
      pod('web-d', 'stray', {}, { deletionTimestamp: ago(1) }),
      pod('web-e', hostile, { conditions: [{ type: 'Ready', status: 'False', message: hostile }] }),
      pod('web-f', 'new', {
        conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: ago(5) }],
      }),
      pod('other', 'new', ready, { ownerReferences: [] }),
    ],
    events: ['first', hostile].map((message, index) => ({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: `e${index}`, namespace: 'shop' },
      involvedObject: { kind: 'CloneSet', name: 'web', namespace: 'shop' },
      reason: 'Held',
      message,
      count: index + 1,
      lastTimestamp: ago(600 - index * 300),
    })),
  });
  const [status] = statusesOf(all);
  if (status === undefined) throw new Error('there is one');
  const tree = statusTree(status, all, { paint: plain, now: NOW, columns: undefined });
  expectGolden('status/tree.txt', `${tree.join('\n')}\n`);
  expect(tree.join('')).not.toMatch(/[\u0000-\u001f\u202e]/);
});

test('the step in progress with the remaining time, and an early approval', () => {
  const at = (seconds: number): string => ago(-seconds);
  const soaking: RolloutPlanStatus = {
    phase: 'Soaking',
    step: 'soak-1',
    approved: ['approve-1', 'approve-2'],
    until: at(420),
    deadline: at(3000),
  };
  const all = statusObjects({ targets: [target('web')], plans: [plan('web', soaking)] });
  const [status] = statusesOf(all);
  if (status === undefined) throw new Error('there is one');
  const tree = statusTree(status, all, { paint: plain, now: NOW, columns: undefined });
  expect(tree.slice(4)).toEqual([
    '  done     batch-1    update to 5%, at least 1, at most 1 unavailable, at most 10% extra',
    '  done     approve-1  wait for approval, within 1h',
    '  now      soak-1     soak for 10m (7m left, fails in 50m unless done)',
    '  to come  check-1    check errors for 2m',
    '  to come  approve-2  wait for approval, approved in advance',
    '  to come  batch-2    update to 100%',
  ]);
});

test('a step with a deadline shows in its row when it fails', () => {
  const message =
    'waits for pods: 0 of 1 are updated and available (web-a: nginx: CrashLoopBackOff, 4 restarts)';
  const status: RolloutPlanStatus = { phase: 'Running', waitingOn: 'Pods', message, deadline: ago(-480) };
  const statuses = statusesOf(statusObjects({ targets: [target('web')], plans: [plan('web', status)] }));
  for (const columns of [undefined, 80])
    expect(statusTable(statuses, { paint: plain, now: NOW, columns }).join('\n')).toContain(
      `${message}; fails in 8m`,
    );
});

const lost = (name: string): KubeObject =>
  pod(name, 'new', {
    conditions: [
      {
        type: 'PodScheduled',
        status: 'False',
        reason: 'Unschedulable',
        message: '0/3 nodes are available: 3 Insufficient cpu.',
      },
    ],
  });
const waiting = (reason: string): object => ({
  containerStatuses: [{ name: 'nginx', restartCount: 0, state: { waiting: { reason } } }],
});
const FITS = '0/3 nodes are available: 3 Insufficient cpu';
const late = {
  type: 'FailedScale',
  status: 'True',
  reason: '',
  message: 'a pod waits for web-b to go',
  lastTransitionTime: '2026-01-01T00:00:00Z',
};
const behind = { updatedReplicas: 1, updatedAvailableReplicas: 1 };
const unplaced = { ...lost('web-a'), spec: { containers: [] } };
test.each<[string, Partial<StatusObjects>, string, string]>([
  [
    'a pod that fits nowhere',
    { targets: [target('web', behind)], pods: [unplaced] },
    'Unschedulable',
    `pod web-a cannot be scheduled: ${FITS}`,
  ],
  [
    'several, and one that crashes',
    {
      targets: [target('web', behind)],
      pods: [
        pod('web-0', 'new', waiting('CrashLoopBackOff')),
        { ...lost('web-b'), spec: { containers: [] } },
        unplaced,
      ],
    },
    'Unschedulable',
    `pod web-a and 1 more cannot be scheduled: ${FITS}`,
  ],
  [
    'pods that do not run',
    {
      targets: [target('web', behind)],
      pods: ['web-b', 'web-a'].map((name) => pod(name, 'new', waiting('ImagePullBackOff'))),
    },
    'Pods',
    'pod web-a and 1 more do not run: nginx: ImagePullBackOff',
  ],
  [
    'pods that start, or go',
    {
      targets: [target('web', behind)],
      pods: [
        pod('web-a', 'new', waiting('ContainerCreating')),
        pod('web-b', 'new', waiting('CrashLoopBackOff'), { deletionTimestamp: ago(1) }),
      ],
    },
    '',
    '',
  ],
  [
    'paused, and a pod that crashes',
    {
      targets: [target('web', behind, { updateStrategy: { rollingUpdate: { paused: true } } })],
      pods: [pod('web-a', 'new', waiting('CrashLoopBackOff'))],
    },
    'Pods',
    'pod web-a does not run: nginx: CrashLoopBackOff; paused is true in its manifest: 3 of 4 pods are not updated; set it to false in git',
  ],
  [
    'OnDelete',
    { targets: [target('web', behind, { updateStrategy: { type: 'OnDelete' } })] },
    'OnDelete',
    'its strategy is OnDelete: 3 of 4 pods are updated when you delete them, kubectl delete pod -n shop NAME',
  ],
  [
    'the partition is reached',
    {
      targets: [
        target(
          'web',
          { ...behind, expectedUpdatedReplicas: 1 },
          { updateStrategy: { rollingUpdate: { partition: 3 } } },
        ),
      ],
    },
    'Bound',
    'its partition retains 3 of 4 pods on the old revision; lower it in git to continue',
  ],
  [
    'a pod that cannot be created',
    { targets: [target('web', { ...behind, conditions: [late] })] },
    'FailedScale',
    'a pod waits for web-b to go',
  ],
  ['on its way', { targets: [target('web', behind)] }, '', ''],
  [
    'an older generation',
    { targets: [target('web', { ...behind, observedGeneration: 1 })], pods: [unplaced] },
    '',
    '',
  ],
  [
    'a plan has its own words',
    { targets: [target('web', behind)], plans: [running], pods: [unplaced] },
    '',
    '',
  ],
  [
    'a hold has its own words',
    { targets: [target('web', { ...behind, ...held('NoPlan', 'no plan') })], pods: [unplaced] },
    'NoPlan',
    'no plan',
  ],
])('why a target makes no progress: %s', (_what, parts, waitingOn, message) => {
  expect(statusesOf(statusObjects(parts))).toMatchObject([{ waitingOn, message }]);
});

test.each([
  [-5, '0s'],
  [119, '119s'],
  [120, '2m'],
  [7_199, '119m'],
  [7_200, '2h'],
  [172_800, '2d'],
])('%d seconds are shown as %s', (seconds, text) => {
  expect(ageOf(ago(seconds), NOW)).toBe(text);
});
