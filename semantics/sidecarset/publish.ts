import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Action } from '../decision.ts';
import { isOwnedBy } from '../owner.ts';
import type { Envelope } from '../plan/envelope.ts';
import { parseRevisions, revisionOf, stableRevision } from '../revision/revision.ts';
import { annotateRevision } from '../revision/writes.ts';
import { NEW_PODS_ANNOTATION } from './resource.ts';
import type { SidecarSetView } from './view.ts';

const YES = 'true';

/**
 * The writes by which an admission learns what new pods get. An admission cannot count, so new pods are on the stable revision
 * until a step leads to all pods, and the runtime alone takes pods to the goal.
 */
export function publishing(view: SidecarSetView, envelope: Envelope): Action[] {
  const goal = revisionOf(view, envelope.goal);
  const isGoal = envelope.takesNewPods === true && goal !== stableRevision(view);
  return view.revisions.flatMap((revision) => {
    const value = isGoal && revision === goal ? YES : null;
    if ((revision.object.metadata.annotations?.[NEW_PODS_ANNOTATION] ?? null) === value) return [];
    const [verb, why] =
      value === null
        ? ['withhold from new pods', 'new pods get another revision']
        : ['give to new pods', envelope.reason];
    return [annotateRevision(revision, verb, { [NEW_PODS_ANNOTATION]: value }, why)];
  });
}

/**
 * The revision that new pods get, by the name of the set; of sets without any record it is their present content. Only
 * revisions that the set controls count.
 *
 * @param revisions ControllerRevisions of any owner
 */
export function publishedRevisions(
  sets: readonly KubeObject[],
  revisions: readonly KubeObject[],
): Map<string, string> {
  const published = new Map<string, string>();
  for (const set of sets) {
    const own = parseRevisions(revisions.filter((each) => isOwnedBy(each, set)));
    const given = own.findLast(({ object }) => object.metadata.annotations?.[NEW_PODS_ANNOTATION] === YES);
    const found = given ?? stableRevision({ revisions: own });
    if (found !== undefined) published.set(set.metadata.name, found.name);
  }
  return published;
}
