import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { RUNTIME, shipped, type ShippedWorld, shippedWorld } from './shipped.ts';

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
/** The pod as it runs; returns its uid. */
function runs({ server }: ShippedWorld['world']): string {
  const stored = server.create('admin', resources.Pod, pod());
  const status = { phase: 'Running', conditions: [READY] };
  server.replace('kubelet', resources.Pod, { ...stored, status }, { subresource: 'status' });
  return stored.metadata.uid ?? '';
}
runs(world);

const none =
  'refused: system:serviceaccount:kruise-system:kruise-runtime may write only objects that a workload of apps.kruise.io controls, and web is none';

/** What the server would store: its own defaults stay. */
function changed(parts: Parts, { server } = world): object {
  const wanted = pod(parts);
  const current = server.get('admin', resources.Pod, { namespace: 'shop', name: 'web' });
  const images = (list: unknown, own: unknown): object[] =>
    (list as { image: string }[]).map((each, at) => ({
      ...each,
      image: (own as { image: string }[])[at]?.image,
    }));
  const [spec, own] = [current['spec'] as Record<string, unknown>, wanted['spec'] as Record<string, unknown>];
  return {
    ...current,
    metadata: { ...current.metadata, annotations: wanted.metadata.annotations },
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

/** The patch of the page about the keys that a set may write into running pods. */
function pagePatch(): { path: string; value: string }[] {
  const page = readFileSync('docs/install.md', 'utf8');
  const [, block = ''] = /```yaml\n(patches:\n[^`]*runtime-objects[^`]*)```/.exec(page) ?? [];
  const [{ patch }] = (parse(block) as { patches: [{ patch: string }] }).patches;
  return parse(patch) as { path: string; value: string }[];
}

/** The policies as they are shipped, with this patch. */
const patchedWith = (operations: readonly { path: string; value: string }[]): KubeObject[] =>
  shipped('rbac', 'policy').map((object) => {
    if (object.kind !== 'ValidatingAdmissionPolicy' || !object.metadata.name.startsWith('runtime-objects'))
      return object;
    const copy = structuredClone(object);
    for (const { path, value } of operations) {
      const [field = '', at = '', key = ''] = path.split('/').slice(2);
      const entry = (copy['spec'] as Record<string, Record<string, string>[]>)[field]?.[Number(at)] ?? {};
      if (key === 'name') expect(entry[key]).toBe(value);
      entry[key] = value;
    }
    return copy;
  });

test.each([
  ['a key that is listed, as the page tells', 'example.com/scrape', 'allowed'],
  ['a key that is not', 'iam.example/role', none],
])('by patchPodMetadata of a set the runtime writes into a running pod %s', (_what, key, expected) => {
  const listed = shippedWorld(patchedWith(pagePatch()));
  runs(listed.world);
  const parts = { sidecar: 'log:2', annotations: { [key]: 'yes' } };
  expect(listed.replaces(RUNTIME, resources.Pod, changed(parts, listed.world))).toBe(expected);
  expect(replaces(RUNTIME, resources.Pod, changed(parts))).toBe(none);
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
