import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { podNameOf } from '../claims/unit.ts';
import type { NamedUnits } from '../kinds/git-units.ts';
import { byPriority } from '../pod/priority.ts';
import { objectOf } from '../values/read.ts';
import { normalizeStatefulSet } from './normalize.ts';
import { ordinalsIn, rangeText } from './ordinals.ts';
import { identityLabels } from './pods.ts';

/** What git knows of the names of pods: each is the StatefulSet and an ordinal. */
export const namedPods: NamedUnits = { wanted, order, reserved };

function wanted(manifest: KubeObject): string[] {
  return ordinalsIn(normalizeStatefulSet(manifest)).map((ordinal) => podNameOf(manifest, String(ordinal)));
}

/**
 * The order of `update-order.ts` where every pod is whole: from the highest ordinal down, and with unorderedUpdate by the
 * priority of the labels.
 */
function order(manifest: KubeObject, template: JsonObject): string[] {
  const spec = normalizeStatefulSet(manifest);
  const own = objectOf(objectOf(template['metadata'])['labels']) as Record<string, string>;
  const pods = ordinalsIn(spec)
    .reverse()
    .map((ordinal) => {
      const name = podNameOf(manifest, String(ordinal));
      return { metadata: { name, labels: { ...own, ...identityLabels({ ordinal, name }) } } };
    });
  const sorted = spec.priorities === undefined ? pods : byPriority(pods, spec.priorities);
  return sorted.map(({ metadata }) => metadata.name);
}

function reserved(manifest: KubeObject): string {
  const spec = normalizeStatefulSet(manifest);
  const last = ordinalsIn(spec).at(-1) ?? -1;
  return spec.reserved
    .filter(({ from, to }) => to >= spec.start && from < last)
    .map(rangeText)
    .join(', ');
}
