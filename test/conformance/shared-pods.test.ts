import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { templateHash } from '../../semantics/template/canonical.ts';
import { objectOf } from '../../semantics/values/read.ts';
import { sidecarWorld, type SidecarWorld } from '../runtime/sidecar-world.ts';
import { cloneSet, planOf, templateOf } from '../runtime/stage.ts';
import { endAtWrites, endWithPoorWatches, type Play, type Start, writesOf } from './plays.ts';
import { isOf, type SharedBudget, watchShared } from './shared-pods.ts';

/**
 * Two updaters on the same pods under disturbances: whatever becomes of the runtime, one budget holds for both, and no write of
 * one is lost by the other.
 */
const STEPS = [
  { id: 'canary', update: { to: 1 } },
  { id: 'all', update: { to: '100%' } },
];
const WIDE = { updateStrategy: { maxUnavailable: 3 } };

/** Both updaters begin at once; returns how it ended, and what was exceeded on the way. */
async function ended(cluster: SidecarWorld, budgets: readonly SharedBudget[], change: () => Promise<void>) {
  const uids = (pods: readonly Pod[]) => pods.map(({ metadata }) => metadata.uid ?? '').sort();
  const present = await cluster.pods();
  const before = uids(present);
  const broken = watchShared(cluster, present, budgets);
  await change();
  await cluster.set('log:2', STEPS, WIDE);
  await cluster.until('Succeeded', 3_600_000);
  await cluster.clock.advance(10 * 60_000);
  const pods = await cluster.pods();
  const images = pods.flatMap(({ spec }) => spec.containers.map(({ image }) => image)).sort();
  return { images, isSame: JSON.stringify(before) === JSON.stringify(uids(pods)), broken };
}

/** A workload of five pods of which two may be unavailable, rolled out at once with the set. */
const playWorkload =
  (kind: 'CloneSet' | 'StatefulSet', strategy: JsonObject = {}): Play =>
  async (start: Start) => {
    const cluster = await sidecarWorld({ start });
    const { user, clock } = cluster;
    await cluster.set('log:1', undefined, WIDE);
    await user.create(resources[kind], workloads[kind]('web:1', strategy));
    await clock.advance(120_000);
    const ending = await ended(cluster, [{ covers: isOf(kind), least: 3 }], async () => {
      await user.create(resources.RolloutPlan, planFor(kind));
      const body = { spec: { template: templates[kind]('web:2') } };
      await user.patch(resources[kind], { namespace: 'shop', name: 'web' }, { type: 'merge', body });
    });
    const plan = await user.get(resources.RolloutPlan, { namespace: 'shop', name: 'cloneset-web' });
    await cluster.stop();
    return { ...ending, phase: objectOf(plan['status'])['phase'] };
  };

const templates = {
  CloneSet: (image: string): JsonObject => templateOf('web', image),
  StatefulSet: (image: string): JsonObject => {
    const { metadata = {}, spec } = templateOf('web', image);
    return {
      metadata,
      spec: { ...objectOf(spec), readinessGates: [{ conditionType: 'InPlaceUpdateReady' }] },
    };
  },
};

const workloads = {
  CloneSet: (image: string, strategy: JsonObject): KubeObject =>
    cloneSet('web', image, { replicas: 5 }, { maxUnavailable: 2, ...strategy }),
  StatefulSet: (image: string, strategy: JsonObject): KubeObject => ({
    ...cloneSet('web', image),
    kind: 'StatefulSet',
    spec: {
      replicas: 5,
      serviceName: 'web',
      podManagementPolicy: 'Parallel',
      selector: { matchLabels: { app: 'web' } },
      template: templates.StatefulSet(image),
      updateStrategy: {
        type: 'RollingUpdate',
        rollingUpdate: { podUpdatePolicy: 'InPlaceIfPossible', maxUnavailable: 2, ...strategy },
      },
    },
  }),
};

function planFor(kind: 'CloneSet' | 'StatefulSet'): KubeObject {
  const [from, to] = ['web:1', 'web:2'].map((image) => templateHash(templates[kind](image)));
  return planOf('web', 'web:1', 'web:2', {
    target: { apiVersion: 'apps.kruise.io/v1beta1', kind, name: 'web' },
    to: { hash: to ?? '', bound: {} },
    from: [{ hash: from ?? '', mode: 'Recreate' }],
    steps: STEPS,
  });
}

const BUDGETS = {
  group: 'policy',
  version: 'v1',
  kind: 'PodDisruptionBudget',
  plural: 'poddisruptionbudgets',
  namespaced: true,
};

const playDeployment: Play = async (start: Start) => {
  const cluster = await sidecarWorld({ start });
  const { user, clock } = cluster;
  await cluster.set('log:1', undefined, WIDE);
  await cluster.deployment('web', 8);
  await cluster.bare('alone', 'other');
  await user.create(BUDGETS, {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'web', namespace: 'shop' },
    spec: { minAvailable: 7, selector: { matchLabels: { app: 'web' } } },
  });
  await clock.advance(60_000);
  const ending = await ended(cluster, [{ covers: isOf('ReplicaSet'), least: 7 }], () => Promise.resolve());
  await cluster.stop();
  return ending;
};

const repeated = (image: string, times: number): string[] => Array<string>(times).fill(image);

describe.each([
  [
    'a CloneSet that is rolled out',
    playWorkload('CloneSet'),
    {
      images: [...repeated('log:2', 5), ...repeated('web:2', 5)],
      isSame: true,
      broken: [],
      phase: 'Succeeded',
    },
  ],
  [
    'a CloneSet that makes its pods anew',
    playWorkload('CloneSet', { podUpdatePolicy: 'ReCreate', minReadySeconds: 5 }),
    {
      images: [...repeated('log:2', 5), ...repeated('web:2', 5)],
      isSame: false,
      broken: [],
      phase: 'Succeeded',
    },
  ],
  [
    'a StatefulSet that is rolled out',
    playWorkload('StatefulSet'),
    {
      images: [...repeated('log:2', 5), ...repeated('web:2', 5)],
      isSame: true,
      broken: [],
      phase: 'Succeeded',
    },
  ],
  [
    'a Deployment behind a PodDisruptionBudget, and a bare pod',
    playDeployment,
    { images: [...repeated('log:2', 9), 'main:1', ...repeated('nginx:1', 8)], isSame: true, broken: [] },
  ],
])('a SidecarSet is rolled out over the pods of %s', (name, play, expected) => {
  test(
    'and ends the same wherever the runtime ends, and another continues',
    { timeout: 600_000 },
    async () => {
      const writes = await writesOf({ play, expected });
      expect(writes.length).toBeGreaterThan(10);
      await endAtWrites({ play, expected }, writes, { name: `shared pods: ${name}`, most: [1, 6] });
    },
  );

  test('and ends the same where watches are late or lose events', { timeout: 300_000 }, () =>
    endWithPoorWatches({ play, expected }),
  );
});
