import type { Action } from '../decision.ts';
import type { Envelope } from '../plan/envelope.ts';
import { COMPLETE_ANNOTATION, stableRevision } from '../revision/revision.ts';
import { annotateRevision } from '../revision/writes.ts';
import { isSameSelection, selectionText } from '../values/pod-selection.ts';
import { objectOf } from '../values/read.ts';
import { openedSelection, recordedSelection, selectionOf, selectionOfSet } from './recorded-selection.ts';
import { OPENED_ANNOTATION, SELECTION_ANNOTATION } from './resource.ts';
import type { SidecarSetView } from './view.ts';

/**
 * The same writes, where one that makes a revision stable also records which pods may get it: those that its plan has opened it to,
 * else those on record now. Where nothing is, as at first contact, those of the manifest. Where git is back at what the revision had
 * on record when it was stable before, that holds again.
 *
 * Example: A was stable for the namespace shop, and a plan to B has let all namespaces in. Git goes back to the whole manifest of A:
 * shop alone again. Git goes back to the image of A and keeps all namespaces: all, as the plan to B stated. A further plan to B that
 * states nothing finds all on record then, whatever B had when it was stable.
 */
export function withSelection(view: SidecarSetView, actions: readonly Action[]): Action[] {
  return actions.map((action) => {
    if (action.kind !== 'ControllerRevision') return action;
    const live = selectionOfSet(view.spec);
    const present = recordedSelection(view) ?? live;
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
    const selection = (revision && openedSelection(revision)) ?? (isBack ? own : present);
    const recorded = { [SELECTION_ANNOTATION]: selectionText(selection), [OPENED_ANNOTATION]: null };
    const body = { ...action.body, metadata: { ...metadata, annotations: { ...annotations, ...recorded } } };
    return { ...action, body };
  });
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
 * stable one after that plan. With the own strategy of the set it is what the manifest selects. What a plan had opened is closed
 * again where it does not come to that.
 */
export function selectionWrites(view: SidecarSetView, envelope: Envelope): Action[] {
  const { goal, newPods = 0, reason } = envelope;
  const isOwn = envelope.ownStrategy === true;
  const stable = stableRevision(view);
  const stated = isOwn ? selectionOfSet(view.spec) : envelope.selection;
  return view.revisions.flatMap((revision) => {
    const isStable = revision === stable;
    const key = isStable ? SELECTION_ANNOTATION : OPENED_ANNOTATION;
    const present = isStable ? selectionOf(revision) : openedSelection(revision);
    const isStated = isOwn ? isStable : revision.hash === goal && stated !== undefined;
    if (isStated && stated !== undefined) {
      if (present !== undefined && isSameSelection(present, stated)) return [];
      return [
        annotateRevision(revision, 'open to what is selected', { [key]: selectionText(stated) }, reason),
      ];
    }
    const isOpen = isStable || (revision.hash === goal && newPods >= 100);
    return isOpen || present === undefined
      ? []
      : [annotateRevision(revision, 'close to what is selected', { [key]: null }, reason)];
  });
}
