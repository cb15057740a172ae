import type { VirtualClock } from 'kruise-sandbox';
import type { Cluster } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { TemplateField } from '../../semantics/uniteddeployment/resource.ts';

const namespace = 'shop';
const MINUTE = 60_000;
const named = (names: string): JsonObject[] => [...names].map((name) => ({ name }));

function united(name: string, names: string, field: TemplateField = 'cloneSetTemplate'): KubeObject {
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
 * Subsets that come, grow and go, and one whose child another owner has the name of. Returns whether the children are those of the
 * subsets that are there, and the object of the other owner is as it was.
 */
export async function runUnitedDeployments(admin: Cluster, clock: VirtualClock): Promise<boolean> {
  const selector = { matchLabels: { app: 'other' } };
  const template = {
    metadata: { labels: selector.matchLabels },
    spec: { containers: [{ name: 'main', image: 'fix:1' }] },
  };
  await admin.create(resources.CloneSet, {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'CloneSet',
    metadata: { name: 'taken-a', namespace },
    spec: { replicas: 0, selector, template },
  });
  await admin.create(resources.UnitedDeployment, united('taken', 'a'));
  await admin.create(resources.UnitedDeployment, united('parts', 'ab'));
  await admin.create(resources.UnitedDeployment, united('sets', 'ab', 'advancedStatefulSetTemplate'));
  await clock.advance(2 * MINUTE);
  const body = { spec: { replicas: 4, topology: { subsets: named('ac') } } };
  for (const name of ['parts', 'sets'])
    await admin.patch(resources.UnitedDeployment, { namespace, name }, { type: 'merge', body });
  await clock.advance(5 * MINUTE);
  const lists = await Promise.all(
    [resources.CloneSet, resources.StatefulSet].map((resource) => admin.list(resource, { namespace })),
  );
  const sizes = lists
    .flatMap(({ items }) => items)
    .filter(({ metadata }) => /^(?:parts|sets|taken)-/.test(metadata.name))
    .map(({ metadata, spec }) => `${metadata.name} ${String((spec as { replicas: number }).replicas)}`);
  for (const name of ['parts', 'sets', 'taken'])
    await admin.delete(resources.UnitedDeployment, { namespace, name });
  await clock.advance(MINUTE);
  return sizes.join() === 'parts-a 2,parts-c 2,taken-a 0,sets-a 2,sets-c 2';
}
