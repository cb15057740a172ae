import type { KubeObject } from '../../schemas/wire/object.ts';
import type { PodTrial } from '../kinds/admission.ts';
import { SHORT_HASH_LABEL } from '../pod/types.ts';
import { listOf, objectOf, textOf } from '../values/read.ts';
import { spreadBy } from './members.ts';
import { normalizeSpread } from './normalize.ts';
import { MATCHED_ANNOTATION, replicaSets } from './resource.ts';

/** Stands for the hash of a ReplicaSet that a Deployment would have. */
const HASH = 'check';
/** No server looks whether the owner of a new pod exists. */
const UID = '00000000-0000-0000-0000-000000000000';

/** A pod of the workload of a WorkloadSpread: a webhook that is asked says where it goes, or that no subset has room. */
export const spreadTrial: PodTrial = {
  does: 'places',
  podFor(object, name) {
    const { target, way, selector } = normalizeSpread(object);
    if (way === 'creates') return undefined;
    const isOfDeployment = target.group === 'apps' && target.kind === 'Deployment';
    const { apiVersion } = objectOf(objectOf(object['spec'])['targetRef']);
    const owner = {
      apiVersion: textOf(apiVersion),
      kind: isOfDeployment ? replicaSets.kind : target.kind,
      name: isOfDeployment ? `${target.name}-${HASH}` : target.name,
      uid: UID,
      controller: true,
    };
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        // The pods of a StatefulSet have numbers.
        name: `${name}-0`,
        ...(object.metadata.namespace !== undefined && { namespace: object.metadata.namespace }),
        labels: { ...selectedLabels(selector), ...(isOfDeployment && { [SHORT_HASH_LABEL]: HASH }) },
        ownerReferences: [owner],
      },
      spec: { containers: [{ name: 'main', image: 'none.invalid/none:1' }] },
    } as KubeObject;
    return spreadBy(object)(pod) ? pod : undefined;
  },
  isChanged: ({ metadata }) => metadata.annotations?.[MATCHED_ANNOTATION] !== undefined,
};

/** Labels that a selector matches, as far as it names a value of each. */
function selectedLabels(selector: object | undefined): Record<string, string> {
  const { matchLabels, matchExpressions } = objectOf(selector);
  const named = listOf(matchExpressions).flatMap(({ key, values }) =>
    Array.isArray(values) && values.length > 0 ? [[textOf(key), textOf(values[0])] as const] : [],
  );
  return { ...Object.fromEntries(named), ...(objectOf(matchLabels) as Record<string, string>) };
}
