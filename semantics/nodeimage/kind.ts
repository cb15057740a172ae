import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { ObservedObjects, StandingKind, StandingSnapshot } from '../kinds/kind.ts';
import type { Need, Use } from '../kinds/need.ts';
import { isOrphaning } from '../pull/decide.ts';
import { decideNodeImage } from './decide.ts';
import { nodeImageFacts } from './facts.ts';
import { nodeImageGit } from './git.ts';
import { invalidNodeImage } from './invalid.ts';
import { wantedTags } from './normalize.ts';
import { endEach } from './pull-tag.ts';
import { nodeImageResource } from './resource.ts';
import { countedTags, isOver, recordedTag } from './status.ts';

const uses: readonly Use[] = [{ of: 'OwnedPods' }, { of: 'Nodes', why: 'Placement' }, { of: 'Namespaces' }];

/** The kind NodeImage, for the registry: images that one node is to have. */
export const nodeImageKind: StandingKind = {
  shape: 'Standing',
  id: { group: nodeImageResource.group, kind: nodeImageResource.kind },
  resource: nodeImageResource,
  versions: ['v1beta1', 'v1alpha1'],
  needs,
  uses,
  podTemplates: [],
  lowering: { of: 'nothing', why: 'what a node has is known in a cluster' },
  expires: false,
  admission: undefined,
  influence: undefined,
  validate: invalidNodeImage,
  unsupported: () => [],
  observe,
  git: nodeImageGit,
  facts: nodeImageFacts,
  underPlan: undefined,
};

/** One whose images are all there, or have failed, looks at no node any more. */
function needs(target: KubeObject): Need[] {
  const isDone = wantedTags(target).every((wanted) => isOver(recordedTag(target, wanted)));
  return isDone || target.metadata.deletionTimestamp !== undefined
    ? [{ of: 'OwnedPods' }]
    : [{ of: 'OwnedPods' }, { of: 'Nodes', why: 'Placement' }, { of: 'Namespaces' }];
}

function observe(objects: ObservedObjects): StandingSnapshot {
  const { target, pulls = { pods: [] } } = objects;
  return {
    invalid: invalidNodeImage(target),
    unsupported: [],
    decide: (held) => decideNodeImage(objects, held),
    // Nobody would delete them later.
    release: () =>
      isOrphaning(target) ? endEach(pulls.pods, 'the NodeImage is deleted, and is to leave its pods') : [],
    whileHeld: () => ({
      actions: endEach(pulls.pods, 'the NodeImage is held'),
      again: undefined,
      status: pausedIn(target),
    }),
  };
}

/** Nothing is pulled in one that is held: what was, waits. */
function pausedIn(target: KubeObject): JsonObject {
  const rows = wantedTags(target).flatMap((wanted) => {
    const is = recordedTag(target, wanted);
    return is === undefined ? [] : [{ wanted, is }];
  });
  if (!rows.some(({ is }) => is.phase === 'Pulling')) return {};
  const { desired: _desired, ...paused } = countedTags(
    rows.map(({ wanted, is }) => ({ wanted, is: is.phase === 'Pulling' ? { ...is, phase: 'Waiting' } : is })),
  );
  return paused as unknown as JsonObject;
}
