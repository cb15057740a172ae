import type { PodRow } from './pod-row.ts';
import type { ChildRow } from './units.ts';

/**
 * A row for each pod that the children report: which pod it is, nobody knows. The unavailable ones of a child come first: those that
 * it says fail, then those of earlier revisions, then the others. Each is identified by its place. So of a child that had two broken pods
 * before a plan, two may be broken later, whichever they are; and what is excused because it fails is not taken for one that is replaced.
 */
export function podRowsOf(children: readonly ChildRow[]): PodRow[] {
  return children.flatMap((child) => {
    const { pods, failing, given } = child;
    const down = pods.map(({ hash, count, available }) => {
      const failed = hash === given?.goal ? Math.min(failing?.pods ?? 0, count - available) : 0;
      return { hash, failed, others: count - available - failed };
    });
    const failed = down.flatMap((each) => times(each.failed, each.hash));
    const broken = [...failed, ...down.flatMap(({ hash, others }) => times(others, hash))];
    const working = pods.flatMap(({ hash, available }) => times(available, hash));
    return [...broken, ...working].map((hash, place) => ({
      uid: `${child.name}/${place}`,
      unit: `${child.name}/${place}`,
      name: child.name,
      hash,
      available: place >= broken.length,
      restarts: 0,
      createdAt: 0,
      updatedAt: 0,
      conditions: {},
      ...(place < failed.length && { problem: failing?.message }),
    }));
  });
}

function times(count: number, hash: string): string[] {
  return Array<string>(Math.max(count, 0)).fill(hash);
}
