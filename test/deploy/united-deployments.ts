import type { VirtualClock } from 'kruise-sandbox';
import type { Cluster, Resource } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { childKinds } from '../../semantics/uniteddeployment/child-kinds.ts';
import type { TemplateField } from '../../semantics/uniteddeployment/resource.ts';

const namespace = 'shop';
const MINUTE = 60_000;
const named = (names: string): JsonObject[] => [...names].map((name) => ({ name }));

function united(name: string, names: string, field: TemplateField): KubeObject {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'fix:1' }] } };
  const selector = { matchLabels: labels };
  return {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'UnitedDeployment',
    metadata: { name, namespace },
    spec: {
      replicas: 2,
      selector,
      topology: { subsets: named(names) },
      template: { [field]: { spec: { selector, template } } },
    },
  };
}

/**
 * Subsets that come, grow and go, and one whose child another owner has the name of, of each kind of children. Returns whether the
 * children are those of the subsets that are there, and the object of the other owner is as it was.
 *
 * @param areNativeOn whether the runtime may write children of kinds of Kubernetes
 */
export async function runUnitedDeployments(
  admin: Cluster,
  clock: VirtualClock,
  areNativeOn: boolean,
): Promise<boolean> {
  const roots = childKinds
    .filter(({ component }) => component === undefined || areNativeOn)
    .map(({ field, resource, component }) => ({
      ...{ field, resource, isNative: component !== undefined },
      ...{ parts: `parts-${field.toLowerCase()}`, taken: `taken-${field.toLowerCase()}` },
    }));
  for (const { field, resource, parts, taken } of roots) {
    const selector = { matchLabels: { app: 'other' } };
    const template = {
      metadata: { labels: selector.matchLabels },
      spec: { containers: [{ name: 'main', image: 'fix:1' }] },
    };
    await admin.create(resource, {
      apiVersion: `${resource.group}/${resource.version}`,
      kind: resource.kind,
      metadata: { name: `${taken}-a`, namespace },
      spec: { replicas: 0, selector, template },
    });
    await admin.create(resources.UnitedDeployment, united(taken, 'a', field));
    await admin.create(resources.UnitedDeployment, united(parts, 'ab', field));
  }
  const observed = async (): Promise<void> => {
    for (const { resource, parts } of roots.filter(({ isNative }) => isNative))
      await reportEmpty(admin, resource, `${parts}-`);
    await clock.advance(MINUTE);
  };
  await clock.advance(2 * MINUTE);
  await observed();
  const body = { spec: { replicas: 4, topology: { subsets: named('ac') } } };
  for (const { parts } of roots)
    await admin.patch(resources.UnitedDeployment, { namespace, name: parts }, { type: 'merge', body });
  await clock.advance(3 * MINUTE);
  await observed();
  await clock.advance(MINUTE);
  const lists = await Promise.all(roots.map(({ resource }) => admin.list(resource, { namespace })));
  const sizes = lists.flatMap(({ items }, index) =>
    items
      .map(({ metadata, spec }) => `${metadata.name} ${String((spec as { replicas: number }).replicas)}`)
      .filter((text) =>
        [roots[index]?.parts, roots[index]?.taken].some((name) => text.startsWith(`${name}-`)),
      ),
  );
  for (const name of roots.flatMap(({ parts, taken }) => [parts, taken]))
    await admin.delete(resources.UnitedDeployment, { namespace, name });
  await clock.advance(MINUTE);
  const expected = roots.flatMap(({ parts, taken }) => [`${parts}-a 2`, `${parts}-c 2`, `${taken}-a 0`]);
  return sizes.join() === expected.join();
}

/** No controller of Kubernetes runs here. Says of each of these that it was observed, and has no pod. */
async function reportEmpty(admin: Cluster, resource: Resource, prefix: string): Promise<void> {
  const { items } = await admin.list(resource, { namespace });
  for (const { metadata } of items.filter((each) => each.metadata.name.startsWith(prefix))) {
    const body = { status: { observedGeneration: metadata.generation ?? 0, replicas: 0 } };
    const at = { namespace, name: metadata.name };
    await admin.patch(resource, at, { type: 'merge', body }, { subresource: 'status' });
  }
}
