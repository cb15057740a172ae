import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Need, Use } from '../kinds/need.ts';
import { DELETION_COST_ANNOTATION, type Pod } from '../pod/types.ts';
import { matchedOf } from './matched.ts';
import { normalizeSpread } from './normalize.ts';
import { isGated } from './gated.ts';
import { GATE, isGatedKind, MATCHED_ANNOTATION, replicaSets, SPREAD, spreadResource } from './resource.ts';
import { hasPercentages } from './size.ts';
import { replicaSetsOf } from './versions.ts';

/** Everything that a WorkloadSpread may need. */
export const spreadUses: readonly Use[] = [
  // Those of its own kinds the runtime may write anyway.
  {
    of: 'SelectedPods',
    mark: { of: 'gates', gate: GATE, records: [MATCHED_ANNOTATION, DELETION_COST_ANNOTATION] },
  },
  ...[...SPREAD, spreadResource].map((resource): Use => ({ of: 'Config', resource })),
  { of: 'Nodes', why: 'Subsets' },
];

/**
 * What a WorkloadSpread needs: its pods, its target, the nodes of older pods, and the other WorkloadSpreads that its pods name. A pod that
 * waits for a part of a size is there because of the latest one.
 *
 * @param selected the pods, as far as they are known
 */
export function spreadNeeds(object: KubeObject, selected: readonly Pod[]): Need[] {
  const { name: own, namespace = '' } = object.metadata;
  const { target, selector = {}, way, subsets } = normalizeSpread(object);
  const resource = SPREAD.find(({ group, kind }) => group === target.group && kind === target.kind);
  const owner = resource && { resource, namespace, name: target.name };
  const others = new Set<string>();
  let areOlder = false;
  for (const pod of selected) {
    const name = matchedOf(pod)?.name;
    if (name === own) continue;
    if (name !== undefined) others.add(name);
    areOlder ||= !isGated(pod);
  }
  const isGatedTarget = isGatedKind(target);
  const asksSize = way === 'gate' && hasPercentages(subsets) && selected.some(isGated);
  const sets = isGatedTarget && target.kind !== replicaSets.kind ? replicaSetsOf(selected) : [];
  return [
    // Pods that the filter leaves out have the gate of the template, too.
    {
      of: 'SelectedPods',
      selector: isGatedTarget ? {} : selector,
      namespaces: undefined,
      workload: target,
    },
    ...(owner === undefined ? [] : [{ of: 'Config', ...owner } as const]),
    ...(owner !== undefined && asksSize ? [{ of: 'Latest', ...owner } as const] : []),
    ...[...others].map((name): Need => ({ of: 'Config', resource: spreadResource, namespace, name })),
    ...sets.map((name): Need => ({ of: 'Config', resource: replicaSets, namespace, name })),
    ...(areOlder ? [{ of: 'Nodes', why: 'Subsets' } as const] : []),
  ];
}
