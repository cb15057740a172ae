import { readFileSync } from 'node:fs';
import { createVirtualClock, createWorld } from 'kruise-sandbox';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { createRuntime } from '../../runtime/runtime.ts';
import { crds } from '../../schemas/generated/crds.ts';
import type { Cluster, Resource } from '../../schemas/wire/cluster.ts';
import type { Json, JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { Neighbors } from '../../semantics/kinds/lowering.ts';
import { kindOf } from '../../semantics/registry/registry.ts';
import { listOf, objectOf } from '../../semantics/values/read.ts';

/*
 * Plays what becomes several objects twice: under the runtime, in Auto, and what `kruise build` makes of it under the controllers of
 * Kubernetes. Pods must be on the same nodes and end alike, and copies must hold the same.
 */

const SECOND = 1_000;
const SHOP = 'shop';
const { BroadcastJob, ResourceDistribution, ConfigMap, Secret, Pod, Namespace } = resources;
const Job: Resource = { group: 'batch', version: 'v1', kind: 'Job', plural: 'jobs', namespaced: true };

interface Site {
  user: Cluster;
  advance(seconds: number): Promise<void>;
  end(): Promise<void>;
}

async function site(isNative: boolean): Promise<Site> {
  const clock = createVirtualClock(Date.UTC(2026, 0, 1));
  const namespaces = ['default', 'kruise-system', SHOP, 'pay', 'other'];
  const world = createWorld({
    clock,
    namespaces,
    nodes: 4,
    crds: [...crds],
    workloads: true,
    bootstrapped: true,
  });
  world.images.set('works:1', { exitAfterMs: 20 * SECOND });
  world.images.set('fails:1', { exitAfterMs: 20 * SECOND, exitCode: 1 });
  const cluster = world.cluster('kruise');
  const runtime = createRuntime({ cluster, clock, policy: 'Auto', onError: () => {} });
  if (!isNative) runtime.start();
  const advance = (seconds: number): Promise<void> => clock.advance(seconds * SECOND);
  await advance(30);
  return {
    user: world.cluster('user'),
    advance,
    async end() {
      await Promise.all([isNative ? undefined : runtime.stop(), clock.settle()]);
      world.stop();
    },
  };
}

function built(object: KubeObject, around: Partial<Neighbors> = {}): readonly KubeObject[] {
  const [group = ''] = object.apiVersion.split('/');
  const lowering = kindOf({ group, kind: object.kind })?.lowering;
  if (lowering?.of !== 'object') return expect.unreachable();
  const found = lowering.lower(object, { isScaled: false, namespaces: [], inNamespace: [], ...around });
  return 'objects' in found ? found.objects : expect.unreachable();
}

const HOSTNAME = 'kubernetes.io/hostname';

function requiring(...terms: JsonObject[]): JsonObject {
  return { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } } };
}

const ways: [way: string, spec: JsonObject, nodes: string[]][] = [
  ['a hostname', { nodeSelector: { [HOSTNAME]: 'node-2' } }, ['node-2']],
  [
    'hostnames',
    {
      affinity: requiring({
        matchExpressions: [{ key: HOSTNAME, operator: 'In', values: ['node-1', 'node-3'] }],
      }),
    },
    ['node-1', 'node-3'],
  ],
  [
    'names',
    {
      affinity: requiring(
        { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['node-1'] }] },
        { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['node-4'] }] },
      ),
      nodeName: 'node-2',
    },
    ['node-1', 'node-4'],
  ],
];

function job(spec: JsonObject, more: JsonObject = {}): KubeObject {
  const template: JsonObject = {
    metadata: { labels: { app: 'warm' } },
    spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'works:1' }], ...spec },
  };
  return {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'BroadcastJob',
    metadata: { name: 'warm', namespace: SHOP },
    spec: { failurePolicy: { type: 'Continue' }, ...more, template },
  };
}

/** The pods at a time: nodes, phases and restarts. */
async function podsOf({ user }: Site): Promise<Json[]> {
  const { items } = await user.list(Pod, { namespace: SHOP });
  return items
    .map(({ metadata, spec, status }) => ({
      node: objectOf(spec)['nodeName'] ?? '',
      app: metadata.labels?.['app'] ?? '',
      phase: objectOf(status)['phase'] ?? '',
      restarts: listOf(objectOf(status)['containerStatuses']).map(({ restartCount }) => restartCount ?? 0),
    }))
    .sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));
}

async function runs(object: KubeObject, isNative: boolean, times: readonly number[]): Promise<Json[][]> {
  const { user, advance, end } = await site(isNative);
  if (!isNative) await user.create(BroadcastJob, object);
  else for (const each of built(object)) await user.create(Job, each);
  const found: Json[][] = [];
  for (const seconds of times) {
    await advance(seconds);
    found.push(await podsOf({ user, advance, end }));
  }
  await end();
  return found;
}

describe('a BroadcastJob whose nodes are named, and its Jobs, have the same pods', () => {
  test.each(ways)('by %s', async (_way, spec, nodes) => {
    const ours = await runs(job(spec), false, [10, 60]);
    expect(await runs(job(spec), true, [10, 60])).toEqual(ours);
    expect(ours[1]?.map((pod) => objectOf(pod)['node'])).toEqual(nodes);
    expect(ours[1]?.map((pod) => objectOf(pod)['phase'])).toEqual(nodes.map(() => 'Succeeded'));
  });

  const [, hostname = {}] = ways[0] ?? [];
  const failing = (more: JsonObject): JsonObject => ({
    ...hostname,
    containers: [{ name: 'main', image: 'fails:1' }],
    ...more,
  });

  test('whose pod fails', async () => {
    const ours = await runs(job(failing({})), false, [10, 120]);
    expect(await runs(job(failing({})), true, [10, 120])).toEqual(ours);
    expect(ours[1]?.map((pod) => objectOf(pod)['phase'])).toEqual(['Failed']);
  });

  test.each([0, 2])('whose containers restart, with a limit of %i', async (restartLimit) => {
    const object = job(failing({ restartPolicy: 'OnFailure' }), {
      failurePolicy: { type: 'FailFast', restartLimit },
    });
    const times = Array.from({ length: 60 }, () => 5);
    const played = await runs(object, true, times);
    expect(played.at(-1), 'its pod is gone, where a BroadcastJob keeps it: a row says so').toEqual([]);
    const restarts = played.flat().flatMap((pod) => objectOf(pod)['restarts'] as number[]);
    expect(Math.max(...restarts), 'it goes at the next one').toBe(restartLimit);
    expect((await runs(object, false, times)).slice(0, 4)).toEqual(played.slice(0, 4));
  });

  test('whose containers restart under Continue', async () => {
    const object = job(failing({ restartPolicy: 'OnFailure' }));
    const ours = await runs(object, false, [300]);
    expect(ours[0]?.flatMap((pod) => objectOf(pod)['restarts'] as number[])[0]).toBeGreaterThan(3);
    expect(await runs(object, true, [300])).toEqual(ours);
  });

  test('of which the deadline passes', async () => {
    const object = job(hostname, { completionPolicy: { type: 'Always', activeDeadlineSeconds: 5 } });
    const ours = await runs(object, false, [60]);
    expect(await runs(object, true, [60])).toEqual(ours);
  });
});

const documents = parseAllDocuments(readFileSync('golden/build/several.yaml', 'utf8')).flatMap((each) => {
  const object = each.toJS() as KubeObject & { items?: KubeObject[] };
  return object.items ?? [object];
});
const distributions = documents.filter(
  ({ kind, metadata }) => kind === 'ResourceDistribution' && metadata.name !== 'anywhere',
);

test.each(distributions.map((object) => [object.metadata.name, object] as const))(
  'the ResourceDistribution %s and what is built of it are the same copies',
  async (_name, object) => {
    const copies = async (isNative: boolean): Promise<Json[]> => {
      const { user, advance, end } = await site(isNative);
      const { items: namespaces } = await user.list(Namespace, {});
      const known = new Set(namespaces.map(({ metadata }) => metadata.name));
      const of = object.metadata.name === 'registry' ? Secret : ConfigMap;
      const { apiVersion } = object;
      const resource = { ...ResourceDistribution, version: apiVersion.slice(apiVersion.indexOf('/') + 1) };
      if (!isNative) await user.create(resource, object);
      else
        for (const each of built(object, { namespaces }))
          // An apply fails in a namespace that does not exist: a row says so.
          if (known.has(each.metadata.namespace ?? '')) await user.create(of, each);
      await advance(60);
      const { items } = await user.list(of, {});
      await end();
      return items
        .filter(({ metadata }) => metadata.name === object.metadata.name)
        .map(({ metadata: { namespace = '', labels, annotations }, data, type, immutable }) => ({
          namespace,
          labels: own(labels),
          annotations: own(annotations),
          data: objectOf(data),
          type: typeof type === 'string' ? type : '',
          immutable: immutable === true,
        }));
    };
    const ours = await copies(false);
    expect(ours.length).toBeGreaterThan(0);
    expect(await copies(true)).toEqual(ours);
  },
);

/** Without what says whose a copy is. */
function own(map: Record<string, string> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(map).filter(([key]) => !/kruise\.io\//.test(key)));
}
