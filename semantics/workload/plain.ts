import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { RowOf } from '../kinds/lowering.ts';
import type { Lifecycle } from '../lifecycle/hooks.ts';
import { annotationOf } from '../launch/invalid.ts';
import { withNativeOrder } from '../launch/init-order.ts';
import { LAUNCH_PRIORITY_ENV } from '../pod/launch-priority.ts';
import { IN_PLACE_READY, KRUISE_POD_READY } from '../pod/types.ts';
import { POLICY_ANNOTATION, policyOf } from '../policy.ts';
import { listOf, objectOf } from '../values/read.ts';
import { withAlwaysPull } from './new-pod.ts';
import { PRE_DOWNLOAD_ANNOTATION } from './pre-download.ts';

/* What kinds with pods share where they are compiled to kinds of Kubernetes. */

/** Keys of annotations that only OpenKruise, or this runtime, reads of a workload of its own; those of budgets are read of any. */
const OWN_ANNOTATION = /^(?!pub\.|policy\.)[a-z]+\.kruise\.io\//;

/** The last applied manifest of another kind would confuse `kubectl apply`. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** The metadata of a manifest for a kind of Kubernetes: what users write, without annotations that nobody reads there. */
export function plainMetadata({ metadata }: KubeObject): KubeObject['metadata'] {
  const { name, namespace, labels, annotations, finalizers } = metadata;
  const kept = Object.entries(annotations ?? {}).filter(
    ([key]) => !OWN_ANNOTATION.test(key) && key !== LAST_APPLIED,
  );
  return {
    name,
    ...(namespace !== undefined && { namespace }),
    ...(labels !== undefined && { labels }),
    ...(kept.length > 0 && { annotations: Object.fromEntries(kept) }),
    ...(finalizers !== undefined && { finalizers }),
  };
}

/** The pod template for a controller of Kubernetes: without the readiness gates that only a runtime opens. */
export function plainTemplate(template: JsonObject): JsonObject {
  const { readinessGates, ...spec } = objectOf(template['spec']);
  const gates = listOf(readinessGates).filter(
    ({ conditionType }) => conditionType !== IN_PLACE_READY && conditionType !== KRUISE_POD_READY,
  );
  return { ...template, spec: { ...spec, ...(gates.length > 0 && { readinessGates: gates }) } };
}

/** The same, with the pull policy that pods of a kind have by default whose controller writes it into them. */
export function plainTemplateAlways(template: JsonObject): JsonObject {
  const plain = plainTemplate(template);
  return { ...plain, spec: withAlwaysPull(objectOf(plain['spec'])) };
}

/** Percentages as Kubernetes accepts them. */
export const WHOLE_PERCENT = /^[0-9]{1,3}%$/;

/** The fields of an object that are set. */
export function plainFields(fields: Readonly<Record<string, JsonObject[string] | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).filter((entry): entry is [string, JsonObject[string]] => entry[1] !== undefined),
  );
}

/** Updates in place, of a kind whose `policy` says whether it has them. */
export const inPlaceRow: RowOf<{ policy: string }> = {
  what: 'updates in place',
  instead: 'pods are deleted and created again; the gates InPlaceUpdateReady and KruisePodReady go',
  applies: ({ policy }) => policy !== 'ReCreate',
};

/** The order in which containers start. */
export const launchOrderRow: RowOf<{ template: JsonObject; isNative?: boolean }> = {
  what: 'containers that start in an order',
  instead: 'they start together, unless kruise run --admission or OpenKruise is there',
  applies: ({ template, isNative = false }) =>
    isOrdered(template) && !(isNative && withNativeOrder(template) !== undefined),
};

/** The same order by native sidecars, where kruise.yaml asks for them. */
export const nativeOrderRow: RowOf<{ template: JsonObject; isNative?: boolean }> = {
  what: 'containers that start in an order, as native sidecars',
  instead:
    'others wait until one is ready for the first time, they stop in reverse order, and their state is that of init containers',
  applies: ({ template, isNative = false }) => isNative && withNativeOrder(template) !== undefined,
};

function isOrdered(template: JsonObject): boolean {
  return (
    annotationOf(template) !== undefined ||
    listOf(objectOf(template['spec'])['containers']).some(({ env }) =>
      listOf(env).some(({ name }) => name === LAUNCH_PRIORITY_ENV),
    )
  );
}

/** The template with native sidecars for its order, where they are asked for and can keep it. */
export function orderedTemplate({
  template,
  isNative,
}: {
  template: JsonObject;
  isNative?: boolean;
}): JsonObject {
  return (isNative === true ? withNativeOrder(template) : undefined) ?? template;
}

/** Hooks at which pods wait. */
export const hooksRow: RowOf<{ lifecycle: Lifecycle }> = {
  what: 'lifecycle hooks',
  instead: 'nothing would wait for the controllers behind them',
  applies: ({ lifecycle }) => Object.values(lifecycle).some((hook) => hook !== undefined),
};

/** The object or its namespace asks for plans. What a runtime asks for by default is not in git. */
export const requiredRow: RowOf<{ object: KubeObject; namespaces: readonly KubeObject[] }> = {
  what: `the policy Required, by ${POLICY_ANNOTATION} of the object or its namespace`,
  instead: 'a changed template reaches the pods at once, without a plan',
  applies: ({ object, namespaces }) => policyOf(object, namespaces, 'Auto') === 'Required',
};

/** Images that are pulled ahead of an update: `read` of these kinds has the object itself, too. */
export const preDownloadRow: RowOf<{ object: KubeObject }> = {
  what: 'images that are pulled ahead of an update',
  instead: 'each pod pulls its images when it starts',
  applies: ({ object }) => object.metadata.annotations?.[PRE_DOWNLOAD_ANNOTATION] === 'true',
};
