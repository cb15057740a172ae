import type { JsonObject } from '../../schemas/wire/json.ts';
import { SUBSET_LABEL } from '../children/subset-keys.ts';
import { strategicMerge } from '../template/strategic-merge.ts';
import { listOf, objectOf } from '../values/read.ts';
import type { Subset } from './normalize.ts';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';

/**
 * The template of the pods of a subset (OpenKruise uniteddeployment, rule 6.7): the label of the subset, requirements of nodes in each
 * alternative, more tolerations, and the patch at last. Throws an `UnfitPatch` when that does not fit.
 *
 * @param content of a revision (`NormalUnited.template`): its patches count, and not that of the subset
 */
export function subsetTemplate(
  content: JsonObject,
  { name, expressions, tolerations }: Pick<Subset, 'name' | 'expressions' | 'tolerations'>,
): JsonObject {
  const { patches, ...pods } = content;
  const metadata = objectOf(pods['metadata']);
  const spec = objectOf(pods['spec']);
  const template: JsonObject = {
    ...pods,
    metadata: { ...metadata, labels: { ...objectOf(metadata['labels']), [SUBSET_LABEL]: name } },
    spec: {
      ...spec,
      ...(expressions.length > 0 && { affinity: narrowed(objectOf(spec['affinity']), expressions) }),
      ...(tolerations.length > 0 && { tolerations: [...listOf(spec['tolerations']), ...tolerations] }),
    },
  };
  const own = objectOf(patches);
  return Object.hasOwn(own, name) ? strategicMerge(template, objectOf(own[name])) : template;
}

/** Each alternative with more requirements; without any, they are the only one. */
function narrowed(affinity: JsonObject, expressions: readonly JsonObject[]): JsonObject {
  const nodes = objectOf(affinity['nodeAffinity']);
  const required = objectOf(nodes[REQUIRED]);
  const terms = listOf(required['nodeSelectorTerms']);
  const nodeSelectorTerms = (terms.length === 0 ? [{}] : terms).map((term: JsonObject) => ({
    ...term,
    matchExpressions: [...listOf(term['matchExpressions']), ...expressions],
  }));
  return { ...affinity, nodeAffinity: { ...nodes, [REQUIRED]: { ...required, nodeSelectorTerms } } };
}
