/** Why rollouts of a story differ from their forecast, and all differences. */
export interface Disturbed {
  reason: string;
  differs: readonly string[];
}

/** A forecast is of an undisturbed rollout. These stories, by file, have disturbances. */
export const disturbed: Readonly<Record<string, Disturbed>> = {
  'zone-fails': {
    reason: 'the new image crashes in its soak',
    differs: ['web 1: it is Reverted, and was to finish'],
  },
  'zone-reserved': {
    reason: 'pods of zone b stand in for those of zone a, which git has',
    differs: [
      'web 1: batch-1 left 1 pods at the new revision, not 0',
      'web 1: batch-2 left 2 pods at the new revision, not 0',
    ],
  },
  'zones-from-openkruise': {
    reason: 'OpenKruise has updated three pods before, and has made all of them',
    differs: [
      'web 1: batch-1 left 0 pods at the new revision, not 1',
      'web 1: batch-2 left 1 pods at the new revision, not 2',
      'web 1: batch-3 left 3 pods at the new revision, not 6',
      'web 1: at the least 0 pods were available, not 4',
    ],
  },
  'zone-reverted': {
    reason: 'the commit is reverted',
    differs: ['web 1: it is Reverted, and was to finish'],
  },
  'sidecar-pinned-ahead': {
    reason: 'the Deployment is scaled out',
    differs: ['log 1: batch-2 left 12 pods at the new revision, not 10'],
  },
  'budget-blocks-rollout': {
    reason: 'a later commit lowers the budget',
    differs: ['web 1: at the least 4 pods were available, not 5'],
  },
  'budget-of-none': {
    reason: 'a budget lets no pod be updated, and the namespace is deleted',
    differs: ['web 1: it is Running, and was to finish'],
  },
  'schedule-bad-script': {
    reason: 'the new script hurts its node',
    differs: ['web 1: it is Halted, and was not to finish'],
  },
  'ordinals-nodes-lost': {
    reason: 'all nodes are lost',
    differs: [
      'web 1: at the least 0 pods were available, not 2',
      'web 1: its pods were updated in the order web-0, web-3, web-1, web-4, web-2, not web-0, web-4, web-3 to web-1',
    ],
  },
  'resize-infeasible': {
    reason: 'no node is as large as the resize asks for, and the commit is reverted',
    differs: ['web 1: it is Reverted, and was to finish'],
  },
  'continued-wider': {
    reason: 'another plan continues it',
    differs: ['web 1: it is Superseded, and was to finish'],
  },
  'going-back-wider': {
    reason: 'the commit is taken back',
    differs: ['web 1: it is Reverted, and was to finish'],
  },
  'git-revert-mid-run': {
    reason: 'the commit is reverted while its pods are on their way',
    differs: ['web 2: it is Reverted, and was to finish'],
  },
  'empty-cluster': {
    reason: 'the cluster that git says has five pods has none',
    differs: [
      'web 1: update left 0 pods at the new revision, not 5',
      'web 1: at the least Infinity pods were available, not 3',
    ],
  },
  'one-replica-soak-fails': {
    reason: 'the new image crashes',
    differs: ['web 1: it is Reverted, and was to finish'],
  },
  'hotfix-mid-run': {
    reason: 'a hotfix takes the place of the rollout, and the story ends in its soak',
    differs: ['web 1: it is Superseded, and was to finish', 'web 2: it is Soaking, and was to finish'],
  },
  'two-plans-for-one-target': {
    reason: 'the story ends while a person is waited for',
    differs: ['web 1: it is AwaitingApproval, and was to finish'],
  },
  'git-revert-after-success': {
    reason: 'the rollout is reverted in git after it has succeeded',
    differs: ['web 1: it is Reverted, and was to finish'],
  },
  'git-revert-then-next-change': {
    reason: 'the rollout is reverted in git, and the story ends in the soak of the next one',
    differs: ['web 1: it is Reverted, and was to finish', 'web 2: it is Soaking, and was to finish'],
  },
  'reverted-change-again': {
    reason: 'the story ends while a person is waited for',
    differs: ['web 1: it is AwaitingApproval, and was to finish'],
  },
  'reverted-then-landed-with-its-own-plan': {
    reason: 'the first rollout is reverted in git after it has succeeded',
    differs: ['web 1: it is Reverted, and was to finish'],
  },
  'revert-by-command': {
    reason: 'a person sends it back',
    differs: ['web 1: it is Reverted, and was to finish'],
  },
  'abort-then-git': {
    reason: 'a person aborts it, and git goes back',
    differs: ['web 1: it is Reverted, and was to finish'],
  },
  'failed-then-planned-again': {
    reason: 'the first attempt fails',
    differs: ['web 1: it is Reverted, and was to finish'],
  },
  'crashes-in-the-first-batch': {
    reason: 'the new image crashes',
    differs: ['web 1: it is Halted, and was to finish'],
  },
  'hotfix-meets-restarting-pods': {
    reason: 'the new image crashes, and so does the hotfix',
    differs: ['web 1: it is Superseded, and was to finish', 'web 2: it is Halted, and was to finish'],
  },
  'scaled-to-zero-mid-batch': {
    reason: 'somebody scales to 0 while pods are on their way',
    differs: ['web 1: at the least 0 pods were available, not 3'],
  },
  autoscaler: {
    reason: 'an autoscaler changes the number of pods while they are on their way',
    differs: [
      'web 1: batch-2 left 6 pods at the new revision, not 5',
      'web 1: batch-3 left 12 pods at the new revision, not 10',
      'web 1: at the least 2 pods were available, not 8',
    ],
  },
  'nothing-fits-and-it-goes-back': {
    reason: 'the cluster has no room for the pods',
    differs: ['web 1: it is Reverted, and was to finish'],
  },
  'adopted-half-way': {
    reason: 'pods that another controller left half-way are out of traffic when the rollout begins',
    differs: ['web 2: at the least 0 pods were available, not 2'],
  },
  'break-glass-hotfix': {
    reason: 'a person breaks the glass and goes past the plan',
    differs: ['web 1: it is Aborted, and was to finish'],
  },
  'break-glass-expires': {
    reason: 'pods are taken past the plan while the glass is broken, and the story ends before it is through',
    differs: [
      'web 1: batch-1 left 3 pods at the new revision, not 1',
      'web 1: it is AwaitingApproval, and was to finish',
    ],
  },
  'check-pods-fails': {
    reason: 'a check of the pods fails',
    differs: ['web 1: it is Halted, and was to finish'],
  },
  'check-nodes-fails': {
    reason: 'a check of the nodes fails',
    differs: ['web 1: it is Halted, and was to finish'],
  },
  'check-prometheus-fails': {
    reason: 'a check of the metrics fails',
    differs: ['web 1: it is Reverted, and was to finish'],
  },
  'on-delete': {
    reason: 'how many pods are missing at a time is up to who deletes them',
    differs: ['web 1: at the least 2 pods were available, not 5'],
  },
  'on-delete-goes-wrong': {
    reason: 'the new image crashes',
    differs: ['web 1: it is Halted, and was to finish'],
  },
  'ordinals-broken-pod': {
    reason: 'the rollout finds one crashing pod',
    differs: [
      'web 1: at the least 0 pods were available, not 4',
      'web 1: its pods were updated in the order web-0 to web-4, not web-4 to web-0',
    ],
  },
  'ordinals-revert': {
    reason: 'the commit is reverted while its pods are on their way',
    differs: ['web 1: it is Reverted, and was to finish'],
  },
  'ordinals-crash-revert': {
    reason: 'the new image crashes, and the commit is reverted',
    differs: ['web 1: it is Reverted, and was to finish'],
  },
  'ordinals-scaled-in': {
    reason: 'git scales the target in during its canary',
    differs: [
      'web 1: batch-2 left 1 pods at the new revision, not 2',
      'web 1: batch-3 left 3 pods at the new revision, not 5',
      'web 1: at the least 1 pods were available, not 2',
    ],
  },
  'nodes-canary-then-all': {
    reason:
      'how many nodes have a label is not in git: two do, so that the partition has two of its three nodes',
    differs: [
      'web 1: batch-1 left 1 pods at the new revision, not none',
      'web 1: batch-2 left 2 pods at the new revision, not none',
      'web 2: batch-1 left 2 pods at the new revision, not 1',
    ],
  },
  'nodes-in-place-one-lost': {
    reason: 'a node is lost in the soak',
    differs: [
      'web 1: batch-2 left 4 pods at the new revision, not 5',
      'web 1: at the least 3 pods were available, not 4',
    ],
  },
  'nodes-join-mid-step': {
    reason: 'two nodes join',
    differs: ['web 1: batch-2 left 7 pods at the new revision, not 5'],
  },
  'nodes-revert-mid-run': {
    reason: 'the commit is reverted while its nodes are on their way',
    differs: ['web 1: it is Reverted, and was to finish'],
  },
  'nodes-on-delete': {
    reason: 'how many pods are missing at a time is up to who deletes them',
    differs: ['web 1: at the least 1 pods were available, not 5'],
  },
  'sidecar-webhook-down': {
    reason: 'the Deployment is scaled out during the soak',
    differs: ['log 1: batch-2 left 12 pods at the new revision, not 10'],
  },
  'sidecar-hot-upgrade-fails': {
    reason: 'the new container does not take over',
    differs: ['mesh 1: it is Halted, and was to finish'],
  },
  'sidecar-canary-back': {
    reason: 'the second commit is reverted in the soak',
    differs: ['log 2: it is Reverted, and was to finish'],
  },
  'sidecar-revert-mid-run': {
    reason: 'the commit is reverted in the soak',
    differs: ['log 1: it is Reverted, and was to finish'],
  },
};

/** Stories in which no plan is accepted, or that run on nodes, of which git has none: there is nothing to compare. */
export const idle: ReadonlySet<string> = new Set([
  'protected-namespace-pruned',
  'sidecar-selection-widened',
  'pull-ahead-in-auto',
  'pull-job-that-never-ends',
  'pull-waves',
  'tampered-plan',
  'nothing-to-do',
  'scaled-to-zero-while-held',
  'hook-pre-delete',
  'run-waves-by-zone',
  'run-hurts-its-node',
  'run-fails-and-resumes',
  'run-pruned-half-way',
  'run-node-joins',
  'run-node-leaves',
  'run-node-cordoned',
  'run-fails-fast',
  'run-goes-on-after-failures',
  'run-never-ends',
  'run-paused-mid-wave',
  'run-restarts-to-its-limit',
  'schedule-in-waves',
  'schedule-held',
  'schedule-missed',
  'copies-and-namespaces',
  'copies-edited-and-deleted',
  'copies-in-conflict',
  'copies-and-a-quota',
  'copies-deleted',
  'spread-out-and-in',
  'spread-zone-full',
  'zone-full',
  'spread-by-gates',
  'spread-subset-removed',
]);
