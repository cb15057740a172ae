import type { PodRow } from './pod-row.ts';
import type { ChildRow } from './units.ts';

/**
 * A row for each pod that the children report: which pod it is, nobody knows. The unavailable ones of a child come first, those of
 * earlier revisions before the others, and each is identified by its place. So of a child that had two broken pods before a plan,
 * two may be broken later, whichever they are.
 */
export function podRowsOf(children: readonly ChildRow[]): PodRow[] {
  return children.flatMap((child) => {
    const { pods, problem } = child;
    const broken = pods.flatMap(({ hash, count, available }) => times(count - available, hash));
    const working = pods.flatMap(({ hash, available }) => times(available, hash));
    return [...broken, ...working].map((hash, place): PodRow => {
      const isBroken = place < broken.length;
      return {
        uid: `${child.name}/${place}`,
        unit: `${child.name}/${place}`,
        name: child.name,
        hash,
        available: !isBroken,
        restarts: 0,
        createdAt: 0,
        updatedAt: 0,
        conditions: {},
        ...(isBroken && problem !== undefined ? { problem } : {}),
      };
    });
  });
}

function times(count: number, hash: string): string[] {
  return Array<string>(Math.max(count, 0)).fill(hash);
}
