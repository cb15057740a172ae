import { define } from './definition.ts';
import { claimsLost, quoted } from './phrases.ts';

/** KR21xx: what a change of a manifest does to running pods, beyond its plan. */
export const changeCodes = {
  KR2102: define<{ isSpelling: boolean }>({
    title: 'Selector changed',
    severity: 'error',
    message: ({ isSpelling }) =>
      isSpelling
        ? 'spec.selector is written in another way, which the API server refuses although it selects the same'
        : 'spec.selector cannot change once the object exists',
    help: ({ isSpelling }) =>
      isSpelling ? 'write its expressions and their values as they were, in the same order' : undefined,
    about: 'The selector is immutable. The API server would refuse the update.',
    remedy: 'Create a new object under another name and remove the old one.',
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
  KR2110: define<{ from: number; to: number }>({
    title: 'Replicas drop',
    severity: 'warning',
    message: ({ from, to }) =>
      to === 0
        ? `replicas drop from ${from} to 0: every pod is deleted`
        : `replicas drop from ${from} to ${to}, below half`,
    about: 'No plan gates scaling, so the reviewer should know.',
    remedy: 'If an autoscaler is to own the number, see KR2220 before you remove replicas from the manifest.',
  }),
  KR2220: define<{ from: number; to: number; number: string | undefined }>({
    title: 'Replicas removed',
    severity: 'warning',
    message: ({ from, to }) =>
      `replicas is removed: ${from} replicas become ${to} as soon as this is applied, until an autoscaler sets another number`,
    help: ({ number, to }) =>
      `keep replicas until the autoscaler has set it${number === undefined ? '' : ` (${number})`}, then remove it by server-side apply: client-side apply sets ${to}`,
    about:
      'A field that is removed from a manifest gets its default, which is 1. An autoscaler sets another number only afterwards, and ' +
      'pods are deleted meanwhile. No plan gates scaling.',
    remedy:
      'Apply the autoscaler first, with replicas in the manifest at its minimum or above. Once it has scaled the workload, remove the ' +
      'field in a commit of its own. With server-side apply the autoscaler then owns the field, and its value stays. Client-side apply, ' +
      'the default of kubectl and Argo CD, resets the field whoever set it.',
  }),
  KR2113: define<{ partition: string; replicas: number }>({
    title: 'Partition holds everything back',
    severity: 'warning',
    message: ({ partition, replicas }) =>
      `partition ${partition} keeps ${replicas === 1 ? 'the only replica' : `all ${replicas} replicas`} on the old revision: the change updates no pod`,
    about: 'The template changes, but the partition in the manifest allows no pod to be updated.',
    remedy: 'Lower the partition to start the rollout.',
  }),
  KR2119: define<{ onlyNewSubsets: boolean }>({
    title: 'Claim template changed',
    severity: 'warning',
    message: ({ onlyNewSubsets }) =>
      onlyNewSubsets
        ? 'volumeClaimTemplates change, but subsets that exist keep theirs: only a new subset gets the change'
        : 'volumeClaimTemplates change, but existing claims stay as they are and no pod is replaced',
    about:
      'Claim templates apply only to claims that are created later. Where claims outlive pods, a recreated pod gets only ' +
      'the claims that its ordinal does not have yet. The server changes no claim template of a workload of Kubernetes, so that ' +
      'those which are made of subsets have the templates with which they were created.',
    remedy:
      'Nothing, if only new pods need the change. Resize existing claims by hand. Give a subset another name for pods ' +
      'with other claims: they are then created anew, without the data.',
  }),
  KR2120: define<{
    kind: string;
    name: string;
    effect: string;
    pods: number;
    claims: number;
    names: string;
  }>({
    title: 'Workload removed',
    severity: 'warning',
    message: ({ kind, name, effect, pods, claims, names }) =>
      `${kind} ${name} is removed: ${effect}${claims === 0 ? '' : `, and ${claimsLost({ claims, pods, names })}`}`,
    about:
      'No plan gates the removal of a workload, so the reviewer should know. Claims that outlive their pods are deleted only ' +
      'where persistentVolumeClaimRetentionPolicy.whenDeleted is Delete.',
    remedy:
      'If the manifest was moved or renamed by mistake, restore it. If claims are deleted, copy the data elsewhere first.',
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
  KR2130: define<{ type: string }>({
    title: 'Pods are updated without being replaced first',
    severity: 'warning',
    message: ({ type }) =>
      `the strategy is no longer ${type}: pods on an earlier revision are updated from now on, without a new plan`,
    about:
      'With OnDelete, a pod is updated when a user deletes it, and the active plan waits for that; with NotUpdate only new pods ' +
      'get a change. Under another strategy the active plan continues at its current step and updates the remaining pods.',
    remedy: 'If this is not intended, replace the remaining pods first, or set partition to keep them.',
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
      'Keep the old object until the rollout has ended, by annotations on the generated objects. In Argo CD: ' +
      'argocd.argoproj.io/sync-options: Prune=false, and argocd.argoproj.io/compare-options: IgnoreExtraneous; not the sync option ' +
      'PruneLast=true, with which no git revert is synced while a plan soaks, waits or is halted. In Flux: ' +
      'kustomize.toolkit.fluxcd.io/prune: disabled.',
  }),
  KR2223: define<{ field: string; from: string; to: string }>({
    title: 'Amount in another spelling',
    severity: 'warning',
    message: ({ field, from, to }) =>
      `${field} is ${to}, the same amount as ${from} before: the other spelling alone is another revision`,
    help: ({ from }) => `write ${from}`,
    about:
      'Kubernetes stores an amount in the family of suffixes that it is written in: 1073741824 does not become 1Gi, though 1024Mi ' +
      'does. So the template is another one, and pods are changed for nothing.',
    remedy: 'Write the amount as before. If nothing else changes, no plan is needed then.',
  }),
  KR2221: define<{ kind: string; name: string; isNamed: boolean }>({
    title: 'Removed while pods need it',
    severity: 'warning',
    message: ({ kind, name, isNamed }) =>
      isNamed
        ? `${kind} ${quoted(name)} is removed from git, and the template names it: no new pod starts`
        : `${kind} ${quoted(name)} is removed from git, and pods on the old revision need it: a lost one does not start`,
    help: ({ kind, isNamed }) =>
      isNamed
        ? `keep the ${kind}`
        : `keep the ${kind} until the rollout is done, and remove it in a later commit`,
    about:
      'A GitOps engine that prunes removes the object at once. Pods on the old revision run on, but one that is created there again ' +
      'ends in CreateContainerConfigError: a lost pod, or one of a revert. References with optional: true do not count.',
    remedy:
      'Remove the object in a commit after the rollout. Or annotate it beforehand, so that it stays, and delete it by hand afterwards. ' +
      'In Argo CD the annotations are argocd.argoproj.io/sync-options: Prune=false and argocd.argoproj.io/compare-options: ' +
      'IgnoreExtraneous, in Flux kustomize.toolkit.fluxcd.io/prune: disabled.',
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
} as const;
