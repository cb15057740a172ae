import type { KubeObject } from '../../schemas/wire/object.ts';
import type { NewPodRules, PodReviewRules } from '../../semantics/kinds/admission.ts';
import {
  admittingBy,
  creatingKinds,
  reviewingKinds,
  type RulesOf,
  stampingKinds,
} from '../../semantics/kinds/admitting.ts';
import type { Kind } from '../../semantics/kinds/kind.ts';
import { notBy, unreviewedConditions } from '../../semantics/kinds/unreviewed-requests.ts';
import { kinds as registered } from '../../semantics/registry/registry.ts';
import { NAMESPACE_NAME_LABEL } from '../../semantics/values/namespace-label.ts';
import { exemptNamespaces, RUNTIME_ACCOUNT } from '../../semantics/values/system-namespaces.ts';

/** The name of the configuration. */
export const ADMISSION_NAME = 'kruise-admission';

/** The Service of the program, by which API servers ask. */
export const ADMISSION_SERVICE = 'kruise-admission';

/**
 * For which name the certificate must be where API servers ask the Service.
 *
 * @param namespace of the Service
 */
export function serviceHost(namespace: string): string {
  return `${ADMISSION_SERVICE}.${namespace}.svc`;
}

/** The path of reviews of new pods. */
export const NEW_PODS_PATH = '/pods';

/** Nobody has asked for more. */
const asInstalled = admittingBy(registered, []);

/** Seconds until the API server goes on without an answer. */
const TIMEOUT_SECONDS = 3;

/**
 * The configuration by which an API server asks for a review of each new pod, and of objects that get annotations. It goes on without
 * an answer: pods must be created where the program is down. No pod of the system, and none of the program itself, is reviewed.
 *
 * @param clientOf where the program is asked at a path
 * @param own the namespaces of the program
 */
export function admissionConfiguration(
  clientOf: (path: string) => object,
  own: readonly string[],
  kinds: readonly Kind[] = asInstalled,
): KubeObject {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: ADMISSION_NAME },
    webhooks: [
      ...creatingKinds(kinds).map((each) => creationWebhook(each, clientOf, own)),
      {
        name: 'sidecars.admission.plan.kruise.io',
        admissionReviewVersions: ['v1'],
        clientConfig: clientOf(NEW_PODS_PATH),
        failurePolicy: 'Ignore',
        matchPolicy: 'Equivalent',
        sideEffects: 'None',
        // Asked again it would draw again, and the containers of another revision are there already.
        reinvocationPolicy: 'Never',
        timeoutSeconds: TIMEOUT_SECONDS,
        namespaceSelector: namespacesBut(own),
        rules: [ruleOf(['CREATE'], 'pods')],
      },
      ...stampingKinds(kinds).map(({ kind }) => stampingWebhook(kind, clientOf)),
    ],
  };
}

/** Each kind is asked about the pods alone that it may change, before sidecars are added to them. */
function creationWebhook(
  { kind, rules }: RulesOf<NewPodRules>,
  clientOf: (path: string) => object,
  own: readonly string[],
): object {
  const { group, plural } = kind.resource;
  // The runtime has asked the kind itself.
  const accounts = kind.influence === undefined ? [] : runtimeAccounts(own);
  return {
    name: `new-pods.${plural}.${group}`,
    admissionReviewVersions: ['v1'],
    clientConfig: clientOf(creationPath(kind)),
    failurePolicy: 'Ignore',
    matchPolicy: 'Equivalent',
    sideEffects: rules.records ? 'NoneOnDryRun' : 'None',
    // Asked again it would take another place.
    reinvocationPolicy: 'Never',
    timeoutSeconds: TIMEOUT_SECONDS,
    namespaceSelector: namespacesBut(own),
    rules: [ruleOf(['CREATE'], 'pods')],
    matchConditions: [...notBy(accounts), ...rules.conditions],
  };
}

/** Each version is stored alike, so that any of them may be asked about. */
function stampingWebhook(kind: Kind, clientOf: (path: string) => object): object {
  const { group, plural, namespaced } = kind.resource;
  return {
    name: `${plural}.admission.plan.kruise.io`,
    admissionReviewVersions: ['v1'],
    clientConfig: clientOf(stampPath(kind)),
    failurePolicy: 'Ignore',
    matchPolicy: 'Equivalent',
    sideEffects: 'None',
    // Another webhook may have changed the spec after it.
    reinvocationPolicy: 'IfNeeded',
    timeoutSeconds: TIMEOUT_SECONDS,
    rules: [
      {
        apiGroups: [group],
        apiVersions: ['*'],
        operations: ['CREATE', 'UPDATE'],
        resources: [plural],
        scope: namespaced ? 'Namespaced' : 'Cluster',
      },
    ],
  };
}

/** The path at which new pods are reviewed for a kind. */
export function creationPath({ resource: { group, plural } }: Kind): string {
  return `/new-pods/${plural}.${group}`;
}

/** The path at which objects of a kind are reviewed that get annotations. */
export function stampPath({ resource: { group, plural } }: Kind): string {
  return `/objects/${plural}.${group}`;
}

/** The path at which requests about pods that are there are reviewed for a kind. */
export function disruptionPath({ resource: { group, plural } }: Kind): string {
  return `/disruptions/${plural}.${group}`;
}

/** The user names of the runtime. @param own the namespaces of the program */
export function runtimeAccounts(own: readonly string[]): string[] {
  return own.map((namespace) => `system:serviceaccount:${namespace}:${RUNTIME_ACCOUNT}`);
}

/**
 * The configuration by which an API server asks about changes and removals of pods, one webhook for each kind that reviews them, so
 * that an outage concerns the pods that this kind covers alone; undefined: no kind does.
 *
 * @param clientOf where the program is asked at a path
 * @param own the namespaces of the program
 */
export function disruptionConfiguration(
  clientOf: (path: string) => object,
  own: readonly string[],
  kinds: readonly Kind[] = asInstalled,
): KubeObject | undefined {
  const webhooks = reviewingKinds(kinds).flatMap((each) => webhooksOf(each, clientOf, own));
  if (webhooks.length === 0) return undefined;
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: ADMISSION_NAME },
    webhooks,
  };
}

function webhooksOf(
  { kind, rules }: RulesOf<PodReviewRules>,
  clientOf: (path: string) => object,
  own: readonly string[],
): object[] {
  const { group, plural } = kind.resource;
  const webhook = (prefix: string, failurePolicy: string, asked: object) => ({
    name: `${prefix}.${plural}.${group}`,
    admissionReviewVersions: ['v1'],
    clientConfig: clientOf(disruptionPath(kind)),
    failurePolicy,
    matchPolicy: 'Equivalent',
    sideEffects: rules.records ? 'NoneOnDryRun' : 'None',
    timeoutSeconds: TIMEOUT_SECONDS,
    namespaceSelector: namespacesBut(own),
    ...asked,
  });
  const has = (operation: PodReviewRules['operations'][number]): boolean =>
    rules.operations.includes(operation);
  const podOperations = (['DELETE', 'UPDATE'] as const).filter(has);
  const ofPods = [
    ...(podOperations.length > 0 ? [ruleOf(podOperations, 'pods')] : []),
    ...(has('RESIZE') ? [ruleOf(['UPDATE'], 'pods/resize')] : []),
  ];
  const matchConditions = [...unreviewedConditions(runtimeAccounts(own)), ...rules.conditions];
  return [
    ...(ofPods.length > 0 ? [webhook('pods', rules.failurePolicy, { rules: ofPods, matchConditions })] : []),
    // The request of an eviction does not show its pod, so that no condition limits an outage to covered ones.
    ...(has('EVICT')
      ? [webhook('evictions', 'Ignore', { rules: [ruleOf(['CREATE'], 'pods/eviction')] })]
      : []),
  ];
}

function ruleOf(operations: readonly string[], resource: string): object {
  return { apiGroups: [''], apiVersions: ['v1'], operations, resources: [resource], scope: 'Namespaced' };
}

function namespacesBut(own: readonly string[]): object {
  return {
    matchExpressions: [{ key: NAMESPACE_NAME_LABEL, operator: 'NotIn', values: exemptNamespaces(own) }],
  };
}
