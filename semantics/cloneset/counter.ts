import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Action } from '../decision.ts';
import { factsOf, type PodFacts } from '../pod/facts.ts';
import type { Pod } from '../pod/types.ts';
import type { Revision } from '../revision/revision.ts';
import { annotateRevision } from '../revision/writes.ts';
import { readCounter } from '../values/counter.ts';
import { setDefined } from '../values/set-defined.ts';
import { timeOf } from '../values/timestamp.ts';
import type { CloneSetView } from './view.ts';

/** Annotation of a revision: how many pod names were derived so far. The id in a pod name is derived from this counter. */
export const PODS_CREATED_ANNOTATION = 'plan.kruise.io/pods-created';
/** Annotation of a pod and its claims: the counter value that its name was derived from. */
export const POD_NUMBER_ANNOTATION = 'plan.kruise.io/pod-number';

/** How many pod names were derived: the highest number recorded on any revision. */
export function podsCreated({ revisions }: Pick<CloneSetView, 'revisions'>): number {
  return Math.max(0, ...revisions.map(countOn));
}

function countOn({ object }: Revision): number {
  return readCounter(object.metadata.annotations?.[PODS_CREATED_ANNOTATION]) ?? 0;
}

/**
 * Whether the pods in the view are at least as recent as the record that counted the pod of this number. No name below the
 * counter is used again, so a pod of this number that is not in the view is gone. The proof is a pod with a resourceVersion
 * at least as high as that of the record.
 *
 * @param n the number of a pod; −1: it was never counted
 */
export function isCountObserved(view: CloneSetView, n: number): boolean {
  if (n < 0) return false;
  const since = view.revisions.filter((each) => countOn(each) > n).map(({ object }) => versionOf(object));
  const pods = [view.active, view.released, view.ended, view.terminating].flat();
  const recorded = Math.min(...since);
  return pods.some((pod) => versionOf(pod) >= recorded);
}

/** The resourceVersion as a number; NaN, for which every comparison is false, where it is none. */
function versionOf({ metadata }: KubeObject): number {
  return Number(metadata.resourceVersion || NaN);
}

const NUMBER = Symbol('number');

/** The number of a claim; -1: it has none, as claims that OpenKruise created. Cached, as each reconcile needs all of them. */
export function numberOf(claim: KubeObject & { [NUMBER]?: number }): number {
  return claim[NUMBER] ?? setDefined(claim, NUMBER, readNumber(claim));
}

/** The number of a pod; -1: it has none. Cached with the facts of the pod. */
export function numberOfPod(pod: Pod): number {
  const facts: PodFacts & { [NUMBER]?: number } = factsOf(pod);
  return (facts[NUMBER] ??= readNumber(pod));
}

function readNumber({ metadata }: KubeObject): number {
  return readCounter(metadata.annotations?.[POD_NUMBER_ANNOTATION]) ?? -1;
}

/** Milliseconds after the creation of a claim in which its pod may exist and not be observed yet. */
const SETTLED_MS = 60_000;

/** From when on the caches show the pod of this claim, if it exists, milliseconds since 1970. */
export function settledAt({ metadata }: KubeObject): number {
  return timeOf(metadata.creationTimestamp) + SETTLED_MS;
}

/** Records the counter of pod names. */
export function countPods({ revisions }: Pick<CloneSetView, 'revisions'>, counter: number): Action {
  const revision = revisions.at(-1);
  if (revision === undefined) throw new Error('a CloneSet has its revision before it has pods');
  const why = 'how many pods were created, so that the name of a lost pod is not used again';
  return annotateRevision(revision, 'annotate revision', { [PODS_CREATED_ANNOTATION]: String(counter) }, why);
}

/**
 * Records the counter on a revision that stays; undefined: one of them has it already. The counter is on the revision that
 * was the newest when a pod was last created, and that one may be deleted.
 */
export function carriedCounter(view: CloneSetView, staying: readonly Revision[]): Action | undefined {
  const counter = podsCreated(view);
  return podsCreated({ revisions: staying }) < counter ? countPods(view, counter) : undefined;
}

/** The annotation of a pod and its claims with the n-th name; none for an undefined number. */
export function numberAnnotation(n: number | undefined): Record<string, string> {
  return n === undefined ? {} : { [POD_NUMBER_ANNOTATION]: String(n) };
}
