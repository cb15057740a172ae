import { countText } from '../../semantics/values/text.ts';
import { define } from './definition.ts';
import { didYouMean, firstOf, quoted } from './phrases.ts';

/** KR21xx: rules about one manifest that a schema cannot express. */
export const manifestCodes = {
  KR2101: define<{ label: string }>({
    title: 'Selector does not match the template',
    severity: 'error',
    message: ({ label }) => `the selector does not match the labels of the pod template: ${label}`,
    about: 'A workload must select the pods that it creates. Otherwise it would create pods without end.',
    remedy: 'Add the labels of spec.selector to spec.template.metadata.labels.',
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
  KR2245: define<{ autoscaler: string; child: string; target: string }>({
    title: 'Autoscaler of a workload whose size another object sets',
    severity: 'error',
    message: ({ autoscaler, child, target }) =>
      `HorizontalPodAutoscaler ${autoscaler} scales ${child}, and ${target} sets its size`,
    help: ({ target }) => `let it scale ${target}`,
    about:
      'The workload of a subset has the size that its root splits spec.replicas into. The runtime writes that back after each ' +
      'decision of the autoscaler, so that pods come and go.',
    remedy:
      'Let the autoscaler scale the root, whose subsets follow. Sizes that single subsets are to have are in spec.topology.',
  }),
  KR2244: define<{ field: string; rule: string; help: string | undefined }>({
    title: 'Sizes of subsets that do not fit',
    severity: 'error',
    message: ({ field, rule }) => `${field} ${rule}`,
    help: ({ help }) => help,
    about:
      'Each size is valid by itself, but together they are not spec.replicas. OpenKruise stops at this with an event, and scales ' +
      'nothing; the runtime holds the object as InvalidTarget.',
    remedy:
      'Change spec.replicas or the sizes, or leave one subset without a size: it gets what the others leave.',
  }),
  KR2125: define<{ field: string; rule: string }>({
    title: 'Percentage of none',
    severity: 'warning',
    message: ({ field, rule }) => `${field} ${rule}`,
    about:
      'A percentage rounds down. It is nothing of the number that kruise.yaml assumes. OpenKruise accepts it, and a larger ' +
      'cluster executes it.',
    remedy:
      'Write a number, or a larger percentage. If the clusters are larger, raise assume in kruise.yaml.',
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
      'are reserved, except policy, partition-rollback, preparing-update-as-update, image-predownload, ' +
      'resize-in-place and recreate-for-claims. OpenKruise ' +
      'copies the annotations of ' +
      'an object to its revisions, where such keys would mark a revision as stable.',
    remedy:
      'Remove the key. To delete a pod, name it in scaleStrategy.podsToDelete or label that pod. For your own keys, use ' +
      'your own domain.',
  }),
  KR2135: define<{ field: string | undefined }>({
    title: 'No readiness check',
    severity: 'warning',
    message: () =>
      'a pod counts as available as soon as its containers start: more pods are updated before a crash is noticed',
    about:
      'Without minReadySeconds and a readiness probe, a pod is available as soon as its containers start. The forecast ' +
      'does not count pods that crash after they were available. A restart fails the step, but further pods have been ' +
      'updated by then. A change that starts no container, such as a resize in place, gets no warning.',
    help: ({ field }) =>
      field === undefined
        ? 'add a readinessProbe; for pods that run, in a change of its own'
        : `set ${field}, which changes no pod, or add a readinessProbe to the template`,
    remedy: 'Set minReadySeconds, which changes no pod, or add a readinessProbe to the template.',
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
  KR2137: define<{ target: string; other: string }>({
    title: 'Selector of two workloads',
    severity: 'warning',
    message: ({ target, other }) => `the selector of ${target} also matches the pods of ${other}`,
    about:
      'Each pod has one controller. If two selectors match it, both workloads adopt it when it has none, and services, ' +
      'budgets and autoscalers that use the selector count the pods of both.',
    remedy:
      'Give each workload a label of its own. A selector cannot change: create the object under another name.',
  }),
  KR2160: define<{
    budget: string;
    limit: string;
    targets: readonly string[];
    replicas: number;
    isForEvictions: boolean;
  }>({
    title: 'Budget that blocks everything',
    severity: 'warning',
    message: ({ budget, limit, targets, replicas, isForEvictions }) =>
      `${budget} lets no pod of ${firstOf(targets)} be unavailable (${limit} of ` +
      `${countText(replicas, 'replica')}): ${isForEvictions ? 'their nodes cannot be drained' : 'none of them is updated or deleted'}`,
    about:
      'A PodDisruptionBudget limits evictions, which drain nodes; this runtime does not evict pods. Budgets of OpenKruise limit ' +
      'updates and deletions as well, and plans wait for them. At 0 pods, the first such operation waits without end. Percentages ' +
      'round up, so a small minAvailable can be every pod of a small workload.',
    remedy: 'Allow at least one pod to be unavailable, or raise replicas above minAvailable.',
  }),
  KR2161: define<{ field: string; value: string; replicas: number; rule: string }>({
    title: 'Percentage of no pod',
    severity: 'warning',
    message: ({ field, value, replicas, rule }) =>
      `${field} ${value} is 0 of ${countText(replicas, 'replica')}: ${rule}`,
    about:
      'A percentage refers to spec.replicas, and where each subset has a workload to its pods. maxUnavailable rounds down if maxSurge is ' +
      'set, and only whole percentages count. ' +
      'A small percentage of a small workload is then no pod, so it has no effect.',
    remedy: 'Write a number of pods, such as 1, or a larger percentage.',
  }),
  KR2193: define<{ kind: string; name: string; workloads: number }>({
    title: 'A selector that takes no pod of the manifests',
    severity: 'warning',
    message: ({ kind, name, workloads }) =>
      `${kind} ${name} selects no pod of the manifests, which have ${countText(workloads, 'workload')}`,
    help: () => 'compare what it selects by with the labels of pod templates and namespaces, and with names',
    about:
      'The selector fits no pod template in the manifests that were read, or the selector of namespaces fits none of their ' +
      'namespaces, or the named workload is not among them. Then a set perhaps reaches no pod at all, and a budget protects none. ' +
      'Workloads whose namespaces have no manifest are left out, and so are labels that controllers or subsets give to pods.',
    remedy:
      'Correct the selector or the name. If the workloads are in another repository or folder, validate both together. If an operator ' +
      'makes the pods, or nothing in git shows them, ignore this.',
  }),
  KR2228: define<{ object: string; other: string; rule: string }>({
    title: 'Objects that exclude each other',
    severity: 'error',
    message: ({ object, other, rule }) => `${object} excludes ${other}: ${rule}`,
    about:
      'Both would act on the same pods, or keep the same copies. Of budgets the admission of OpenKruise refuses the second one; this ' +
      'runtime heeds both, so that each of these pods needs what both allow. Of copies the first one wins, and the other reports ' +
      'ConflictOccurred.',
    remedy: 'Keep one of the two, or give them pods or namespaces of their own.',
  }),
  KR2231: define<{ object: string; copy: string; namespace: string; owner: string }>({
    title: 'Copy where git has an object of that name',
    severity: 'error',
    message: ({ object, copy, namespace, owner }) =>
      `${object} copies the ${copy} into namespace ${namespace}, where ${owner} has one of that name`,
    about:
      'The runtime leaves an object that it does not control as it is, and reports ConflictOccurred for that namespace as long as ' +
      'it is there. Two objects that copy one name find each other in the way: the first one wins.',
    remedy: 'Rename one of them, or put the namespace into spec.targets.excludedNamespaces.',
  }),
  KR2232: define<{ object: string; others: number; copy: string }>({
    title: 'Copies that are not compared',
    severity: 'warning',
    message: ({ object, others, copy }) =>
      `${object}${others === 0 ? '' : ` and ${countText(others, 'other object')}`} may copy the ${copy} into a namespace where another ` +
      'object does: there are too many to compare',
    about:
      'Of objects that copy one name by labels or into all namespaces, each is compared with each namespace in git. Beyond two million ' +
      'comparisons the others are left out. Where two of them meet, the first one wins, and the other reports ConflictOccurred.',
    remedy: 'Name the namespaces of some of them, or give their copies names of their own.',
  }),
  KR2229: define<{ kind: string; field: string }>({
    title: 'Field of an object without plans that cannot change',
    severity: 'error',
    message: ({ kind, field }) => `${field} of a ${kind} cannot change`,
    about: 'The API server refuses the change, and the GitOps engine retries it without end.',
    remedy: 'Create an object under another name, and remove this one.',
  }),
} as const;
