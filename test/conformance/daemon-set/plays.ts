import { createVirtualClock, createWorld } from 'kruise-sandbox';
import { crds } from '../../../schemas/generated/crds.ts';
import type { RolloutPlanSpec, Step } from '../../../schemas/generated/types/rolloutplan.ts';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import { daemonSetKind } from '../../../semantics/daemonset/kind.ts';
import { requiredNode } from '../../../semantics/node/affinity.ts';
import { planDigest } from '../../../semantics/plan/digest.ts';
import { PROGRESS_ANNOTATION } from '../../../semantics/plan/memory.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { templateHash } from '../../../semantics/template/canonical.ts';
import { parsedJson } from '../../../semantics/values/json-shape.ts';
import { objectOf } from '../../../semantics/values/read.ts';
import type { KindPlay, Start } from '../plays.ts';

/**
 * A pod on each node: whatever becomes of the runtime, no more nodes than the step allows have the new image, none of them has two
 * pods without a surge, and the plan ends the same.
 */
const NODES = 5;
const MINUTE = 60_000;
const OPS = 'ops';
const STEPS: readonly Step[] = [
  { id: 'one', update: { to: 1 } },
  { id: 'soak', soak: { for: '30s' } },
  { id: 'all', update: { to: '100%' } },
];

type Rolling = Readonly<Record<string, number | string>>;

const templateOf = (image: string): JsonObject => ({
  metadata: { labels: { app: 'log' } },
  spec: { containers: [{ name: 'main', image }] },
});

const agent = (image: string, rollingUpdate: Rolling): KubeObject => ({
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'DaemonSet',
  metadata: { name: 'log', namespace: OPS },
  spec: {
    selector: { matchLabels: { app: 'log' } },
    updateStrategy: { rollingUpdate: { ...rollingUpdate } },
    template: templateOf(image),
  },
});

function planOf(): KubeObject {
  const [from, to] = ['log:1', 'log:2'].map((image) => templateHash(templateOf(image)));
  const spec: Omit<RolloutPlanSpec, 'digest'> = {
    format: '1',
    semantics: '1',
    target: { apiVersion: 'apps.kruise.io/v1beta1', kind: 'DaemonSet', name: 'log' },
    to: { hash: to ?? '', bound: { partition: 0 } },
    from: [{ hash: from ?? '', mode: 'Recreate' }],
    steps: [...STEPS],
  };
  return {
    apiVersion: 'plan.kruise.io/v1alpha1',
    kind: 'RolloutPlan',
    metadata: { name: 'daemonset-log', namespace: OPS },
    spec: { ...spec, digest: planDigest(spec) },
  };
}

const imageOf = ({ spec }: Pod): string => spec.containers[0]?.image ?? '';

/** A change of the image under a plan; returns how it ended, and what was exceeded on the way. */
async function played(start: Start, rolling: Rolling, mostOnNode: number) {
  const clock = createVirtualClock(Date.UTC(2026, 0, 1));
  const world = createWorld({ clock, namespaces: ['default', OPS], nodes: 0, crds: [...crds] });
  for (let n = 1; n <= NODES; n += 1) world.nodes.add(`node-${n}`, { labels: {} });
  const runtime = start({
    cluster: world.cluster('kruise'),
    clock,
    policy: 'Required',
    onError: () => {},
  });
  runtime.start();
  await clock.advance(MINUTE);
  const user = world.cluster('user');
  const at = { namespace: OPS, name: 'log' };
  await user.create(resources.DaemonSet, agent('log:1', rolling));
  await clock.advance(2 * MINUTE);

  const broken: string[] = [];
  const pods = new Map<string, Pod>();
  let allowed = 1;
  world.onCommit(({ resource, type, object }) => {
    const progress = objectOf(parsedJson(object.metadata.annotations?.[PROGRESS_ANNOTATION] ?? ''));
    if (progress['step'] === STEPS.length - 1) allowed = NODES;
    if (resource !== 'pods') return;
    if (type === 'DELETED') pods.delete(object.metadata.name);
    else pods.set(object.metadata.name, object as Pod);
    const byNode = new Map<string, number>();
    for (const { spec } of pods.values()) {
      const node = requiredNode(spec) ?? '';
      byNode.set(node, (byNode.get(node) ?? 0) + 1);
    }
    const updated = [...pods.values()].filter((pod) => imageOf(pod) === 'log:2').length;
    if (updated > allowed) broken.push(`${updated} nodes are updated, ${allowed} are allowed`);
    for (const [node, count] of byNode) if (count > mostOnNode) broken.push(`${node} has ${count} pods`);
  });
  for (const pod of (await user.list(resources.Pod, { namespace: OPS })).items as Pod[])
    pods.set(pod.metadata.name, pod);

  await user.create(resources.RolloutPlan, planOf());
  await user.patch(resources.DaemonSet, at, {
    type: 'merge',
    body: { spec: { template: templateOf('log:2') } },
  });
  await clock.advance(30 * MINUTE);
  const found = (await user.list(resources.Pod, { namespace: OPS })).items as Pod[];
  const { status } = await user.get(resources.DaemonSet, at);
  const { desiredNumberScheduled, updatedNumberScheduled, numberAvailable } = objectOf(status);
  const plan = await user.get(resources.RolloutPlan, { namespace: OPS, name: 'daemonset-log' });
  const ending = {
    images: found.map(imageOf),
    nodes: found.map(({ spec }) => requiredNode(spec) ?? '').sort(),
    counts: [desiredNumberScheduled, updatedNumberScheduled, numberAvailable],
    plan: objectOf(plan['status'])['phase'],
  };
  await Promise.all([runtime.stop(), clock.settle()]);
  world.stop();
  await clock.settle();
  return { ending, broken };
}

const expected = {
  ending: {
    images: Array.from({ length: NODES }, () => 'log:2'),
    nodes: Array.from({ length: NODES }, (_, n) => `node-${n + 1}`),
    counts: [NODES, NODES, NODES],
    plan: 'Succeeded',
  },
  broken: [],
};

export const plays: readonly KindPlay[] = [
  {
    kind: daemonSetKind,
    title: 'pods that are recreated, two nodes at a time',
    play: (start) => played(start, { maxUnavailable: 2 }, 1),
    expected,
  },
  {
    kind: daemonSetKind,
    title: 'pods that are updated in place',
    play: (start) => played(start, { rollingUpdateType: 'InPlaceIfPossible' }, 1),
    expected,
  },
  {
    kind: daemonSetKind,
    title: 'pods that are created beside the old ones',
    play: (start) => played(start, { maxSurge: 2 }, 2),
    expected,
  },
];
