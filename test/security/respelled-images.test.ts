import { expect, test } from 'vitest';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { RUNTIME, shippedWorld } from './shipped.ts';

const { world, replaces } = shippedWorld();
const DIGEST = `sha256:${'a'.repeat(64)}`;
const OTHER = `sha256:${'b'.repeat(64)}`;
const RECORD = 'plan.kruise.io/recreated-containers';

const none =
  'refused: system:serviceaccount:kruise-system:kruise-runtime may write only objects that a workload of apps.kruise.io controls, and web is none';

const stored = world.server.create('admin', resources.Pod, {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'shop', labels: { app: 'web' }, annotations: { own: '1' } },
  spec: {
    containers: [
      { name: 'web', image: 'web:1' },
      { name: 'log', image: 'log:1' },
    ],
    initContainers: [{ name: 'first', image: 'web:1' }],
  },
});
const statusOf = (name: string, imageID: string): object => ({
  ...{ name, image: `${name}:1`, imageID, ready: true, restartCount: 0, state: {} },
});
world.server.replace(
  'kubelet',
  resources.Pod,
  {
    ...stored,
    status: {
      phase: 'Running',
      containerStatuses: [statusOf('web', `docker.io/library/web@${DIGEST}`), statusOf('log', 'log:1')],
      initContainerStatuses: [statusOf('first', `docker.io/library/web@${DIGEST}`)],
    },
  },
  { subresource: 'status' },
);

interface Change {
  web?: string;
  log?: string;
  first?: string;
  metadata?: object;
  spec?: object;
}
const pod = (): KubeObject => world.server.get('admin', resources.Pod, { namespace: 'shop', name: 'web' });

/** What the server would store: its own defaults stay. */
function changed({ metadata = {}, spec = {}, ...images }: Change): object {
  const current = pod();
  const own = current['spec'] as Record<string, { name: string }[]>;
  const named = (list: readonly { name: string }[] = []): object[] =>
    list.map((each) => {
      const image = (images as Readonly<Record<string, string>>)[each.name];
      return { ...each, ...(image !== undefined && { image }) };
    });
  const lists = { containers: named(own['containers']), initContainers: named(own['initContainers']) };
  return {
    ...current,
    metadata: { ...current.metadata, ...metadata },
    spec: { ...own, ...lists, ...spec },
  };
}
const record = { annotations: { own: '1', [RECORD]: '{}' } };

test.each<[string, Change, string]>([
  ['the digest that the node reports', { web: `web:1@${DIGEST}` }, 'allowed'],
  ['the same, with its record', { web: `web:1@${DIGEST}`, metadata: record }, 'allowed'],
  ['the record alone', { metadata: record }, 'allowed'],
  ['another digest', { web: `web:1@${OTHER}` }, none],
  ['the digest in the middle', { web: `web:1@${DIGEST}0` }, none],
  ['another tag', { web: 'web:2' }, none],
  ['an image without a tag', { web: 'web' }, none],
  ['the digest of another container', { log: `log:1@${DIGEST}` }, none],
  ['the image that the node reports, without a digest', { log: 'docker.io/library/log:1' }, none],
  ['both, of which one is known', { web: `web:1@${DIGEST}`, log: 'log:2' }, none],
  ['that of an init container', { first: `web:1@${DIGEST}` }, none],
  ['a label with it', { web: `web:1@${DIGEST}`, metadata: { labels: { app: 'other' } } }, none],
  ['another annotation with it', { web: `web:1@${DIGEST}`, metadata: { annotations: { own: '2' } } }, none],
  ['a finalizer with it', { web: `web:1@${DIGEST}`, metadata: { finalizers: ['example.com/a'] } }, none],
  ['the deadline of the pod with it', { web: `web:1@${DIGEST}`, spec: { activeDeadlineSeconds: 1 } }, none],
])('in a pod of nobody the stolen token writes as image: %s', (_what, change, expected) => {
  expect(replaces(RUNTIME, resources.Pod, changed(change))).toBe(expected);
});

/** A pod of nobody that waits with the gate by which a request takes it out of traffic, and one without it. */
const condition = (type: string, status: string, more: object = {}): object => ({ type, status, ...more });
const CONDITIONS = [
  condition('Ready', 'True'),
  condition('KruisePodReady', 'True'),
  condition('Other', 'True'),
];
for (const [name, gates] of [
  ['gated', [{ conditionType: 'KruisePodReady' }]],
  ['plain', []],
] as const) {
  const made = world.server.create('admin', resources.Pod, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'shop' },
    spec: { containers: [{ name: 'web', image: 'web:1' }], readinessGates: gates },
  });
  const status = { phase: 'Running', conditions: CONDITIONS, containerStatuses: [statusOf('web', 'web:1')] };
  world.server.replace('kubelet', resources.Pod, { ...made, status }, { subresource: 'status' });
}
const ended = [condition('Ready', 'False'), condition('KruisePodReady', 'False'), condition('Other', 'True')];

test.each<[what: string, pod: string, status: object, metadata: object, isAllowed: boolean]>([
  ['its gate and Ready as ended', 'gated', { conditions: ended }, {}, true],
  [
    'its gate alone',
    'gated',
    { conditions: CONDITIONS.with(1, condition('KruisePodReady', 'False')) },
    {},
    true,
  ],
  [
    'its gate as open',
    'gated',
    { conditions: CONDITIONS.with(1, condition('KruisePodReady', 'True', { reason: 'x' })) },
    {},
    true,
  ],
  [
    'another time of Ready',
    'gated',
    { conditions: CONDITIONS.with(0, condition('Ready', 'True', { reason: 'x' })) },
    {},
    false,
  ],
  ['another condition', 'gated', { conditions: CONDITIONS.with(2, condition('Other', 'False')) }, {}, false],
  ['one condition less', 'gated', { conditions: CONDITIONS.slice(0, 2) }, {}, false],
  ['another phase', 'gated', { phase: 'Failed', conditions: ended }, {}, false],
  ['what a container runs', 'gated', { containerStatuses: [statusOf('web', `web@${OTHER}`)] }, {}, false],
  ['an address', 'gated', { podIP: '10.0.0.1', conditions: ended }, {}, false],
  ['a record with it', 'gated', { conditions: ended }, { annotations: { [RECORD]: '{}' } }, false],
  ['a label with it', 'gated', { conditions: ended }, { labels: { app: 'x' } }, false],
  ['the gate of a pod without it', 'plain', { conditions: ended }, {}, false],
])('of a pod of nobody the stolen token reports: %s', (_what, name, status, metadata, isAllowed) => {
  const current = world.server.get('admin', resources.Pod, { namespace: 'shop', name });
  const reported = {
    ...current,
    metadata: { ...current.metadata, ...metadata },
    status: { ...(current['status'] as object), ...status },
  };
  const answer = replaces(RUNTIME, resources.Pod, reported, 'status');
  expect(answer).toBe(isAllowed ? 'allowed' : none.replace('and web is none', `and ${name} is none`));
});
