import { createVirtualClock, createWorld } from 'kruise-sandbox';
import { crds } from '../../../schemas/generated/crds.ts';
import { ApiError, type Cluster } from '../../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import { resourceDistributionKind } from '../../../semantics/resourcedistribution/kind.ts';
import { objectOf } from '../../../semantics/values/read.ts';
import { quotas } from '../../fixtures/quotas.ts';
import type { KindPlay, Start } from '../plays.ts';

/**
 * Copies in namespaces that come and go, one of which has an object of another owner in the way: whatever becomes of the runtime,
 * each namespace has its copy in the end, that object is as it was, and nothing is left elsewhere.
 */
const MINUTE = 60_000;
const { ConfigMap, Namespace, ResourceDistribution } = resources;
const TEAM = { team: 'a' };

const namespace = (name: string, labels: Record<string, string>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, labels },
});

const source = (color: string): JsonObject => ({
  ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { color } },
});

async function played(start: Start) {
  const clock = createVirtualClock(Date.UTC(2026, 0, 1));
  const world = createWorld({ clock, namespaces: ['default'], crds: [...crds] });
  const runtime = start({ cluster: world.cluster('kruise'), clock, policy: 'Auto', onError: () => {} });
  runtime.start();
  await clock.settle();
  const user = world.cluster('user');
  const label = async (name: string, team: string | null): Promise<void> => {
    const body = { metadata: { labels: { team } } };
    await user.patch(Namespace, { name }, { type: 'merge', body });
    await clock.advance(MINUTE);
  };
  for (const [name, labels] of Object.entries({ one: TEAM, two: TEAM, three: {}, taken: TEAM }))
    await user.create(Namespace, namespace(name, labels));
  const mine = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'taken', name: 'settings' } };
  await user.create(ConfigMap, { ...mine, data: { color: 'mine' } });
  await user.create(ResourceDistribution, {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'ResourceDistribution',
    metadata: { name: 'shared' },
    spec: { resource: source('red'), targets: { namespaceSelector: { matchLabels: TEAM } } },
  });
  await clock.advance(2 * MINUTE);
  await label('three', 'a');
  const change = { spec: { resource: { data: { color: 'blue' } } } };
  await user.patch(ResourceDistribution, { name: 'shared' }, { type: 'merge', body: change });
  await clock.advance(MINUTE);
  await label('two', null);
  await clock.advance(15 * MINUTE);
  const ending = await endOf(user);
  await Promise.all([runtime.stop(), clock.settle()]);
  world.stop();
  await clock.settle();
  return ending;
}

/**
 * Three namespaces get copies; one has a quota that is used up, and is raised only after the data have changed. Whatever becomes of the
 * runtime, that namespace alone waits.
 */
async function playedUnderQuota(start: Start) {
  const clock = createVirtualClock(Date.UTC(2026, 0, 1));
  const world = createWorld({ clock, namespaces: ['default'], crds: [...crds] });
  const user = world.cluster('user');
  for (const name of ['one', 'small', 'two']) await user.create(Namespace, namespace(name, TEAM));
  const at = { namespace: 'small', name: 'small' };
  const quota = {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: at,
    spec: { hard: { configmaps: '0' } },
  };
  await user.create(quotas, quota);
  await clock.advance(MINUTE);
  const runtime = start({ cluster: world.cluster('kruise'), clock, policy: 'Auto', onError: () => {} });
  runtime.start();
  await clock.settle();
  await user.create(ResourceDistribution, {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'ResourceDistribution',
    metadata: { name: 'shared' },
    spec: { resource: source('red'), targets: { namespaceSelector: { matchLabels: TEAM } } },
  });
  await clock.advance(5 * MINUTE);
  const change = { spec: { resource: { data: { color: 'blue' } } } };
  await user.patch(ResourceDistribution, { name: 'shared' }, { type: 'merge', body: change });
  await clock.advance(5 * MINUTE);
  const before = await endOf(user);
  await user.patch(quotas, at, { type: 'merge', body: { spec: { hard: { configmaps: '1' } } } });
  await clock.advance(10 * MINUTE);
  const after = await endOf(user);
  await Promise.all([runtime.stop(), clock.settle()]);
  world.stop();
  await clock.settle();
  return { before, after };
}

/** The data of each copy, the numbers of the status, and the failures with their namespaces. */
async function endOf(user: Cluster) {
  const { status } = await user.get(ResourceDistribution, { name: 'shared' });
  const { desired, succeeded, failed, conditions = [] } = objectOf(status);
  return {
    copies: Object.fromEntries(
      (await user.list(ConfigMap, {})).items.map(({ metadata, data }) => [metadata.namespace, data]),
    ),
    counts: [desired, succeeded, failed],
    failures: (conditions as KubeObject[]).flatMap((each) =>
      each['status'] === 'True' ? [`${String(each['type'])}: ${String(each['failedNamespaces'])}`] : [],
    ),
  };
}

export const plays: readonly KindPlay[] = [
  {
    kind: resourceDistributionKind,
    title: 'copies in namespaces that come and go',
    play: played,
    expected: {
      copies: { one: { color: 'blue' }, taken: { color: 'mine' }, three: { color: 'blue' } },
      counts: [3, 2, 1],
      failures: ['ConflictOccurred: taken'],
    },
    sends: (writes) => writes.some((text) => text.includes('configmaps')),
  },
  {
    kind: resourceDistributionKind,
    title: 'copies in namespaces of which one has a quota',
    play: playedUnderQuota,
    refuses: (error) => error instanceof ApiError && error.status.message.includes('exceeded quota: small'),
    // Runtimes that end after two writes each have not written the status while the quota refuses one of them.
    lasting: (ending) => objectOf(ending)['after'],
    expected: {
      before: {
        copies: { one: { color: 'blue' }, two: { color: 'blue' } },
        counts: [3, 2, 1],
        failures: ['CreateResourceFailed: small'],
      },
      after: {
        copies: { one: { color: 'blue' }, small: { color: 'blue' }, two: { color: 'blue' } },
        counts: [3, 3, 0],
        failures: [],
      },
    },
    sends: (writes) => writes.some((text) => text.includes('configmaps')),
  },
];
