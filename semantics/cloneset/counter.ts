import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Action } from '../decision.ts';
import { factsOf, type PodFacts } from '../pod/facts.ts';
import type { Pod } from '../pod/types.ts';
import type { Revision } from '../revision/revision.ts';
import { annotateRevision } from '../revision/writes.ts';
import { readCounter } from '../values/counter.ts';
import { setDefined } from '../values/set-defined.ts';
import type { CloneSetView } from './view.ts';

/** How many pod names were derived so far: the counter behind the five letters of a name. */
export const PODS_CREATED_ANNOTATION = 'plan.kruise.io/pods-created';
/** Which of a workload's names a pod has: with it the counter is known without computing names. Its claims have it, too. */
export const POD_NUMBER_ANNOTATION = 'plan.kruise.io/pod-number';

/** How many pod names were derived, as last recorded on any revision. */
export function podsCreated({ revisions }: Pick<CloneSetView, 'revisions'>): number {
  return Math.max(0, ...revisions.map(countOn));
}

function countOn({ object }: Revision): number {
  return readCounter(object.metadata.annotations?.[PODS_CREATED_ANNOTATION]) ?? 0;
}

/**
 * The pods in the view are as late as the record that a pod of this number was counted: no name below the counter is given
 * anew, so a pod of that number that is not in the view is gone. Known by a pod that was seen at a later version than the
 * record; of one server, greater means later.
 *
 * @param n −1: it was never counted
 */
export function isCountObserved(view: CloneSetView, n: number): boolean {
  if (n < 0) return false;
  const since = view.revisions.filter((each) => countOn(each) > n).map(({ object }) => versionOf(object));
  const pods = [view.active, view.released, view.ended, view.going].flat();
  const recorded = Math.min(...since);
  return pods.some((pod) => versionOf(pod) >= recorded);
}

/** NaN, which no comparison holds for, where it is no number. */
function versionOf({ metadata }: KubeObject): number {
  return Number(metadata.resourceVersion || NaN);
}

const NUMBER = Symbol('number');

/** Which of the names a claim has; -1: none of them, as what OpenKruise made. It is asked of each claim each time. */
export function numberOf(claim: KubeObject & { [NUMBER]?: number }): number {
  return claim[NUMBER] ?? setDefined(claim, NUMBER, readNumber(claim));
}

/** The same of a pod. It is kept with the facts of the pod, as its row is. */
export function numberOfPod(pod: Pod): number {
  const facts: PodFacts & { [NUMBER]?: number } = factsOf(pod);
  return (facts[NUMBER] ??= readNumber(pod));
}

function readNumber({ metadata }: KubeObject): number {
  return readCounter(metadata.annotations?.[POD_NUMBER_ANNOTATION]) ?? -1;
}

/** Moves the counter behind pod names past the pods that exist. */
export function countPods({ revisions }: Pick<CloneSetView, 'revisions'>, counter: number): Action {
  const revision = revisions.at(-1);
  if (revision === undefined) throw new Error('a CloneSet has its revision before it has pods');
  const why = 'so that the name of a lost pod is not used again';
  return annotateRevision(revision, 'record pod count', { [PODS_CREATED_ANNOTATION]: String(counter) }, why);
}

/**
 * The counter, where none of the revisions that stay has it: it lies on the one that was the newest when a pod was last made.
 */
export function carriedCounter(view: CloneSetView, staying: readonly Revision[]): Action | undefined {
  const counter = podsCreated(view);
  return podsCreated({ revisions: staying }) < counter ? countPods(view, counter) : undefined;
}

/** What a pod and its claims have that are given the n-th name. Undefined: they have none of the names that are given here. */
export function numberAnnotation(n: number | undefined): Record<string, string> {
  return n === undefined ? {} : { [POD_NUMBER_ANNOTATION]: String(n) };
}
