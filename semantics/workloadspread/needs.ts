import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Need, Use } from '../kinds/need.ts';
import type { Pod } from '../pod/types.ts';
import { matchedOf } from './matched.ts';
import { normalizeSpread } from './normalize.ts';
import { SPREAD, spreadResource } from './resource.ts';

/** Everything that a WorkloadSpread may need. */
export const spreadUses: readonly Use[] = [
  // The runtime may write them as those of its own kinds.
  { of: 'SelectedPods' },
  ...[...SPREAD, spreadResource].map((resource): Use => ({ of: 'Config', resource })),
  { of: 'Nodes', why: 'Subsets' },
];

/**
 * What a WorkloadSpread needs: its pods, its target, the nodes of older pods, and the other WorkloadSpreads that its pods name.
 *
 * @param selected the pods, as far as they are known
 */
export function spreadNeeds(object: KubeObject, selected: readonly Pod[]): Need[] {
  const { name: own, namespace = '' } = object.metadata;
  const { target, selector = {} } = normalizeSpread(object);
  const resource = SPREAD.find(({ group, kind }) => group === target.group && kind === target.kind);
  const others = new Set(selected.flatMap((pod) => matchedOf(pod)?.name ?? []));
  others.delete(own);
  const areOlder = selected.some((pod) => matchedOf(pod)?.name !== own);
  return [
    { of: 'SelectedPods', selector, namespaces: undefined, workload: target },
    ...(resource === undefined ? [] : [{ of: 'Config', resource, namespace, name: target.name } as const]),
    ...[...others].map((name): Need => ({ of: 'Config', resource: spreadResource, namespace, name })),
    ...(areOlder ? [{ of: 'Nodes', why: 'Subsets' } as const] : []),
  ];
}
