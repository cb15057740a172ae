import type { KubeObject } from '../../schemas/wire/object.ts';
import { problemText } from '../fields/problems.ts';
import type { ObservedObjects, PlannedKind, RolloutSnapshot } from '../kinds/kind.ts';
import type { Need, Use } from '../kinds/need.ts';
import { completeRun, recordIn } from '../run/run-writes.ts';
import { decidePullJob } from './decide.ts';
import { decidePullRun } from './decide-run.ts';
import { invalidPullJob } from './invalid.ts';
import { pullJobLowering } from './lowering.ts';
import { normalizePull } from './normalize.ts';
import { pullJobResource } from './resource.ts';
import { pullRunFacts } from './run-facts.ts';
import { pullRunGit } from './run-git.ts';
import { pullLimits } from './run-limits.ts';
import { pullRolloutOf, pullRunView } from './run-view.ts';

/** What a job needs besides, that waits for a plan. */
export const RUN_USES: readonly Use[] = [{ of: 'PodsOnNodes' }, { of: 'Runs' }];

/** An ImagePullJob that asks for a plan by its own annotation: waves of nodes, with soaks and checks between. */
export const imagePullRunKind: PlannedKind = {
  shape: 'Run',
  id: { group: pullJobResource.group, kind: pullJobResource.kind },
  resource: pullJobResource,
  versions: ['v1beta1', 'v1alpha1'],
  needs,
  uses: [{ of: 'OwnedPods' }, { of: 'SelectedPods' }, { of: 'Nodes', why: 'Placement' }, ...RUN_USES],
  podTemplates: [],
  lowering: pullJobLowering,
  expires: false,
  admission: undefined,
  influence: undefined,
  validate: invalidPullJob,
  unsupported: () => [],
  budget: () => undefined,
  observe,
  git: pullRunGit,
  limits: pullLimits,
  facts: pullRunFacts,
};

function needs(target: KubeObject): Need[] {
  const { nodes } = normalizePull(target);
  return [
    { of: 'OwnedPods' },
    { of: 'Nodes', why: 'Placement' },
    { of: 'PodsOnNodes' },
    { of: 'Runs' },
    ...(nodes.by === 'pods'
      ? [{ of: 'SelectedPods', selector: nodes.selector, namespaces: undefined } as const]
      : []),
  ];
}

function observe(objects: ObservedObjects): RolloutSnapshot {
  const view = pullRunView(objects);
  const { job, spec, stored, takenNames } = view;
  const invalid = invalidPullJob(job).map(problemText);
  return {
    rollout: pullRolloutOf(view, { unsupported: [], invalid }),
    isForeign: false,
    revise: () => [],
    complete: (hash, _retained, attempt = 1) =>
      completeRun({ target: job, stored, takenNames }, hash, attempt),
    decide({ run }, held, keep) {
      // One that never ends pulls daily and to nodes that join, as without a plan, once every step is done.
      const isComplete = run !== undefined && recordIn(stored, run.hash).completed >= run.attempt;
      const isPast = spec.neverEnds && isComplete && run.hash === view.liveHash;
      return run === undefined || isPast
        ? decidePullJob(objects, held)
        : decidePullRun(view, run, held, keep);
    },
  };
}
