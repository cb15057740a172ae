import type { VirtualClock } from 'kruise-sandbox';
import type { Cluster } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';

const namespace = 'shop';
const MINUTE = 60_000;
const named = (names: string): JsonObject[] => [...names].map((name) => ({ name }));

function united(name: string, names: string): KubeObject {
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
      template: { cloneSetTemplate: { spec: { selector, template } } },
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
  await clock.advance(2 * MINUTE);
  const at = { namespace, name: 'parts' };
  const body = { spec: { replicas: 4, topology: { subsets: named('ac') } } };
  await admin.patch(resources.UnitedDeployment, at, { type: 'merge', body });
  await clock.advance(5 * MINUTE);
  const { items } = await admin.list(resources.CloneSet, { namespace });
  const sizes = items
    .filter(({ metadata }) => /^(?:parts|taken)-/.test(metadata.name))
    .map(({ metadata, spec }) => `${metadata.name} ${String((spec as { replicas: number }).replicas)}`);
  for (const name of ['parts', 'taken']) await admin.delete(resources.UnitedDeployment, { namespace, name });
  await clock.advance(MINUTE);
  return sizes.join() === 'parts-a 2,parts-c 2,taken-a 0';
}
