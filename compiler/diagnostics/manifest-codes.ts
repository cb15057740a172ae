import { define } from './definition.ts';
import { quoted } from './phrases.ts';

function didYouMean(suggestion: string | undefined): string | undefined {
  return suggestion === undefined ? undefined : `did you mean '${suggestion}'?`;
}

/** KR20xx: the schema. KR21xx: rules that a schema cannot express. */
export const manifestCodes = {
  KR2001: define<{ field: string; suggestion: string | undefined }>({
    title: 'Unknown field',
    severity: 'error',
    message: ({ field }) => `unknown field ${quoted(field)}`,
    help: ({ suggestion }) => didYouMean(suggestion),
    about: 'The API server silently drops unknown fields, so the setting would have no effect.',
    remedy: 'Remove the field, or correct its name.',
  }),
  KR2002: define<{ field: string; expected: string; found: string; help?: string | undefined }>({
    title: 'Wrong type',
    severity: 'error',
    message: ({ field, expected, found }) => `${field} must be ${expected}, found ${found}`,
    help: ({ help }) => help,
    about: 'The API server would refuse the object. Often a quote is missing or superfluous.',
    remedy: 'Write a value of the expected type, and check the quotes.',
  }),
  KR2003: define<{ field: string; value: string; allowed: string; suggestion: string | undefined }>({
    title: 'Value not allowed',
    severity: 'error',
    message: ({ field, value, allowed }) => `${field} cannot be ${quoted(value)}; allowed: ${allowed}`,
    help: ({ suggestion }) => didYouMean(suggestion),
    about: 'The field accepts only the listed values. Values are case-sensitive.',
    remedy: 'Use one of the allowed values.',
  }),
  KR2004: define<{ field: string; owner: string; example?: string }>({
    title: 'Missing field',
    severity: 'error',
    message: ({ field, owner }) => `${owner} lacks the required field ${quoted(field)}`,
    help: ({ field, example }) => (example === undefined ? `add ${field}` : `write ${example}`),
    about: 'The API server would refuse the object without this field.',
    remedy: 'Add the field.',
  }),
  KR2005: define<{ field: string; rule: string; help?: string | undefined }>({
    title: 'Value out of bounds',
    severity: 'error',
    message: ({ field, rule }) => `${field} ${rule}`,
    help: ({ help }) => help,
    about: 'The value has the right type, but OpenKruise does not accept it.',
    remedy: 'Choose a value within the reported bounds.',
  }),
  KR2006: define<{ field: string; suggestion: string | undefined }>({
    title: 'Unknown field in a pod template',
    severity: 'warning',
    strict: true,
    message: ({ field }) => `unknown field ${quoted(field)} in the pod template`,
    help: ({ suggestion }) => didYouMean(suggestion),
    about:
      'The API server accepts unknown fields in a template, but pods created from it lack them. ' +
      'It is a warning because a newer Kubernetes may support the field. With --strict it is an error.',
    remedy: 'Remove the field, or correct its name.',
  }),
  KR2101: define<{ label: string }>({
    title: 'Selector does not match the template',
    severity: 'error',
    message: ({ label }) => `the selector does not match the labels of the pod template: ${label}`,
    about: 'A workload must select the pods that it creates. Otherwise it would create pods without end.',
    remedy: 'Add the labels of spec.selector to spec.template.metadata.labels.',
  }),
  KR2102: define({
    title: 'Selector changed',
    severity: 'error',
    message: () => 'spec.selector cannot change once the object exists',
    about: 'The selector is immutable. The API server would refuse the update.',
    remedy: 'Create a new object under another name and remove the old one.',
  }),
  KR2103: define<{ maxUnavailable: string; maxSurge: string; replicas: number }>({
    title: 'No pod can be updated',
    severity: 'error',
    check: 'refused',
    message: ({ maxUnavailable, maxSurge, replicas }) =>
      `maxUnavailable ${maxUnavailable} and maxSurge ${maxSurge} are both 0 of ${replicas} ${replicas === 1 ? 'replica' : 'replicas'}`,
    about:
      'If no pod may be unavailable and no pod may be extra, no update can start. Percentages refer to ' +
      'spec.replicas. maxUnavailable rounds up without surge and down with surge, and only whole percentages count.',
    remedy: 'Raise one of the two to at least 1.',
  }),
  KR2104: define<{ field: string; reason: string }>({
    title: 'In-place only, but the change recreates',
    severity: 'error',
    check: 'refused',
    message: ({ field, reason }) =>
      `${field} cannot change in place, and the policy is InPlaceOnly: ${reason}`,
    about: 'With InPlaceOnly, a template change that needs new pods would never be rolled out.',
    remedy: 'Use InPlaceIfPossible, or revert the change.',
  }),
  KR2105: define<{ kind: string; value: string }>({
    title: 'Restart policy',
    severity: 'error',
    message: ({ kind, value }) => `restartPolicy must be Always in a ${kind}, found ${quoted(value)}`,
    about: 'Pods that terminate belong to a Job.',
    remedy: 'Remove restartPolicy, or use a Job for pods that terminate.',
  }),
  KR2106: define<{ kind: string }>({
    title: 'Deadline in a pod template',
    severity: 'error',
    message: ({ kind }) => `activeDeadlineSeconds is not allowed in a ${kind}`,
    about:
      'The kubelet would terminate each pod at its deadline, after a rollout all pods at about the same time.',
    remedy: 'Remove activeDeadlineSeconds, or use a Job for pods that terminate.',
  }),
  KR2107: define<{ field: string; marker: string }>({
    title: 'Encrypted or injected value',
    severity: 'error',
    message: ({ field, marker }) => `${field} holds ${quoted(marker)}, which is replaced after planning`,
    about: 'If a tool changes the template after planning, its hash differs from the one in the plan.',
    remedy: 'Plan the rendered manifests, or keep the value in a Secret that the pod refers to.',
  }),
  KR2108: define<{ field: string; marker: string }>({
    title: 'Placeholder',
    severity: 'warning',
    strict: true,
    message: ({ field, marker }) => `${field} holds ${quoted(marker)}, which looks like a placeholder`,
    about:
      'Helm, Flux post-build substitution and similar tools replace such text. If that happens after planning, the ' +
      'plan does not match the target. With --strict it is an error.',
    remedy: 'Plan the rendered manifests. If the text is literal, ignore this.',
  }),
  KR2109: define<{ field: string; image: string }>({
    title: 'Mutable image tag',
    severity: 'warning',
    message: ({ field, image }) => `${field} is ${quoted(image)}: the tag can refer to another image later`,
    about: 'A plan covers the reviewed images. With the tag latest or no tag, pods may run another image.',
    remedy: 'Use a version tag, or better a digest.',
  }),
  KR2110: define<{ from: number; to: number }>({
    title: 'Replicas drop',
    severity: 'warning',
    message: ({ from, to }) =>
      to === 0
        ? `replicas drop from ${from} to 0: every pod is deleted`
        : `replicas drop from ${from} to ${to}, below half`,
    about: 'No plan gates scaling, so the reviewer should know.',
    remedy: 'If an autoscaler owns the number, leave replicas out of the manifest.',
  }),
  KR2111: define<{ pod: string }>({
    title: 'Pod named twice',
    severity: 'error',
    message: ({ pod }) => `podsToDelete names ${quoted(pod)} twice`,
    about: 'The admission of OpenKruise refuses it too.',
    remedy: 'Remove one of the two.',
  }),
  KR2112: define<{ field: string; versions: string; apiVersion: string }>({
    title: 'Field of another API version',
    severity: 'warning',
    message: ({ field, versions, apiVersion }) =>
      `${field} belongs to ${versions}, this manifest is ${apiVersion}`,
    help: ({ versions }) =>
      `OpenKruise drops it in this version; move it, or change apiVersion to ${versions}`,
    about:
      'This runtime serves both versions with one schema and applies the field. OpenKruise itself would ignore it, so the ' +
      'same manifest would have two meanings.',
    remedy: 'Use the field of this version, or change apiVersion.',
  }),
  KR2113: define<{ partition: string; replicas: number }>({
    title: 'Partition holds everything back',
    severity: 'warning',
    message: ({ partition, replicas }) =>
      `partition ${partition} keeps ${replicas === 1 ? 'the only replica' : `all ${replicas} replicas`} on the old revision: the change updates no pod`,
    about: 'The template changes, but the partition in the manifest allows no pod to be updated.',
    remedy: 'Lower the partition to start the rollout.',
  }),
  KR2114: define<{ field: string; effect: string }>({
    title: 'Field this version does not execute',
    severity: 'error',
    message: ({ field, effect }) => `${field} is not executed by this version: ${effect}`,
    about:
      'The field is valid, but this version does not support it and never changes the pods of an object that uses it. ' +
      'Ignoring the field could cause a rollout that was not reviewed.',
    remedy:
      'Remove the field. Or keep OpenKruise for all objects of this kind in the cluster: it cannot leave out one.',
  }),
  KR2115: define({
    title: 'Surge with in-place only',
    severity: 'error',
    message: () => 'maxSurge cannot be set with InPlaceOnly',
    about: 'Extra pods would have to be deleted again, which InPlaceOnly does not allow.',
    remedy: 'Remove maxSurge, or use InPlaceIfPossible.',
  }),
  KR2116: define<{ deadline: number; ready: number }>({
    title: 'Progress deadline shorter than minReadySeconds',
    severity: 'warning',
    message: ({ deadline, ready }) =>
      `progressDeadlineSeconds ${deadline} is not greater than minReadySeconds ${ready}: every rollout would fail`,
    about: 'OpenKruise refuses it in v1alpha1. It accepts it in v1beta1, but no rollout meets the deadline.',
    remedy: 'Raise progressDeadlineSeconds above minReadySeconds, or lower minReadySeconds.',
  }),
  KR2118: define<{ value: string; versions: string; apiVersion: string }>({
    title: 'Strategy type of another API version',
    severity: 'warning',
    message: ({ value, versions, apiVersion }) =>
      `updateStrategy.type ${quoted(value)} belongs to ${versions}, this manifest is ${apiVersion}`,
    about:
      'v1alpha1 has ReCreate, InPlaceIfPossible and InPlaceOnly. v1beta1 has RollingUpdate and OnDelete, and ' +
      'rollingUpdate.podUpdatePolicy for the other settings.',
    remedy: 'Change the type or apiVersion. OpenKruise refuses this combination.',
  }),
  KR2119: define({
    title: 'Claim template changed',
    severity: 'warning',
    message: () => 'volumeClaimTemplates change, but existing claims stay as they are and no pod is replaced',
    about: 'Claim templates apply only to claims that are created later.',
    remedy: 'Nothing, if only new pods need the change. Resize existing claims by hand.',
  }),
  KR2120: define<{ kind: string; name: string; pods: number }>({
    title: 'Workload removed',
    severity: 'warning',
    message: ({ kind, name, pods }) =>
      `${kind} ${name} is removed: ${pods === 1 ? 'its pod is' : `its ${pods} pods are`} deleted with it`,
    about: 'No plan gates the removal of a workload, so the reviewer should know.',
    remedy: 'If the manifest was moved or renamed by mistake, restore it.',
  }),
  KR2121: define<{ from: string; to: string | undefined }>({
    title: 'Policy becomes weaker',
    severity: 'warning',
    message: ({ from, to }) =>
      to === undefined
        ? `plan.kruise.io/policy ${quoted(from)} is removed: changes may no longer wait for a plan`
        : `plan.kruise.io/policy changes from ${quoted(from)} to ${quoted(to)}: changes no longer wait for a plan`,
    about:
      'With Required, a template change waits until a plan covers it. The strictest of three settings applies: ' +
      'the annotation on the object, the annotation on its namespace, and --policy of the runtime.',
    remedy: 'Keep Required, unless future changes may roll out without a plan.',
  }),
  KR2122: define<{ value: string; suggestion: string | undefined }>({
    title: 'Unknown policy',
    severity: 'error',
    message: ({ value }) => `plan.kruise.io/policy cannot be ${quoted(value)}; allowed: Required, Auto`,
    help: ({ suggestion }) => didYouMean(suggestion),
    about: 'The runtime treats every other value as Required, which may not be what the author meant.',
    remedy: 'Write Required or Auto.',
  }),
  KR2123: define<{ container: string }>({
    title: 'Container without an image',
    severity: 'error',
    message: ({ container }) => `the container ${quoted(container)} has no image`,
    about: 'The API server would refuse pods of this template.',
    remedy: 'Set the image of the container.',
  }),
  KR2124: define<{ container: string; first: string }>({
    title: 'Two containers with one name',
    severity: 'error',
    message: ({ container, first }) => `two containers are named ${quoted(container)}: the other is ${first}`,
    about:
      'Kubernetes identifies containers by their names. The API server would refuse pods of this template, and a change ' +
      'could not be assigned to one of the containers.',
    remedy: 'Rename one of the two.',
  }),
  KR2130: define({
    title: 'Pods are updated without being deleted by users',
    severity: 'warning',
    message: () =>
      'the strategy is no longer OnDelete: pods on an earlier revision are updated from now on, without a new plan',
    about:
      'With OnDelete, a pod is updated when a user deletes it, and the active plan waits for that. Under another ' +
      'strategy the active plan continues at its current step and updates the remaining pods.',
    remedy: 'If this is not intended, delete the remaining pods first, or set partition to keep them.',
  }),
  KR2131: define<{ pod: string }>({
    title: 'Pod to delete is still named',
    severity: 'warning',
    message: ({ pod }) => `podsToDelete names ${quoted(pod)} at base and at head`,
    about:
      'OpenKruise removes a name from the list when its pod is gone. This runtime never writes fields that git owns. ' +
      'A name without a pod has no effect, but readers cannot see which deletions are still pending.',
    remedy: 'Remove the name once its pod is gone.',
  }),
  KR2132: define<{ kind: string; from: string; to: string }>({
    title: 'Generated name changed',
    severity: 'warning',
    message: ({ kind, from, to }) =>
      `the generated ${kind} ${quoted(from)} is now ${quoted(to)}: pods on the old revision need the old one until they are all updated`,
    about:
      'kustomize changes the name of a generated ConfigMap or Secret with its content. A GitOps engine that prunes ' +
      'removes the old object during the rollout. A pod that is recreated on the old revision then does not start, ' +
      'for example in a revert.',
    remedy:
      'Prune the old object last. In Argo CD set the sync option PruneLast=true. In Flux set the annotation ' +
      'kustomize.toolkit.fluxcd.io/prune: disabled on the generated objects.',
  }),
  KR2133: define<{ deadline: number; least: string }>({
    title: 'Progress deadline shorter than the rollout',
    severity: 'warning',
    message: ({ deadline, least }) =>
      `the rollout takes at least ${least}, longer than progressDeadlineSeconds ${deadline}: the status may report ProgressDeadlineExceeded before it is done`,
    about:
      'OpenKruise counts progressDeadlineSeconds from the start of a rollout. Each round takes at least the grace period of an ' +
      'in-place update plus minReadySeconds. The number of rounds follows from the number of pods and from maxUnavailable and ' +
      'maxSurge. The condition only informs: a step of a plan fails only when no pod becomes available for that long.',
    remedy: 'Raise progressDeadlineSeconds, or update more pods at a time.',
  }),
  KR2134: define<{
    key: string;
    field: string;
    made: 'pod' | 'claim' | 'target';
    suggestion: string | undefined;
  }>({
    title: 'Reserved key',
    severity: 'error',
    message: ({ key, field, made }) =>
      made === 'target'
        ? `${quoted(key)} in ${field} is reserved: only the runtime writes it`
        : `${quoted(key)} in ${field} is reserved: only the controller of the ${made}s writes it, never a template`,
    help: ({ suggestion }) => didYouMean(suggestion),
    about:
      'Controllers record their state of a pod or claim in labels and annotations of kruise.io, in keys with the prefix ' +
      'inplace-update-, and in two revision labels. In a template such keys would act as commands that nobody reviewed: ' +
      'another image, or the deletion of every pod. OpenKruise accepts them. This runtime holds the target (InvalidTarget), ' +
      'never writes them from a template, and ignores those that pods got from one. Keys for users are accepted, such as ' +
      'apps.kruise.io/container-launch-priority; docs/admission.md lists them. On the object itself, keys of plan.kruise.io ' +
      'are reserved, except plan.kruise.io/policy and plan.kruise.io/partition-rollback. OpenKruise copies the annotations of ' +
      'an object to its revisions, where such keys would mark a revision as stable.',
    remedy:
      'Remove the key. To delete a pod, name it in scaleStrategy.podsToDelete or label that pod. For your own keys, use ' +
      'your own domain.',
  }),
  KR2136: define<{ field: string; effect: string }>({
    title: 'Field this version does not execute, in an object that does not change',
    severity: 'warning',
    message: ({ field, effect }) => `${field} is not executed by this version: ${effect}`,
    about:
      'The field is valid, but this version does not support it and never changes the pods of an object that uses it. ' +
      'Nothing is rolled out here. `kruise plan` refuses to plan a change of the object (KR2114).',
    remedy:
      'Remove the field. Or keep OpenKruise for all objects of this kind in the cluster: it cannot leave out one.',
  }),
  KR2137: define<{ kind: string; name: string }>({
    title: 'Selector of two workloads',
    severity: 'warning',
    message: ({ kind, name }) => `the selector also matches the pods of ${kind} ${name}`,
    about:
      'Each pod has one controller. If two selectors match it, both workloads adopt it when it has none, and services, ' +
      'budgets and autoscalers that use the selector count the pods of both.',
    remedy:
      'Give each workload a label of its own. A selector cannot change: create the object under another name.',
  }),
  KR2138: define<{ field: string; reason: string }>({
    title: 'Change that recreates pods',
    severity: 'warning',
    message: ({ field, reason }) =>
      `${field} cannot change in place, so pods are recreated although the policy is InPlaceIfPossible: ${reason}`,
    about:
      'With InPlaceIfPossible, a change of an image, a label or an annotation restarts containers at most. ' +
      'Any other change of the template deletes each pod and creates another, with a new name and address.',
    remedy: 'If pods must stay, make this change separately. If not, nothing.',
  }),
  KR2139: define<{ field: string; image: string }>({
    title: 'Revert to a mutable image tag',
    severity: 'warning',
    message: ({ field, image }) =>
      `onFailure is Revert, but ${field} was ${quoted(image)}: by then the tag may refer to another image`,
    about:
      'A revert restores the pod template, not what its image tags referred to. With the tag latest or no tag, pods may ' +
      'get the image that failed.',
    remedy: 'Deploy the old image under a version tag or digest first, or use onFailure: Halt.',
  }),
  KR2135: define({
    title: 'No readiness check',
    severity: 'warning',
    message: () =>
      'a pod counts as available as soon as its containers start: more pods are updated before a crash is noticed',
    about:
      'Without minReadySeconds and a readiness probe, a pod is available as soon as its containers start. The forecast ' +
      'does not count pods that crash after they were available. A restart fails the step, but further pods have been ' +
      'updated by then.',
    remedy: 'Set minReadySeconds, which changes no pod, or add a readinessProbe to the template.',
  }),
} as const;
