import type { JsonObject } from '../../schemas/wire/json.ts';
import type { Expected, Parts, Shown } from './expected.ts';

const template = (image: string): JsonObject => ({
  metadata: { labels: { app: 'log' } },
  spec: { containers: [{ name: 'main', image }] },
});

const agent = {
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'DaemonSet',
  metadata: { name: 'log', namespace: 'shop' },
  spec: {
    selector: { matchLabels: { app: 'log' } },
    updateStrategy: { rollingUpdate: { rollingUpdateType: 'InPlaceIfPossible' } },
    template: template('log:1'),
  },
};

const complete = {
  observedGeneration: 2,
  desiredNumberScheduled: 10,
  currentNumberScheduled: 10,
  numberMisscheduled: 0,
  numberReady: 10,
  numberAvailable: 10,
  numberUnavailable: 0,
  updatedNumberScheduled: 10,
  updateRevision: '7d9c',
};

const updated = (count: number): JsonObject => ({ updatedNumberScheduled: count });
const rolling = (fields: JsonObject): JsonObject => ({ updateStrategy: { rollingUpdate: fields } });
const onDelete = { updateStrategy: { type: 'OnDelete' } };
const nothing = { waitingOn: '', message: '' };

/** What is shown of so many updated nodes of ten, all of them ready. */
function tenNodes(count: number): Pick<Shown, 'columns' | 'counts'> {
  return { columns: [`${count}/10`, '10/10'], counts: `${count}/10 updated, 10/10 ready` };
}

/** Of ten nodes 75% are 7, as the percentage rounds down (OpenKruise advanced-daemonset, rule 6.4). */
const reached: Parts = { spec: rolling({ partition: '75%' }), status: updated(3) };

/** It has a pod on each node that fits, and its status counts nodes (OpenKruise advanced-daemonset, section 3). */
export const daemonSets: Expected = {
  target: ({ spec, status } = {}) => ({
    ...agent,
    metadata: { ...agent.metadata, uid: 'of-log', generation: 2, creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: { ...agent.spec, ...spec },
    status: { ...complete, ...status },
  }),
  shown: {
    complete: { verdict: 'done', ...tenNodes(10), ...nothing },
    'updated as far as its partition allows': {
      ...reached,
      verdict: 'done',
      ...tenNodes(3),
      waitingOn: 'Bound',
      message: 'its partition retains 7 of 10 nodes on the old revision; lower it in git to continue',
    },
    'on its way': { status: updated(3), verdict: 'underway', ...tenNodes(3), ...nothing },
    'a node is not available': {
      status: { numberReady: 9, numberAvailable: 9 },
      verdict: 'underway',
      columns: ['10/10', '9/10'],
      counts: '10/10 updated, 9/10 ready',
      ...nothing,
    },
    paused: {
      spec: rolling({ paused: true }),
      status: updated(3),
      verdict: 'underway',
      ...tenNodes(3),
      waitingOn: 'TargetPaused',
      message: 'paused is true in its manifest: 7 of 10 nodes are not updated; set it to false in git',
    },
    'updated by a user': {
      spec: onDelete,
      status: updated(3),
      verdict: 'underway',
      ...tenNodes(3),
      waitingOn: 'OnDelete',
      message:
        'its strategy is OnDelete: 7 of 10 nodes are updated when you delete them, kubectl delete pod -n shop NAME',
    },
    'not observed': {
      status: { observedGeneration: 1 },
      verdict: 'underway',
      ...tenNodes(10),
      ...nothing,
    },
  },
  breakGlass: {
    'no node has the change': { status: updated(0), now: '10 nodes are updated now' },
    'one node has not': { status: updated(9), now: '1 node is updated now' },
    complete: { now: 'no node is updated now' },
    'its partition is reached': { ...reached, now: 'no node is updated now' },
    'only some nodes are selected': {
      spec: rolling({ selector: { matchLabels: { pool: 'canary' } } }),
      status: updated(3),
      now: 'of 7 nodes those are updated now that its selector selects',
    },
    paused: {
      spec: rolling({ paused: true }),
      status: updated(3),
      now: '7 nodes are updated once paused is false in its manifest',
    },
    'updated by a user': {
      spec: onDelete,
      status: updated(3),
      now: '7 nodes are updated when users delete them',
    },
    'not observed': { status: { observedGeneration: 1 }, now: 'the number of nodes to update is unknown' },
  },
  failures: [],
  unobserved: [{}, { observedGeneration: 1 }],
  shadow: [
    {
      theirs: { ...complete, updatedNumberScheduled: 3 },
      ours: { ...complete, updatedNumberScheduled: 9, numberAvailable: 8 },
      differences: [
        'status.numberAvailable is 10; expected: 8',
        'status.updatedNumberScheduled is 3; expected: 9',
      ],
    },
    { theirs: complete, ours: { ...complete, observedGeneration: 3, numberUnavailable: 1 }, differences: [] },
  ],
  refused: {
    'a new pod': {
      objects: [{ plural: 'daemonsets', object: agent }],
      of: { verb: 'create', plural: 'pods' },
      conditions: ['plan.kruise.io/Held'],
    },
    'an update in place': {
      objects: [{ plural: 'daemonsets', object: agent }],
      change: { template: template('log:2') },
      of: { verb: 'patch', plural: 'pods' },
      conditions: ['plan.kruise.io/Held'],
    },
  },
};
