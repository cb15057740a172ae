import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Action } from '../decision.ts';
import { controllerOf, isOwnedBy } from '../owner.ts';
import type { Published } from '../kinds/pod-injector.ts';
import type { Envelope } from '../plan/envelope.ts';
import { parseRevisions, type Revision, revisionOf, stableRevision } from '../revision/revision.ts';
import { annotateRevision } from '../revision/writes.ts';
import { canonicalJson } from '../values/canonical-json.ts';
import { isObject, parsedJson } from '../values/json-shape.ts';
import { type LabelSelector, selectorPredicate } from '../values/selector.ts';
import { isAmong } from './drawn.ts';
import { NEW_PODS_ANNOTATION, PARTIAL_ANNOTATION, UNSELECTED_ANNOTATION } from './resource.ts';
import { givesNothing } from './new-pods-condition.ts';
import { recordedSelections } from './recorded-selection.ts';
import { selectionWrites } from './selection-writes.ts';
import type { SidecarSetView } from './view.ts';

const YES = 'true';
const NOTHING_RECORDED = 'the set has changed before it was on record what new pods get, and it needs a plan';

/**
 * The writes by which an admission learns what new pods get. An admission cannot count, so new pods are on the stable revision
 * until a step leads to all pods, and the runtime alone takes pods to the goal. It can read labels: pods outside the selector
 * of a plan get an earlier revision, which is on record before any share of the goal.
 */
export function publishing(view: SidecarSetView, envelope: Envelope): Action[] {
  const unselected = forUnselected(view, envelope);
  const marks = partialMarks(view, envelope, unselected);
  // Of one revision, a second patch would be of an older version. The mark comes before any new pod gets the revision.
  if (unselected !== undefined && marks.length > 0) return marks;
  const selectors = annotating(view, UNSELECTED_ANNOTATION, (revision) => {
    const value = unselected?.revision === revision ? unselected.text : null;
    const verb =
      value === null ? 'end the selector of new pods at' : 'give to new pods that are not selected';
    return [value, verb, envelope.reason];
  });
  // The selector comes before the share, and ends after it. A second patch of one revision would be of an older version, too.
  if (unselected !== undefined && selectors.length > 0) return selectors;
  const goal = revisionOf(view, envelope.goal);
  const { newPods = 0 } = envelope;
  const stable = stableRevision(view);
  // A share of the stable revision is one of the pods that an earlier selector has left out, where no other selector follows it.
  const opens = unselected !== undefined && envelope.selector === undefined && newPods < 100;
  const isGoal = newPods > 0 && (goal !== stable || opens);
  const share = newPods >= 100 ? YES : `${newPods}%`;
  const shares = annotating(view, NEW_PODS_ANNOTATION, (revision) => {
    const value = isGoal && revision === goal ? share : null;
    return [value, ...writeText(value, revision === stable, envelope)];
  });
  const writes = [shares, selectors, marks].find((each) => each.length > 0);
  return writes ?? selectionWrites(view, envelope);
}

/**
 * The writes that mark a revision which a selector keeps from some new pods, as a pin would give it to all of them. Only a plan that has
 * ended there ends the mark, once new pods get no earlier one: the next plan may go back to such a selector.
 */
function partialMarks(
  view: SidecarSetView,
  { goal, keepsNewPods, reason }: Envelope,
  unselected: ForUnselected | undefined,
): Action[] {
  const stable = stableRevision(view);
  const others = [recorded(view), unselected].filter(
    (each) => each !== undefined && each.revision !== stable,
  );
  const isForAll = others.length === 0 && stable?.hash === goal && keepsNewPods !== true;
  return annotating(view, PARTIAL_ANNOTATION, (revision) => {
    const isPartial =
      (revision.hash === goal && unselected !== undefined) || (revision === stable && others.length > 0);
    if (isPartial) return [YES, 'mark as for selected new pods', reason];
    const stays = revision === stable && isForAll ? null : annotationOf(revision, PARTIAL_ANNOTATION);
    return [stays, 'mark as for all new pods', reason];
  });
}

/** What new pods get that the selector of a bound does not select. */
interface ForUnselected {
  revision: Revision;
  /** The selector, as the annotation has it. */
  text: string;
}

/**
 * The revision of new pods outside the selector of a plan, and that selector. The one on record holds until a step leads to
 * all pods, or the way back has ended: a wider selector lets no new pod in before. Undefined: every new pod gets the same.
 */
function forUnselected(view: SidecarSetView, envelope: Envelope): ForUnselected | undefined {
  const { selector, retained, back, keepsNewPods, newPods = 0 } = envelope;
  const stable = stableRevision(view);
  const goal = revisionOf(view, envelope.goal);
  const present = recorded(view);
  if (back !== undefined) return forUnselectedOnTheWayBack(view, goal, present, envelope);
  const isHeld = newPods < 100 && keepsNewPods === true;
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
  const revision = revisions.findLast((each) => annotationOf(each, UNSELECTED_ANNOTATION) !== null);
  const text = revision?.object.metadata.annotations?.[UNSELECTED_ANNOTATION];
  return revision === undefined || text === undefined ? undefined : { revision, text };
}

/** The selector on record; undefined: there is none, or it cannot be read. */
export function recordedSelector(view: Pick<SidecarSetView, 'revisions'>): LabelSelector | undefined {
  const selector = parsedJson(recorded(view)?.text ?? '');
  return isObject(selector) ? selector : undefined;
}

/** Whether a new pod is outside the selector on record. A person may have edited it: one that cannot be read selects all. */
function isUnselected({ text }: ForUnselected, pod: KubeObject): boolean {
  const selector = parsedJson(text);
  return isObject(selector) && !selectorPredicate(selector)(pod.metadata.labels);
}

/** The writes that give each revision its value of an annotation, with their verb and reason. */
function annotating(
  { revisions }: SidecarSetView,
  key: string,
  of: (revision: Revision) => [value: string | null, verb: string, why: string],
): Action[] {
  return revisions.flatMap((revision) => {
    const [value, verb, why] = of(revision);
    return annotationOf(revision, key) === value
      ? []
      : [annotateRevision(revision, verb, { [key]: value }, why)];
  });
}

function annotationOf({ object }: Revision, key: string): string | null {
  return object.metadata.annotations?.[key] ?? null;
}

/** The verb and the reason of such a write. */
function writeText(share: string | null, isStable: boolean, { reason }: Envelope): [string, string] {
  if (share === YES) return ['give to new pods', reason];
  if (share !== null) return [`give to ${share} of new pods`, reason];
  return isStable
    ? ['end the share of new pods of', 'it is the stable revision, which new pods get anyway']
    : ['withhold from new pods', 'new pods get another revision'];
}

/**
 * What is on record of new pods, by the name of the set. Of a set without any record it is the present content, as long as that is
 * its first: later, only a set that needs no plan gives it. Only revisions that the set controls count.
 *
 * @param revisions ControllerRevisions of any owner
 * @param pod as the request has it
 * @param requestId what is drawn by, where a share of new pods gets a revision
 * @param isRequired whether a set changes by plans alone
 */
export function publishedRevisions(
  sets: readonly KubeObject[],
  revisions: readonly KubeObject[],
  pod: KubeObject,
  requestId: string,
  isRequired: (set: KubeObject) => boolean,
): Map<string, Published> {
  const published = new Map<string, Published>();
  const byController = new Map<string, KubeObject[]>();
  for (const revision of revisions) {
    const uid = controllerOf(revision)?.uid ?? '';
    const same = byController.get(uid);
    if (same === undefined) byController.set(uid, [revision]);
    else same.push(revision);
  }
  for (const set of sets) {
    const objects = (byController.get(set.metadata.uid ?? '') ?? []).filter((each) => isOwnedBy(each, set));
    const own = parseRevisions(objects);
    const given = own.findLast(({ object }) => {
      const percent = percentIn(object.metadata.annotations?.[NEW_PODS_ANNOTATION]);
      return percent !== undefined && isAmong(percent, set.metadata.name, requestId);
    });
    const outside = recorded({ revisions: own });
    const stable = stableRevision({ revisions: own });
    const isOutside = outside !== undefined && isUnselected(outside, pod) && given !== stable;
    const found = isOutside ? outside.revision : (given ?? stable);
    if (found !== undefined)
      published.set(set.metadata.name, {
        is: 'revision',
        name: found.name,
        // With the own strategy of a set the record only follows its manifest.
        within: isRequired(set) ? recordedSelections({ revisions: own }) : undefined,
      });
    else if (givesNothing(set, isRequired(set)))
      published.set(set.metadata.name, { is: 'nothing', why: NOTHING_RECORDED });
  }
  return published;
}

/** The share of new pods, in percent; undefined: it is none. */
function percentIn(share: string | undefined): number | undefined {
  if (share === YES) return 100;
  const percent = /^(\d+(?:\.\d+)?)%$/.exec(share ?? '')?.[1];
  return percent === undefined ? undefined : Number(percent);
}
