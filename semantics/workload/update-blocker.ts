import type { Explanation } from '../decision.ts';
import type { Envelope } from '../plan/envelope.ts';
import type { Pod } from '../pod/types.ts';
import { inPlaceChange } from '../revision/change.ts';
import { type Revision, revisionOf } from '../revision/revision.ts';
import type { InPlacePatch } from '../template/inplace-images.ts';
import { remembered } from '../values/remembered.ts';
import type { Workload } from './view.ts';

/** Why a pod is not updated to a revision now. */
export type UpdateBlocker = Pick<Explanation, 'reason' | 'failure'>;

type Revisions = Pick<Workload, 'revisions' | 'hashOf' | 'rules'>;

/** The patch that updates a pod to the goal in place; undefined: it must be recreated. */
export function inPlacePatchTo(view: Revisions, pod: Pod, goal: Revision): InPlacePatch | undefined {
  const from = revisionOf(view, view.hashOf(pod));
  const change = from === undefined ? undefined : inPlaceChange(from, goal, view.rules);
  return change !== undefined && hasContainers(pod, change) ? change : undefined;
}

/** A patch at its creation may have removed a container: the server would refuse to add it with a new image. */
function hasContainers({ spec }: Pod, change: InPlacePatch): boolean {
  for (const name of changedContainers(change))
    if (!spec.containers.some((each) => each.name === name)) return false;
  return true;
}

/** The containers that a change is about, found once: many pods get the same change. */
const changedContainers = remembered((change: InPlacePatch): readonly string[] => [
  ...new Set([...Object.keys(change.images), ...Object.keys(change.resize?.resources ?? {})]),
]);

/** Why a pod may not be updated to the goal; undefined: it may. */
export function updateBlockerOf(
  view: Revisions,
  { mode }: Pick<Envelope, 'mode'>,
  pod: Pod,
  goal: Revision,
): UpdateBlocker | undefined {
  if (inPlacePatchTo(view, pod, goal) !== undefined) return undefined;
  if (mode !== 'Recreate')
    return { reason: `stays: it would have to be recreated, and the plan allows ${mode}` };
  if (view.rules.policy !== 'InPlaceOnly') return undefined;
  return {
    reason: 'stays: the change cannot be made in place and podUpdatePolicy is InPlaceOnly',
    failure: `pod ${pod.metadata.name} cannot be updated in place to ${goal.name}, and podUpdatePolicy is InPlaceOnly`,
  };
}
