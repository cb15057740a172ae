import type { KubeObject } from '../../schemas/wire/object.ts';
import type { PodNamespace, SkippedSet } from '../kinds/pod-injector.ts';
import { compareCodePoints } from '../values/canonical-json.ts';
import { formatSelector, selectorPredicate } from '../values/selector.ts';
import { type NormalSidecarSet, normalizeSidecarSet } from './normalize.ts';

/** A set as it was observed, and as its rules read it. */
export interface ReadSet {
  object: KubeObject;
  set: NormalSidecarSet;
}

/** Reads sets in the order in which they are injected: by their names, where OpenKruise's order is that of a cache. */
export function readSets(sets: readonly KubeObject[]): ReadSet[] {
  return sets
    .map((object) => ({ object, set: normalizeSidecarSet(object) }))
    .sort((a, b) => compareCodePoints(a.set.name, b.set.name));
}

/**
 * The sets that are injected into a pod, and why the others are not (OpenKruise sidecarset, rule 6.1). A canary that matches
 * takes the place of its base.
 */
export function selectSets(
  pod: KubeObject,
  namespace: PodNamespace,
  sets: readonly ReadSet[],
): { matched: ReadSet[]; skipped: SkippedSet[] } {
  const skipped: SkippedSet[] = [];
  const matching = sets.filter(({ set }) => {
    const reason = mismatch(pod, namespace, set);
    if (reason !== undefined) skipped.push({ set: set.name, ...reason });
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

function mismatch(
  pod: KubeObject,
  namespace: PodNamespace,
  set: NormalSidecarSet,
): Omit<SkippedSet, 'set'> | undefined {
  if (set.injectionPaused) return { reason: 'Paused', message: 'spec.injectionStrategy.paused is true' };
  if (set.namespaceSelector !== undefined) {
    const wanted = formatSelector(set.namespaceSelector);
    if (namespace.labels === undefined)
      return { reason: 'Namespace', message: `the namespace ${namespace.name} was not found` };
    if (wanted === '' || !selectorPredicate(set.namespaceSelector)(namespace.labels))
      return {
        reason: 'Namespace',
        message: `the labels of the namespace ${namespace.name} do not match ${wanted}`,
      };
  }
  const wanted = formatSelector(set.selector);
  return wanted === '' || !selectorPredicate(set.selector)(pod.metadata.labels)
    ? { reason: 'Selector', message: `the labels of the pod do not match ${wanted}` }
    : undefined;
}
