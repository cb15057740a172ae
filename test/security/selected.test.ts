import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { expect, test } from 'vitest';
import { RUNTIME, shippedWorld } from './shipped.ts';

const { world, replaces } = shippedWorld();
const READY = { type: 'Ready', status: 'False' };
const MARK = [{ name: 'IS_INJECTED', value: 'true' }];

/** A pod of nobody, into which the set `log` has put a container and an init container. */
interface Parts {
  app?: string;
  sidecar?: string;
  init?: string;
  annotations?: Record<string, string | undefined>;
  spec?: object;
}
function pod({
  app = 'web:1',
  sidecar = 'log:1',
  init = 'log:1',
  annotations = {},
  spec = {},
}: Parts = {}): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'web',
      namespace: 'shop',
      annotations: { own: '1', 'kruise.io/sidecarset-injected-list': 'log', ...annotations },
    },
    spec: {
      containers: [
        { name: 'web', image: app },
        { name: 'log', image: sidecar, env: MARK },
      ],
      initContainers: [{ name: 'log-init', image: init, restartPolicy: 'Always', env: MARK }],
      ...spec,
    },
  };
}
const stored = world.server.create('admin', resources.Pod, pod());
const uid = stored.metadata.uid ?? '';
world.server.replace(
  'kubelet',
  resources.Pod,
  { ...stored, status: { phase: 'Running', conditions: [READY] } },
  { subresource: 'status' },
);

const none =
  'refused: system:serviceaccount:kruise-system:kruise-runtime may write only objects that a workload of apps.kruise.io controls, and web is none';

/** What the server would store: its own defaults stay. */
function changed(parts: Parts): object {
  const wanted = pod(parts);
  const current = world.server.get('admin', resources.Pod, { namespace: 'shop', name: 'web' });
  const images = (list: unknown, own: unknown): object[] =>
    (list as { image: string }[]).map((each, at) => ({
      ...each,
      image: (own as { image: string }[])[at]?.image,
    }));
  const [spec, own] = [current['spec'] as Record<string, unknown>, wanted['spec'] as Record<string, unknown>];
  return {
    ...current,
    metadata: { ...current.metadata, annotations: wanted.metadata.annotations, uid },
    spec: {
      ...spec,
      ...parts.spec,
      containers: images(spec['containers'], own['containers']),
      initContainers: images(spec['initContainers'], own['initContainers']),
    },
  };
}

test.each([
  ['the image of the sidecar', { sidecar: 'log:2' }, 'allowed'],
  ['the image of the init container of the set', { init: 'log:2' }, 'allowed'],
  [
    'the image and the records',
    {
      sidecar: 'log:2',
      annotations: {
        'kruise.io/sidecarset-hash': '{}',
        'kruise.io/sidecarset-inplace-update-state': '{}',
        'version.sidecarset.kruise.io/log-1': '2',
      },
    },
    'allowed',
  ],
  ['the image of the application', { app: 'evil:1' }, none],
  ['both images', { app: 'evil:1', sidecar: 'log:2' }, none],
  ['another annotation', { annotations: { own: '2' } }, none],
  ['a new annotation', { annotations: { 'iam.example/role': 'admin' } }, none],
  ['an annotation away', { annotations: { own: undefined } }, none],
  ['the deadline of the pod', { spec: { activeDeadlineSeconds: 1 } }, none],
])('in an injected pod of nobody the stolen token changes %s', (_what, parts, expected) => {
  expect(replaces(RUNTIME, resources.Pod, changed(parts))).toBe(expected);
});

const upgradable = { type: 'SidecarSetUpgradable', status: 'True' };
test.each([
  ['the condition of its sets', { phase: 'Running', conditions: [READY, upgradable] }, 'allowed'],
  ['that it is ready', { phase: 'Running', conditions: [{ ...READY, status: 'True' }] }, none],
  ['that a condition is gone', { phase: 'Running', conditions: [] }, none],
  ['that it has failed', { phase: 'Failed', conditions: [READY] }, none],
  ['its address', { phase: 'Running', conditions: [READY], podIP: '10.0.0.1' }, none],
])('in its status the stolen token says %s', (_what, status, expected) => {
  const current = world.server.get('admin', resources.Pod, { namespace: 'shop', name: 'web' });
  const said = { ...(current['status'] as object), ...status };
  expect(replaces(RUNTIME, resources.Pod, { ...current, status: said }, 'status')).toBe(expected);
});
