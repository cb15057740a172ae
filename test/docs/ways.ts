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

/** By section and row. */
export const plays: Readonly<Record<string, Readonly<Record<string, Play>>>> = {
  'By design: plans': {
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
  'Updates in place': {
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
  'Pods and scaling': {
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
    'a broken pod, with OrderedReady': inOrder('a broken pod stops it all (AS-21)'),
    'broken pods, with Parallel': inOrder('the budget is used by 2 (AS-18)'),
    'which pods a step takes': inOrder("'partition', ordered(5, '0 1 2 3 4', { partition: 3 })"),
    'pods that were broken before a plan': inOrder('reverted, and the new pod is broken'),
    'a pod displaced by `reserveOrdinals` or `ordinals.start`': inOrder('an ordinal becomes reserved (AS-8)'),
    'a pod with claims that is lost in a rollout': inOrder('an old pod is lost (AS-13)'),
    'claims that grow': at('test/semantics/statefulset/claim-growth.test.ts', 'none with OnDelete'),
  },
  'Volume claims': {
    'claims of a pod that went by itself, where the manifest says nothing': at(
      'test/semantics/cloneset/claim-reuse.test.ts',
      'whether claims are taken over',
    ),
  },
  AdvancedCronJobs: {
    'a new AdvancedCronJob of BroadcastJobs': bySchedule(
      'policy Auto: a new AdvancedCronJob of BroadcastJobs',
    ),
    'a schedule without a zone': bySchedule('timeZone: the zone of a process decides nothing'),
    'a time that the clock skips or repeats': bySchedule('a zone without changes: no time is skipped'),
  },
  DaemonSets: {
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
    '`scaleStrategy.enablePVCReuse`': at(
      'test/semantics/cloneset/claim-reuse.test.ts',
      'whether claims are taken over',
    ),
  },
  SidecarSets: {
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
};
