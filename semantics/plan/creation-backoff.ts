import { timestamp } from '../values/timestamp.ts';

/** Milliseconds after which the loss of an object does not count towards the backoff. */
export const MIN_LIFETIME_MS = 60_000;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 300_000;

/**
 * Milliseconds to wait before a lost object is created again. The first two are replaced at once, so that the drain of a
 * node, or of two, does not wait. From then on the delay is 1 s, 2 s, 4 s … up to 5 min, as controllers of nodes do with failed
 * pods.
 *
 * @param lostInARow how many objects in a row, each the replacement of the one before, were lost within `MIN_LIFETIME_MS`
 *   of their creation
 */
export function backoffMs(lostInARow: number): number {
  return lostInARow < 2 ? 0 : Math.min(FIRST_WAIT_MS * 2 ** (lostInARow - 2), LONGEST_WAIT_MS);
}

/** The objects of a target that are not created again yet, as their predecessors were repeatedly lost after creation. */
export interface CreationBackoff {
  kind: 'Pod' | 'ControllerRevision';
  /** How many creations are deferred, by revision label of a pod, or name of a revision. */
  deferred: ReadonlyMap<string, number>;
  /** When the next one is created, milliseconds since 1970; undefined: all exist, for less than a minute. */
  nextAt: number | undefined;
  /** When to reconcile again, even if nothing changes, milliseconds since 1970. */
  requeueAt: number;
  /** How many were lost in this series, and within how many milliseconds. */
  lost: number;
  withinMs: number;
}

/** Why the target waits, for its status. */
export function backoffHeld(
  backoff: CreationBackoff,
  namespace: string,
): { reason: string; message: string } {
  const isPod = backoff.kind === 'Pod';
  return { reason: isPod ? 'PodsLost' : 'RevisionsLost', message: backoffText(backoff, namespace) };
}

export function backoffText({ kind, nextAt, lost, withinMs }: CreationBackoff, namespace: string): string {
  const what = kind === 'Pod' ? 'pods' : 'ControllerRevisions';
  const seconds = Math.max(Math.round(withinMs / 1000), 1);
  const next =
    nextAt === undefined
      ? 'the present ones have not lived for a minute yet'
      : `the next one is created at ${timestamp(nextAt)}`;
  const help =
    kind === 'Pod'
      ? `Find out what deletes them, such as another controller, an admission webhook or a node: kubectl get events ${namespace === '' ? '-A' : `-n ${namespace}`}`
      : 'Find out what deletes them, such as another controller or a cleanup job';
  return `${lost} ${what} were lost within ${seconds} s, each less than a minute after its creation; ${next}. ${help}`;
}
