import type { Action } from '../decision.ts';
import type { Envelope } from '../plan/envelope.ts';
import { COMPLETE_ANNOTATION, stableRevision } from '../revision/revision.ts';
import { annotateRevision } from '../revision/writes.ts';
import { isSameSelection, selectionText } from '../values/pod-selection.ts';
import { objectOf } from '../values/read.ts';
import { recordedSelection, selectionOf, selectionOfSet } from './recorded-selection.ts';
import { SELECTION_ANNOTATION } from './resource.ts';
import type { SidecarSetView } from './view.ts';

/**
 * The same writes, where one that makes a revision stable also records which pods may get it: those that it had on record when it
 * was stable before, else those on record now. Where nothing is, as at first contact, those of the manifest.
 */
export function withSelection(view: SidecarSetView, actions: readonly Action[]): Action[] {
  return actions.map((action) => {
    if (action.kind !== 'ControllerRevision') return action;
    const selection = selectionText(recordedSelection(view) ?? selectionOfSet(view.spec));
    const recorded = { [SELECTION_ANNOTATION]: selection };
    if (action.do === 'create') {
      const { metadata } = action.object;
      const { annotations = {} } = metadata;
      if (annotations[COMPLETE_ANNOTATION] === undefined) return action;
      const object = {
        ...action.object,
        metadata: { ...metadata, annotations: { ...annotations, ...recorded } },
      };
      return { ...action, object };
    }
    if (action.do !== 'patch') return action;
    const metadata = objectOf(action.body['metadata']);
    const annotations = objectOf(metadata['annotations']);
    const revision = view.revisions.find((each) => each.name === action.name);
    const isKnown = revision !== undefined && selectionOf(revision) !== undefined;
    if (typeof annotations[COMPLETE_ANNOTATION] !== 'string' || isKnown) return action;
    const body = { ...action.body, metadata: { ...metadata, annotations: { ...annotations, ...recorded } } };
    return { ...action, body };
  });
}

/** The write that records the selection of the manifest where an earlier version of the runtime has recorded none. */
export function firstSelection(view: SidecarSetView): Action[] {
  const stable = stableRevision(view);
  if (stable === undefined || selectionOf(stable) !== undefined) return [];
  const text = selectionText(selectionOfSet(view.spec));
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
    const present = selectionOf(revision);
    const isStated = isOwn ? revision === stable : revision.hash === goal && stated !== undefined;
    if (isStated && stated !== undefined) {
      if (present !== undefined && isSameSelection(present, stated)) return [];
      const text = selectionText(stated);
      return [
        annotateRevision(revision, 'open to what is selected', { [SELECTION_ANNOTATION]: text }, reason),
      ];
    }
    const isOpen = revision.hash === goal && newPods >= 100;
    if (revision.complete !== undefined || present === undefined || isOpen) return [];
    // A way back still has to see the pods that it takes.
    return view.units.some((unit) => view.hashOf(unit) === revision.hash)
      ? []
      : [annotateRevision(revision, 'close to what is selected', { [SELECTION_ANNOTATION]: null }, reason)];
  });
}
