import type { Json, JsonObject } from '../../schemas/wire/json.ts';
import { nodeTolerations } from './eligibility.ts';
import { podSpecOf } from '../node/placement.ts';
import { IN_PLACE_READY, type Pod } from '../pod/types.ts';
import { templateHash, withoutPullPolicyByTag } from '../template/canonical.ts';
import { canonicalJson } from '../values/canonical-json.ts';
import { listOf, objectOf, textOf } from '../values/read.ts';

/**
 * Whether a pod is what a DaemonSet, of Kubernetes or of OpenKruise, makes of this template. Taken away from the pod are the node
 * affinity and the tolerations that every such pod gets, and what the API server adds to any pod. A pod with anything else, such as
 * an injected container or a limit of its namespace, counts as made of another one.
 *
 * The required node affinity of the template is on no pod, as that of its node replaces it, so it does not count.
 */
export function isMadeOf({ metadata, spec }: Pod, template: JsonObject): boolean {
  const { labels, annotations } = objectOf(template['metadata']);
  const own = objectOf(template['spec']);
  return (
    isWithin(objectOf(labels), metadata.labels) &&
    isWithin(objectOf(annotations), metadata.annotations) &&
    templateHash({ spec: withoutRequiredNode(specOfTemplate(objectOf(spec), own)) }) ===
      templateHash({ spec: withoutRequiredNode(own) })
  );
}

function isWithin(wanted: JsonObject, found: Readonly<Record<string, string>> = {}): boolean {
  return Object.entries(wanted).every(([key, value]) => found[key] === value);
}

/** What the API server fills in where the template sets nothing. */
const FILLED_IN = ['imagePullSecrets', 'nodeName', 'preemptionPolicy', 'priority'] as const;
const ACCOUNT = ['serviceAccount', 'serviceAccountName'] as const;

/** The names of volumes with the token of the service account begin with this. */
const TOKEN_VOLUME = 'kube-api-access-';

/** The spec of a pod without what was added to the one of its template. */
function specOfTemplate(spec: JsonObject, own: JsonObject): JsonObject {
  const left = { ...spec };
  for (const field of FILLED_IN) if (own[field] === undefined) delete left[field];
  for (const field of ACCOUNT) if (own[field] === undefined && left[field] === 'default') delete left[field];
  return {
    ...left,
    tolerations: tolerationsOf(spec, own),
    readinessGates: without(left['readinessGates'], own['readinessGates'], 'conditionType', IN_PLACE_READY),
    volumes: without(left['volumes'], own['volumes'], 'name', TOKEN_VOLUME),
    containers: containersOf(spec, own, 'containers'),
    initContainers: containersOf(spec, own, 'initContainers'),
  };
}

/** Those of the template, if the pod has them and the default ones; else those of the pod. */
function tolerationsOf(spec: JsonObject, own: JsonObject): Json {
  const texts = (tolerations: readonly unknown[]): string =>
    [...new Set(tolerations.map((each) => canonicalJson(each)))].sort().join('\n');
  const isDefault = texts(listOf(spec['tolerations'])) === texts(nodeTolerations(podSpecOf({ spec: own })));
  return (isDefault ? own : spec)['tolerations'] ?? null;
}

function containersOf(spec: JsonObject, own: JsonObject, field: string): Json {
  const ofTemplate = new Map(listOf(own[field]).map((each) => [textOf(each['name']), each]));
  return listOf(spec[field]).map((container): JsonObject => {
    const from = ofTemplate.get(textOf(container['name'])) ?? {};
    const isUnset = from['imagePullPolicy'] === undefined || from['imagePullPolicy'] === null;
    const found = isUnset ? withoutPullPolicyByTag(container, 'image', 'imagePullPolicy') : container;
    return {
      ...found,
      volumeMounts: without(found['volumeMounts'], from['volumeMounts'], 'name', TOKEN_VOLUME),
    };
  });
}

/** A list without those members that begin with this name, and that the list of the template lacks. */
function without(list: Json | undefined, own: Json | undefined, key: string, prefix: string): Json {
  const known = new Set(listOf(own).map((each) => each[key]));
  return listOf(list).filter((each) => !textOf(each[key]).startsWith(prefix) || known.has(each[key] ?? null));
}

function withoutRequiredNode(spec: JsonObject): JsonObject {
  const { nodeAffinity, ...affinity } = objectOf(spec['affinity']);
  const { requiredDuringSchedulingIgnoredDuringExecution: _, ...preferred } = objectOf(nodeAffinity);
  return { ...spec, affinity: { ...affinity, nodeAffinity: preferred } };
}
