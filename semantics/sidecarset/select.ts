import type { KubeObject } from '../../schemas/wire/object.ts';
import type { InjectionInput, PodNamespace, Published, SkippedSet } from '../kinds/pod-injector.ts';
import { compareCodePoints } from '../values/canonical-json.ts';
import type { PodSelection } from '../values/pod-selection.ts';
import { remembered } from '../values/remembered.ts';
import { formatSelector, type LabelSelector, selectorPredicate } from '../values/selector.ts';
import { type NormalSidecarSet, normalizeSidecarSet } from './normalize.ts';

/** A selector that is tested against the labels of many pods. */
interface ReadSelector {
  /** As it is shown; empty: it matches nothing. */
  text: string;
  matches: ReturnType<typeof selectorPredicate>;
}

/** A set as it was observed, and as its rules read it. */
export interface ReadSet {
  object: KubeObject;
  set: NormalSidecarSet;
  ofPods: ReadSelector;
  /** Undefined: every namespace. */
  ofNamespaces: ReadSelector | undefined;
}

/** Cached by object: observed objects are immutable, and an admission asks about each new pod. */
const readSet = remembered((object: KubeObject): ReadSet => {
  const set = normalizeSidecarSet(object);
  const { selector, namespaceSelector } = set;
  const found: ReadSet = {
    object,
    set,
    ofPods: readSelector(selector),
    ofNamespaces: namespaceSelector && readSelector(namespaceSelector),
  };
  return found;
});

type Labels = Readonly<Record<string, string>> | undefined;

/** A test of a pod by its labels and those of its namespace, which are undefined where it was not found. */
export const selectionTest = remembered(
  (
    selection: PodSelection,
  ): ((labels: Labels, namespace: Exclude<Labels, undefined> | undefined) => boolean) => {
    const { selector, namespaceSelector } = selection;
    const ofPods = readSelector(selector);
    const ofNamespaces = namespaceSelector && readSelector(namespaceSelector);
    return (labels, namespace) =>
      ofPods.matches(labels) &&
      (ofNamespaces === undefined || (namespace !== undefined && ofNamespaces.matches(namespace)));
  },
);

function readSelector(selector: LabelSelector | undefined): ReadSelector {
  const text = formatSelector(selector);
  return { text, matches: text === '' ? () => false : selectorPredicate(selector) };
}

/** Whether a set selects pods of a namespace with these labels. */
export function selectsNamespace(object: KubeObject, labels: Readonly<Record<string, string>>): boolean {
  const { ofNamespaces } = readSet(object);
  return ofNamespaces === undefined || ofNamespaces.matches(labels);
}

/** Reads sets in the order in which they are injected: by their names, where OpenKruise's order is that of a cache. */
export function readSets(sets: readonly KubeObject[]): ReadSet[] {
  return sets.map(readSet).sort((a, b) => compareCodePoints(a.set.name, b.set.name));
}

/**
 * The sets that are injected into a pod, and why the others are not (OpenKruise sidecarset, rule 6.1). A canary that matches
 * takes the place of its base.
 */
export function selectSets(
  pod: KubeObject,
  namespace: PodNamespace,
  sets: readonly ReadSet[],
  published: InjectionInput['published'] = new Map(),
): { matched: ReadSet[]; skipped: SkippedSet[] } {
  const skipped: SkippedSet[] = [];
  const matching = sets.filter((each) => {
    const reason = mismatch(pod, namespace, each) ?? unrecorded(pod, namespace, published.get(each.set.name));
    if (reason !== undefined) skipped.push({ set: each.set.name, ...reason });
    return reason === undefined;
  });
  const canaryOf = new Map(
    matching.flatMap(({ set: { base, name } }) => (base === undefined ? [] : [[base, name]])),
  );
  const matched = matching.filter(({ set: { name } }) => {
    const canary = canaryOf.get(name);
    if (canary !== undefined)
      skipped.push({ set: name, reason: 'Canary', message: `the canary ${canary} takes its place` });
    return canary === undefined;
  });
  return { matched, skipped };
}

/** Why a set that selects a pod does not give it anything yet, whatever the manifest says; undefined: it does. */
function unrecorded(
  pod: KubeObject,
  namespace: PodNamespace,
  published: Published | undefined,
): Omit<SkippedSet, 'set'> | undefined {
  if (published === undefined) return undefined;
  if (published.is === 'nothing') return { reason: 'NotRecorded', message: published.why };
  const { within } = published;
  const isWithin =
    within === undefined || within.some((each) => selectionTest(each)(pod.metadata.labels, namespace.labels));
  return isWithin
    ? undefined
    : { reason: 'Unplanned', message: 'the manifest selects the pod, and no plan that states it has ended' };
}

function mismatch(
  pod: KubeObject,
  namespace: PodNamespace,
  { set, ofPods, ofNamespaces }: ReadSet,
): Omit<SkippedSet, 'set'> | undefined {
  if (set.injectionPaused) return { reason: 'Paused', message: 'spec.injectionStrategy.paused is true' };
  if (ofNamespaces !== undefined) {
    if (namespace.labels === undefined)
      return { reason: 'Namespace', message: `the namespace ${namespace.name} was not found` };
    if (!ofNamespaces.matches(namespace.labels))
      return {
        reason: 'Namespace',
        message: `the labels of the namespace ${namespace.name} do not match ${ofNamespaces.text}`,
      };
  }
  return ofPods.matches(pod.metadata.labels)
    ? undefined
    : { reason: 'Selector', message: `the labels of the pod do not match ${ofPods.text}` };
}
