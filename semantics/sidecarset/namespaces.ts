import type { Unit } from './unit.ts';

function countsByNamespace(units: readonly Unit[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { pod } of units) {
    const { namespace = '' } = pod.metadata;
    counts.set(namespace, (counts.get(namespace) ?? 0) + 1);
  }
  return counts;
}

/**
 * Whether some pods are so few that a plan succeeds without them: a tenth of all, at least one, and beyond that those of one namespace,
 * which has less than half of all. Whoever writes the pods of a namespace holds up no more than that; a plan that can take no more than
 * a few pods succeeds at nothing.
 *
 * @param units by which the namespaces are measured
 */
export function areFew(units: readonly Unit[], some: readonly Unit[]): boolean {
  if (some.length === 0) return true;
  const all = countsByNamespace(units);
  const ofOne = [...countsByNamespace(some)].map(([namespace, count]) =>
    2 * (all.get(namespace) ?? 0) < units.length ? count : 0,
  );
  return some.length - Math.max(0, ...ofOne) <= Math.max(1, Math.floor(units.length / 10));
}

/** A test of pods: whether their namespace has at least half of all these, which are only counted where it is asked. */
export function inLargest(measured: () => readonly Unit[]): (unit: Unit) => boolean {
  let largest: ReadonlySet<string> | undefined;
  const count = (): ReadonlySet<string> => {
    const units = measured();
    const counts = [...countsByNamespace(units)];
    return new Set(counts.flatMap(([namespace, n]) => (2 * n >= units.length ? [namespace] : [])));
  };
  return ({ pod }) => (largest ??= count()).has(pod.metadata.namespace ?? '');
}
