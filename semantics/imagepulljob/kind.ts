import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { type ObservedObjects, type StandingKind, type StandingSnapshot } from '../kinds/kind.ts';
import type { Need, Use } from '../kinds/need.ts';
import type { Action } from '../decision.ts';
import type { Pod } from '../pod/types.ts';
import { endPulls, isOrphaning } from '../pull/decide.ts';
import { asksForPlan } from '../policy.ts';
import { numberOf, objectOf } from '../values/read.ts';
import { decidePullJob, releasedPullJob } from './decide.ts';
import { pullJobFacts } from './facts.ts';
import { pullJobGit } from './git.ts';
import { invalidPullJob } from './invalid.ts';
import { pullJobLowering } from './lowering.ts';
import { normalizePull } from './normalize.ts';
import { pullJobResource, THEIR_FINALIZER } from './resource.ts';
import { imagePullRunKind, RUN_USES } from './run-kind.ts';
import { recordedPull } from './status.ts';

const uses: readonly Use[] = [
  { of: 'OwnedPods' },
  { of: 'SelectedPods' },
  { of: 'Nodes', why: 'Placement' },
  { of: 'Itself', labels: [], annotations: [], finalizers: [THEIR_FINALIZER] },
  ...RUN_USES,
];

/** The kind ImagePullJob, for the registry: pods that pull an image to nodes before it is needed there. */
export const imagePullJobKind: StandingKind = {
  shape: 'Standing',
  id: { group: pullJobResource.group, kind: pullJobResource.kind },
  resource: pullJobResource,
  versions: ['v1beta1', 'v1alpha1'],
  needs,
  uses,
  podTemplates: [],
  lowering: pullJobLowering,
  expires: true,
  admission: undefined,
  influence: undefined,
  validate: invalidPullJob,
  unsupported: () => [],
  observe,
  git: pullJobGit,
  facts: pullJobFacts,
  underPlan: imagePullRunKind,
};

/** One that has ended, or is being deleted, looks at no node any more. */
function needs(target: KubeObject): readonly Need[] {
  if (asksForPlan(target)) return imagePullRunKind.needs(target, [], []);
  const { nodes } = normalizePull(target);
  if (isOver(target) || target.metadata.deletionTimestamp !== undefined) return [{ of: 'OwnedPods' }];
  return [
    { of: 'OwnedPods' },
    { of: 'Nodes', why: 'Placement' },
    ...(nodes.by === 'pods'
      ? [{ of: 'SelectedPods', selector: nodes.selector, namespaces: undefined } as const]
      : []),
  ];
}

function observe(objects: ObservedObjects): StandingSnapshot {
  const { target, pulls = { pods: [] } } = objects;
  // Whatever is edited in one that has ended, it is cleared up.
  const isAsked = !isOver(target);
  return {
    invalid: isAsked ? invalidPullJob(target) : [],
    unsupported: [],
    decide: (held) => decidePullJob(objects, held),
    release: () => [...leftAlone(target, pulls.pods), ...releasedPullJob(objects)],
    whileHeld: () => ({
      actions: endPulls(pulls.pods, 'the job is held'),
      again: undefined,
      status: activeIn(target),
    }),
  };
}

/** Nothing is active in one that is held. */
function activeIn({ status }: KubeObject): JsonObject {
  return (numberOf(objectOf(status)['active']) ?? 0) > 0 ? { active: 0 } : {};
}

/** The pods of a job that is deleted without what it controls: nobody would delete them later. */
function leftAlone(target: KubeObject, pods: readonly Pod[]): Action[] {
  return isOrphaning(target) ? endPulls(pods, 'the job is deleted, and is to leave its pods') : [];
}

function isOver(target: KubeObject): boolean {
  return recordedPull(target).completedAt > 0 && !normalizePull(target).neverEnds;
}
