/** Where a test plays that a row of docs/differences.md tells the truth about how to get OpenKruise's behavior. */
export interface Play {
  file: string;
  /** A piece of the title of the test. */
  title: string;
}

const own = (title: string): Play => ({ file: 'test/semantics/plan/own-strategy.test.ts', title });
const at = (file: string, title: string): Play => ({ file, title });
/** The worked examples of OpenKruise, with the own strategy of a target. */
const inOrder = (title: string): Play => ({ file: 'test/semantics/statefulset/examples.test.ts', title });
const onNodes = (title: string): Play => ({ file: 'test/semantics/daemonset/examples.test.ts', title });
const bySchedule = (title: string): Play => ({
  file: 'test/semantics/advancedcronjob/as-openkruise.test.ts',
  title,
});

const pulled = (title: string): Play => at('test/semantics/imagepulljob/decide.test.ts', title);
const imaged = (title: string): Play => at('test/semantics/nodeimage/decide.test.ts', title);

/** By section and row. */
export const plays: Readonly<Record<string, Readonly<Record<string, Play>>>> = {
  'By design: plans': {
    'order among workloads': own('order among workloads'),
    'a changed template': own('a changed template'),
    'a loosened limit': own('a loosened limit'),
    'a loosened partition': own('a loosened partition'),
    'a raised partition': at(
      'test/semantics/cloneset/partition-rollback.test.ts',
      'only Auto without a plan reverts pods by partition',
    ),
    'lost pods in a rollout': own('lost pods in a rollout'),
    'going back in git': own('going back in git'),
    'a broken change': own('a broken change'),
    'pods that fit on no node': own('pods that fit on no node'),
    OnDelete: own('OnDelete'),
    'a quota that is used up': own('a quota that is used up'),
    'order of updates': at(
      'test/semantics/cloneset/order.test.ts',
      'Auto without a plan: none, the order of OpenKruise knows no revisions',
    ),
  },
  ImageListPullJobs: {
    'the annotation `plan.kruise.io/policy: Required` on a list': at(
      'test/semantics/imagelistpulljob/invalid.test.ts',
      'what has ended is cleared up',
    ),
  },
  NodeImages: {
    'a node that is deleted, or does not exist': imaged('PJ-21: once it is gone'),
    'a tag with `ownerReferences`': imaged('one with owners is that of a job'),
    'a tag that is over': imaged('one that is removed leaves the status'),
    '`createdAt` of a tag': imaged('from createdAt or else from its start'),
    'a tag without Secrets': imaged('without any the tag waits'),
    'a NodeImage without `spec`': at('test/semantics/nodeimage/invalid.test.ts', 'no image is nothing to do'),
  },
  ImagePullJobs: {
    'where the result of a node is kept': pulled('PJ-2: those that are named'),
    'IfNotPresent, and the node reports the image': pulled('with Always it gets one'),
    'a full node, a pod that finds no place': pulled('PJ-10: at its deadline the rest has failed'),
    'the annotation `plan.kruise.io/policy: Required` on a job': at(
      'test/semantics/imagepulljob/run.test.ts',
      'without a plan it begins nowhere, and says so',
    ),
  },
  'Updates in place': {
    'lifecycle label': at(
      'test/semantics/cloneset/lifecycle.test.ts',
      'a pod is prepared, updated, Updated, and Normal (IU-28)',
    ),
    'gate PreparingUpdateAsUpdate': at(
      'test/semantics/cloneset/lifecycle.test.ts',
      'PreparingUpdateAsUpdate (OpenKruise cloneset, rule 6.3)',
    ),
    'image pre-download': at(
      'test/semantics/workload/pre-download.test.ts',
      'for more than three replicas, with the settings of the object',
    ),
    'resize in place': at('test/runtime/resize.test.ts', 'with a restart: it is out of traffic meanwhile'),
  },
  'Revisions, status, Events': {
    'an amount in another family of suffixes': at(
      'test/semantics/template/canonical.test.ts',
      'an amount in another family of suffixes is another revision, and written as before it is the same',
    ),
  },
  'Pods and scaling': {
    'CloneSets in `kube-system`, or ours': at(
      'test/security/confined.test.ts',
      'a CloneSet in kube-system gets its pods where the policy of what the runtime writes is not installed',
    ),
    '`podsToDelete`': at(
      'test/semantics/cloneset/as-openkruise.test.ts',
      'names that are gone are removed from podsToDelete in git',
    ),
    'OnDelete, nothing said of maxUnavailable': at(
      'test/semantics/cloneset/as-openkruise.test.ts',
      'OnDelete, %s: a ready pod that is marked',
    ),
    'pods that an update recreates, when it stops or goes back': at(
      'test/semantics/cloneset/as-openkruise.test.ts',
      'a user has labelled is deleted all the same',
    ),
    'pods in `PreparingDelete` under a plan': at(
      'test/semantics/cloneset/as-openkruise.test.ts',
      'in Auto without a plan another is taken',
    ),
    'order in which containers start': at(
      'test/runtime/foreign-launch.test.ts',
      'start in their order, an injected one among them, with as few writes as those of our kinds',
    ),
    'a webhook for that order that does not answer': at(
      'test/runtime/admit/failure-policy.test.ts',
      'no pod is created, as with OpenKruise',
    ),
    'a ConfigMap of that name with other content': at(
      'test/runtime/foreign-launch.test.ts',
      'for a ConfigMap of the name with other content, which stays',
    ),
    'service accounts in templates': at(
      'test/security/accounts.test.ts',
      'account where no policy refuses it',
    ),
    'launch orders': at(
      'test/deploy/foreign-launch.test.ts',
      'the policies let the runtime start the containers of foreign pods in their order',
    ),
    'pod defaults': at(
      'test/semantics/template/canonical.test.ts',
      'filling in every default changes nothing',
    ),
    'pods in `PreparingDelete` that do not count, for all CloneSets': at(
      'test/semantics/cloneset/lifecycle.test.ts',
      'excludePreparingDelete: the replacement is created while the pod waits',
    ),
  },
  StatefulSets: {
    'two broken pods that are scaled in, with OrderedReady': inOrder('scale-in, both broken (AS-56)'),
    'a broken pod, with OrderedReady': inOrder('a broken pod stops it all (AS-21)'),
    'broken pods, with Parallel': inOrder('the budget is used by 2 (AS-18)'),
    'which pods a step takes': inOrder("'partition', ordered(5, '0 1 2 3 4', { partition: 3 })"),
    'pods that were broken before a plan': inOrder('reverted, and the new pod is broken'),
    'a pod displaced by `reserveOrdinals` or `ordinals.start`': inOrder('an ordinal becomes reserved (AS-8)'),
    'a pod with claims that is lost in a rollout': inOrder('an old pod is lost (AS-13)'),
    '`ordinals.start`': inOrder('a first ordinal that is left out is 0'),
    'defaults of `rollingUpdate`': at(
      'test/schemas/as-openkruise.test.ts',
      'a StatefulSet with OnDelete loses its rollingUpdate by a patch, once the definition of OpenKruise is back',
    ),
    'claims that grow': at('test/semantics/statefulset/claim-growth.test.ts', 'none with OnDelete'),
  },
  'Volume claims': {
    'claim templates and template changed together': at(
      'test/semantics/claims/templates.test.ts',
      'behind the annotation, %s: claim templates that change together with the image',
    ),
    'claims of a pod that could not be made, where none are taken over': at(
      'test/semantics/cloneset/claim-reuse.test.ts',
      'after a change of the template the claim of a refused pod stays as it is, and is made anew once it is deleted',
    ),
    'claims of a pod that went by itself, where the manifest says nothing': at(
      'test/semantics/cloneset/claim-reuse.test.ts',
      'whether claims are taken over',
    ),
  },
  AdvancedCronJobs: {
    '`concurrencyPolicy: Allow` with imageListPullJobTemplate': at(
      'test/semantics/advancedcronjob/manifests.test.ts',
      'alone it is Replace',
    ),
    'a schedule of Jobs': at('test/deploy/components.test.ts', 'a schedule of Jobs runs'),
    'a changed template': bySchedule('an object that is recreated runs its changed template'),
    'how a BroadcastJob of a schedule runs': bySchedule('a plan without waves'),
    'a new AdvancedCronJob of BroadcastJobs': bySchedule(
      'policy Auto: a new AdvancedCronJob of BroadcastJobs',
    ),
    'a schedule without a zone': bySchedule('timeZone: the zone of a process decides nothing'),
    'a time that the clock skips or repeats': bySchedule('a zone without changes: no time is skipped'),
  },
  DaemonSets: {
    'a changed node selector or affinity': onNodes('a node that the node selector does not select (DS-16)'),
    'a node that joins': onNodes('a node that joins gets the new revision, whatever the partition (DS-18)'),
    'nodes that are not Ready': onNodes('a node that is not ready uses the budget'),
    'a node whose pod is lost': onNodes('paused: a lost pod comes back new (DS-31)'),
    'old pods that are not available': onNodes('a broken old pod needs no budget'),
    '`partitionedScaling`, and an old pod is lost on a node that the partition holds back': onNodes(
      'it is replaced once the partition is lower',
    ),
    '`partitionedScaling`, and a commit changes the template while the partition keeps nodes without a pod':
      onNodes('partition 9 of 10: one pod, on the first node (DS-19)'),
    'surge, and a pod that is to be deleted': onNodes('an old pod that is being deleted holds nothing up'),
  },
  'The API': {
    'two versions': at('test/schemas/as-openkruise.test.ts', 'defaults that are written out, %s'),
    'defaults beside `updateStrategy.type`': at('test/schemas/as-openkruise.test.ts', 'beside the type'),
    'defaults within `rollingUpdate`': at('test/schemas/as-openkruise.test.ts', 'within rollingUpdate'),
    '`rollingUpdate` itself': at('test/schemas/as-openkruise.test.ts', 'rollingUpdate itself'),
    validation: at(
      'test/compiler/admission.test.ts',
      'what the admission of OpenKruise refuses is reported before it is merged',
    ),
    '`maxUnavailable: 33.3%`, an empty `type`': at(
      'test/schemas/as-openkruise.test.ts',
      'a limit that is left out, or a whole percentage',
    ),
    '`scaleStrategy.enablePVCReuse`': at(
      'test/semantics/cloneset/claim-reuse.test.ts',
      'whether claims are taken over',
    ),
  },
  SidecarSets: {
    'pods that are created during an update': at(
      'test/runtime/sidecar-as-openkruise.test.ts',
      'pods that are created during an update get the new revision',
    ),
    'whitelist of `patchPodMetadata`': at(
      'test/security/selected.test.ts',
      'a key that is listed, as the page tells',
    ),
    'a webhook that does not answer, or a review of more than 3 MiB': at(
      'test/runtime/admit/failure-policy.test.ts',
      'no pod is created, as with OpenKruise',
    ),
    'a sidecar with the name of a container of the pod': at(
      'test/semantics/sidecarset/examples.test.ts',
      'a container that stands where a sidecar is meant to be is replaced',
    ),
    'what cannot change in place, such as an environment': at(
      'test/runtime/sidecar-as-openkruise.test.ts',
      'what cannot change in place: new pods get it at once',
    ),
    '`updateStrategy.selector` of a set with a plan': at(
      'test/runtime/sidecar-as-openkruise.test.ts',
      'new pods get the new revision, selected by updateStrategy or not',
    ),
    'a pod whose record names no revision of the set': at(
      'test/runtime/sidecar-as-openkruise.test.ts',
      'a pod whose record names no revision is updated',
    ),
    '`policy: Partial`, and a pod that does not get the pinned revision': at(
      'test/runtime/sidecar-as-openkruise.test.ts',
      'policy: Partial, a pod that does not get the pinned revision',
    ),
    'the next pods of an update': at(
      'test/runtime/sidecar-selector.test.ts',
      'a canary by label, then all: the rest goes in steps',
    ),
    '`kruise.io/sidecarset-hash` on a set, and that without image': at(
      'test/runtime/admit/stamp.test.ts',
      'are written when it is created and when it changes',
    ),
    'a hot upgrade that does not get ready': at(
      'test/runtime/hot-upgrade.test.ts',
      'without a plan the kubelet tries again, and nothing is taken back',
    ),
    'a copy of an injected pod that no record selects': at(
      'test/security/sidecar-forged.test.ts',
      'in Auto without a plan they are updated with the others, as in OpenKruise',
    ),
    'a set that has changed before anything was on record': at(
      'test/security/sidecar-joining.test.ts',
      'holds no new pod up in Auto, where the runtime has yet to record the present manifest',
    ),
    'an update of running pods': at(
      'test/runtime/sidecar-adoption.test.ts',
      'is updated to its end in policy Auto, and no pod is made anew',
    ),
    'another `selector` or `namespaceSelector`': at(
      'test/security/sidecar-selection.test.ts',
      'in Auto follows the manifest, unless the set comes to select a namespace that is Required',
    ),
    'pods whose owner has no more room': at(
      'test/runtime/deployment-limit.test.ts',
      'a Deployment with maxUnavailable %s has %i of 8 pods updated at a time',
    ),
  },
  WorkloadSpreads: {
    'pods of a Deployment, ReplicaSet or Job': at(
      'test/semantics/workloadspread/admit.test.ts',
      'one whose spread is of a webhook loses it',
    ),
    'a patch of the spec of such a pod, or of its annotations for AppArmor and of a mirror': at(
      'test/semantics/workloadspread/admit.test.ts',
      'gets the affinity and the whole patch of its subset',
    ),
    'custom workloads': at(
      'test/semantics/workloadspread/custom.test.ts',
      'WS-35: three pods of a workload without replicas, caps of two and five',
    ),
    'one subset without a cap, compiled by `kruise build`': at(
      'test/compiler/build/spreads.test.ts',
      'where kruise.yaml keeps the WorkloadSpread, the workload loses it',
    ),
    'the gates `WorkloadSpread` and `PodWebhook`': at(
      'test/runtime/spread-not-defined.test.ts',
      'WS-38: without its definition creating one is refused, and the runtime manages the other kinds',
    ),
  },
  UnitedDeployments: {
    'an autoscaler of a child': at(
      'test/compiler/world/subset-cases.ts',
      'an autoscaler of the workloads of all subsets together',
    ),
    'a rollout that OpenKruise has begun': at(
      'test/runtime/united-adoption.test.ts',
      'goes on in Auto where OpenKruise has stopped',
    ),
    'a step of fewer pods than all, with such children': at(
      'test/runtime/united-native.test.ts',
      'refuses a plan with a step for %s',
    ),
    'the size of a child that an autoscaler changes again and again': at(
      'test/runtime/united-resized.test.ts',
      'follows another size of the root at once',
    ),
    'an old pod of a StatefulSet of Kubernetes that is not ready': at(
      'test/runtime/united-native.test.ts',
      'takes a zone back that does not become ready, and leaves the others alone (UD-36)',
    ),
    'a patch alone': at(
      'test/runtime/united-deployment.test.ts',
      'gives a subset its patch at once in Auto, and changes its pods alone',
    ),
    'a template of another kind of children': at(
      'test/runtime/united-sets.test.ts',
      'is held while children of another kind are there, and says which (UD-27)',
    ),
  },
  'Deletion protection': {
    'who refuses': at(
      'test/deploy/deletion-protection.test.ts',
      'DP-1: without the component labelled objects are deleted',
    ),
    'DaemonSets, Jobs, CronJobs, claims, ConfigMaps, and other kinds of ours': at(
      'test/deploy/deletion-protection.test.ts',
      'DP-11, DP-12: without the label it may be deleted',
    ),
    'a definition right after its last object was deleted': at(
      'test/deploy/cascading-protection.test.ts',
      'DP-6: is refused while there is an object, and free once its deletion was seen',
    ),
    'custom resources of a definition': at(
      'test/deploy/cascading-protection.test.ts',
      'DP-6: is refused while there is an object, and free once its deletion was seen',
    ),
  },
};
