import type { KubeObject } from '../../schemas/wire/object.ts';
import { type Revision, stableRevision } from '../revision/revision.ts';
import { isSameSelection, type PodSelection, readSelection } from '../values/pod-selection.ts';
import type { NormalSidecarSet } from './normalize.ts';
import { NEW_PODS_ANNOTATION, SELECTION_ANNOTATION } from './resource.ts';

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

/** Cached by object: observed objects are immutable. */
const read = new WeakMap<KubeObject, { selection: PodSelection | undefined }>();

/** The selection that a revision has on record; undefined: it has none. */
export function selectionOf({ object }: Revision): PodSelection | undefined {
  const known = read.get(object);
  if (known !== undefined) return known.selection;
  const selection = readSelection(object.metadata.annotations?.[SELECTION_ANNOTATION]);
  read.set(object, { selection });
  return selection;
}

/**
 * The pods that may get what a set gives: those that the stable revision has on record, and those that a plan has opened its
 * revision to. A pod must be among them, and the manifest must select it. So a manifest that selects fewer pods holds at once,
 * and one that selects more holds when a plan that states it has. Undefined: nothing is on record.
 */
export function recordedSelections({ revisions }: Recorded): readonly PodSelection[] | undefined {
  const stable = stableRevision({ revisions });
  const own = stable && selectionOf(stable);
  if (own === undefined) return undefined;
  const opened = revisions.filter(
    (each) => each !== stable && each.object.metadata.annotations?.[NEW_PODS_ANNOTATION] !== undefined,
  );
  return [own, ...opened.flatMap((each) => selectionOf(each) ?? [])];
}

/**
 * The same of running pods: what a plan has let in stays in view until it is back. Its revision keeps its selection on record as
 * long as a pod is on it, and was never stable.
 */
export function selectionsInView(recorded: Recorded): readonly PodSelection[] | undefined {
  const found = recordedSelections(recorded);
  const left = recorded.revisions.filter(({ complete }) => complete === undefined);
  return found && [...found, ...left.flatMap((each) => selectionOf(each) ?? [])];
}

/** The selection that the stable revision has on record; undefined: there is none. */
export function recordedSelection(recorded: Recorded): PodSelection | undefined {
  return recordedSelections(recorded)?.[0];
}

/** Whether the manifest selects other pods than are on record. */
export function isUnrecorded(spec: NormalSidecarSet, recorded: Recorded): boolean {
  const found = recordedSelection(recorded);
  return found !== undefined && !isSameSelection(found, selectionOfSet(spec));
}
