import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { PatchAction } from '../decision.ts';
import { controllerReference } from '../owner.ts';
import { withoutPullPolicyByTag } from '../template/canonical.ts';
import { listOf, objectOf } from '../values/read.ts';

/**
 * Annotation of a revision that was adopted from a workload of Kubernetes: the containers without a pull policy of their
 * own, separated by commas.
 */
const PULL_POLICY_ANNOTATION = 'plan.kruise.io/without-pull-policy';

/** The prefix of the records of rollouts. */
const MEMORY = 'plan.kruise.io/';

/**
 * Makes the target the controller of a revision that has none. Records of rollouts are removed from it: nobody vouches for
 * those of an object without owner.
 */
export function adoptRevision(
  { metadata, data }: KubeObject,
  target: KubeObject,
  live: JsonObject,
): PatchAction {
  const { name, uid = '', resourceVersion = '', ownerReferences = [] } = metadata;
  const forget = (keys: Readonly<Record<string, string>> = {}): Record<string, null> =>
    Object.fromEntries(Object.keys(keys).flatMap((key) => (key.startsWith(MEMORY) ? [[key, null]] : [])));
  const unset = withoutPullPolicy(objectOf(objectOf(objectOf(data)['spec'])['template']), live);
  return {
    do: 'patch',
    kind: 'ControllerRevision',
    verb: 'adopt',
    name,
    body: {
      metadata: {
        uid,
        resourceVersion,
        ownerReferences: [...ownerReferences, controllerReference(target)] as unknown as JsonObject[],
        labels: forget(metadata.labels),
        annotations: {
          ...forget(metadata.annotations),
          ...(unset.length === 0 ? {} : { [PULL_POLICY_ANNOTATION]: unset.join(',') }),
        },
      },
    },
    reason: 'pods that the target adopts are on it',
    adopts: true,
  };
}

/**
 * The containers whose pull policy Kubernetes has filled in, because the manifest sets none. Here such a container means
 * `Always`, so without this the template would count as changed, and its pods would be recreated (differences.md).
 */
function withoutPullPolicy(template: JsonObject, live: JsonObject): string[] {
  const unset = new Set(
    containersOf(live).flatMap(({ name, imagePullPolicy }) =>
      imagePullPolicy === undefined || imagePullPolicy === null ? [name] : [],
    ),
  );
  return containersOf(template).flatMap((container) => {
    const { name } = container;
    const isImplied = withoutPullPolicyByTag(container, 'image', 'imagePullPolicy') !== container;
    return typeof name === 'string' && unset.has(name) && isImplied ? [name] : [];
  });
}

/** The template of a revision as its manifest has it, if the revision was adopted; otherwise as it is. */
export function asAdopted({ metadata }: KubeObject, template: JsonObject): JsonObject {
  const noted = metadata.annotations?.[PULL_POLICY_ANNOTATION];
  if (noted === undefined) return template;
  const unset = new Set(noted.split(','));
  const containers = containersOf(template).map((container) => {
    const { imagePullPolicy: _, ...rest } = container;
    return typeof rest['name'] === 'string' && unset.has(rest['name']) ? rest : container;
  });
  return { ...template, spec: { ...objectOf(template['spec']), containers } };
}

function containersOf(template: JsonObject): JsonObject[] {
  return listOf(objectOf(template['spec'])['containers']);
}
