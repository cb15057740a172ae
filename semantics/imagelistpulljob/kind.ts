import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { pullJobResource } from '../imagepulljob/resource.ts';
import { recordedPull } from '../imagepulljob/status.ts';
import { type ObservedObjects, type StandingKind, type StandingSnapshot } from '../kinds/kind.ts';
import { isOwnedBy } from '../owner.ts';
import { numberOf, objectOf } from '../values/read.ts';
import { decideListPull } from './decide.ts';
import { listPullFacts } from './facts.ts';
import { listPullGit } from './git.ts';
import { invalidListPull, unsupportedListPull } from './invalid.ts';
import { listPullJobResource } from './resource.ts';

/** The kind ImageListPullJob, for the registry: an ImagePullJob for each of its images. */
export const imageListPullJobKind: StandingKind = {
  shape: 'Standing',
  id: { group: listPullJobResource.group, kind: listPullJobResource.kind },
  resource: listPullJobResource,
  versions: ['v1beta1', 'v1alpha1'],
  needs: () => [{ of: 'Children', resource: pullJobResource }],
  uses: [{ of: 'Children', resource: pullJobResource, areFixed: true }],
  podTemplates: [],
  lowering: { of: 'nothing', why: 'to which nodes an image is pulled is known in a cluster' },
  expires: true,
  admission: undefined,
  influence: undefined,
  validate: invalidListPull,
  unsupported: unsupportedListPull,
  observe,
  git: listPullGit,
  facts: listPullFacts,
  underPlan: undefined,
};

function observe(objects: ObservedObjects): StandingSnapshot {
  const { target } = objects;
  // Whatever is edited in one that has ended, its time to live ends.
  const isAsked = !isOver(target);
  return {
    invalid: isAsked ? invalidListPull(target) : [],
    unsupported: isAsked ? unsupportedListPull(target) : [],
    decide: (held) => decideListPull(objects, held),
    release: () => [],
    whileHeld: () => ({ actions: [], again: undefined, status: activeIn(objects) }),
  };
}

/** Its jobs go on by themselves while it is held. */
function activeIn({ target, children = [] }: ObservedObjects): JsonObject {
  const shown = numberOf(objectOf(target['status'])['active']) ?? 0;
  const active = children.filter(
    (child) => isOwnedBy(child, target) && (numberOf(objectOf(child['status'])['active']) ?? 0) > 0,
  ).length;
  return active === shown ? {} : { active };
}

function isOver(target: KubeObject): boolean {
  return recordedPull(target).completedAt > 0;
}
