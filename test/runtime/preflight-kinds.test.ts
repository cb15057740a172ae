import { expect, test, vi } from 'vitest';
import { preflight } from '../../runtime/preflight.ts';
import { createVirtualClock, createWorld } from 'kruise-sandbox';
import { crds } from '../../schemas/generated/crds.ts';
import type { Cluster } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { Kind } from '../../semantics/kinds/kind.ts';
import { connectionTo } from './process-world.ts';

/** A second kind, with its own rights and definition. */
vi.mock('../../semantics/registry/registered.ts', async (original) => {
  const { registered } = await original<{ registered: readonly Kind[] }>();
  const [first] = registered as readonly [Kind];
  const id = { group: 'test.example', kind: 'Shelf' };
  const resource = { ...id, version: 'v1', plural: 'shelves', namespaced: true };
  return { registered: [first, { ...first, id, resource }] };
});

const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
const shelves: KubeObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'shelves.test.example' },
  spec: {
    group: 'test.example',
    scope: 'Namespaced',
    names: { kind: 'Shelf', plural: 'shelves' },
    versions: [{ name: 'v1', served: true, storage: true, subresources: { status: {} }, schema }],
  },
};

/** The preflight on a server with these definitions, which refuses rights to these resources. */
async function runPreflight(definitions: readonly KubeObject[], ...refused: readonly string[]) {
  const clock = createVirtualClock(0);
  const world = createWorld({ clock, crds: [...definitions], namespaces: ['default'] });
  await clock.settle();
  const real = world.cluster('kruise');
  const cluster: Cluster = {
    ...real,
    async create(resource, body, options) {
      if (resource !== resources.SelfSubjectAccessReview) return real.create(resource, body, options);
      const { resourceAttributes } = body['spec'] as { resourceAttributes: { resource: string } };
      return { ...body, status: { allowed: !refused.includes(resourceAttributes.resource) } };
    },
  };
  const warnings: string[] = [];
  const connection = connectionTo('https://10.0.0.1:6443');
  const where = { connection, namespace: undefined, lease: undefined };
  const { problem, kinds } = await preflight(cluster, where, (text) => warnings.push(text));
  world.stop();
  return { problem: problem?.problem, kinds: kinds.map(({ id }) => id.kind), told: warnings };
}

test('all kinds are managed if everything is present', async () => {
  expect(await runPreflight([...crds, shelves])).toEqual({
    problem: undefined,
    kinds: ['CloneSet', 'Shelf'],
    told: [],
  });
});

test('a kind without its definition is disabled with a warning; the others are managed', async () => {
  expect(await runPreflight(crds)).toEqual({
    problem: undefined,
    kinds: ['CloneSet'],
    told: [
      'no Shelf is managed: the cluster does not know shelves.test.example; install the CRDs of this version: kubectl apply --server-side -f deploy/crds',
    ],
  });
});

test('a kind without its rights is disabled with a warning; the others are managed', async () => {
  expect(await runPreflight([...crds, shelves], 'shelves')).toEqual({
    problem: undefined,
    kinds: ['CloneSet'],
    told: [
      'no Shelf is managed: the tester lacks rights that the runtime needs in the cluster: list and watch shelves.test.example; patch shelves.test.example/status; bind the ClusterRole of deploy/ to it, or manage one namespace with --namespace',
    ],
  });
});

test('missing rights that every kind needs are a problem', async () => {
  const { problem, kinds } = await runPreflight([...crds, shelves], 'rolloutplans', 'shelves');
  expect(problem).toMatch(/list and watch shelves\.test\.example; .*list and watch rolloutplans/);
  expect(kinds).toEqual([]);
});

test('if no kind can be managed, the preflight has a problem', async () => {
  const { problem } = await runPreflight([...crds, shelves], 'clonesets', 'shelves');
  expect(problem).toMatch(/lacks rights .* list and watch clonesets.* list and watch shelves/);
  expect((await runPreflight([])).problem).toBe('the cluster does not know clonesets.apps.kruise.io');
});
