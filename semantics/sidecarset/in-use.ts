import type { SidecarSetView } from './view.ts';

/**
 * How many revisions are kept because pods name them. Whoever owns a pod writes which one it has, so that a set which changes often would
 * have revisions without an end.
 */
const MOST_NAMED = 100;

/**
 * The revisions that pods have, or go back to. Where they are too many, the newest of each namespace come first, then the next of each: no
 * namespace takes the place of another.
 */
export function revisionsInUse(view: SidecarSetView): ReadonlySet<string | undefined> {
  const age = new Map(view.revisions.map(({ hash }, index) => [hash, view.revisions.length - index]));
  const byNamespace = new Map<string, Set<string>>();
  for (const { pod, record, from } of view.units) {
    const { namespace = '' } = pod.metadata;
    const named = byNamespace.get(namespace) ?? new Set();
    byNamespace.set(namespace, named);
    for (const each of from === undefined ? [record] : [record, from]) {
      const hash = view.hashOf({ record: each });
      if (hash !== undefined) named.add(hash);
    }
  }
  const ageOf = (hash: string): number => age.get(hash) ?? 0;
  const places = new Map<string, number>();
  for (const named of byNamespace.values())
    for (const [place, hash] of [...named].sort((a, b) => ageOf(a) - ageOf(b)).entries())
      places.set(hash, Math.min(places.get(hash) ?? Infinity, place));
  const inOrder = [...places].sort(([a, m], [b, n]) => m - n || ageOf(a) - ageOf(b));
  return new Set([view.liveHash, ...inOrder.slice(0, MOST_NAMED).map(([hash]) => hash)]);
}
