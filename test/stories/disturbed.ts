/** Why a story's rollouts do not all end as was foretold, and where they differ: nothing else may. */
export interface Disturbed {
  because: string;
  differs: readonly string[];
}

/** A forecast is of a rollout to which nothing happens. By the file of the story to which something does. */
export const disturbed: Readonly<Record<string, Disturbed>> = {
  'git-revert-mid-run': {
    because: 'the commit is reverted while its pods are on their way',
    differs: ['web 2: it is Reverted, and was to finish'],
  },
  'empty-cluster': {
    because: 'the cluster that git says has five pods has none',
    differs: [
      'web 1: update left 0 pods at the new revision, not 5',
      'web 1: at the least Infinity pods were available, not 3',
    ],
  },
  'one-replica-soak-fails': {
    because: 'the new image crashes',
    differs: ['web 1: it is Reverted, and was to finish'],
  },
  'hotfix-mid-run': {
    because: 'a hotfix takes the place of the rollout, and the story ends in its soak',
    differs: ['web 1: it is Superseded, and was to finish', 'web 2: it is Soaking, and was to finish'],
  },
  'two-plans-for-one-target': {
    because: 'the story ends while a person is waited for',
    differs: ['web 1: it is AwaitingApproval, and was to finish'],
  },
  'git-revert-after-success': {
    because: 'the rollout is reverted in git after it has succeeded',
    differs: ['web 1: it is Reverted, and was to finish'],
  },
  'git-revert-then-next-change': {
    because: 'the rollout is reverted in git, and the story ends in the soak of the next one',
    differs: ['web 1: it is Reverted, and was to finish', 'web 2: it is Soaking, and was to finish'],
  },
  'reverted-change-again': {
    because: 'the story ends while a person is waited for',
    differs: ['web 1: it is AwaitingApproval, and was to finish'],
  },
  'reverted-then-landed-with-its-own-plan': {
    because: 'the first rollout is reverted in git after it has succeeded',
    differs: ['web 1: it is Reverted, and was to finish'],
  },
  'revert-by-command': {
    because: 'a person sends it back',
    differs: ['web 1: it is Reverted, and was to finish'],
  },
  'abort-then-git': {
    because: 'a person aborts it, and git goes back',
    differs: ['web 1: it is Reverted, and was to finish'],
  },
  'failed-then-planned-again': {
    because: 'the first attempt fails',
    differs: ['web 1: it is Reverted, and was to finish'],
  },
  'crashes-in-the-first-batch': {
    because: 'the new image crashes',
    differs: ['web 1: it is Halted, and was to finish'],
  },
  'hotfix-meets-restarting-pods': {
    because: 'the new image crashes, and so does the hotfix',
    differs: ['web 1: it is Superseded, and was to finish', 'web 2: it is Halted, and was to finish'],
  },
  'scaled-to-zero-mid-batch': {
    because: 'somebody scales to 0 while pods are on their way',
    differs: ['web 1: at the least 0 pods were available, not 3'],
  },
  autoscaler: {
    because: 'an autoscaler changes the number of pods while they are on their way',
    differs: [
      'web 1: batch-2 left 6 pods at the new revision, not 5',
      'web 1: batch-3 left 12 pods at the new revision, not 10',
      'web 1: at the least 2 pods were available, not 8',
    ],
  },
  'nothing-fits-and-it-goes-back': {
    because: 'the cluster has no room for the pods',
    differs: ['web 1: it is Reverted, and was to finish'],
  },
  'adopted-half-way': {
    because: 'pods that another controller left half-way are out of traffic when the rollout begins',
    differs: ['web 2: at the least 0 pods were available, not 2'],
  },
  'break-glass-hotfix': {
    because: 'a person breaks the glass and goes past the plan',
    differs: ['web 1: it is Aborted, and was to finish'],
  },
  'break-glass-expires': {
    because:
      'pods are taken past the plan while the glass is broken, and the story ends before it is through',
    differs: [
      'web 1: batch-1 left 3 pods at the new revision, not 1',
      'web 1: it is AwaitingApproval, and was to finish',
    ],
  },
  'check-pods-fails': {
    because: 'a check of the pods fails',
    differs: ['web 1: it is Halted, and was to finish'],
  },
  'check-nodes-fails': {
    because: 'a check of the nodes fails',
    differs: ['web 1: it is Halted, and was to finish'],
  },
  'check-prometheus-fails': {
    because: 'a check of the metrics fails',
    differs: ['web 1: it is Reverted, and was to finish'],
  },
  'on-delete': {
    because: 'how many pods are missing at a time is up to who deletes them',
    differs: ['web 1: at the least 2 pods were available, not 5'],
  },
  'on-delete-goes-wrong': {
    because: 'the new image crashes',
    differs: ['web 1: it is Halted, and was to finish'],
  },
};

/** Stories in which no plan is accepted, so that there is nothing to compare. */
export const idle: ReadonlySet<string> = new Set([
  'tampered-plan',
  'nothing-to-do',
  'scaled-to-zero-while-held',
]);
