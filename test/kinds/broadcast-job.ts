import type { JsonObject } from '../../schemas/wire/json.ts';
import type { Expected, Parts } from './expected.ts';

const job = {
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'BroadcastJob',
  metadata: { name: 'fix', namespace: 'shop' },
  spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'fix:1' }] } } },
};

const over = { phase: 'completed', desired: 40, active: 0, succeeded: 40, failed: 0 };
const on = (succeeded: number, active: number, failed = 0): JsonObject => ({
  ...{ phase: 'running', desired: 40 },
  ...{ succeeded, active, failed },
});
const failed = {
  type: 'Failed',
  status: 'True',
  reason: 'Failed',
  message: 'Job was active longer than specified deadline',
};
const ended: Parts = { status: { ...on(3, 0, 2), phase: 'failed', conditions: [failed] } };
const paused: Parts = { spec: { paused: true }, status: { ...on(3, 2), phase: 'paused' } };

/** It runs once on each node that fits (OpenKruise broadcastjob, sections 3 and 6), and its status has no generation. */
export const broadcastJobs: Expected = {
  target: ({ spec, status } = {}) => ({
    ...job,
    metadata: { ...job.metadata, uid: 'of-fix', generation: 2, creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: { ...job.spec, ...spec },
    status: { ...over, ...status },
  }),
  shown: {
    complete: {
      verdict: 'done',
      columns: ['40/40', ''],
      counts: '40/40 succeeded, 0 active, 0 failed',
      waitingOn: '',
      message: '',
    },
    'on its way': {
      status: on(3, 2),
      verdict: 'underway',
      columns: ['3/40', ''],
      counts: '3/40 succeeded, 2 active, 0 failed',
      waitingOn: '',
      message: '',
    },
    'it has failed': {
      ...ended,
      verdict: 'failed',
      columns: ['3/40', ''],
      counts: '3/40 succeeded, 0 active, 2 failed',
      waitingOn: 'Failed',
      message: failed.message,
    },
    paused: {
      ...paused,
      verdict: 'underway',
      columns: ['3/40', ''],
      counts: '3/40 succeeded, 2 active, 0 failed',
      waitingOn: 'TargetPaused',
      message: 'paused is true in its manifest: it starts on no further node; set it to false in git',
    },
  },
  breakGlass: {
    'it has not started': { status: on(0, 0), now: 'it starts on 40 nodes now' },
    'one node is left': { status: on(37, 2), now: 'it starts on 1 node now' },
    'so many nodes at a time': {
      spec: { parallelism: '25%' },
      status: on(3, 2),
      now: 'it starts on 35 nodes from now on, at most 10 at a time',
    },
    'it runs everywhere': { status: on(38, 2), now: 'it starts on no node now' },
    complete: { now: 'it starts on no node now' },
    'it has failed': { ...ended, now: 'it starts on no node now' },
    'a pod has failed, which ends it': {
      status: on(3, 2, 1),
      now: 'it fails now, because a pod of it has failed: its 2 active pods are deleted',
    },
    'a pod has failed, which pauses it': {
      spec: { failurePolicy: { type: 'Pause' } },
      status: on(3, 2, 1),
      now: 'it starts on no node while there is a failed pod of it',
    },
    'a pod has failed, and it goes on': {
      spec: { failurePolicy: { type: 'Continue' } },
      status: on(3, 2, 1),
      now: 'it starts on 34 nodes now',
    },
    paused: { ...paused, now: 'it starts on 35 nodes once paused is false in its manifest' },
    'nodes were never counted': {
      status: { desired: null, active: null, succeeded: null, failed: null, phase: null },
      now: 'the number of nodes that it starts on is unknown',
    },
  },
  failures: [{ condition: failed, parts: { status: on(3, 2) }, waitingOn: 'Failed' }],
  unobserved: [{}],
  shadow: [
    {
      theirs: on(3, 2),
      ours: on(9, 1, 1),
      differences: [
        'status.active is 2; expected: 1',
        'status.succeeded is 3; expected: 9',
        'status.failed is 0; expected: 1',
      ],
    },
    {
      theirs: { ...on(3, 2), desired: 39 },
      ours: { ...on(3, 2), phase: 'paused' },
      differences: ['status.phase is running; expected: paused', 'status.desired is 39; expected: 40'],
    },
    { theirs: { ...over, startTime: '2026-01-01T00:00:00Z' }, ours: over, differences: [] },
  ],
  refused: {
    'a new pod': {
      objects: [{ plural: 'broadcastjobs', object: job }],
      of: { verb: 'create', plural: 'pods' },
      conditions: ['plan.kruise.io/Held'],
    },
  },
};
