import { define } from './definition.ts';
import { quoted } from './phrases.ts';

function didYouMean(suggestion: string | undefined): string | undefined {
  return suggestion === undefined ? undefined : `did you mean '${suggestion}'?`;
}

/** KR20xx: the schema. KR21xx: what a schema cannot say. */
export const manifestCodes = {
  KR2001: define<{ field: string; suggestion: string | undefined }>({
    title: 'Unknown field',
    severity: 'error',
    message: ({ field }) => `unknown field ${quoted(field)}`,
    help: ({ suggestion }) => didYouMean(suggestion),
    about: 'The API server drops fields it does not know, silently. What was meant to be set would not be.',
    remedy: 'Remove the field, or correct its name.',
  }),
  KR2002: define<{ field: string; expected: string; found: string }>({
    title: 'Wrong type',
    severity: 'error',
    message: ({ field, expected, found }) => `${field} must be ${expected}, found ${found}`,
    about: 'The API server would refuse the object. Often a quote is missing or one too many.',
    remedy: 'Write a value of the type that is named; mind the quotes.',
  }),
  KR2003: define<{ field: string; value: string; allowed: string; suggestion: string | undefined }>({
    title: 'Value not allowed',
    severity: 'error',
    message: ({ field, value, allowed }) => `${field} cannot be ${quoted(value)}; allowed: ${allowed}`,
    help: ({ suggestion }) => didYouMean(suggestion),
    about: 'The field takes one of a few words. Upper and lower case count.',
    remedy: 'Use one of the words that are allowed.',
  }),
  KR2004: define<{ field: string; owner: string; example?: string }>({
    title: 'Missing field',
    severity: 'error',
    message: ({ field, owner }) => `${owner} lacks the required field ${quoted(field)}`,
    help: ({ field, example }) => (example === undefined ? `add ${field}` : `write ${example}`),
    about: 'The API server would refuse the object without this field.',
    remedy: 'Add the field.',
  }),
  KR2005: define<{ field: string; rule: string }>({
    title: 'Value out of bounds',
    severity: 'error',
    message: ({ field, rule }) => `${field} ${rule}`,
    about: 'The value has the right type but is outside of what OpenKruise accepts.',
    remedy: 'Choose a value within the bounds that are named.',
  }),
  KR2006: define<{ field: string; suggestion: string | undefined }>({
    title: 'Unknown field in a pod template',
    severity: 'warning',
    strict: true,
    message: ({ field }) => `unknown field ${quoted(field)} in the pod template`,
    help: ({ suggestion }) => didYouMean(suggestion),
    about:
      'The definition keeps the template as it is, so the API server does not complain, but pods made from it lack the field. ' +
      'It is a warning because a newer Kubernetes may know it; with --strict it is an error.',
    remedy: 'Remove the field, or correct its name.',
  }),
  KR2101: define<{ label: string }>({
    title: 'Selector does not match the template',
    severity: 'error',
    message: ({ label }) => `the selector does not match the labels of the pod template: ${label}`,
    about: 'A workload must select the pods it makes, or it would make them for ever.',
    remedy: 'Give spec.template.metadata.labels what spec.selector asks for.',
  }),
  KR2102: define({
    title: 'Selector changed',
    severity: 'error',
    message: () => 'spec.selector cannot change once the object exists',
    about: 'The selector is immutable. The API server would refuse the update.',
    remedy: 'Make a new object under another name and remove the old one.',
  }),
  KR2103: define<{ maxUnavailable: string; maxSurge: string; replicas: number }>({
    title: 'No pod may ever be updated',
    severity: 'error',
    message: ({ maxUnavailable, maxSurge, replicas }) =>
      `maxUnavailable ${maxUnavailable} and maxSurge ${maxSurge} are both 0 of ${replicas} ${replicas === 1 ? 'replica' : 'replicas'}`,
    about:
      'With no pod allowed to be missing and none to be extra, no update can start. Percentages are of ' +
      'spec.replicas; maxUnavailable rounds up without surge and down with it, and only whole percentages count.',
    remedy: 'Raise one of the two; 1 is enough.',
  }),
  KR2104: define<{ field: string; because: string }>({
    title: 'In-place only, but the change recreates',
    severity: 'error',
    message: ({ field, because }) =>
      `${field} cannot change in place, and the policy is InPlaceOnly: ${because}`,
    about: 'With InPlaceOnly a template change that needs new pods would wait for ever.',
    remedy: 'Use InPlaceIfPossible, or take the change back.',
  }),
  KR2105: define<{ kind: string; value: string }>({
    title: 'Restart policy',
    severity: 'error',
    message: ({ kind, value }) => `restartPolicy must be Always in a ${kind}, found ${quoted(value)}`,
    about: 'Pods that end are the business of a Job.',
    remedy: 'Remove restartPolicy, or use a Job for pods that end.',
  }),
  KR2106: define<{ kind: string }>({
    title: 'Deadline in a pod template',
    severity: 'error',
    message: ({ kind }) => `activeDeadlineSeconds is not allowed in a ${kind}`,
    about: 'The kubelet would end every pod at its deadline, all at once after a roll-out.',
    remedy: 'Remove activeDeadlineSeconds, or use a Job for pods that end.',
  }),
  KR2107: define<{ field: string; marker: string }>({
    title: 'Encrypted or injected value',
    severity: 'error',
    message: ({ field, marker }) =>
      `${field} holds ${quoted(marker)}, which is replaced after the plan is made`,
    about: 'The hash of a template that is rewritten later never matches what the cluster gets.',
    remedy: 'Plan the rendered manifests, or keep the value in a Secret that the pod refers to.',
  }),
  KR2108: define<{ field: string; marker: string }>({
    title: 'Placeholder',
    severity: 'warning',
    strict: true,
    message: ({ field, marker }) => `${field} holds ${quoted(marker)}, which looks like a placeholder`,
    about:
      'Helm, Flux post-build substitution and similar tools replace such text. If that happens after planning, the ' +
      'plan does not match. With --strict it is an error.',
    remedy: 'Plan the rendered manifests; if it is meant literally, ignore this.',
  }),
  KR2109: define<{ field: string; image: string }>({
    title: 'Mutable image tag',
    severity: 'warning',
    message: ({ field, image }) =>
      `${field} is ${quoted(image)}: the same text can be another image tomorrow`,
    about: 'A plan promises what was reviewed. With latest or no tag nobody can say what runs.',
    remedy: 'Name a version, or better a digest.',
  }),
  KR2110: define<{ from: number; to: number }>({
    title: 'Replicas drop',
    severity: 'warning',
    message: ({ from, to }) =>
      to === 0
        ? `replicas drop from ${from} to 0: every pod is deleted`
        : `replicas drop from ${from} to ${to}, below half`,
    about: 'Scaling is never gated by a plan, so the reviewer should see it here.',
    remedy: 'If an autoscaler owns the number, leave replicas out of the manifest.',
  }),
  KR2111: define<{ pod: string }>({
    title: 'Pod named twice',
    severity: 'error',
    message: ({ pod }) => `podsToDelete names ${quoted(pod)} twice`,
    about: 'Admission of OpenKruise refuses it, too.',
    remedy: 'Remove one of the two.',
  }),
  KR2112: define<{ field: string; versions: string; apiVersion: string }>({
    title: 'Field of another API version',
    severity: 'warning',
    message: ({ field, versions, apiVersion }) =>
      `${field} belongs to ${versions}, this manifest is ${apiVersion}`,
    help: ({ versions }) => `OpenKruise drops it here; move it, or change apiVersion to ${versions}`,
    about:
      'Both versions are served with one schema here, and the field works. OpenKruise itself would ignore it, so the ' +
      'manifest would mean two things.',
    remedy: 'Move the field to where this version has it, or change apiVersion.',
  }),
  KR2113: define<{ partition: string; replicas: number }>({
    title: 'Partition holds everything back',
    severity: 'warning',
    message: ({ partition, replicas }) =>
      `partition ${partition} keeps ${replicas === 1 ? 'the only replica' : `all ${replicas} replicas`} on the old revision: this change reaches no pod`,
    about: 'The template changes, but the standing bound of the manifest lets no pod follow.',
    remedy: 'Lower the partition when the roll-out shall start.',
  }),
  KR2114: define<{ field: string; effect: string }>({
    title: 'Field this version does not execute',
    severity: 'error',
    message: ({ field, effect }) => `${field} is not executed by this version: ${effect}`,
    about:
      'The field is valid, but this version does not act on it and does not touch the pods of an object that needs it: ' +
      'a rule that is ignored silently would make a roll-out that nobody reviewed.',
    remedy: 'Remove the field, or leave this object to OpenKruise.',
  }),
  KR2115: define({
    title: 'Surge with in-place only',
    severity: 'error',
    message: () => 'maxSurge cannot be set with InPlaceOnly',
    about: 'Extra pods would have to be deleted again, which InPlaceOnly excludes.',
    remedy: 'Remove maxSurge, or use InPlaceIfPossible.',
  }),
  KR2116: define<{ deadline: number; ready: number }>({
    title: 'Deadline before readiness',
    severity: 'warning',
    message: ({ deadline, ready }) =>
      `progressDeadlineSeconds ${deadline} is not greater than minReadySeconds ${ready}: every roll-out would fail`,
    about: 'OpenKruise refuses it in v1alpha1; v1beta1 accepts it and then never gets done in time.',
    remedy: 'Raise progressDeadlineSeconds above minReadySeconds, or lower minReadySeconds.',
  }),
  KR2118: define<{ value: string; versions: string; apiVersion: string }>({
    title: 'Strategy type of another API version',
    severity: 'warning',
    message: ({ value, versions, apiVersion }) =>
      `updateStrategy.type ${quoted(value)} belongs to ${versions}, this manifest is ${apiVersion}`,
    about:
      'v1alpha1 knows ReCreate, InPlaceIfPossible and InPlaceOnly; v1beta1 knows RollingUpdate and OnDelete and has ' +
      'rollingUpdate.podUpdatePolicy for the rest.',
    remedy: 'Change the type or apiVersion; OpenKruise refuses the two together.',
  }),
  KR2119: define({
    title: 'Claim template changed',
    severity: 'warning',
    message: () =>
      'volumeClaimTemplates change, but claims that exist are never changed and no pod is replaced for it',
    about: 'Claim templates count for claims that are created later only.',
    remedy: 'New pods get the new claims; resize existing claims by hand.',
  }),
  KR2120: define<{ kind: string; name: string; pods: number }>({
    title: 'Workload removed',
    severity: 'warning',
    message: ({ kind, name, pods }) =>
      `${kind} ${name} is removed: ${pods === 1 ? 'its pod is' : `its ${pods} pods are`} deleted with it`,
    about: 'Removing a workload is never gated by a plan, so the reviewer should see it here.',
    remedy: 'If the manifest moved or was renamed by mistake, put it back.',
  }),
  KR2121: define<{ from: string; to: string | undefined }>({
    title: 'Policy gets looser',
    severity: 'warning',
    message: ({ from, to }) =>
      to === undefined
        ? `plan.kruise.io/policy ${quoted(from)} is removed: changes may no longer wait for a plan`
        : `plan.kruise.io/policy goes from ${quoted(from)} to ${quoted(to)}: changes no longer wait for a plan`,
    about:
      'With Required a change of the template waits until a plan covers it. The stricter of the annotation on the ' +
      'object, the one on its namespace and the setting of the runtime wins.',
    remedy: 'Keep Required unless changes shall roll out without a plan from now on.',
  }),
  KR2122: define<{ value: string; suggestion: string | undefined }>({
    title: 'Unknown policy',
    severity: 'error',
    message: ({ value }) => `plan.kruise.io/policy cannot be ${quoted(value)}; allowed: Required, Auto`,
    help: ({ suggestion }) => didYouMean(suggestion),
    about: 'The runtime takes every other word for Required, which is perhaps not what was meant.',
    remedy: 'Write Required or Auto.',
  }),
  KR2123: define<{ container: string }>({
    title: 'Container without an image',
    severity: 'error',
    message: ({ container }) => `the container ${quoted(container)} has no image`,
    about: 'Pods of such a template would be refused.',
    remedy: 'Give the container an image.',
  }),
  KR2124: define<{ container: string }>({
    title: 'Two containers of one name',
    severity: 'error',
    message: ({ container }) => `two containers are called ${quoted(container)}`,
    about:
      'Kubernetes knows containers by their names. Pods of such a template would be refused, and which container ' +
      'a change belongs to could not be said.',
    remedy: 'Rename one of the two.',
  }),
  KR2130: define({
    title: 'Pods are taken again',
    severity: 'warning',
    message: () =>
      'the strategy is OnDelete no more: pods on an earlier revision are taken from now on, without a plan of its own',
    about:
      'With OnDelete a pod gets a change when somebody deletes it, and the plan in force waits for that. Under another ' +
      'strategy that plan goes on where it stands, with its own steps, and takes the pods that are left.',
    remedy: 'Expect it; or delete the pods that are left first, or set partition to keep them.',
  }),
  KR2131: define<{ pod: string }>({
    title: 'Pod to delete was named before',
    severity: 'warning',
    message: ({ pod }) => `podsToDelete still names ${quoted(pod)}, as the state before did`,
    about:
      'OpenKruise takes a name out of the list when its pod is gone; nothing that git owns is written here. A name that no ' +
      'pod has does nothing, and no pod is ever called so again; but nobody can tell what is still to be done.',
    remedy: 'Take the name out once its pod is gone.',
  }),
  KR2132: define<{ kind: string; from: string; to: string }>({
    title: 'Generated name changed',
    severity: 'warning',
    message: ({ kind, from, to }) =>
      `the generated ${kind} ${quoted(from)} is called ${quoted(to)} now: pods on the old revision need the old one until the last of them is gone`,
    about:
      'kustomize gives a generated ConfigMap or Secret another name whenever its content changes. A GitOps engine that prunes ' +
      'removes the old one as soon as git has it no more, in the middle of the roll-out: an old pod that is lost then, or ' +
      'one that goes back, does not start.',
    remedy:
      'Let the old one be removed last: in Argo CD with the sync option PruneLast=true, with Flux by the annotation ' +
      'kustomize.toolkit.fluxcd.io/prune: disabled on what is generated.',
  }),
  KR2133: define<{ deadline: number; least: string }>({
    title: 'Deadline before the end',
    severity: 'warning',
    message: ({ deadline, least }) =>
      `the roll-out takes at least ${least}, longer than progressDeadlineSeconds ${deadline}: the status may say ProgressDeadlineExceeded before it is done`,
    about:
      'OpenKruise counts progressDeadlineSeconds from the beginning of a roll-out. Each round takes the grace period of an ' +
      'update in place and minReadySeconds at the least; how many rounds there are follows from the number of pods and from ' +
      'how many may be taken at a time. The condition is for whoever watches it: a step of a plan fails only when no pod ' +
      'becomes available for that long.',
    remedy: 'Raise progressDeadlineSeconds, or take more pods at a time.',
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
        ? `${quoted(key)} in ${field} is for the runtime to write, on what it remembers`
        : `${quoted(key)} in ${field} is for what manages the ${made}s to write, not for a template`,
    help: ({ suggestion }) => didYouMean(suggestion),
    about:
      'With labels and annotations of kruise.io, those that begin with inplace-update-, and the two revision labels a controller says what it has begun ' +
      'with a pod or a claim, and finds its own. In a template they would be orders that nobody reviewed as such: another ' +
      'image, or the end of every pod. OpenKruise accepts them; here such a target is held (InvalidTarget), nothing that is ' +
      'made here has them, and what pods have of them from a template is not believed. The few that people do write there ' +
      'are accepted, such as apps.kruise.io/container-launch-priority; docs/admission.md names them all. On the ' +
      'object itself keys of plan.kruise.io are for the runtime, but for plan.kruise.io/policy and ' +
      'plan.kruise.io/partition-rollback: OpenKruise copies the annotations of an object onto the revisions it records, where ' +
      'they would say which one is stable.',
    remedy:
      'Remove the key. To delete a pod, name it in scaleStrategy.podsToDelete or label that pod; for a key of your own, use ' +
      'your own domain.',
  }),
  KR2135: define({
    title: 'Available by start alone',
    severity: 'warning',
    message: () =>
      'a pod is available as soon as its containers start: others are updated before it is noticed that one crashes',
    about:
      'Without minReadySeconds and a readiness probe, nothing but the start of its containers makes a pod available. The forecast ' +
      'says how many pods the update itself keeps available; pods that crash after they were available are not among the ' +
      'unavailable ones that it counts. A restart fails the step, but further pods have been updated by then.',
    remedy: 'Set minReadySeconds, which changes no pod, or a readinessProbe in the template.',
  }),
} as const;
