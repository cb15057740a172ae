import type { Action } from '../decision.ts';
import type { Envelope } from '../plan/envelope.ts';
import { COMPLETE_ANNOTATION, revisionOf, stableRevision } from '../revision/revision.ts';
import { annotateRevision } from '../revision/writes.ts';
import {
  isSameSelection,
  isWithinSelection,
  type PodSelection,
  selectionText,
} from '../values/pod-selection.ts';
import { objectOf } from '../values/read.ts';
import { openedSelection, recordedSelection, selectionOf, selectionOfSet } from './recorded-selection.ts';
import { OPENED_ANNOTATION, SELECTION_ANNOTATION } from './resource.ts';
import type { SidecarSetView } from './view.ts';

/**
 * The same writes, where one that makes a revision stable also records which pods may get it: those that its plan has opened it to,
 * else those on record now. Where nothing is, as at first contact, those of the manifest. Where git is back at what the revision had
 * on record when it was stable before, that holds again. Of those on record no more are than the manifest selects, where that selects
 * fewer for certain.
 *
 * Example: A was stable for the namespace shop, and a plan to B has let all namespaces in. Git goes back to the whole manifest of A:
 * shop alone again. Git goes back to the image of A and keeps all namespaces: all, as the plan to B stated. A further plan to B that
 * states nothing finds all on record then, whatever B had when it was stable.
 *
 * @param given what was on record for the revision before the plan that git has taken back; undefined: it has taken none back
 */
export function withSelection(
  view: SidecarSetView,
  actions: readonly Action[],
  given?: PodSelection,
): Action[] {
  return actions.map((action) => {
    if (action.kind !== 'ControllerRevision') return action;
    const live = selectionOfSet(view.spec);
    const recorded = recordedSelection(view) ?? live;
    const present = isWithinSelection(live, recorded) ? live : recorded;
    if (action.do === 'create') {
      const { metadata } = action.object;
      const { annotations = {} } = metadata;
      if (annotations[COMPLETE_ANNOTATION] === undefined) return action;
      const object = {
        ...action.object,
        metadata: {
          ...metadata,
          annotations: { ...annotations, [SELECTION_ANNOTATION]: selectionText(present) },
        },
      };
      return { ...action, object };
    }
    if (action.do !== 'patch') return action;
    const metadata = objectOf(action.body['metadata']);
    const annotations = objectOf(metadata['annotations']);
    const revision = view.revisions.find((each) => each.name === action.name);
    if (typeof annotations[COMPLETE_ANNOTATION] !== 'string') return action;
    const own = revision && selectionOf(revision);
    const isBack = own !== undefined && isSameSelection(own, live);
    const opened = revision && openedSelection(revision);
    const selection = given ?? opened ?? (isBack ? own : present);
    const written = { [SELECTION_ANNOTATION]: selectionText(selection), [OPENED_ANNOTATION]: null };
    const body = { ...action.body, metadata: { ...metadata, annotations: { ...annotations, ...written } } };
    return { ...action, body };
  });
}

/** The writes that make a revision stable, and record which pods may get it also where it is stable already. */
export function completeWith(
  view: SidecarSetView,
  hash: string,
  given: PodSelection | undefined,
  actions: readonly Action[],
): Action[] {
  const revision = revisionOf(view, hash);
  if (actions.length > 0 || given === undefined || revision === undefined)
    return withSelection(view, actions, given);
  const own = selectionOf(revision);
  if (own !== undefined && isSameSelection(own, given)) return [];
  return [
    annotateRevision(
      revision,
      'record the selection',
      { [SELECTION_ANNOTATION]: selectionText(given) },
      'git has taken back what a plan had changed of it',
    ),
  ];
}

/**
 * The write of the selection where an earlier version of the runtime has recorded none at the stable revision: that of an earlier
 * revision, else that of the manifest.
 */
export function firstSelection(view: SidecarSetView): Action[] {
  const stable = stableRevision(view);
  if (stable === undefined || selectionOf(stable) !== undefined) return [];
  const text = selectionText(recordedSelection(view) ?? selectionOfSet(view.spec));
  return [
    annotateRevision(
      stable,
      'record the selection',
      { [SELECTION_ANNOTATION]: text },
      'the pods that it selects were not on record',
    ),
  ];
}

/**
 * The writes by which further pods may get a revision: the goal of a plan that states them, once it leads to all pods, and the
 * stable one after that plan. With the own strategy of the set it is what the manifest selects, under BreakGlass as long as the command
 * holds. What was opened so is closed again where it does not come to an end.
 */
export function selectionWrites(view: SidecarSetView, envelope: Envelope): Action[] {
  const { goal, newPods = 0, reason, selection, expires = false, ownStrategy = false } = envelope;
  const stable = stableRevision(view);
  const live = selectionOfSet(view.spec);
  return view.revisions.flatMap((revision) => {
    const isStable = revision === stable;
    const planned = ownStrategy || revision.hash !== goal ? undefined : selection;
    const own = ownStrategy && !expires ? live : planned;
    const opened = isStable ? (expires ? live : undefined) : planned;
    // What a plan has opened its goal to stays so while that leads to all pods.
    const staysOpen = !isStable && revision.hash === goal && newPods >= 100;
    const changes = {
      ...(isStable && own !== undefined && changed(SELECTION_ANNOTATION, selectionOf(revision), own)),
      ...((opened !== undefined || !staysOpen) &&
        changed(OPENED_ANNOTATION, openedSelection(revision), opened)),
    };
    const values = Object.values(changes);
    const verb = values.every((value) => value === null) ? 'close' : 'open';
    return values.length === 0
      ? []
      : [annotateRevision(revision, `${verb} to what is selected`, changes, reason)];
  });
}

/** The value of an annotation with a selection, where it is to be another one; null removes it. */
function changed(
  key: string,
  present: PodSelection | undefined,
  wanted: PodSelection | undefined,
): Record<string, string | null> {
  if (wanted === undefined) return present === undefined ? {} : { [key]: null };
  return present !== undefined && isSameSelection(present, wanted) ? {} : { [key]: selectionText(wanted) };
}
