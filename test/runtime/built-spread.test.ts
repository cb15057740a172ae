import { createVirtualClock, createWorld } from 'kruise-sandbox';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments, stringify } from 'yaml';
import { createRuntime } from '../../runtime/runtime.ts';
import { crds } from '../../schemas/generated/crds.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { withGate } from '../../compiler/load/gates.ts';
import { canonicalJson } from '../../semantics/values/canonical-json.ts';
import { listOf, objectOf, textOf } from '../../semantics/values/read.ts';
import { sampled } from '../lanes.ts';
import { kruise } from '../compiler/world/manifests.ts';

/*
 * Plays a WorkloadSpread of one subset twice: under the runtime, and in the template that `kruise build` writes, under the controllers of
 * Kubernetes. Pods must be alike, before and after an update and a scale-out.
 */

const SECOND = 1_000;
const SHOP = 'shop';

function requiring(key: string, value: string): JsonObject {
  return { matchExpressions: [{ key, operator: 'In', values: [value] }] };
}

const pods = (restartPolicy: string): JsonObject => ({
  metadata: { labels: { app: 'web' }, annotations: { note: 'own' } },
  spec: {
    restartPolicy,
    tolerations: [{ key: 'own', operator: 'Exists' }],
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [requiring('arch', 'arm64')] },
      },
    },
    containers: [{ name: 'web', image: 'web:1' }],
  },
});
const labelled: JsonObject = { metadata: { labels: { place: 'a' }, annotations: { note: 'a' } } };
const whole: JsonObject = {
  ...labelled,
  spec: {
    terminationGracePeriodSeconds: 7,
    containers: [
      { name: 'web', env: [{ name: 'ZONE', value: 'a' }] },
      { name: 'log', image: 'log:1' },
    ],
  },
};
const subset: JsonObject = {
  name: 'a',
  requiredNodeSelector: requiring('zone', 'a'),
  preferredNodeSelector: [{ weight: 3, preference: requiring('disk', 'ssd') }],
  tolerations: [{ key: 'zone', operator: 'Equal', value: 'a', effect: 'NoSchedule' }],
};
const selector = { matchLabels: { app: 'web' } };
const inPlaces = { rollingUpdate: { podUpdatePolicy: 'ReCreate' } };

const ways: [way: string, apiVersion: string, spec: JsonObject, more: JsonObject, strategy: JsonObject][] = [
  [
    'Deployment',
    'apps/v1',
    { replicas: 3, selector, template: pods('Always') },
    { patch: labelled },
    { type: 'Adaptive', adaptive: { rescheduleCriticalSeconds: 20 } },
  ],
  ['ReplicaSet', 'apps/v1', { replicas: 2, selector, template: pods('Always') }, {}, { type: 'Fixed' }],
  ['Job', 'batch/v1', { parallelism: 2, completions: 2, template: pods('Never') }, { patch: labelled }, {}],
  [
    'CloneSet',
    'apps.kruise.io/v1beta1',
    { replicas: 3, selector, template: pods('Always'), updateStrategy: inPlaces },
    { patch: whole },
    {},
  ],
  [
    'StatefulSet',
    'apps.kruise.io/v1beta1',
    { replicas: 2, selector, template: pods('Always'), updateStrategy: inPlaces },
    { patch: whole },
    { type: 'Adaptive' },
  ],
];

/** The pods after each change. */
async function play(objects: readonly KubeObject[], isNative: boolean): Promise<string[][]> {
  const clock = createVirtualClock(Date.UTC(2026, 0, 1));
  const namespaces = ['default', 'kruise-system', SHOP];
  const world = createWorld({
    clock,
    namespaces,
    nodes: 1,
    crds: [...crds],
    workloads: true,
    bootstrapped: true,
  });
  for (const zone of ['a', 'b']) world.nodes.add(`node-${zone}`, { labels: { zone, arch: 'arm64' } });
  const cluster = world.cluster('kruise');
  const runtime = createRuntime({ cluster, clock, policy: 'Auto', onError: () => {} });
  if (!isNative) runtime.start();
  await clock.advance(30 * SECOND);
  const user = world.cluster('user');
  const found: string[][] = [];
  const settle = async (): Promise<void> => {
    await clock.advance(200 * SECOND);
    const { items } = await user.list(resources.Pod, { namespace: SHOP });
    found.push(items.map((pod) => canonicalJson(shape(pod))).sort());
  };
  const resourceOf = ({ apiVersion, kind }: KubeObject) => {
    const [group = '', version = ''] = apiVersion.split('/');
    return { group, version, kind, plural: `${kind.toLowerCase()}s`, namespaced: true };
  };
  for (const object of objects) await user.create(resourceOf(object), object);
  await settle();
  const owner = objects.find(({ kind }) => kind !== 'WorkloadSpread') ?? expect.unreachable();
  const { template, replicas } = objectOf(owner['spec']);
  if (typeof replicas === 'number') {
    const at = { namespace: SHOP, name: owner.metadata.name };
    const text = JSON.stringify(template).replaceAll('web:1', 'web:2');
    const change = (spec: JsonObject) => user.patch(resourceOf(owner), at, { type: 'merge', body: { spec } });
    await change({ template: JSON.parse(text) as JsonObject });
    await settle();
    await change({ replicas: replicas + 1 });
    await settle();
  }
  await Promise.all([isNative ? undefined : runtime.stop(), clock.settle()]);
  world.stop();
  return found;
}

/** What must be alike. */
function shape({ metadata, spec, status }: KubeObject): JsonObject {
  const { affinity, tolerations, containers, nodeName, terminationGracePeriodSeconds } = objectOf(spec);
  return {
    place: metadata.labels?.['place'] ?? '',
    note: metadata.annotations?.['note'] ?? '',
    node: nodeName ?? '',
    phase: objectOf(status)['phase'] ?? '',
    grace: terminationGracePeriodSeconds ?? '',
    affinity: affinity ?? {},
    tolerations: listOf(tolerations).filter(({ key }) => !textOf(key).startsWith('node.kubernetes.io/')),
    containers: listOf(containers).map(({ name, image, env, imagePullPolicy }) => ({
      name: name ?? '',
      image: image ?? '',
      env: listOf(env),
      imagePullPolicy: imagePullPolicy ?? '',
    })),
  };
}

describe('a WorkloadSpread of one subset under the runtime, and in a template, give the same pods', () => {
  test.each(sampled('spreads in templates', ways, 2))(
    'of a %s',
    async (kind, apiVersion, spec, more, scheduleStrategy) => {
      const metadata = { name: 'web', namespace: SHOP };
      const owner: KubeObject = { apiVersion, kind, metadata, spec };
      const spread: KubeObject = {
        apiVersion: 'apps.kruise.io/v1beta1',
        kind: 'WorkloadSpread',
        metadata,
        spec: {
          targetRef: { apiVersion, kind, name: 'web' },
          subsets: [{ ...subset, ...more }],
          ...(Object.keys(scheduleStrategy).length > 0 && { scheduleStrategy }),
        },
      };
      const files = { 'apps/a.yaml': [owner, spread].map((each) => stringify(each)).join('---\n') };
      // A StatefulSet of Kubernetes has none of its limits.
      const config = { 'apps/kruise.yaml': 'build: [{match: {}, as: Kubernetes}]\n' };
      const { host, code } = await kruise({ ...files, ...config }, { args: ['build', 'apps'] });
      expect(code, host.err).toBe(0);
      expect(host.err).toContain(`WorkloadSpread shop/web is in the template of ${kind} shop/web, exact`);
      const built = parseAllDocuments(host.out).flatMap((each) => {
        const object = each.toJS() as KubeObject | null;
        return object === null ? [] : [object];
      });
      expect(built).toHaveLength(1);
      const isGated = !apiVersion.startsWith('apps.kruise.io');
      const gated = isGated
        ? (withGate(owner as JsonObject, 'kruise.io/workloadspread') as KubeObject)
        : owner;
      const ours = await play([spread, gated], false);
      expect(ours[0]?.length).toBeGreaterThan(1);
      expect(
        ours.flat().every((pod) => pod.includes('"node":"node-a"')),
        ours[0]?.[0],
      ).toBe(true);
      expect(await play(built, true)).toEqual(ours);
    },
  );
});
