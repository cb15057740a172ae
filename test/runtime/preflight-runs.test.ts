import { expect, test, vi } from 'vitest';
import { preflight } from '../../runtime/preflight.ts';
import { createVirtualClock, createWorld } from 'kruise-sandbox';
import { crds } from '../../schemas/generated/crds.ts';
import type { Cluster } from '../../schemas/wire/cluster.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { Kind } from '../../semantics/kinds/kind.ts';
import { connectionTo } from './process-world.ts';

/** CloneSets as if they ran on nodes, beside the other kinds. */
vi.mock('../../semantics/registry/registered.ts', async (original) => {
  const { registered } = await original<{ registered: readonly Kind[] }>();
  const [first, second] = registered as readonly [Kind, Kind];
  const uses: Kind['uses'] = [...first.uses, { of: 'Nodes', why: 'Placement' }, { of: 'PodsOnNodes' }];
  return { registered: [{ ...first, uses }, second] };
});

/** The preflight of a user who has every right in namespace shop, and these in the whole cluster. */
async function preflightIn(namespace: string | undefined, clusterWide: readonly string[]) {
  const clock = createVirtualClock(0);
  const world = createWorld({ clock, crds: [...crds], namespaces: ['default', 'shop'] });
  await clock.settle();
  const real = world.cluster('kruise');
  const cluster: Cluster = {
    ...real,
    async create(resource, body, options) {
      if (resource !== resources.SelfSubjectAccessReview) return real.create(resource, body, options);
      const { resourceAttributes } = body['spec'] as {
        resourceAttributes: { resource: string; namespace?: string };
      };
      const { resource: about, namespace: within } = resourceAttributes;
      return { ...body, status: { allowed: within !== undefined || clusterWide.includes(about) } };
    },
  };
  const told: string[] = [];
  const where = { connection: connectionTo('https://10.0.0.1:6443'), namespace, lease: undefined };
  const { kinds, disabled } = await preflight(cluster, where, (text) => told.push(text));
  world.stop();
  return { kinds: kinds.map(({ id }) => id.kind), disabled: disabled.map(({ kind }) => kind.id.kind), told };
}

test('a runtime for one namespace holds a kind that needs to see nodes, and says what to grant', async () => {
  expect(await preflightIn('shop', [])).toEqual({
    kinds: ['CloneSet', 'StatefulSet'],
    disabled: [],
    told: [
      'every CloneSet is held: the runtime may not list and watch nodes; list and watch pods in the whole cluster; bind a ClusterRole with these rights to it',
    ],
  });
  expect((await preflightIn('shop', ['nodes', 'pods'])).told).toEqual([]);
});

test('a runtime of all namespaces does not manage such a kind without a view of nodes', async () => {
  const rights = ['pods', 'pods/status', 'controllerrevisions', 'namespaces', 'events', 'clonesets'];
  const all = [...rights, 'statefulsets', 'rolloutplans', 'rolloutcommands', 'persistentvolumeclaims'];
  const { kinds, disabled } = await preflightIn(undefined, all);
  expect({ kinds, disabled }).toEqual({ kinds: ['StatefulSet'], disabled: ['CloneSet'] });
});
