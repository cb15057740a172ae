import type { Action } from '../decision.ts';
import { COMPLETE_ANNOTATION, stableRevision } from '../revision/revision.ts';
import { annotateRevision } from '../revision/writes.ts';
import { objectOf } from '../values/read.ts';
import { pinnedRevision } from './pinned.ts';
import type { SidecarSetView } from './view.ts';

/**
 * The writes of an adoption. Where the set pins an earlier revision than its present content, new pods have got that one before, so
 * it counts as one that the set was complete on. A pin of the present content does not count: no plan has led there.
 */
export function withAdoptedPin(view: SidecarSetView, actions: readonly Action[]): readonly Action[] {
  if (stableRevision(view) !== undefined) return actions;
  const objects = view.revisions.map(({ object }) => object);
  const pin = pinnedRevision(view.spec, objects);
  const name = pin !== undefined && 'unfinished' in pin ? pin.unfinished : undefined;
  const pinned = view.revisions.find((each) => each.name === name);
  const adopting = actions.find(marksComplete);
  if (pinned === undefined || adopting === undefined) return actions;
  if (pinned.hash === view.liveHash || (adopting.do === 'patch' && adopting.name === pinned.name))
    return actions;
  const why = 'the set pins it, and new pods have got it before';
  return [
    ...actions.map((each) => (each === adopting ? markedLater(each) : each)),
    annotateRevision(pinned, 'mark as complete before', { [COMPLETE_ANNOTATION]: '1' }, why),
  ];
}

function marksComplete(action: Action): boolean {
  if (action.do !== 'patch') return false;
  const { annotations } = objectOf(action.body['metadata']);
  return objectOf(annotations)[COMPLETE_ANNOTATION] === '1';
}

/** The stable revision is the one that was complete last. */
function markedLater(action: Action): Action {
  if (action.do !== 'patch') return action;
  const metadata = objectOf(action.body['metadata']);
  const annotations = { ...objectOf(metadata['annotations']), [COMPLETE_ANNOTATION]: '2' };
  return { ...action, body: { ...action.body, metadata: { ...metadata, annotations } } };
}
