import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Envelope } from '../plan/envelope.ts';
import { type Revision, revisionOf, stableRevision } from '../revision/revision.ts';
import { canonicalJson } from '../values/canonical-json.ts';
import { isObject, parsedJson } from '../values/json-shape.ts';
import { type LabelSelector, selectorPredicate } from '../values/selector.ts';
import { UNSELECTED_ANNOTATION } from './resource.ts';
import type { SidecarSetView } from './view.ts';

/** What new pods get that the selector of a bound does not select. */
export interface ForUnselected {
  revision: Revision;
  /** The selector, as the annotation has it. */
  text: string;
}

/**
 * The revision of new pods outside the selector of a plan, and that selector. The one on record holds until a step leads to
 * all pods, or the way back has ended: a wider selector lets no new pod in before. Undefined: every new pod gets the same.
 */
export function forUnselected(view: SidecarSetView, envelope: Envelope): ForUnselected | undefined {
  const { selector, retained, back, keepsNewPods, newPods = 0 } = envelope;
  const stable = stableRevision(view);
  const goal = revisionOf(view, envelope.goal);
  const present = recorded(view);
  if (back !== undefined) return forUnselectedOnTheWayBack(view, goal, present, envelope);
  const isHeld = newPods < 100 && (envelope.stable !== envelope.goal || keepsNewPods === true);
  const before = present?.revision === goal ? undefined : present;
  if (before !== undefined && isHeld) return before;
  if (selector === undefined) return undefined;
  // Where the goal is stable already, a bound has retained an earlier revision.
  const earlier = stable === goal ? revisionOf(view, retained?.hash) : stable;
  const revision = before?.revision ?? earlier;
  return revision === undefined || revision === goal
    ? undefined
    : { revision, text: canonicalJson(selector) };
}

/**
 * On the way back the selector that held at the goal does so again. Pods outside of it get what was earlier than the goal. Where no such
 * selector is known, that on record stays, and lets no further pod in.
 */
function forUnselectedOnTheWayBack(
  view: SidecarSetView,
  goal: Revision | undefined,
  present: ForUnselected | undefined,
  { selector, back }: Envelope,
): ForUnselected | undefined {
  if (goal === undefined) return undefined;
  const isEarlier = (present?.revision.complete ?? Infinity) < (goal.complete ?? 0);
  if (selector === undefined) return isEarlier ? present : undefined;
  const revision = isEarlier ? present?.revision : revisionOf(view, back?.taken?.left[0]);
  return revision === undefined ? undefined : { revision, text: canonicalJson(selector) };
}

/** What is on record of these pods. */
export function recorded({ revisions }: Pick<SidecarSetView, 'revisions'>): ForUnselected | undefined {
  const revision = revisions.findLast(({ object }) => textOn(object) !== undefined);
  const text = revision && textOn(revision.object);
  return revision === undefined || text === undefined ? undefined : { revision, text };
}

/** The selector on record; undefined: there is none, or it cannot be read. */
export function recordedSelector(view: Pick<SidecarSetView, 'revisions'>): LabelSelector | undefined {
  const selector = parsedJson(recorded(view)?.text ?? '');
  return isObject(selector) ? selector : undefined;
}

/** Whether a new pod is outside the selector on record. A person may have edited it: one that cannot be read selects all. */
export function isUnselected({ text }: ForUnselected, pod: KubeObject): boolean {
  const selector = parsedJson(text);
  return isObject(selector) && !selectorPredicate(selector)(pod.metadata.labels);
}

function textOn({ metadata }: KubeObject): string | undefined {
  return metadata.annotations?.[UNSELECTED_ANNOTATION];
}
