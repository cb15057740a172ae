import { timestamp } from '../values/timestamp.ts';

/** What lives this long was not lost as fast as it was made. */
export const MIN_LIFETIME_MS = 60_000;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 300_000;

/**
 * How long it is waited before what was lost is made again, by how many before it, each the successor of the other, were
 * lost within `LIVES_MS` of their making. A pod that had lived, and the first successor that is lost, are made again at
 * once: the drain of a node, or of two, waits for nothing. From then on it is 1 s, 2 s, 4 s … up to 5 min, as a DaemonSet
 * does with its failed pods.
 */
export function backoffMs(lostInARow: number): number {
  return lostInARow < 2 ? 0 : Math.min(FIRST_WAIT_MS * 2 ** (lostInARow - 2), LONGEST_WAIT_MS);
}

/** What of a target is not made again yet, because it was lost again and again just after it was made. */
export interface CreationBackoff {
  kind: 'Pod' | 'ControllerRevision';
  /** How many are not made before their time, by revision label of a pod, or name of a revision. */
  deferred: ReadonlyMap<string, number>;
  /** When the next one is made, milliseconds since 1970; undefined: all are there, and have yet to live. */
  nextAt: number | undefined;
  /** When there may be more to say though nothing happens, milliseconds since 1970. */
  requeueAt: number;
  /** How many were lost in this series, and within which time. */
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
      ? `find out what deletes them, such as another controller, an admission webhook or a node: kubectl get events ${namespace === '' ? '-A' : `-n ${namespace}`}`
      : 'find out what deletes them, such as another controller or a cleanup job';
  return `${lost} ${what} were lost within ${seconds} s, each less than a minute after its creation; ${next}; ${help}`;
}
