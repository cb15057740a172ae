import type { KubeObject } from '../../schemas/wire/object.ts';
import { type Revision, stableRevision } from '../revision/revision.ts';
import { isSameSelection, type PodSelection, readSelection } from '../values/pod-selection.ts';
import type { NormalSidecarSet } from './normalize.ts';
import { NEW_PODS_ANNOTATION, OPENED_ANNOTATION, SELECTION_ANNOTATION } from './resource.ts';

interface Recorded {
  revisions: readonly Revision[];
}

/** The pods that the manifest selects. */
export function selectionOfSet({
  selector = {},
  namespaceSelector,
}: Pick<NormalSidecarSet, 'selector' | 'namespaceSelector'>): PodSelection {
  return { selector, namespaceSelector };
}

interface Selections {
  own: PodSelection | undefined;
  opened: PodSelection | undefined;
}

/** Cached by object: observed objects are immutable. */
const read = new WeakMap<KubeObject, Selections>();

function selectionsOf({ object }: Revision): Selections {
  const known = read.get(object);
  if (known !== undefined) return known;
  const { annotations } = object.metadata;
  const found: Selections = {
    own: readSelection(annotations?.[SELECTION_ANNOTATION]),
    opened: readSelection(annotations?.[OPENED_ANNOTATION]),
  };
  read.set(object, found);
  return found;
}

/** The selection on record of a revision that is stable, or was; undefined: it has none. */
export function selectionOf(revision: Revision): PodSelection | undefined {
  return selectionsOf(revision).own;
}

/** The selection that a plan which has not ended yet, or BreakGlass, has opened a revision to; undefined: none has. */
export function openedSelection(revision: Revision): PodSelection | undefined {
  return selectionsOf(revision).opened;
}

/**
 * The pods that may get what a set gives: those that the stable revision has on record, those that a plan has opened its revision to,
 * and those that BreakGlass has opened the stable one to. A pod must be among them, and the manifest must select it. So a manifest that selects fewer pods holds at once,
 * and one that selects more holds when a plan that states it has. Undefined: nothing is on record.
 *
 * Where the stable revision has none, as an earlier version of the runtime leaves it, that of the latest one with a record holds: what
 * is not on record is no reason to let more pods in.
 */
export function recordedSelections({ revisions }: Recorded): readonly PodSelection[] | undefined {
  const stable = stableRevision({ revisions });
  if (stable === undefined) return undefined;
  const own =
    selectionOf(stable) ??
    selectionOf(revisions.findLast((each) => selectionOf(each) !== undefined) ?? stable);
  if (own === undefined) return undefined;
  const opened = revisions.filter(
    (each) => each === stable || each.object.metadata.annotations?.[NEW_PODS_ANNOTATION] !== undefined,
  );
  return [own, ...opened.flatMap((each) => openedSelection(each) ?? [])];
}

/** The selection that the stable revision has on record; undefined: there is none. */
export function recordedSelection(recorded: Recorded): PodSelection | undefined {
  return recordedSelections(recorded)?.[0];
}

/** Whether the manifest selects other pods than are on record, and than a plan or BreakGlass has opened a revision to. */
export function isUnrecorded(spec: NormalSidecarSet, recorded: Recorded): boolean {
  const live = selectionOfSet(spec);
  const found = recordedSelections(recorded);
  return found !== undefined && !found.some((each) => isSameSelection(each, live));
}
